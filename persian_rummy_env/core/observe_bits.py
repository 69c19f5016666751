"""Writes the observation of a seat as bits: the words of ``observation_bits``."""

from __future__ import annotations

import numpy as np
from numba import literal_unroll

from ..cards import JOKER
from ..observation import SCALED_MAX
from ..observation_bits import DEPTH, DEPTH_BITS, FLAGS, LATER, NUMBER, PLANES, WORDS
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import NOBODY, NOTHING_OWED
from .bits import ONE, ZERO, plus
from .compiler.intrinsics import popcount
from .compiler.jit import compiled
from .observe import LATER_FIELDS, flags, scaled_score

HAND, KNOWN, DECLINED = PLANES["hand"], PLANES["known_left"], PLANES["declined_left"]
SETS, RUNS, LAID_US = PLANES["sets"], PLANES["runs"], PLANES["laid_us"]
PILE, DISCARDED = PLANES["pile"], PLANES["discarded_me"]
SHIFT = np.uint64(NUMBER)
assert DEPTH_BITS == 5, "pile_bits() writes five words"


@compiled
def observe_bits(game, seat, out, row):
    """Write the observation of ``seat`` into row ``row`` of ``out``, a flat uint64 array of rows of ``WORDS`` words."""
    base = row * WORDS
    left, partner, right = (seat + 1) % NUM_SEATS, (seat + 2) % NUM_SEATS, (seat + 3) % NUM_SEATS
    us = seat % NUM_TEAMS
    them = 1 - us
    hand, known, declined = game["hand"], game["known"], game["declined"]
    out[base + HAND] = hand[seat] | number(popcount(hand[seat]))
    out[base + KNOWN] = known[left] | number(popcount(hand[left]))
    out[base + KNOWN + 1] = known[partner] | number(popcount(hand[partner]))
    out[base + KNOWN + 2] = known[right] | number(popcount(hand[right]))
    out[base + DECLINED] = declined[left] | number(int(game["stock_size"]))
    out[base + DECLINED + 1] = declined[partner] | number(int(game["passes"]))
    out[base + DECLINED + 2] = declined[right] | number(int(game["deal"]))
    out[base + SETS] = game["sets"] | number(int(game["deals"]) - 1 - int(game["deal"]))
    out[base + RUNS] = game["runs"] | number(min(int(game["points"][us]), SCALED_MAX))
    laid = plus(game["laid"][seat], game["laid"][partner])
    out[base + LAID_US] = laid | number(min(int(game["points"][them]), SCALED_MAX))
    out[base + PILE] = game["pile"] | number(scaled_score(int(game["score"][us])))
    pile_bits(game, seat, out, base, scaled_score(int(game["score"][them])))
    out[base + FLAGS] = flags(game, seat)


@compiled
def number(value):
    """A number in the eight highest bits of a word."""
    return np.uint64(value) << SHIFT


@compiled
def pile_bits(game, seat, out, base, score_them):
    """Write the words of the pile: who discarded each card, and the bits of the depths.

    Few piles are deeper than seven cards: leaving their two words to a branch takes 0.7 of the time.
    """
    owed = int(game["owed"])
    out[base + DISCARDED] = number(score_them)
    out[base + DISCARDED + 1] = number(0 if owed == NOTHING_OWED else owed + 1)
    out[base + DISCARDED + 2] = ZERO
    out[base + DISCARDED + 3] = ZERO
    ones, twos, fours = ZERO, ZERO, ZERO
    out[base + DEPTH + 3] = ZERO
    out[base + DEPTH + 4] = ZERO
    size = int(game["pile_size"])
    jokers = 0
    for index in range(size):
        card = int(game["pile_card"][size - 1 - index])
        joker = int(card == JOKER)
        depth, place = np.uint64(index + 1), np.uint64(card + joker * jokers)
        jokers += joker
        ones |= (depth & ONE) << place
        twos |= (depth >> np.uint64(1) & ONE) << place
        fours |= (depth >> np.uint64(2) & ONE) << place
        if index >= 7:
            out[base + DEPTH + 3] |= (depth >> np.uint64(3) & ONE) << place
            out[base + DEPTH + 4] |= (depth >> np.uint64(4) & ONE) << place
        by = int(game["pile_seat"][size - 1 - index])
        out[base + DISCARDED + ((by - seat) & (NUM_SEATS - 1))] |= np.uint64(by != NOBODY) << place
    out[base + DEPTH] = ones
    out[base + DEPTH + 1] = twos
    out[base + DEPTH + 2] = fours
    add_later_rules(game, out, base)


if LATER_FIELDS:

    @compiled
    def add_later_rules(game, out, base):
        """Write the numbers of the later rules."""
        word = LATER
        for field in literal_unroll(LATER_FIELDS):
            out[base + word] |= number(int(game[field]))
            word += 1

else:

    @compiled
    def add_later_rules(game, out, base):
        """Write nothing: there are no later rules."""
