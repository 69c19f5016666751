"""Shared parts of the subcommands of ``persian-rummy``. Each subcommand is a module: ``add_to(subparsers)`` adds its
options, ``run(args)`` returns the exit status. It imports the engine only in ``run``, so that ``--help`` is quick."""

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
"""Exit statuses: success; a record does not replay. ``WRONG_USE`` stands for wrong arguments and for a file that cannot
be read or written."""


MAX_SEED = 2**64 - 1


class CommandError(Exception):
    """A mistake of the user; it is printed in one line, with exit status ``WRONG_USE``."""


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
    """Add the options of every command that plays matches."""
    parser.add_argument(
        "--seed", type=whole_number(0, MAX_SEED), default=1, metavar="S", help="seed of the deals (default %(default)s)"
    )
    parser.add_argument("--rules", type=rules, default=RuleSet(), metavar="RULES", help=RULES_HELP)
    parser.add_argument("--episode", choices=("deal", "game"), default="deal", help="default %(default)s")
    parser.add_argument("--split-stock", action="store_true", help="each seat draws from its own part of the stock")


def specs_of(text: str) -> list[str]:
    """The names in a comma-separated list of policies.

    Raises:
        CommandError: the text is not such a list, or it has a name twice.
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
    """Load policies by name, for games with these rules.

    Raises:
        CommandError: there is no policy of that name, its file cannot be read, or it was trained with other rules.
        PolicyError: its constructor fails.
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
    """Turn an invalid answer of a policy into a ``CommandError``. Exceptions of the policy itself pass."""
    from ..players.policy_io import AnswerError, PolicyError

    try:
        yield
    except AnswerError as error:
        raise CommandError(str(error)) from None
    except PolicyError as error:
        if not error.is_answer:  # a bug of the policy: show the traceback
            raise
        raise CommandError(str(error)) from None


class Faults:
    """Prints the faults in the lines of a file: the first ``MOST`` and the number of the others. If the file is not a
    file of records at all, it raises with one line instead.

    Args:
        name: the name of the file.
        say: prints a line, which names the file.
    """

    MOST = 20

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self.name, self._say = name, say
        self.count = 0
        self._named = False
        self._held: list[str] = []

    def good(self) -> None:
        """Note a line that is a valid record."""
        self._named = True
        self._let_go()

    def add(self, fault: object, *, named: bool) -> None:
        """Note a line that is not a valid record.

        Args:
            fault: the fault, with the number of the line.
            named: the line holds the name of the format, so it was meant to be a record.

        Raises:
            FileError: ``MOST`` lines and none was meant to be a record.
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
        """End the file: print the number of the other faults.

        Raises:
            FileError: no line was meant to be a record.
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
