"""The rule set: the variants of the rules of Persian Rummy.

Each field of ``RuleSet`` is a row of ``RULE_FIELDS``, the only place that defines a rule. The field of the game record,
the values in records, options and command lines, the bits of the observation and the printed pages follow from it.
docs/extending.md ("A rule variant") shows how to add a rule.
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
"""Upper bound of the decisions of a deal (rule R44)."""


@dataclass(frozen=True)
class RuleField:
    """A rule: a field of ``RuleSet``, and its forms elsewhere.

    Attributes:
        name: name of the field, also in records, options and on command lines.
        state: the field of ``state.STATE`` that holds its code.
        values: its values: consecutive integers, or words.
        first: the code of the first value; the codes of the others follow.
        default: the value of a game without this option.
        absent: the value for a stored record, policy or run that does not name the rule. It never changes, even if the
            default does.
        shown: the observation has a place for it, which is 0 for the first value.
        meaning: the meaning of the state's field.
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
        """Whether the values are integers."""
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
        """Check a value and convert integers of any type to ``int``.

        Raises:
            ValueError: it is not one of the values.
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
        """The code of a value in the state."""
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
    """The metadata of a field of ``RuleSet`` (``RuleField``). Without ``absent`` it is the default."""
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
    """The rules of a game.

    >>> RuleSet(deals=1).as_dict()
    {'deals': 1, 'quad_bonus': 'any', 'stock_out': 'pass'}

    Attributes:
        deals: deals in a game, 1..4; the deal passes to the left.
        quad_bonus: which sets of four that are melded at once count double (R49): ``"any"`` rank, or only ``"jacks"``.
        stock_out: with an empty stock (R42, R43), ``"pass"``: four passes in a row end the deal; ``"end"``: the first
            pass ends it.

    Raises:
        ValueError: any other value.
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
        """The rule set as in a game record."""
        return {rule.name: getattr(self, rule.name) for rule in RULE_FIELDS}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> RuleSet:
        """The rule set of a mapping; missing fields have their default.

        Raises:
            ValueError: an unknown field, or an invalid value.
        """
        unknown = unknown_rules(fields)
        if unknown:
            raise ValueError(unknown)
        return cls(**fields)

    @classmethod
    def parse(cls, text: str) -> RuleSet:
        """The rule set of ``"quad_bonus=jacks,stock_out=end"``; empty text is the default.

        Raises:
            ValueError: an item that is not ``name=value``, a rule given twice, an unknown rule or an invalid value.
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
"""The help text of rules on a command line, with the defaults."""


def unknown_rules(names: Mapping[str, Any]) -> str:
    """The error text for unknown rules in a mapping; empty if there are none."""
    known = [rule.name for rule in RULE_FIELDS]
    unknown = sorted(repr(name) for name in names if name not in known)
    return f"unknown rules {', '.join(unknown)}: known are {', '.join(known)}" if unknown else ""


def as_rules(rules: RuleSet | Mapping[str, Any] | None) -> RuleSet:
    """Convert an argument to a rule set: a ``RuleSet``, a mapping of its fields, or None for the default."""
    if rules is None:
        return RuleSet()
    if isinstance(rules, RuleSet):
        return rules
    if isinstance(rules, Mapping):
        return RuleSet.from_dict(rules)
    raise TypeError(f"rules={shown(rules)}: expected a RuleSet, a mapping of its fields, or None")
