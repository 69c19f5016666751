"""``persian-rummy simulate``: games between policies, as records."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ..rules import RULES_HELP, RuleSet
from ..system.command_line import say_on_error
from .command import MAX_SEED, OK, CommandError, policy_faults, rules, whole_number

if TYPE_CHECKING:
    from ..records.record import Record

PATIENCE = 0.5
"""Seconds between two progress reports."""

DESCRIPTION = """\
Play games between policies and write them as records, one JSON object a line. The same seed gives the same games.
Game k of a seed does not depend on the number of games. Each record names the seed that starts the same game in every
environment."""
EXAMPLES = """\
examples:
  persian-rummy simulate --games 100 --seed 7 --out games.jsonl
      a hundred games of greedy bots, in a file
  persian-rummy simulate --games 1000 --seed 1 --players random,greedy --out games.jsonl.gz
      team 0 (seats 0 and 2) plays at random, team 1 (seats 1 and 3) is greedy
  persian-rummy simulate --seed 2 --players champion,expert --rules deals=1 --out game.jsonl
      the bundled trained policy against a bot
  persian-rummy simulate --seed 3 --rules deals=1,stock_out=end --legal | persian-rummy show -
      one short game, to read
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="play games between policies and write their records",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("--games", type=whole_number(1), default=1, metavar="N", help="number of games (default: 1)")
    parser.add_argument(
        "--seed",
        type=whole_number(0, MAX_SEED),
        metavar="S",
        help="from 0 to 2**64 - 1 (default: a new one, printed on standard error)",
    )
    parser.add_argument(
        "--players",
        default="greedy",
        metavar="NAMES",
        help="policies: one name for all seats, two by team, or four by seat, such as champion,expert "
        "(default: greedy)",
    )
    parser.add_argument(
        "--rules",
        type=rules,
        default=RuleSet(),
        metavar="RULES",
        help=RULES_HELP,
    )
    parser.add_argument("--legal", action="store_true", help="also write the legal actions before each action")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="write to a file, which appears when it is complete; compressed if its name ends in .gz "
        "(default: standard output)",
    )


def run(args: argparse.Namespace) -> int:
    from ..records.record import dumps, records_file
    from ..records.recorder import simulate
    from ..seeds import fresh_seed

    seed = args.seed
    if seed is None:
        seed = fresh_seed()
        print(f"seed {seed}", file=sys.stderr)
    to_file = args.out not in (None, "-")
    try:
        records = simulate(args.games, seed, args.players, rules=args.rules, legal=args.legal)
    except (ValueError, FileNotFoundError) as error:
        raise CommandError(f"argument --players: {error}") from None
    start = time.monotonic()
    with policy_faults(), records_file(args.out) if to_file else nullcontext(sys.stdout) as out:
        for record in progress(records, args.games, shown=sys.stderr.isatty() and (to_file or not out.isatty())):
            out.write(dumps(record) + "\n")
    if to_file:
        count = "1 game" if args.games == 1 else f"{args.games} games"
        say_on_error(f"{count} in {args.out}, after {time.monotonic() - start:.1f} s")
    return OK


def progress(records: Iterable[Record], total: int, *, shown: bool) -> Iterator[Record]:
    """Pass the records on; if they take long, show their number in a transient line on standard error."""
    start = shown_at = time.monotonic()
    try:
        for count, record in enumerate(records):
            now = time.monotonic()
            if shown and now - shown_at > PATIENCE:
                shown_at = now
                left = (total - count) * (now - start) / max(count, 1)
                print(f"\r{count} of {total} games, {left:.0f} s left  ", end="", file=sys.stderr, flush=True)
            yield record
    finally:
        if shown_at != start:
            print(f"\r{'':40}\r", end="", file=sys.stderr, flush=True)
