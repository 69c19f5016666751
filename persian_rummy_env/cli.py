"""The command line, ``persian-rummy``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from .commands import WRONG_USE, CommandError, info, show, simulate, stats, verify

BROKEN_PIPE, INTERRUPTED = 128 + 13, 128 + 2
"""Exit statuses, as the shell gives them to a program that a signal ends."""

DESCRIPTION = """\
Persian Rummy, a card game of two teams of two: play games between bots, keep them as records, check and read them.

Records are JSON Lines, one game a line (docs/rules.md, "Records"). The commands work together:
"""
EXAMPLES = """\
examples:
  persian-rummy simulate --games 1000 --seed 7 --bots greedy,random --out games.jsonl
  persian-rummy verify games.jsonl
  persian-rummy show games.jsonl --game 3 | less
  persian-rummy stats games.jsonl --plot stats.png
  persian-rummy simulate --seed 7 | persian-rummy show -

exit status: 0 done; 1 a record does not replay; 2 wrong arguments, or a file that cannot be read or written
"""


def parser() -> argparse.ArgumentParser:
    from . import __version__

    parser = argparse.ArgumentParser(
        prog="persian-rummy",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"persian-rummy {__version__}")
    subparsers = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for command in (simulate, verify, show, stats, info):
        command.add_to(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    args = parser().parse_args(argv)
    try:
        status = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output, such as head, has seen enough
        with suppress(OSError, ValueError):  # else Python complains when it closes standard output
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        print("persian-rummy: interrupted", file=sys.stderr)
        return INTERRUPTED
    except CommandError as error:
        return complain(args.command, str(error))
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return complain(args.command, f"{name}{error.strerror or error}")
    return status


def complain(command: str, fault: str) -> int:
    print(f"persian-rummy {command}: error: {fault}", file=sys.stderr)
    return WRONG_USE


if __name__ == "__main__":
    sys.exit(main())
