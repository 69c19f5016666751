"""``persian-rummy stats``: statistics of the games in files."""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..system.command_line import complain, say_on_error
from ..system.files import explained
from .command import DIFFERENT, OK, CommandError, Faults

if TYPE_CHECKING:
    from ..records.stats import Summary

DESCRIPTION = """\
Statistics of the games in files: length of deals, going out, points by source (sets, runs, lay-offs, the doubling of
four at once, going out, cards left in hand), and takes from the pile; for all seats, each seat, and each policy that
the records name. Every game is replayed first. A game that is damaged or does not replay is named on standard error
and left out; the exit status is then 1."""
EXAMPLES = """\
examples:
  persian-rummy stats games.jsonl
  persian-rummy stats a.jsonl b.jsonl --json stats.json --plot stats.png
  persian-rummy simulate --games 100 --seed 7 --players expert,greedy | persian-rummy stats -
"""


def picture_name(text: str) -> str:
    is_file = not Path(text).exists() or Path(text).is_file()
    if is_file and not text.lower().endswith(".png"):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a name that ends in .png")
    return text


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "stats",
        help="add up games: length, points by source, takes, going out",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file of records; - is standard input")
    parser.add_argument(
        "--json", metavar="FILE", help="also write the counts as JSON; - prints them instead of the tables"
    )
    parser.add_argument("--plot", type=picture_name, metavar="FILE.png", help="also draw a chart (needs matplotlib)")


def run(args: argparse.Namespace) -> int:
    from ..records.stats import Summary, tables
    from ..system.files import whole_file

    if args.plot is not None and find_spec("matplotlib") is None:
        raise CommandError(
            "--plot needs matplotlib, which is not installed: pip install 'persian-rummy-rl[plot]', or leave --plot out"
        )
    summary = Summary()
    status = max(add_file(name, summary) for name in args.files)
    if summary.games == 0:
        return status
    if args.json == "-":
        print(json.dumps(summary.as_dict(), indent=2))
    else:
        print(tables(summary), end="")
        if args.json is not None:
            with whole_file(args.json) as file:
                file.write(json.dumps(summary.as_dict(), indent=2) + "\n")
    if args.plot is not None:
        from ..records.stats_plot import draw

        with whole_file(args.plot, binary=True) as file:
            draw(summary, file)
    return status


def add_file(name: str, summary: Summary) -> int:
    """Add the games of a file and return its exit status. After an unreadable file the next one is read."""
    from ..records.record import RecordError, scan
    from ..system.lines import open_lines

    games = 0
    faults = Faults(name, lambda line: say_on_error(f"persian-rummy stats: {line}"))
    try:
        with open_lines(name) as lines:
            for line in scan(lines):
                games += 1
                fault = line.error
                if line.record is not None:
                    try:
                        summary.add(line.record)
                    except RecordError as error:
                        fault = RecordError(error.field, error.fault, line.number)
                if fault is None:
                    faults.good()
                else:
                    faults.add(fault, named=line.named)
        faults.close()
    except BrokenPipeError:
        raise
    except OSError as error:
        return complain("persian-rummy stats", explained(error))
    if games == 0:
        say_on_error(f"persian-rummy stats: {name}: no record in it")
        return DIFFERENT
    return DIFFERENT if faults.count else OK
