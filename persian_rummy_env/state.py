"""The state of a game: one record of a numpy structured dtype.

N games are an array of N records, so copying, comparing, saving and pickling are numpy's own, and one assignment
copies a game for search. Every number that play depends on is in the record, the random generators included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .cards import NUM_CARDS
from .rules import MAX_DEALS, NUM_SEATS, NUM_TEAMS, RULE_FIELDS, RuleSet

DRAW_PHASE, MELD_PHASE, OVER = 0, 1, 2
PHASES = ("draw", "meld", "over")
NOBODY = NUM_SEATS
"""In a field for a seat: no seat (nobody went out; the card turned up was discarded by nobody)."""
NOTHING_OWED = 255
MAX_PILE = 28
"""Pile and stock together never hold more cards."""
FIRST_TURNED = 28
"""Index in the deck of the card turned up; the stock is what follows."""
STOCK_SIZE = NUM_CARDS - FIRST_TURNED - 1

PUBLIC, OWNER, HIDDEN = "all", "its seat", "nobody"


@dataclass(frozen=True)
class Field:
    """A field of the record: its numpy type, its range, who at the table may see it, and what it means."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    range: str
    seen_by: str
    meaning: str


FIELDS = (
    Field("rng", "u8", (2,), "any", HIDDEN, "the generator of dealers and decks (xoroshiro128++)"),
    Field("sample_rng", "u8", (), "any", HIDDEN, "the generator of sampled actions and of bots (splitmix64)"),
    Field("hand", "u8", (NUM_SEATS,), "56 bits", OWNER, "the cards in each hand"),
    Field("known", "u8", (NUM_SEATS,), "subset of hand", PUBLIC, "cards taken from the pile in public, not yet played"),
    Field("declined", "u8", (NUM_SEATS,), "56 bits", PUBLIC, "cards left in the pile at the seat's last chance"),
    Field("laid", "u8", (NUM_SEATS,), "56 bits", PUBLIC, "the cards on the table that each seat laid"),
    Field("sets", "u8", (), "56 bits", PUBLIC, "the cards on the table that lie in sets"),
    Field("runs", "u8", (), "52 bits", PUBLIC, "the cards on the table that lie in runs"),
    Field("run_low", "u8", (), "subset of runs", PUBLIC, "the lowest card of each run (to draw the table)"),
    Field("pile", "u8", (), "56 bits", PUBLIC, "the cards in the discard pile"),
    Field("score", "i4", (NUM_TEAMS,), "-3908..3908", PUBLIC, "points of the finished deals, by team"),
    Field("points", "i2", (NUM_TEAMS,), "0..952", PUBLIC, "points laid in this deal, quad bonus included, by team"),
    Field("last_score", "i2", (NUM_TEAMS,), "-952..977", PUBLIC, "points of the deal finished last, by team"),
    Field("decisions", "u2", (), "0..400", PUBLIC, "decisions taken in this deal"),
    Field("episode_decisions", "u2", (), "0..1600", PUBLIC, "decisions taken in this episode"),
    Field("decks", "u1", (MAX_DEALS, NUM_CARDS), "0..52", HIDDEN, "the deck of each deal, dealt from index 0"),
    Field("given", "u1", (), "4 bits", HIDDEN, "deals whose deck was given and is not drawn"),
    Field("pile_card", "u1", (MAX_PILE,), "0..52", PUBLIC, "the pile from the bottom"),
    Field("pile_seat", "u1", (MAX_PILE,), "0..4", PUBLIC, "who discarded each card of the pile; 4: turned up"),
    Field("pile_size", "u1", (), "0..28", PUBLIC, "cards in the pile"),
    Field("stock_size", "u1", (), "0..27", PUBLIC, "cards left in the stock"),
    Field("queue", "u1", (NUM_SEATS,), "0..7", PUBLIC, "split stock: the cards that are left for each seat to draw"),
    Field("phase", "u1", (), "0..2", PUBLIC, "draw, meld (and discard), over"),
    Field("ended", "u1", (), "0..1", PUBLIC, "the episode is over, cut short or forfeited, and waits for a reset"),
    Field("seat", "u1", (), "0..3", PUBLIC, "the seat to move; once over, the seat that moved last"),
    Field("dealer", "u1", (), "0..3", PUBLIC, "the dealer of this deal"),
    Field("deal", "u1", (), "0..3", PUBLIC, "the number of this deal in the game"),
    Field("owed", "u1", (), "0..52, 255", PUBLIC, "the card taken that must be melded first; 255: none"),
    Field("passes", "u1", (), "0..4", PUBLIC, "passes in a row"),
    Field("out", "u1", (), "0..4", PUBLIC, "who went out in the deal finished last; 4: nobody"),
    *(
        Field(rule.state, "u1", (), f"{rule.first}..{rule.last}", PUBLIC, f"rule: {rule.meaning}")
        for rule in RULE_FIELDS
    ),
    Field("split_stock", "u1", (), "0..1", PUBLIC, "evaluation only: each seat draws from a stock of its own"),
)


def _dtype() -> np.dtype[np.void]:
    rows: list[Any] = [
        (field.name, field.dtype, field.shape) if field.shape else (field.name, field.dtype) for field in FIELDS
    ]
    return np.dtype(rows, align=True)


STATE = _dtype()
"""One game. Fields by seat are by absolute seat 0..3; team ``t`` is the seats ``t`` and ``t + 2``."""


def write_rules(games: np.ndarray, rules: RuleSet, deals: int | None = None) -> None:
    """Write the rules into games, STATE of any shape.

    Args:
        deals: deals of an episode, where those are not the deals of the rules.
    """
    for rule in RULE_FIELDS:
        games[rule.state] = rule.code(getattr(rules, rule.name))
    if deals is not None:
        games["deals"] = deals


def rules_of(game: np.void | np.ndarray) -> RuleSet:
    """The rules that are written in a game, one STATE record.

    Raises:
        ValueError: a field that no rule set has.
    """
    return RuleSet(**{rule.name: rule.value(int(game[rule.state])) for rule in RULE_FIELDS})
