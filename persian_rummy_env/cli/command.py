"""The subcommands of ``persian-rummy``, one a module: ``add_to(subparsers)`` names its options, ``run(args)`` returns
the exit status. A module imports the engine only in ``run``, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
import errno
from collections.abc import Callable

from ..system.command_line import WRONG_USE
from ..system.files import FileError

__all__ = ["DIFFERENT", "OK", "WRONG_USE", "CommandError", "Faults", "whole_number"]

OK, DIFFERENT = 0, 1
"""Exit statuses: done; a record does not replay. ``WRONG_USE`` is of wrong arguments, and of a file that cannot be read
or written."""


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


class Faults:
    """What is wrong with the lines of a file, said so that it stays readable: of what is no file of records at all one
    line, else ``MOST`` lines and how many more there are.

    Args:
        say: prints a line; the file is named in it.
    """

    MOST = 20

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self.name, self._say = name, say
        self.count = 0
        self._named = False
        self._held: list[str] = []

    def good(self) -> None:
        """A line is a good record."""
        self._named = True
        self._let_go()

    def add(self, fault: object, *, named: bool) -> None:
        """A line is not; ``fault`` names it. ``named``: it was meant to be a record.

        Raises:
            FileError: so many lines are no records that the file is none of records.
        """
        self.count += 1
        self._named |= named
        if self.count <= self.MOST:
            self._held.append(str(fault))
        if self._named:
            self._let_go()
        elif self.count == self.MOST:
            self._refuse()

    def close(self) -> None:
        """The file has ended.

        Raises:
            FileError: nothing in it was meant to be a record.
        """
        if self.count and not self._named:
            self._refuse()
        if self.count > self.MOST:
            self._say(f"{self.name}: and {self.count - self.MOST} more")

    def _let_go(self) -> None:
        for fault in self._held:
            self._say(f"{self.name}: {fault}")
        self._held.clear()

    def _refuse(self) -> None:
        raise FileError(errno.EINVAL, f"not a file of records: {self._held[0]}", self.name)
