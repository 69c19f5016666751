"""``persian-rummy show``: an account of a game to read."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import DIFFERENT, OK, CommandError, open_lines, whole_number

DESCRIPTION = """\
Tell the games of a file turn by turn: the hand and the pile before each turn, what was drawn, laid and discarded, the
table after it, and at the end of each deal how its score came about. Everything is open, as to someone who walks round
the table. On a terminal cards are in colour (not with NO_COLOR set)."""
EXAMPLES = """\
examples:
  persian-rummy show games.jsonl --game 3
  persian-rummy simulate --seed 7 --rules deals=1 | persian-rummy show - | less
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "show",
        help="tell a game turn by turn",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("file", metavar="FILE", help="a file of records; - is standard input")
    parser.add_argument(
        "--game", type=whole_number(1), metavar="K", help="only the K-th game of the file, from 1 (default: every game)"
    )


def run(args: argparse.Namespace) -> int:
    from ..account import account
    from ..record import RecordError, loads
    from ..terminal import paint, wants_colour

    status = OK
    games = 0
    with open_lines(args.file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            games += 1
            if args.game not in (None, games):
                continue
            try:
                text = account(loads(line))
            except RecordError as error:
                print(f"persian-rummy show: {args.file}: line {number}, {error}", file=sys.stderr)
                status = DIFFERENT
            else:
                print(f"Game {games}")
                print(paint(text) if wants_colour(sys.stdout) else text)
            if args.game == games:
                return status
    if args.game is not None:
        raise CommandError(f"--game {args.game}: {args.file} holds {games} game{'s' * (games != 1)}")
    return status
