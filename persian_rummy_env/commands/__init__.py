"""The subcommands of ``persian-rummy``, one a module: ``add_to(subparsers)`` names its options, ``run(args)`` returns
the exit status. A module imports the engine only in ``run``, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

OK, DIFFERENT, WRONG_USE = 0, 1, 2
"""Exit statuses: done; a record does not replay; wrong arguments, or a file that cannot be read or written."""


class CommandError(Exception):
    """The user is to be told; exit status ``WRONG_USE``."""


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """An argument type: a whole number from ``low`` to ``high``."""
    wanted = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"{text!r}: expected {wanted}")
        return number

    return parse


@contextmanager
def open_lines(name: str) -> Iterator[IO[bytes]]:
    """The lines of a file as bytes; ``-`` is standard input."""
    if name == "-":
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield file
