"""``persian-rummy verify``: playing records again, and saying where they differ."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import DIFFERENT, OK, WRONG_USE, open_lines

DESCRIPTION = """\
Play every game of a file of records again, from its decks and actions, and name the first difference of each game that
differs: in the actions, the legal actions where they are recorded, who went out, the scores, the dealers. A damaged
line is named too, and the lines after it are still checked. Lines, deals and actions are counted from 1; the field in
brackets is the place in the record, where counting starts at 0. The exit status is 0 if all is well, 1 if anything
differs or no record is there, 2 if a file cannot be read."""
EXAMPLES = """\
examples:
  persian-rummy verify games.jsonl
  persian-rummy verify tests/golden/*.jsonl
  gunzip < games.jsonl.gz | persian-rummy verify -
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "verify",
        help="play records again and say where they differ",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file of records; - is standard input")


def run(args: argparse.Namespace) -> int:
    return max(verify_file(name) for name in args.files)


def verify_file(name: str) -> int:
    """The exit status for a file; what differs in it is printed. One that cannot be read does not hide the next."""
    from ..replay import verify_lines

    games = bad = 0
    try:
        with open_lines(name) as lines:
            for verdict in verify_lines(lines):
                games += 1
                if verdict.fault is not None:
                    bad += 1
                    print(f"{name}: {verdict}")
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f"persian-rummy verify: error: {name}: {error.strerror or error}", file=sys.stderr)
        return WRONG_USE
    counted = "1 game" if games == 1 else f"{games} games"
    if games == 0:
        print(f"{name}: no record in it")
    else:
        print(f"{name}: {counted}, {f'{bad} bad' if bad else 'no difference'}")
    return OK if games > 0 and bad == 0 else DIFFERENT
