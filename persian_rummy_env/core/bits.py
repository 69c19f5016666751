"""Sets of cards as ``uint64``: the few bit operations that numba lacks, and the shapes of melds.

Suit ``s`` is the 13 bits from ``13 * s``; jokers are unary from bit 52. All constants are ``uint64``, because numba
converts the sum of a ``uint64`` and a Python integer to a float.
"""

from __future__ import annotations

import numpy as np

from ..cards import JOKER, NUM_PLAIN, NUM_RANKS, NUM_SUITS
from .compiler.intrinsics import popcount
from .compiler.jit import compiled

ZERO = np.uint64(0)
ONE = np.uint64(1)
SUIT1, SUIT2, SUIT3 = (np.uint64(NUM_RANKS * suit) for suit in (1, 2, 3))
SUIT_MASK = np.uint64((1 << NUM_RANKS) - 1)
JOKER_BIT = np.uint64(JOKER)
JOKER_ONE = np.uint64(1 << JOKER)
JOKERS = np.uint64(0b1111 << JOKER)
PLAIN = np.uint64((1 << NUM_PLAIN) - 1)


def _every_suit(ranks: int) -> np.uint64:
    return np.uint64(sum(ranks << NUM_RANKS * suit for suit in range(NUM_SUITS)))


ALL_RANKS = (1 << NUM_RANKS) - 1
NOT_LOWEST = _every_suit(ALL_RANKS & ~1)
"""Every plain card except the twos: the valid cards after a shift up."""
NOT_HIGHEST = _every_suit(ALL_RANKS >> 1)
"""Every plain card except the aces: the valid cards after a shift down."""


@compiled
def bit(index):
    """The set with one card, given by index."""
    return ONE << np.uint64(index)


@compiled
def jokers_in(cards):
    """The number of jokers in a set."""
    return popcount(cards >> JOKER_BIT)


@compiled
def some_jokers(number):
    """A set of ``number`` jokers, 0..4."""
    return ((ONE << np.uint64(number)) - ONE) << JOKER_BIT


@compiled
def add_card(cards, card):
    """The set with one card more, given by index 0..52."""
    if card == JOKER:
        return cards | JOKER_ONE | ((cards & JOKERS) << ONE)
    return cards | bit(card)


@compiled
def minus(cards, gone):
    """The set without the cards of another; jokers are subtracted by number, down to 0."""
    left = jokers_in(cards) - jokers_in(gone)
    return (cards & ~gone & PLAIN) | (some_jokers(left) if left > 0 else ZERO)


@compiled
def plus(cards, more):
    """The union of two sets with disjoint plain cards; jokers are added by number."""
    return ((cards | more) & PLAIN) | some_jokers(jokers_in(cards) + jokers_in(more))


@compiled
def next_up(cards):
    """The cards one rank above those of a set, in their suits."""
    return (cards << ONE) & NOT_LOWEST


@compiled
def next_down(cards):
    """The cards one rank below those of a set, in their suits."""
    return (cards >> ONE) & NOT_HIGHEST


@compiled
def in_every_suit(ranks):
    """The cards of all suits whose ranks a 13-bit set holds."""
    return ranks | (ranks << SUIT1) | (ranks << SUIT2) | (ranks << SUIT3)


@compiled
def ranks_any(cards):
    """The ranks (13 bits) of which a set holds at least one card."""
    return (cards | (cards >> SUIT1) | (cards >> SUIT2) | (cards >> SUIT3)) & SUIT_MASK


@compiled
def ranks_pair(cards):
    """The ranks of which a set holds at least two cards."""
    c, d, h, s = cards, cards >> SUIT1, cards >> SUIT2, cards >> SUIT3
    return ((c & d) | (h & s) | ((c | d) & (h | s))) & SUIT_MASK


@compiled
def ranks_triple(cards):
    """The ranks of which a set holds at least three cards."""
    c, d, h, s = cards, cards >> SUIT1, cards >> SUIT2, cards >> SUIT3
    return ((c & d & (h | s)) | (h & s & (c | d))) & SUIT_MASK


@compiled
def reached(runs, cards):
    """The cards of a set that can be laid off on runs one after the other, in unbroken chains at either end."""
    found = ZERO
    grown = (next_up(runs) | next_down(runs)) & cards
    while grown != ZERO:
        found |= grown
        grown = (next_up(grown) | next_down(grown)) & cards & ~found
    return found


@compiled
def completable(hand, sets, runs):
    """Every plain card that could be melded at once if it came to the hand (rules R27 to R30).

    Args:
        hand: the rest of the hand, without the card.
        sets, runs: the cards on the table in sets and in runs.
    """
    up, down = next_up(hand), next_down(hand)
    in_run = (up & next_up(up)) | (down & next_down(down)) | (up & down)
    in_set = in_every_suit(ranks_pair(hand))
    on_set = in_every_suit(ranks_any(sets & PLAIN))
    tail = runs | reached(runs, hand) if runs != ZERO else ZERO
    return in_run | in_set | on_set | next_up(tail) | next_down(tail)
