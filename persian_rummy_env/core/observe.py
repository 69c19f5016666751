"""Writes the observation of a seat: the blocks of ``observation.BLOCKS`` in order."""

from __future__ import annotations

import numpy as np
from numba import literal_unroll

from ..cards import JOKER, NUM_CARDS
from ..observation import (
    BLOCK,
    FLAG_RULES,
    FULL_BLOCK,
    FULL_HIGH,
    FULL_SIZE,
    HIGH,
    LATER_RULES,
    SCALED_MAX,
    SCORE_STEP,
    SCORE_ZERO,
    SIZE,
)
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import NOBODY, NOTHING_OWED, OVER
from .bits import ONE, ZERO, bit, plus
from .compiler.intrinsics import popcount, spread64
from .compiler.jit import compiled

HAND = BLOCK["hand"].offset
KNOWN = BLOCK["known_left"].offset
DECLINED = BLOCK["declined_left"].offset
SETS = BLOCK["sets"].offset
RUNS = BLOCK["runs"].offset
LAID_US = BLOCK["laid_us"].offset
OWED = BLOCK["owed"].offset
PILE = BLOCK["pile"].offset
PILE_DEPTH = BLOCK["pile_depth"].offset
DISCARDED = BLOCK["discarded_me"].offset
FLAGS = BLOCK["points_bits_us"].offset
"""Offset of the blocks of single bits, up to ``rules``, which are written as one word."""
HAND_SIZE = BLOCK["hand_size"].offset
STOCK_SIZE = BLOCK["stock_size"].offset
PASSES = BLOCK["passes"].offset
DEAL = BLOCK["deal"].offset
DEALS_AFTER = BLOCK["deals_after"].offset
POINTS = BLOCK["points"].offset
SCORE = BLOCK["score"].offset

POINTS_US, POINTS_THEM, SCORE_US, SCORE_THEM, TO_MOVE, PHASE, DEALER, OUT, RULES = (
    np.uint64(BLOCK[name].offset - FLAGS)
    for name in (
        "points_bits_us", "points_bits_them", "score_bits_us", "score_bits_them", "to_move", "phase", "dealer", "out",
        "rules",
    )
)  # fmt: skip
SIGN = np.uint64(1)
LATER = SCORE + NUM_TEAMS
"""Offset of the blocks of ``LATER_RULES``; spare bytes follow them."""
LATER_FIELDS = tuple(rule.state for rule in LATER_RULES)
HIGH_FLOAT = HIGH.astype(np.float32)
FULL_HIGH_FLOAT = FULL_HIGH.astype(np.float32)
HIDDEN_HANDS = FULL_BLOCK["hand_left"].offset
KNOWN_ME = FULL_BLOCK["known_me"].offset
DECLINED_ME = FULL_BLOCK["declined_me"].offset
STOCK_DEPTH = FULL_BLOCK["stock_depth"].offset
SEEN = FULL_BLOCK["hand"].offset
"""Offset in ``FULL_BLOCKS`` of the seat's own observation."""
assert BLOCK["rules"].stop == HAND_SIZE
assert [rule.state for rule in FLAG_RULES] == ["quad_jacks", "stock_end"], "flags() writes these two"


@compiled
def observe(game, seat, out, row):
    """Write the observation of ``seat`` into row ``row`` of ``out``, a flat uint8 array of rows of ``SIZE`` bytes.

    A plane has 56 bytes and ``spread64`` writes 64: each block overwrites the surplus bytes of the block before it.
    """
    base = row * SIZE
    left, partner, right = (seat + 1) % NUM_SEATS, (seat + 2) % NUM_SEATS, (seat + 3) % NUM_SEATS
    spread64(out, base + HAND, game["hand"][seat])
    spread64(out, base + KNOWN, game["known"][left])
    spread64(out, base + KNOWN + NUM_CARDS, game["known"][partner])
    spread64(out, base + KNOWN + 2 * NUM_CARDS, game["known"][right])
    spread64(out, base + DECLINED, game["declined"][left])
    spread64(out, base + DECLINED + NUM_CARDS, game["declined"][partner])
    spread64(out, base + DECLINED + 2 * NUM_CARDS, game["declined"][right])
    spread64(out, base + SETS, game["sets"])
    spread64(out, base + RUNS, game["runs"])
    spread64(out, base + LAID_US, plus(game["laid"][seat], game["laid"][partner]))
    owed = int(game["owed"])
    spread64(out, base + OWED, ZERO if owed == NOTHING_OWED else bit(owed))
    spread64(out, base + PILE, game["pile"])
    observe_pile(game, seat, out, base)
    spread64(out, base + FLAGS, flags(game, seat))
    observe_numbers(game, seat, out, base)
    observe_later_rules(game, out, base)


