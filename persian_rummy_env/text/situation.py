"""What a seat knows, as plain JSON: the one source of the prompt and of every language-model adapter.

The object is made from one ``STATE`` record. Only fields that the seat may see are read, so exchanging hidden cards
changes nothing in it. ``reading.info_state`` turns it back into a record, and so into the observation, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

import numpy as np

from ..arguments import whole_number
from ..drawing.contents import melds
from ..rules import NUM_SEATS, NUM_TEAMS, RULE_FIELDS
from ..state import NOBODY, NOTHING_OWED, OVER, PHASES, STATE
from .notation import STANDARD, Notation

FORMAT = "persian-rummy-situation/1"
SEATS = ("you", "left", "partner", "right")
"""Seats relative to the viewer: left plays next, partner sits opposite, right plays before the viewer."""
TEAMS = ("us", "them")
TURNED_UP = "turned up"
"""In place of a seat: the first card of the pile was discarded by nobody."""

History = Iterable[tuple[int, int, int]]
"""Actions of the game in order, as (deal from 0, absolute seat, action id 0..546)."""


class PileCard(TypedDict):
    """A card of the discard pile, and who discarded it."""

    card: str
    by: str


class MeldOnTable(TypedDict):
    """A meld on the table: its kind, its cards from low to high, and the seat that laid each card."""

    kind: str
    cards: list[str]
    by: list[str]


class Turn(TypedDict):
    """Actions of one seat in a row. A card drawn from the stock is not named."""

    deal: int
    seat: str
    actions: list[str]


class Situation(TypedDict):
    """What a seat knows. Cards and actions are in the notation, seats and teams relative to the viewer; deals count
    from 1. ``legal`` is None where legal actions are not shown."""

    format: str
    rules: dict[str, Any]
    deal: int
    deals: int
    dealer: str
    phase: str
    to_move: str | None
    owed: str | None
    passes: int
    score: dict[str, int]
    points: dict[str, int]
    last_deal_out: str | None
    hand: list[str]
    hand_sizes: dict[str, int]
    stock: int
    known: dict[str, list[str]]
    declined: dict[str, list[str]]
    pile: list[PileCard]
    melds: list[MeldOnTable]
    history: list[Turn]
    legal: list[str] | None


def game_record(game: Any) -> np.void:
    """One game as a ``STATE`` record, from a record or an array that holds one.

    Raises:
        TypeError, ValueError: neither.
    """
    if isinstance(game, np.ndarray) and game.dtype == STATE and game.size == 1:
        return game.reshape(1)[0]
    if isinstance(game, np.void) and game.dtype == STATE:
        return game
    kind = f"{game.dtype} {game.shape}" if isinstance(game, np.ndarray) else type(game).__name__
    raise TypeError(f"game: expected one STATE record (PersianRummyVecEnv.get_state()[i]), found {kind}")


def to_json(
    game: Any,
    seat: int,
    history: History | None = None,
    *,
    notation: Notation = STANDARD,
    legal: Sequence[int] | None = None,
) -> Situation:
    """What ``seat`` knows of a game, as plain JSON (``schema.json`` describes it).

    Args:
        game: one ``STATE`` record.
        seat: the viewer, 0..3.
        history: the actions of the game so far; those after the viewer's last turn are told. None tells none.
        notation: how cards are written.
        legal: ids of the legal actions to show; None shows none.

    Raises:
        TypeError, ValueError: no game record, or no seat.
    """
    record = game_record(game)
    seat = whole_number("seat", seat, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1}")
    around = SEATS[-seat:] + SEATS[:-seat] if seat else SEATS
    us, them = seat % NUM_TEAMS, 1 - seat % NUM_TEAMS
    owed, went_out = int(record["owed"]), int(record["out"])
    phase, size = int(record["phase"]), int(record["pile_size"])
    known, declined, hand = (record[name].tolist() for name in ("known", "declined", "hand"))
    score, points = record["score"].tolist(), record["points"].tolist()
    return {
        "format": FORMAT,
        "rules": {rule.name: rule.value(int(record[rule.state])) for rule in RULE_FIELDS if rule.shown},
        "deal": int(record["deal"]) + 1,
        "deals": int(record["deals"]),
        "dealer": around[int(record["dealer"])],
        "phase": PHASES[phase],
        "to_move": None if phase == OVER else around[int(record["seat"])],
        "owed": None if owed == NOTHING_OWED else notation.cards[owed],
        "passes": int(record["passes"]),
        "score": {"us": score[us], "them": score[them]},
        "points": {"us": points[us], "them": points[them]},
        "last_deal_out": None if went_out == NOBODY else around[went_out],
        "hand": notation.names(hand[seat]),
        "hand_sizes": {around[(seat + i) % NUM_SEATS]: hand[(seat + i) % NUM_SEATS].bit_count() for i in range(4)},
        "stock": int(record["stock_size"]),
        "known": {SEATS[i]: notation.names(known[(seat + i) % NUM_SEATS]) for i in range(NUM_SEATS)},
        "declined": {SEATS[i]: notation.names(declined[(seat + i) % NUM_SEATS]) for i in range(NUM_SEATS)},
        "pile": [
            {"card": notation.cards[card], "by": TURNED_UP if by == NOBODY else around[by]}
            for card, by in zip(record["pile_card"][:size].tolist(), record["pile_seat"][:size].tolist(), strict=True)
        ],
        "melds": [
            {
                "kind": meld.kind,
                "cards": [notation.cards[card] for card in meld.cards],
                "by": [around[by] for by in meld.seats],
            }
            for meld in melds(record)
        ],
        "history": [] if history is None else _turns(history, seat, around, notation),
        "legal": None if legal is None else [notation.actions[action] for action in legal],
    }


def _turns(history: History, seat: int, around: Sequence[str], notation: Notation) -> list[Turn]:
    """The turns after the viewer's last finished one, in order; a turn of the viewer's under way comes last."""
    played = list(history)
    begin = len(played)
    while begin and played[begin - 1][1] == seat:
        begin -= 1
    while begin and played[begin - 1][1] != seat:
        begin -= 1
    return _joined(played[begin:], around, notation)


def _joined(played: Sequence[tuple[int, int, int]], around: Sequence[str], notation: Notation) -> list[Turn]:
    turns: list[Turn] = []
    for deal, seat, action in played:
        name = around[seat]
        if not turns or turns[-1]["seat"] != name or turns[-1]["deal"] != deal + 1:
            turns.append({"deal": deal + 1, "seat": name, "actions": []})
        turns[-1]["actions"].append(notation.actions[action])
    return turns
