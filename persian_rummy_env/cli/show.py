"""``persian-rummy show``: games as text, or as a page to step through."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..system.command_line import say_on_error
from .command import DIFFERENT, OK, CommandError, Faults, whole_number

if TYPE_CHECKING:
    import numpy as np

    from ..apps.replay_page import Analysis, Analyst
    from ..rules import RuleSet

MOST_GAMES = 200
VIEWERS = ("open", "player_0", "player_1", "player_2", "player_3")
DESCRIPTION = """\
Print the games of a file turn by turn: hand, pile and table before each turn, its actions, and at the end of each deal
the parts of its score. All cards are open. With --html, make a page instead to step through the games in a browser:
one file, which loads nothing. On a terminal cards are in colour (not with NO_COLOR set)."""
EXAMPLES = """\
examples:
  persian-rummy show games.jsonl --game 3
  persian-rummy show games.jsonl --html games.html
  persian-rummy show games.jsonl --game 3 --html game.html --policy champion --policy expert
  persian-rummy show games.jsonl --html seat.html --viewer player_0
  persian-rummy simulate --seed 7 --rules deals=1 | persian-rummy show - | less
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "show",
        help="print games turn by turn, or make a page to step through them",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("file", metavar="FILE", help="a file of records; - is standard input")
    parser.add_argument(
        "--game", type=whole_number(1), metavar="K", help="only the K-th game of the file, from 1 (default: every game)"
    )
    page = parser.add_argument_group("a page")
    page.add_argument("--html", metavar="FILE", help="write the page there; - is standard output")
    page.add_argument(
        "--viewer",
        choices=VIEWERS,
        help="show only what this player sees, without any hidden card; or open: only with all hands open "
        "(default: the reader of the page can choose)",
    )
    page.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="NAME",
        help="analyse every decision by a policy: expert, champion, 'search(deepest, worlds=40)', file:PATH of a "
        "trained policy; may be given several times",
    )
    page.add_argument("--four-colours", action="store_true", help="clubs green and diamonds blue")
    page.add_argument(
        "--worlds",
        type=whole_number(0, 10_000),
        metavar="N",
        help="sampled worlds for the value of a policy; 0: no values (default: 128)",
    )


def run(args: argparse.Namespace) -> int:
    if args.html is not None:
        return make_page(args)
    for option in ("viewer", "policy", "worlds", "four_colours"):
        if getattr(args, option) not in (None, [], False):
            raise CommandError(f"--{option.replace('_', '-')} is about the page: name its file with --html FILE")
    from ..drawing.terminal import paint, wants_colour
    from ..records.record import RecordError, is_named, loads
    from ..records.transcript import transcript
    from ..system.escaping import visible_lines

    faults = Faults(args.file, complain)
    for number, line, found in requested(args):
        try:
            text = visible_lines(transcript(loads(found)))
        except RecordError as error:
            faults.add(RecordError(error.field, error.fault, line), named=is_named(found))
        else:
            faults.good()
            print(f"Game {number}")
            print(paint(text) if wants_colour(sys.stdout) else text)
    faults.close()
    return DIFFERENT if faults.count else OK


def make_page(args: argparse.Namespace) -> int:
    """Write the page of the games that replay, and name the games that do not."""
    from ..apps.replay_page import replay_page
    from ..drawing import Look
    from ..records.record import RecordError, is_named, loads
    from ..records.replay import replay
    from ..system.files import whole_file

    if args.worlds is not None and not args.policy:
        raise CommandError("--worlds is about the values of a policy: name one with --policy NAME")
    analysts = [analyst(name, args.worlds) for name in args.policy]
    faults = Faults(args.file, complain)
    games = []
    for number, line, found in requested(args):
        try:
            record = loads(found)
            replay(record)
        except RecordError as error:
            faults.add(RecordError(error.field, error.fault, line), named=is_named(found))
        else:
            faults.good()
            games.append((number, record))
        if len(games) > MOST_GAMES:
            raise CommandError(f"{args.file}: a page holds at most {MOST_GAMES} games: choose one with --game K")
    faults.close()
    status = DIFFERENT if faults.count else OK
    if not games:
        complain(f"{args.file}: no game to show; {args.html} is not written")
        return DIFFERENT
    page = replay_page(games, args.viewer, analysts, Look(four_colours=args.four_colours))
    if args.html == "-":
        write_to_output(page)
        return status
    with whole_file(args.html) as file:
        file.write(page)
    say_on_error(f"wrote {args.html}")
    return status


def analyst(name: str, worlds: int | None) -> Analyst:
    """The analyst of a policy.

    Raises:
        CommandError: there is no policy of that name.
    """
    from ..apps.analyst import DEFAULT_WORLDS, PolicyAnalyst
    from ..players.policy import RulesError
    from ..players.policy_io import AnswerError, PolicyError

    try:
        policy = PolicyAnalyst(name, DEFAULT_WORLDS if worlds is None else worlds)
    except FileNotFoundError as error:
        raise CommandError(f"--policy {name}: {error}") from None
    except ValueError as error:
        raise CommandError(f"--policy: {error}") from None

    def ask(games: np.ndarray, rules: RuleSet) -> Analysis:
        say_on_error(f"asking {name} about {len(games)} decision{'s' * (len(games) != 1)} …")
        try:
            return policy(games, rules)
        except (RulesError, AnswerError) as error:
            raise CommandError(f"--policy {name}: {error}") from None
        except PolicyError as error:
            if not error.is_answer:  # a bug of the policy: show the traceback
                raise
            raise CommandError(f"--policy {name}: {error}") from None

    return ask


def requested(args: argparse.Namespace) -> Iterator[tuple[int, int, bytes]]:
    """The requested games: the number of each in the file, the number of its line, and the line."""
    from ..records.record import is_blank
    from ..system.lines import open_lines

    games = 0
    with open_lines(args.file) as lines:
        for number, line in enumerate(lines, start=1):
            if is_blank(line):
                continue
            games += 1
            if args.game not in (None, games):
                continue
            yield games, number, line
            if args.game == games:
                return
    if args.game is not None:
        raise CommandError(f"--game {args.game}: {args.file} holds {games} game{'s' * (games != 1)}")


def complain(fault: str) -> None:
    say_on_error(f"persian-rummy show: {fault}")


def write_to_output(page: str) -> None:
    """Write a page in UTF-8, which it declares, whatever the encoding of the terminal."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(page)
    else:
        raw.write(page.encode())
        raw.flush()
