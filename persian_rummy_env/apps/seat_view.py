"""What one seat may see of a game, as plain JSON. A browser gets nothing else of a running game."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..actions import ACTION_NAMES
from ..cards import CARD_NAMES
from ..drawing import contents
from ..players.policy_io import views_of
from ..rules import NUM_SEATS
from ..state import NOBODY, NOTHING_OWED, OVER, PHASES
from .game import DealEnd, TableGame

LOG = 40
"""Latest actions of the history that are sent."""


def seat_view(table: TableGame, seat: int) -> dict[str, Any]:
    """The game as a seat sees it.

    All but ``legal``, ``drew`` and ``undo`` is read from the infostate of the seat (``policy_io.views_of``), which is
    equal for all games that the seat cannot tell apart. Cards are in notation, seats are absolute.

    Returns:
        at: the number of decisions so far. seat: the viewer. turn: the seat to move. phase: ``draw``, ``meld``,
            ``over``.
        deal, deals, dealer; stock: cards left; owed: the card that must be melded first, or None; passes.
        hands: by seat: ``cards`` that the viewer sees, those ``known`` to all, and the number of ``hidden`` cards.
        pile: from the bottom, ``[card, seat or None]``. melds: ``kind``, ``cards``, and ``seats`` that laid them.
        points, score: by team, of this deal and of earlier deals. ends: the ends of earlier deals.
        log: the latest actions, ``[deal, seat, action]``.
        legal: the legal actions, if the viewer is to move; drew: the card that it has drawn in this turn, or None;
            undo: whether its last action can be undone.
    """
    games = table.games()
    game = views_of(games, np.zeros(1, dtype=np.int64), np.array([seat]))[0]
    to_move = table.seat == seat and not table.over
    owed = int(game["owed"])
    return {
        "at": len(table.played),
        "seat": seat,
        "turn": int(game["seat"]),
        "phase": PHASES[int(game["phase"])],
        "deal": int(game["deal"]),
        "deals": int(game["deals"]),
        "dealer": int(game["dealer"]),
        "stock": int(game["stock_size"]),
        "owed": None if owed == NOTHING_OWED else CARD_NAMES[owed],
        "passes": int(game["passes"]),
        "hands": [_hand(game, other, seat) for other in range(NUM_SEATS)],
        "pile": [[CARD_NAMES[card], None if who == NOBODY else who] for card, who in contents.pile(game)],
        "melds": [
            {"kind": meld.kind, "cards": [CARD_NAMES[card] for card in meld.cards], "seats": list(meld.seats)}
            for meld in contents.melds(game)
        ],
        "points": game["points"].tolist() if int(game["phase"]) != OVER else [0, 0],
        "score": game["score"].tolist(),
        "ends": [_end(end) for end in table.ends],
        "log": [[one.deal, one.seat, ACTION_NAMES[one.action]] for one in table.played[-LOG:]],
        "legal": table.legal if to_move else [],
        "drew": table.drew if to_move else None,
        "undo": to_move and table.can_undo,
    }


def _hand(game: np.void, seat: int, view: int) -> dict[str, Any]:
    hand = contents.hand(game, seat, view)
    cards = [CARD_NAMES[card] for card in hand.cards]
    return {"cards": cards, "known": list(hand.known), "hidden": hand.hidden}


def _end(end: DealEnd) -> dict[str, Any]:
    return {"out": end.out, "score": list(end.score), "left": [list(cards) for cards in end.left]}
