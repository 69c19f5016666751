"""Views that are asked for one at a time, outside the loop: of a seat as ``float32``, and of the whole table."""

from __future__ import annotations

import numpy as np

from ..cards import JOKER, NUM_CARDS
from ..observation import FULL_BLOCK, FULL_HIGH, FULL_SIZE, HIGH
from ..rules import NUM_SEATS
from .bits import ZERO
from .intrinsics import spread64
from .jit import compiled
from .observe import observe

HIGH_FLOAT = HIGH.astype(np.float32)
FULL_HIGH_FLOAT = FULL_HIGH.astype(np.float32)
HANDS = FULL_BLOCK["hand_left"].offset
KNOWN_ME = FULL_BLOCK["known_me"].offset
DECLINED_ME = FULL_BLOCK["declined_me"].offset
STOCK_DEPTH = FULL_BLOCK["stock_depth"].offset
VIEW = FULL_BLOCK["hand"].offset


@compiled
def observe_float(games, lane, seat, raw, out):
    """The observation of a seat of one game, divided by ``HIGH``.

    Args:
        raw: (SIZE,) uint8, scratch.
        out: (SIZE,) float32, written.
    """
    observe(games[lane], seat, raw, 0)
    np.divide(raw, HIGH_FLOAT, out)


@compiled
def observe_full(games, seats, out, start, stop):
    """All there is to know of each game, seats counted from ``seats[lane]``: ``observation.FULL_BLOCKS``.

    Args:
        out: flat uint8 of n rows of ``FULL_SIZE``.
    """
    for lane in range(start, stop):
        game = games[lane]
        seat = int(seats[lane])
        base = lane * FULL_SIZE
        for relative in range(1, NUM_SEATS):
            spread64(out, base + HANDS + (relative - 1) * NUM_CARDS, game["hand"][(seat + relative) % NUM_SEATS])
        spread64(out, base + KNOWN_ME, game["known"][seat])
        spread64(out, base + DECLINED_ME, game["declined"][seat])
        spread64(out, base + STOCK_DEPTH, ZERO)
        left = int(game["stock_size"])
        jokers = 0
        for depth in range(left):
            card = int(game["decks"][int(game["deal"])][NUM_CARDS - left + depth])
            if card == JOKER:
                card += jokers
                jokers += 1
            out[base + STOCK_DEPTH + card] = depth + 1
        # Last, since each block that is spread writes eight bytes too far.
        observe(game, seat, out[base + VIEW : base + FULL_SIZE], 0)


@compiled
def observe_full_float(games, raw, out):
    """``observe_full`` of the first game from seat 0, divided by ``FULL_HIGH``.

    Args:
        raw: (FULL_SIZE,) uint8, scratch.
        out: (FULL_SIZE,) float32, written.
    """
    observe_full(games, np.zeros(1, dtype=np.int64), raw, 0, 1)
    np.divide(raw, FULL_HIGH_FLOAT, out)