@compiled
def observe_pile(game, seat, out, base):
    """Write the blocks of the pile: the depth of each card, and who discarded it."""
    for plane in range(1 + NUM_SEATS):
        spread64(out, base + PILE_DEPTH + plane * NUM_CARDS, ZERO)
    size = int(game["pile_size"])
    jokers = 0
    for depth in range(size):
        card = int(game["pile_card"][size - 1 - depth])
        if card == JOKER:
            card += jokers
            jokers += 1
        out[base + PILE_DEPTH + card] = depth + 1
        by = int(game["pile_seat"][size - 1 - depth])
        if by != NOBODY:
            out[base + DISCARDED + ((by - seat) % NUM_SEATS) * NUM_CARDS + card] = 1


@compiled
def signed(score):
    """A score as a sign bit and its absolute value."""
    return (np.uint64(-score) << ONE) | SIGN if score < 0 else np.uint64(score) << ONE


@compiled
def flags(game, seat):
    """The blocks of single bits from ``FLAGS`` on, as one word."""
    us = seat % NUM_TEAMS
    them = 1 - us
    word = np.uint64(int(game["points"][us])) << POINTS_US
    word |= np.uint64(int(game["points"][them])) << POINTS_THEM
    word |= signed(int(game["score"][us])) << SCORE_US
    word |= signed(int(game["score"][them])) << SCORE_THEM
    phase = int(game["phase"])
    if phase != OVER:
        word |= ONE << (TO_MOVE + np.uint64((int(game["seat"]) - seat) % NUM_SEATS))
    word |= ONE << (PHASE + np.uint64(phase))
    word |= ONE << (DEALER + np.uint64((int(game["dealer"]) - seat) % NUM_SEATS))
    out = int(game["out"])
    if out != NOBODY:
        word |= ONE << (OUT + np.uint64((out - seat) % NUM_SEATS))
    word |= np.uint64(int(game["quad_jacks"]) + 2 * int(game["stock_end"])) << RULES
    return word


@compiled
def observe_numbers(game, seat, out, base):
    """Write the blocks with one number per byte."""
    for relative in range(NUM_SEATS):
        out[base + HAND_SIZE + relative] = popcount(game["hand"][(seat + relative) % NUM_SEATS])
    out[base + STOCK_SIZE] = game["stock_size"]
    out[base + PASSES] = game["passes"]
    out[base + DEAL] = game["deal"]
    out[base + DEALS_AFTER] = int(game["deals"]) - 1 - int(game["deal"])
    for relative in range(NUM_TEAMS):
        team = (seat + relative) % NUM_TEAMS
        out[base + POINTS + relative] = min(int(game["points"][team]), SCALED_MAX)
        out[base + SCORE + relative] = scaled_score(int(game["score"][team]))


@compiled
def scaled_score(score):
    """A score as the number of the block ``score``."""
    return min(max(SCORE_ZERO + score // SCORE_STEP, 0), SCALED_MAX)


if LATER_FIELDS:

    @compiled
    def observe_later_rules(game, out, base):
        """Write the rules with their own byte at the end."""
        for place in range(base + LATER, base + SIZE):
            out[place] = 0
        place = base + LATER
        for field in literal_unroll(LATER_FIELDS):
            out[place] = game[field]
            place += 1

else:

    @compiled
    def observe_later_rules(game, out, base):
        """Write nothing: there are no later rules."""


@compiled
def observe_float(games, lane, seat, raw, out):
    """Write the observation of a seat of one game, divided by ``HIGH``.

    Args:
        raw: (SIZE,) uint8, scratch.
        out: (SIZE,) float32, written.
    """
    observe(games[lane], seat, raw, 0)
    np.divide(raw, HIGH_FLOAT, out)


@compiled
def observe_full(games, seats, out, start, stop):
    """Write the full information of each game, seats counted from ``seats[lane]``: ``observation.FULL_BLOCKS``.

    Args:
        out: flat uint8 of n rows of ``FULL_SIZE``.
    """
    for lane in range(start, stop):
        game = games[lane]
        seat = int(seats[lane])
        base = lane * FULL_SIZE
        for relative in range(1, NUM_SEATS):
            spread64(out, base + HIDDEN_HANDS + (relative - 1) * NUM_CARDS, game["hand"][(seat + relative) % NUM_SEATS])
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
        # Last, because each spread block writes eight surplus bytes.
        observe(game, seat, out[base + SEEN : base + FULL_SIZE], 0)


@compiled
def observe_full_float(games, raw, out):
    """Write ``observe_full`` of the first game from seat 0, divided by ``FULL_HIGH``.

    Args:
        raw: (FULL_SIZE,) uint8, scratch.
        out: (FULL_SIZE,) float32, written.
    """
    observe_full(games, np.zeros(1, dtype=np.int64), raw, 0, 1)
    np.divide(raw, FULL_HIGH_FLOAT, out)
