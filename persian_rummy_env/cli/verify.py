"""``persian-rummy verify``: replay records and report the first difference."""

from __future__ import annotations

import argparse
from typing import Any

from ..system.command_line import complain, say
from ..system.files import explained
from .command import DIFFERENT, OK, Faults

DESCRIPTION = """\
Replay every game of a file from its decks and actions, and report the first difference of each game: in the actions,
the recorded legal actions, who went out, the scores, or the dealers. Damaged lines are reported too (the first of
them), and the lines after them are checked. Lines, deals and actions are counted from 1; the field in brackets is the
place in the record, counted from 0. The exit status is 0 without differences, 1 with a difference or without any
record, 2 if a file cannot be read or holds no records. Files may be compressed by gzip."""
EXAMPLES = """\
examples:
  persian-rummy verify games.jsonl
  persian-rummy verify tests/golden/*.jsonl
  persian-rummy verify games.jsonl.gz
  tail -1 games.jsonl | persian-rummy verify -
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "verify",
        help="replay records and report where they differ",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file of records; - is standard input")


def run(args: argparse.Namespace) -> int:
    return max(verify_file(name) for name in args.files)


def verify_file(name: str) -> int:
    """Print the differences in a file and return its exit status. After an unreadable file the next one is read."""
    from ..records.record import scan
    from ..records.replay import verdict_on
    from ..system.lines import open_lines

    games = 0
    faults = Faults(name, say)
    try:
        with open_lines(name) as lines:
            for line in scan(lines):
                games += 1
                verdict = verdict_on(line)
                if verdict.fault is None:
                    faults.good()
                else:
                    faults.add(verdict, named=line.named)
        faults.close()
    except BrokenPipeError:
        raise
    except OSError as error:
        return complain("persian-rummy verify", explained(error))
    counted = "1 game" if games == 1 else f"{games} games"
    if games == 0:
        say(f"{name}: no record in it")
    else:
        say(f"{name}: {counted}, {f'{faults.count} bad' if faults.count else 'no difference'}")
    return OK if games > 0 and faults.count == 0 else DIFFERENT
