"""The state of a game: one record of a numpy structured dtype.

N games are an array of N records, so numpy copies, compares, saves and pickles them, and one assignment copies a game
for search. The record holds every number that play depends on, including the random generators.
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
"""In a field for a seat: no seat (nobody went out; nobody discarded the card turned up)."""
NOTHING_OWED = 255
MAX_PILE = 28
"""Upper bound of the cards in pile and stock together (rule R45)."""
FIRST_TURNED = 28
"""Index in the deck of the card turned up; the stock follows."""
STOCK_SIZE = NUM_CARDS - FIRST_TURNED - 1

PUBLIC, OWNER, HIDDEN = "all", "its seat", "nobody"


@dataclass(frozen=True)
class Range:
    """The integers that a field, or each of its entries, may hold: ``low`` to ``high``, and ``also``.

    ``text`` is the form on the printed page if it says more than the two numbers.
    """

    low: int
    high: int
    also: int | None = None
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"{self.low}..{self.high}" + (f", {self.also}" if self.also is not None else "")


def _bits(number: int, text: str = "") -> Range:
    return Range(0, 2**number - 1, text=text or f"{number} bits")


@dataclass(frozen=True)
class Field:
    """A field of the record: its numpy type, its range, who may see it, and its meaning.

    ``state_check`` compares records from outside with the ranges and with ``RELATIONS``.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    range: Range
    seen_by: str
    meaning: str


