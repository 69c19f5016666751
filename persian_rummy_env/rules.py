"""The rule set: the few choices that the rules of Persian Rummy leave to the table.

Each field of ``RuleSet`` is a row of the table ``RULE_FIELDS``, and the only place that names a rule for all: the field
of the game record that holds it, what records, options and command lines may say, the observation's bits and the
printed pages follow from it. ``docs/design.md`` ("Adding things") says what a new rule takes.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from .arrays import shown

NUM_SEATS = 4
NUM_TEAMS = 2
HAND_SIZE = 7
OUT_BONUS = 25
MAX_DEALS = NUM_SEATS
"""Each seat deals at most once in a game."""
PASSES_TO_END = 4
MAX_DEAL_DECISIONS = 400
"""No deal takes more decisions than this (docs/rules.md)."""


@dataclass(frozen=True)
class RuleField:
    """A rule: a field of ``RuleSet``, and how everything else holds it.

    Attributes:
        name: of the field; also in records, options and on command lines.
        state: the field of ``state.STATE`` that holds its code.
        values: what it may be: whole numbers in a row, or words.
        first: the code of the first value; those of the others follow.
        default: what a game is played by if nobody says.
        absent: what a stored record, policy or run that does not name the rule was played by. Whatever becomes of the
            default, this never changes.
        shown: the observation has a place for it, which is 0 by the first value.
        meaning: of the state's field.
    """

    name: str
    state: str
    values: tuple[Any, ...]
    first: int
    default: Any
    absent: Any
    shown: bool
    meaning: str

    @property
    def numbers(self) -> bool:
        """Whether the values are whole numbers."""
        return isinstance(self.values[0], int)

    @property
    def last(self) -> int:
        """The largest code."""
        return self.first + len(self.values) - 1

    @property
    def takes(self) -> str:
        """The values in short: ``1..4``, ``any|jacks``."""
        return f"{self.values[0]}..{self.values[-1]}" if self.numbers else "|".join(self.values)

    def checked(self, value: Any) -> Any:
        """``value`` as the rule set holds it; any integer type will do.

        Raises:
            ValueError: it is none of the values.
        """
        if self.numbers:
            try:
                number = None if isinstance(value, bool) else operator.index(value)
            except TypeError:
                number = None
            if number not in self.values:
                expected = f"an integer from {self.values[0]} to {self.values[-1]}"
                raise ValueError(f"{self.name}={shown(value)}: expected {expected}")
            return number
        if not isinstance(value, str) or value not in self.values:
            raise ValueError(f"{self.name}={shown(value)}: expected one of {', '.join(self.values)}")
        return str(value)

    def code(self, value: Any) -> int:
        """What the state's field holds for a value."""
        return self.first + self.values.index(value)

    def value(self, code: int) -> Any:
        """The inverse of ``code``.

        Raises:
            ValueError: no value has this code.
        """
        if not self.first <= code <= self.last:
            raise ValueError(f"{self.state}={code}: expected {self.first}..{self.last} ({self.name} {self.takes})")
        return self.values[code - self.first]


def _row(
    state: str, values: Sequence[Any], meaning: str, *, first: int = 0, shown: bool = True, absent: Any = None
) -> Mapping[str, Any]:
    """The metadata of a field of ``RuleSet``: see ``RuleField``; ``absent`` is the default if it is not given."""
    return {
        "state": state,
        "values": tuple(values),
        "meaning": meaning,
        "first": first,
        "shown": shown,
        "absent": absent,
    }


