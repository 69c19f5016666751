"""The legal actions of the seat to move, as 547 bits in nine ``uint64``.

Bit ``a % 64`` of word ``a // 64`` is action ``a``: the words are the packed action mask.
"""

from __future__ import annotations

import numpy as np

from ..actions import (
    DISCARD,
    DRAW,
    LAYOFF_JOKER,
    LAYOFF_RUN,
    LAYOFF_SET,
    MELD_JOKERS,
    MELD_RUN,
    MELD_SET,
    PASS,
    RUNS_PER_SUIT,
    SETS_PER_RANK,
    TAKE,
)
from ..cards import JOKER, NUM_RANKS, NUM_SUITS
from ..state import DRAW_PHASE, MELD_PHASE, NOTHING_OWED
from .bits import (
    JOKERS,
    ONE,
    PLAIN,
    SUIT1,
    SUIT2,
    SUIT3,
    SUIT_MASK,
    ZERO,
    bit,
    completable,
    in_every_suit,
    jokers_in,
    next_down,
    next_up,
    ranks_any,
    ranks_triple,
    reached,
    some_jokers,
)
from .compiler.intrinsics import lowest
from .compiler.jit import compiled
from .masks import WORDS

TAKE_SHIFT = np.uint64(TAKE.start)
DRAW_BIT = np.uint64(1 << DRAW.start)
PASS_BIT = np.uint64(1 << PASS.start)


def _set_table() -> np.ndarray:
    """The possible sets of a rank (five bits), by the suits of that rank in the hand (bits C D H S)."""
    triples = (0b0111, 0b1011, 0b1101, 0b1110)
    return np.array(
        [
            sum(1 << k for k, suits in enumerate((*triples, 0b1111)) if held & suits == suits)
            for held in range(1 << NUM_SUITS)
        ],
        dtype=np.uint64,
    )


SETS_OF = _set_table()
SETS_WITH_SUIT = np.array([SETS_OF[0b1111] & ~SETS_OF[0b1111 ^ 1 << suit] for suit in range(NUM_SUITS)])
"""The sets of a rank (five bits) that hold its card of each suit."""


@compiled
def put(words, row, offset, bits):
    """Set bits in the packed mask, starting at action ``offset``."""
    word = offset // 64
    shift = offset % 64
    words[row, word] |= bits << np.uint64(shift)
    if shift != 0 and word + 1 < WORDS:
        words[row, word + 1] |= bits >> np.uint64(64 - shift)


@compiled
def legal_actions(game, words, row):
    """Write the legal actions of the seat to move into ``words[row]``; none after the end of the game."""
    for word in range(WORDS):
        words[row, word] = ZERO
    phase = int(game["phase"])
    if phase == DRAW_PHASE:
        words[row, 0] = (takeable(game) << TAKE_SHIFT) | (DRAW_BIT if int(game["stock_size"]) > 0 else PASS_BIT)
    elif phase == MELD_PHASE:
        if int(game["owed"]) == NOTHING_OWED:
            free_melds(game, words, row)
        else:
            owed_melds(game, words, row)


@compiled
def takeable(game):
    """The cards of the pile that may be taken (rules R24 to R30); bits 52..55 are the jokers in order from the top."""
    hand = game["hand"][int(game["seat"])]
    sets = game["sets"]
    runs = game["runs"]
    pile = game["pile"]
    plain = pile & PLAIN
    # First with the hand alone, for all cards at once: this finds most cards that can be taken.
    sure = plain & completable(hand & PLAIN, sets, runs)
    # Then with the whole pile: a card that is not in this set cannot be taken. Few cards remain between the two sets.
    unsure = plain & ~sure & completable_within((hand | pile) & PLAIN, sets, runs)
    if unsure != ZERO:
        place = int(game["pile_size"]) - 1
        while unsure != ZERO:
            card = int(game["pile_card"][place])
            if card != JOKER:
                one = bit(card)
                if unsure & one != ZERO:
                    unsure ^= one
                    if completable(hand & PLAIN, sets, runs) & one != ZERO:
                        sure |= one
                hand |= one
            place -= 1
    if pile & JOKERS != ZERO:
        sure |= takeable_jokers(game, jokers_in(pile))
    return sure


@compiled
def takeable_jokers(game, in_pile):
    """The jokers of the pile that may be taken, in order from the top: a take includes the jokers above."""
    if jokers_in(game["sets"]) == 3:
        return some_jokers(in_pile)
    short = 2 - jokers_in(game["hand"][int(game["seat"])])
    return some_jokers(in_pile) & ~some_jokers(min(max(short, 0), in_pile))


