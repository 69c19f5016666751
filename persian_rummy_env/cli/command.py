"""The subcommands of ``persian-rummy``, one a module: ``add_to(subparsers)`` names its options, ``run(args)`` returns
the exit status. A module imports the engine only in ``run``, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..rules import RULES_HELP, RuleSet
from ..system.files import FileError

if TYPE_CHECKING:
    from ..players.policy import BasePolicy


OK, DIFFERENT = 0, 1
"""Exit statuses: done; a record does not replay. ``WRONG_USE`` is of wrong arguments, and of a file that cannot be read
or written."""


MAX_SEED = 2**64 - 1


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


def positive_number(text: str) -> float:
    """An argument type: a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number above 0")
    return number


def rules(text: str) -> RuleSet:
    """An argument type: a rule set."""
    try:
        return RuleSet.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_deal_options(parser: argparse.ArgumentParser) -> None:
    """The options of every command that plays matches."""
    parser.add_argument(
        "--seed", type=whole_number(0, MAX_SEED), default=1, metavar="S", help="of the deals (default %(default)s)"
    )
    parser.add_argument("--rules", type=rules, default=RuleSet(), metavar="RULES", help=RULES_HELP)
    parser.add_argument("--episode", choices=("deal", "game"), default="deal", help="default %(default)s")
    parser.add_argument("--split-stock", action="store_true", help="each seat draws from a stock of its own")


def specs_of(text: str) -> list[str]:
    """The names in a list of policies divided by commas.

    Raises:
        CommandError: it is no such list, or a name is in it twice.
    """
    from ..players.load import split_specs

    try:
        specs = split_specs(text)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if len(set(specs)) < len(specs):
        raise CommandError(f"{', '.join(sorted({spec for spec in specs if specs.count(spec) > 1}))}: given twice")
    return specs


def load_policies(specs: Sequence[str], rules: RuleSet) -> list[BasePolicy]:
    """Policies by name, for games by these rules.

    Raises:
        CommandError: a name means no policy, its file cannot be read, or it was trained with other rules.
    """
    from ..players.load import load
    from ..players.policy import check_rules

    try:
        policies = [load(spec) for spec in specs]
        for policy in policies:
            check_rules(policy, rules)
    except (ValueError, FileNotFoundError) as error:
        raise CommandError(str(error)) from None
    return policies


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; all columns but the first are aligned to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = []
    for row in (head, *rows):
        first, *others = ((str.rjust if column else str.ljust)(cell, widths[column]) for column, cell in enumerate(row))
        lines.append("  ".join([first, *others]).rstrip())
    return lines


@contextmanager
def policy_faults() -> Iterator[None]:
    """A policy whose answer is not allowed ends the command with one line; its own errors pass."""
    from ..players.policy_io import AnswerError, PolicyError

    try:
        yield
    except AnswerError as error:
        raise CommandError(str(error)) from None
    except PolicyError as error:
        if not isinstance(error.__cause__, AnswerError):  # a fault in the program, which is to be seen as one
            raise
        raise CommandError(str(error)) from None


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