@dataclass(frozen=True)
class RuleSet:
    """The rules that a game is played by.

    >>> RuleSet(deals=1).as_dict()
    {'deals': 1, 'quad_bonus': 'any', 'stock_out': 'pass'}

    Attributes:
        deals: deals in a game, 1..4; the deal passes to the left.
        quad_bonus: which sets of four laid at once count double: ``"any"`` rank, or only ``"jacks"``.
        stock_out: with the stock empty, ``"pass"``: four passes in a row end the deal; ``"end"``: the first one does.

    Raises:
        ValueError: a value that is none of these.
    """

    deals: int = field(
        default=2,
        metadata=_row("deals", range(1, MAX_DEALS + 1), "deals in this game", first=1, shown=False),
    )
    quad_bonus: Literal["any", "jacks"] = field(
        default="any", metadata=_row("quad_jacks", ("any", "jacks"), "only four jacks at once count double")
    )
    stock_out: Literal["pass", "end"] = field(
        default="pass", metadata=_row("stock_end", ("pass", "end"), "the first pass ends the deal")
    )

    def __post_init__(self) -> None:
        for rule in RULE_FIELDS:
            object.__setattr__(self, rule.name, rule.checked(getattr(self, rule.name)))

    def as_dict(self) -> dict[str, Any]:
        """The rule set as it stands in a game record."""
        return {rule.name: getattr(self, rule.name) for rule in RULE_FIELDS}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> RuleSet:
        """The rule set of a mapping; what it leaves out keeps its default.

        Raises:
            ValueError: an unknown field, or a value that the rule set refuses.
        """
        unknown = unknown_rules(fields)
        if unknown:
            raise ValueError(unknown)
        return cls(**fields)

    @classmethod
    def parse(cls, text: str) -> RuleSet:
        """The rule set of ``"quad_bonus=jacks,stock_out=end"``; empty text is the default.

        Raises:
            ValueError: an item that is no ``name=value``, a rule given twice, or one that the rule set refuses.
        """
        fields: dict[str, Any] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = (part.strip() for part in item.partition("="))
            if not equals:
                raise ValueError(f"{item!r} in rules {text!r}: expected name=value, such as quad_bonus=jacks")
            if name in fields:
                raise ValueError(f"rules {text!r}: {name} is given twice")
            fields[name] = int(value) if value.isascii() and value.isdecimal() else value
        return cls.from_dict(fields)


def _rule_field(one: Any) -> RuleField:
    metadata = dict(one.metadata)
    absent = one.default if metadata["absent"] is None else metadata["absent"]
    rule = RuleField(**{**metadata, "name": one.name, "default": one.default, "absent": absent})
    assert all(rule.checked(value) == value for value in (*rule.values, rule.default, rule.absent)), rule
    assert not rule.shown or (rule.first == 0 and rule.absent == rule.values[0]), (
        f"rule {rule.name}: what files that do not name it mean, {rule.absent!r}, is to be its first value, so that it "
        "is 0 in the observation, and policies trained before it see what they always saw"
    )
    return rule


RULE_FIELDS: tuple[RuleField, ...] = tuple(_rule_field(one) for one in fields(RuleSet))
"""A row for each rule, in the order of ``RuleSet``'s fields."""
RULES_HELP = "name=value,...: " + ", ".join(f"{rule.name}={rule.takes} ({rule.default})" for rule in RULE_FIELDS)
"""What a command line takes as rules, with the defaults."""


def unknown_rules(names: Mapping[str, Any]) -> str:
    """What is wrong with a mapping that names rules which are not known here; empty if none is."""
    known = [rule.name for rule in RULE_FIELDS]
    unknown = sorted(repr(name) for name in names if name not in known)
    return f"unknown rules {', '.join(unknown)}: known are {', '.join(known)}" if unknown else ""


def as_rules(rules: RuleSet | Mapping[str, Any] | None) -> RuleSet:
    """The rule set that an environment was given: one, a mapping of its fields, or None for the default."""
    if rules is None:
        return RuleSet()
    if isinstance(rules, RuleSet):
        return rules
    if isinstance(rules, Mapping):
        return RuleSet.from_dict(rules)
    raise TypeError(f"rules={shown(rules)}: expected a RuleSet, a mapping of its fields, or None")