@compiled
def completable_within(cards, sets, runs):
    """The cards of a set that could be melded if the set were the hand."""
    up = cards & next_down(cards) & next_down(next_down(cards))  # the lowest card of each sequence of three
    in_run = up | next_up(up) | next_up(next_up(up))
    on_table = in_every_suit(ranks_triple(cards) | ranks_any(sets & PLAIN))
    return cards & (in_run | on_table | reached(runs, cards))


@compiled
def free_melds(game, words, row):
    """Write the legal actions of the meld phase if nothing is owed."""
    hand = game["hand"][int(game["seat"])]
    plain = hand & PLAIN
    jokers = jokers_in(hand)
    sets = game["sets"]
    runs = game["runs"]
    triples = ranks_triple(plain)
    while triples != ZERO:
        rank = lowest(triples)
        triples &= triples - ONE
        put(words, row, MELD_SET.start + SETS_PER_RANK * rank, sets_of_rank(plain, rank))
    low = plain & next_down(plain) & next_down(next_down(plain))
    if low != ZERO:
        put_runs(words, row, plain, low, PLAIN)
    layoff_set = plain & in_every_suit(ranks_any(sets & PLAIN))
    layoff_run = plain & (next_up(runs) | next_down(runs))
    put(words, row, LAYOFF_SET.start, layoff_set)
    put(words, row, LAYOFF_RUN.start, layoff_run)
    put(words, row, DISCARD.start, plain)
    if jokers > 0:
        put_jokers(words, row, jokers, jokers_in(sets))
        put(words, row, DISCARD.start + JOKER, ONE)


@compiled
def owed_melds(game, words, row):
    """Write the legal actions while a taken card is owed (rule R31): meld it, lay it off, or lay off a card towards
    it."""
    hand = game["hand"][int(game["seat"])]
    plain = hand & PLAIN
    owed = int(game["owed"])
    sets = game["sets"]
    runs = game["runs"]
    if owed == JOKER:
        put_jokers(words, row, jokers_in(hand), jokers_in(sets))
        return
    one = bit(owed)
    rank = owed % NUM_RANKS
    of_suit = SETS_WITH_SUIT[owed // NUM_RANKS]
    put(words, row, MELD_SET.start + SETS_PER_RANK * rank, sets_of_rank(plain, rank) & of_suit)
    low = plain & next_down(plain) & next_down(next_down(plain))
    if low != ZERO:
        put_runs(words, row, plain, low, one)
    put(words, row, LAYOFF_SET.start, one & in_every_suit(ranks_any(sets & PLAIN)))
    put(words, row, LAYOFF_RUN.start, chain_ends(plain, runs, one))


@compiled
def chain_ends(plain, runs, one):
    """The cards to lay off next towards ``one``: itself if it fits a run, else the first card of each chain to it."""
    ends = ZERO
    card = one
    while card != ZERO:  # down from the card while the hand has the next one
        below = next_down(card)
        if below & runs != ZERO:
            ends |= card
            break
        card = below & plain
    card = one
    while card != ZERO:
        above = next_up(card)
        if above & runs != ZERO:
            ends |= card
            break
        card = above & plain
    return ends


@compiled
def sets_of_rank(plain, rank):
    """The sets of a rank that a hand can meld (five bits)."""
    one = np.uint64(rank)
    held = (
        ((plain >> one) & ONE)
        | (((plain >> (one + SUIT1)) & ONE) << ONE)
        | (((plain >> (one + SUIT2)) & ONE) << np.uint64(2))
        | (((plain >> (one + SUIT3)) & ONE) << np.uint64(3))
    )
    return SETS_OF[np.int64(held)]


@compiled
def put_runs(words, row, plain, low, must_hold):
    """Write the runs of a hand that contain at least one card of ``must_hold``.

    Args:
        low: the lowest card of each run of three in the hand.
    """
    for suit in range(NUM_SUITS):
        shift = np.uint64(NUM_RANKS * suit)
        starts = (low >> shift) & SUIT_MASK
        wanted = (must_hold >> shift) & SUIT_MASK
        window = (
            wanted | (wanted >> ONE) | (wanted >> np.uint64(2))
        )  # starts of runs of this length with a card of ``must_hold``
        offset = MELD_RUN.start + RUNS_PER_SUIT * suit
        length = 3
        while starts != ZERO:
            if starts & window != ZERO:
                put(words, row, offset, starts & window)
            offset += NUM_RANKS + 1 - length
            starts &= plain >> np.uint64(NUM_RANKS * suit + length) & (SUIT_MASK >> np.uint64(length))
            window |= wanted >> np.uint64(length)
            length += 1


@compiled
def put_jokers(words, row, held, on_table):
    """Write the joker actions of a hand with at least one joker."""
    if held >= 3:
        put(words, row, MELD_JOKERS.start, ONE if held == 3 else np.uint64(3))
    if on_table == 3:
        put(words, row, LAYOFF_JOKER.start, ONE)