FIELDS = (
    Field("rng", "u8", (2,), _bits(64, "any"), HIDDEN, "the generator of dealers and decks (xoroshiro128++)"),
    Field(
        "sample_rng", "u8", (), _bits(64, "any"), HIDDEN, "the generator of sampled actions and of bots (splitmix64)"
    ),
    Field("hand", "u8", (NUM_SEATS,), _bits(56), OWNER, "the cards in each hand"),
    Field(
        "known",
        "u8",
        (NUM_SEATS,),
        _bits(56, "subset of hand"),
        PUBLIC,
        "cards taken from the pile in public, not yet played",
    ),
    Field("declined", "u8", (NUM_SEATS,), _bits(56), PUBLIC, "cards left in the pile at the seat's last chance"),
    Field("laid", "u8", (NUM_SEATS,), _bits(56), PUBLIC, "the cards on the table that each seat laid"),
    Field("sets", "u8", (), _bits(56), PUBLIC, "the cards on the table that lie in sets"),
    Field("runs", "u8", (), _bits(52), PUBLIC, "the cards on the table that lie in runs"),
    Field("run_low", "u8", (), _bits(52, "subset of runs"), PUBLIC, "the lowest card of each run (to draw the table)"),
    Field("pile", "u8", (), _bits(56), PUBLIC, "the cards in the discard pile"),
    Field("score", "i4", (NUM_TEAMS,), Range(-3908, 3908), PUBLIC, "points of the finished deals, by team"),
    Field(
        "points", "i2", (NUM_TEAMS,), Range(0, 952), PUBLIC, "points laid in this deal, quad bonus included, by team"
    ),
    Field("last_score", "i2", (NUM_TEAMS,), Range(-952, 977), PUBLIC, "points of the deal finished last, by team"),
    Field("decisions", "u2", (), Range(0, 400), PUBLIC, "decisions taken in this deal"),
    Field("episode_decisions", "u2", (), Range(0, 1600), PUBLIC, "decisions taken in this episode"),
    Field("decks", "u1", (MAX_DEALS, NUM_CARDS), Range(0, 52), HIDDEN, "the deck of each deal, dealt from index 0"),
    Field("given", "u1", (), _bits(4), HIDDEN, "deals whose deck was given and is not drawn"),
    Field("pile_card", "u1", (MAX_PILE,), Range(0, 52), PUBLIC, "the pile from the bottom"),
    Field("pile_seat", "u1", (MAX_PILE,), Range(0, 4), PUBLIC, "who discarded each card of the pile; 4: turned up"),
    Field("pile_size", "u1", (), Range(0, 28), PUBLIC, "cards in the pile"),
    Field("stock_size", "u1", (), Range(0, 27), PUBLIC, "cards left in the stock"),
    Field(
        "queue", "u1", (NUM_SEATS,), Range(0, 7), PUBLIC, "split stock: the cards that are left for each seat to draw"
    ),
    Field("phase", "u1", (), Range(0, 2), PUBLIC, "draw, meld (and discard), over"),
    Field("ended", "u1", (), Range(0, 1), PUBLIC, "the episode is over, cut short or forfeited, and waits for a reset"),
    Field("seat", "u1", (), Range(0, 3), PUBLIC, "the seat to move; once over, the seat that moved last"),
    Field("dealer", "u1", (), Range(0, 3), PUBLIC, "the dealer of this deal"),
    Field("deal", "u1", (), Range(0, 3), PUBLIC, "the number of this deal in the game"),
    Field(
        "owed", "u1", (), Range(0, 52, also=NOTHING_OWED), PUBLIC, "the card taken that must be melded first; 255: none"
    ),
    Field("passes", "u1", (), Range(0, 4), PUBLIC, "passes in a row"),
    Field("out", "u1", (), Range(0, 4), PUBLIC, "who went out in the deal finished last; 4: nobody"),
    *(
        Field(rule.state, "u1", (), Range(rule.first, rule.last), PUBLIC, f"rule: {rule.meaning}")
        for rule in RULE_FIELDS
    ),
    Field("split_stock", "u1", (), Range(0, 1), PUBLIC, "evaluation only: each seat draws from a stock of its own"),
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
        deals: deals of an episode, if not the number of the rules.
    """
    for rule in RULE_FIELDS:
        games[rule.state] = rule.code(getattr(rules, rule.name))
    if deals is not None:
        games["deals"] = deals


def rules_of(game: np.void | np.ndarray) -> RuleSet:
    """The rules that are written in a game, one STATE record.

    Raises:
        ValueError: a code that no rule has.
    """
    return RuleSet(**{rule.name: rule.value(int(game[rule.state])) for rule in RULE_FIELDS})


@dataclass(frozen=True)
class Relation:
    """A relation between fields that holds in every game: the field that an error names, and what is expected."""

    field: str
    expected: str


RELATIONS = (
    *(
        Relation(name, "jokers counted in unary from bit 52")
        for name in ("hand", "known", "declined", "laid", "sets", "pile")
    ),
    Relation("deal", "a number below deals; in phase over, deals - 1"),
    Relation("owed", "in phase meld a card known to be in the hand of the seat to move, that it can meld; else 255"),
    Relation("hand", "in phase meld a card at least in the hand of the seat to move"),
    Relation(
        "passes",
        "0 in phase meld; in phase draw 0..3, and 0 while there is a stock or stock_end is 1; in phase over what ended "
        "the deal: 4 (1 with stock_end) and an empty stock, or 0 if a seat went out",
    ),
    Relation(
        "out",
        "nobody (4) before a deal is finished; in phase over nobody, or the seat that moved last, whose hand is empty",
    ),
    Relation("score", "0 before a deal is finished; at most 977 a finished deal"),
    Relation("last_score", "0 before a deal is finished"),
    Relation(
        "points", "the value of the cards that the team laid, sets of four once or twice; in phase over 0"
    ),
    Relation("episode_decisions", "at least decisions; in the first deal the same"),
    Relation("pile", "the cards of pile_card up to pile_size"),
    Relation("pile_size", "pile_size + stock_size at most 28; in phase meld, before the discard, 27"),
    Relation("queue", "stock_size in sum with split_stock, else all 0"),
    Relation("sets", "three or four cards of a rank, and of jokers"),
    Relation("run_low", "a card of runs, the lowest of three in a row at least that are no other run's, for each run"),
    Relation("laid", "the cards of sets and runs, each laid by one seat"),
    Relation("known", "a subset of the hand"),
    Relation("declined", "cards that all have seen: of the pile, of the table, or known to be in another hand"),
    Relation("hand", "every card of the pack in one place: hand, sets, runs, pile, or the stock (the end of its deck)"),
    Relation("decks", "the pack, as far as decks are dealt (all 0: hidden) or given"),
)  # fmt: skip
"""The relations, in the order in which ``core.check`` checks them, after the ranges of ``FIELDS``."""
