"""The command line of a game in the terminal."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from ...players.load import FORMS
from ...players.policy_io import PolicyError
from ...rules import RULES_HELP, RuleSet
from ...seeds import fresh_seed
from ...system.command_line import complain, run_command, say_on_error
from ...system.escaping import shortened, visible
from ...system.files import explained
from ..game import TableError, TableGame
from ..seating import Player, draw, parse_seats, policies_of
from . import screen
from .game import Game, LeftError, save

PROGRAM = "persian-rummy play"
DESCRIPTION = fill(
    f"Play Persian Rummy in the terminal with and against policies. Seats are 'human' or a policy: {FORMS}. Four "
    "players draw for partners unless --no-draw is given. Without a draw, seats 0 and 2 play against seats 1 and 3.",
    width=79,
)


EXAMPLES = """\
examples:
  persian-rummy play
  persian-rummy play --seats human,champion,expert,champion --hint champion
  persian-rummy play --seats "human,human,champion,search(deepest, worlds=40)" --names Ada,Bo --rules deals=1
"""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seats", default="human,expert,expert,expert", help="who plays (default %(default)s)")
    parser.add_argument("--names", default="", help="names of the people, divided by commas, in the order of --seats")
    parser.add_argument("--no-draw", action="store_true", help="keep the seats as they are given")
    parser.add_argument("--seed", type=int, help="of the draw and the deals (default: a new one)")
    parser.add_argument("--rules", default="", help=RULES_HELP)
    parser.add_argument("--hint", default="expert", help="the policy that hints come from (default %(default)s)")
    parser.add_argument("--out", type=Path, help="the record (default games/SEED.jsonl)")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with an unfinished game")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Play a game and return the exit status: 0 finished or left, 1 a policy failed, 2 wrong arguments."""
    args = parser().parse_args(argv)
    return run_command(PROGRAM, lambda: run(args))


def run(args: argparse.Namespace) -> int:
    console = screen.console()
    try:
        game, out = _resumed(args) if args.resume else _new(args)
        game.console = console
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return complain(PROGRAM, explained(error))
    except (ValueError, TypeError) as error:
        return complain(PROGRAM, str(error))
    status, left = 0, False
    try:
        game.play()
    except (LeftError, KeyboardInterrupt, OSError) as error:  # OSError: the terminal was closed
        if isinstance(error, OSError) and error.filename is not None:
            raise
        left = True
    except PolicyError as error:
        status = 1
        say_on_error(f"{PROGRAM}: error: {error}")
    path = save(game, out)  # before anything is printed, because the terminal may be closed
    if left:
        console.print("\nleft before the end")
    shown = visible(str(path))
    if game.table.over:
        console.print(f"saved: {shown}; see it with: persian-rummy show {shown}", markup=False, soft_wrap=True)
        if args.resume:
            args.resume.unlink(missing_ok=True)
    else:
        console.print(
            f"saved: {shown}; go on with: persian-rummy play --resume {shown}",
            markup=False,
            soft_wrap=True,
        )
    return status


def _new(args: argparse.Namespace) -> tuple[Game, Path]:
    rules = RuleSet.parse(args.rules)
    players = parse_seats(args.seats, [name.strip() for name in args.names.split(",") if name.strip()])
    seed = fresh_seed() if args.seed is None else args.seed
    policies = policies_of(players, rules)
    console = screen.console()
    dealer = None
    if not args.no_draw:
        players, seating = draw(players, seed)
        dealer = seating.dealer
        console.print(screen.seating(seating))
    game = Game(TableGame(rules, seed, dealer), players, policies, args.hint, console)
    return game, args.out or Path("games") / f"{seed}.jsonl"


def _resumed(args: argparse.Namespace) -> tuple[Game, Path]:
    try:
        saved = json.loads(args.resume.read_bytes().decode("utf-8"))
        if not isinstance(saved, dict):
            raise TableError(f"expected an object, found {type(saved).__name__}")
        table = TableGame.resume(saved)
        if len(saved["seats"]) != len(saved["players"]) or len(saved["seats"]) != 4:
            raise TableError("seats and players: expected four of each")
        players = [Player(str(name), str(spec)) for name, spec in zip(saved["players"], saved["seats"], strict=True)]
        if any(type(text) is not str for text in (*saved["players"], *saved["seats"])):
            raise TableError("seats and players: expected text")
    except KeyError as error:
        raise ValueError(f"{args.resume}: not an unfinished game: {error.args[0]}: missing") from error
    except (ValueError, TypeError, RecursionError) as error:
        fault = shortened(str(error), 1000)
        raise ValueError(f"{args.resume}: not an unfinished game: {fault}") from error
    game = Game(table, players, policies_of(players, table.rules), args.hint, screen.console())
    usual = args.resume.with_name(args.resume.name.removesuffix(".unfinished.json") + ".jsonl")
    return game, args.out or usual


if __name__ == "__main__":
    sys.exit(main())
