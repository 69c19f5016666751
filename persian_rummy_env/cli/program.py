"""The command line, ``persian-rummy``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..system.command_line import complain, run_command
from . import apps, cross_play, info, match, show, simulate, stats, tournament, verify, warm_up
from .command import CommandError

DESCRIPTION = """\
Persian Rummy, a card game of two teams of two: play it, measure policies against each other, keep games as records,
check and read them.

Records are JSON Lines, one game a line (docs/rules.md, "Records"). The commands work together:
"""
EXAMPLES = """\
examples:
  persian-rummy match champion expert --pairs 2000
  persian-rummy tournament random,greedy,deepest,expert
  persian-rummy play
  persian-rummy simulate --games 1000 --seed 7 --players greedy,random --out games.jsonl
  persian-rummy verify games.jsonl
  persian-rummy show games.jsonl --game 3 | less
  persian-rummy stats games.jsonl --plot stats.png
  persian-rummy simulate --seed 7 | persian-rummy show -

exit status: 0 done; 1 a record does not replay; 2 wrong arguments, or a file that cannot be read or written
"""


def parser() -> argparse.ArgumentParser:
    from .. import __version__

    parser = argparse.ArgumentParser(
        prog="persian-rummy",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"persian-rummy {__version__}")
    subparsers = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for command in (match, tournament, cross_play, apps, simulate, verify, show, stats, info, warm_up):
        command.add_to(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    given = sys.argv[1:] if argv is None else list(argv)
    if given and given[0] in apps.APPS:
        return apps.run(given[0], given[1:])
    args = parser().parse_args(given)

    def run() -> int:
        try:
            return args.run(args)
        except CommandError as error:
            return complain(f"persian-rummy {args.command}", str(error))

    return run_command(f"persian-rummy {args.command}", run)


if __name__ == "__main__":
    sys.exit(main())
