"""What a drawing of the table shows, from a state and a viewer.

``viewer`` is None to show every hand, or a seat 0..3 to show what its player may see: the cards of other hands are
hidden unless everybody knows them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..cards import CARD_NAMES, JOKER, NUM_CARDS, NUM_PLAIN, NUM_RANKS
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import NOBODY, NOTHING_OWED, OVER, PHASES

RANK_PLANE = sum(1 << card for card in range(0, NUM_PLAIN, NUM_RANKS))
"""The four twos, one bit a card; shifted by a rank, the four cards of that rank."""


class Meld(NamedTuple):
    """A meld on the table: ``"set"`` or ``"run"``, its cards 0..52 low to high, and the seat that laid each."""

    kind: str
    cards: tuple[int, ...]
    seats: tuple[int, ...]


class Hand(NamedTuple):
    """A hand as the viewer sees it: open cards 0..52, whether everybody knows each, and the number of hidden cards."""

    cards: tuple[int, ...]
    known: tuple[bool, ...]
    hidden: int


def melds(game: np.void) -> list[Meld]:
    """The melds on the table: sets by rank, jokers last, then runs by lowest card. A card that fits between two runs
    belongs to the lower one (rule R37)."""
    laid = game["laid"].tolist()
    sets, runs, lows = int(game["sets"]), int(game["runs"]), int(game["run_low"])
    found = []

    def meld(kind: str, cards: list[int]) -> None:
        by = [next(seat for seat in range(NUM_SEATS) if laid[seat] >> card & 1) for card in cards]
        found.append(Meld(kind, tuple(cards), tuple(by)))

    for rank in range(NUM_RANKS):
        if sets >> rank & RANK_PLANE:
            meld("set", [card for card in range(rank, NUM_PLAIN, NUM_RANKS) if sets >> card & 1])
    if sets >> JOKER:
        by = [seat for seat in range(NUM_SEATS) for _ in range((laid[seat] >> JOKER).bit_count())]
        found.append(Meld("set", (JOKER,) * len(by), tuple(by)))
    while lows:
        low = (lows & -lows).bit_length() - 1
        lows &= lows - 1
        run = [low]
        # The next suit starts with a card in ``lows``.
        while runs >> run[-1] + 1 & 1 and not lows >> run[-1] + 1 & 1:
            run.append(run[-1] + 1)
        meld("run", run)
    return found


def hand(game: np.void, seat: int, viewer: int | None) -> Hand:
    """The hand of a seat as the viewer sees it."""
    held, known = cards_of(game["hand"][seat]), cards_of(game["known"][seat])
    if viewer not in (None, seat):
        return Hand(tuple(known), (True,) * len(known), len(held) - len(known))
    unknown = list(held)
    for card in known:
        unknown.remove(card)
    shown = sorted([(card, True) for card in known] + [(card, False) for card in unknown])
    return Hand(tuple(card for card, _ in shown), tuple(public for _, public in shown), 0)


def pile(game: np.void) -> list[tuple[int, int]]:
    """The discard pile from the bottom: each card 0..52, and the seat that discarded it or ``NOBODY``."""
    size = int(game["pile_size"])
    return list(zip(game["pile_card"][:size].tolist(), game["pile_seat"][:size].tolist(), strict=True))


def heading(game: np.void) -> str:
    """The number of the deal, and who must do what."""
    deal = f"Deal {int(game['deal']) + 1} of {int(game['deals'])}, dealt by player_{int(game['dealer'])}"
    if int(game["phase"]) == OVER:
        return f"{deal}; the {'deal' if int(game['deal']) + 1 < int(game['deals']) else 'game'} is over"
    if game["ended"]:
        return f"{deal}; broken off"
    doing = PHASES[int(game["phase"])]
    owed = int(game["owed"])
    must = "" if owed == NOTHING_OWED else f", owing {CARD_NAMES[owed]}"
    return f"{deal}; player_{int(game['seat'])} to {doing}{must}"


def scores(game: np.void) -> list[str]:
    """A line for each team, and one for the last finished deal if there is one."""
    lines = []
    for team in range(NUM_TEAMS):
        points = f", {int(game['points'][team]):+d} laid" if int(game["phase"]) != OVER else ""
        lines.append(f"Team {team}: {int(game['score'][team])}{points}")
    if int(game["deal"]) > 0 or int(game["phase"]) == OVER:
        out = int(game["out"])
        who = "nobody" if out == NOBODY else f"player_{out}"
        lines.append(f"Last deal: {int(game['last_score'][0])} to {int(game['last_score'][1])}, {who} went out")
    return lines


def cards_of(bits: Any) -> list[int]:
    """The cards 0..52 of a set of cards (``uint64``, see ``cards``), by index, jokers last."""
    number = int(bits)
    return [min(index, JOKER) for index in range(NUM_CARDS) if number >> index & 1]
