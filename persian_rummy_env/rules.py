"""The rule set: the few choices that the rules of Persian Rummy leave to the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

NUM_SEATS = 4
NUM_TEAMS = 2
HAND_SIZE = 7
OUT_BONUS = 25
MAX_DEALS = NUM_SEATS
"""Each seat deals at most once in a game."""
PASSES_TO_END = 4
MAX_DEAL_DECISIONS = 400
"""No deal takes more decisions than this (docs/rules.md)."""

QUAD_BONUSES = ("any", "jacks")
STOCK_OUTS = ("pass", "end")


@dataclass(frozen=True)
class RuleSet:
    """The rules that a game is played by.

    Attributes:
        deals: deals in a game, 1..4; the deal passes to the left.
        quad_bonus: which sets of four laid at once count double: ``"any"`` rank, or only ``"jacks"``.
        stock_out: with the stock empty, ``"pass"``: four passes in a row end the deal; ``"end"``: the first one does.

    Raises:
        ValueError: a value that is none of these.
    """

    deals: int = 2
    quad_bonus: Literal["any", "jacks"] = "any"
    stock_out: Literal["pass", "end"] = "pass"

    def __post_init__(self) -> None:
        if isinstance(self.deals, bool) or not isinstance(self.deals, int) or not 1 <= self.deals <= MAX_DEALS:
            raise ValueError(f"deals={self.deals!r}: expected an integer from 1 to {MAX_DEALS}")
        if self.quad_bonus not in QUAD_BONUSES:
            raise ValueError(f"quad_bonus={self.quad_bonus!r}: expected one of {', '.join(QUAD_BONUSES)}")
        if self.stock_out not in STOCK_OUTS:
            raise ValueError(f"stock_out={self.stock_out!r}: expected one of {', '.join(STOCK_OUTS)}")

    def as_dict(self) -> dict[str, Any]:
        """The rule set as it stands in a game record."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> RuleSet:
        """The rule set of a mapping; what it leaves out keeps its default.

        Raises:
            ValueError: an unknown field, or a value that the rule set refuses.
        """
        unknown = sorted(set(fields) - set(cls.__dataclass_fields__))
        if unknown:
            raise ValueError(
                f"unknown rules {', '.join(map(repr, unknown))}: known are {', '.join(cls.__dataclass_fields__)}"
            )
        return cls(**fields)

    @classmethod
    def parse(cls, text: str) -> RuleSet:
        """The rule set of ``"quad_bonus=jacks,stock_out=end"``; empty text is the default.

        Raises:
            ValueError: an item that is no ``name=value``, or one that the rule set refuses.
        """
        fields: dict[str, Any] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = item.partition("=")
            if not equals:
                raise ValueError(f"{item!r} in rules {text!r}: expected name=value, such as quad_bonus=jacks")
            fields[name.strip()] = int(value) if value.strip().isdecimal() else value.strip()
        return cls.from_dict(fields)


def as_rules(rules: RuleSet | Mapping[str, Any] | None) -> RuleSet:
    """The rule set that a face was given: one, a mapping of its fields, or None for the default."""
    if rules is None:
        return RuleSet()
    if isinstance(rules, RuleSet):
        return rules
    if isinstance(rules, Mapping):
        return RuleSet.from_dict(rules)
    raise TypeError(f"rules={rules!r}: expected a RuleSet, a mapping of its fields, or None")
