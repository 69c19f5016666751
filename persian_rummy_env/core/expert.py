"""The expert bot: a weighted sum of features for every legal action, computed from what the seat sees.

``FEATURES`` names the features; docs/bots.md has their ablation. Features of the draw phase compare a take with drawing
(which has no features). Features of the meld phase describe the hand, the table and the pile after the action.
"""

from __future__ import annotations

import numpy as np

from ..actions import ACTION_CARDS, ACTION_POINTS, DISCARD, LAYOFF_RUN, MELD_RUN, TAKE
from ..cards import CARD_VALUES, JOKER, NUM_RANKS
from ..rules import NUM_SEATS
from ..state import DRAW_PHASE
from .bits import (
    JOKERS,
    ONE,
    PLAIN,
    ZERO,
    add_card,
    bit,
    completable,
    in_every_suit,
    jokers_in,
    minus,
    next_down,
    next_up,
    plus,
    ranks_any,
    ranks_pair,
    ranks_triple,
)
from .compiler.intrinsics import lowest, popcount
from .compiler.jit import compiled
from .legal import completable_within
from .masks import WORDS
from .score import hand_value

WEIGHTS: dict[str, float] = {
    "take": -21.97,
    "take_load": 6.26,
    "take_cards": 5.02,
    "take_ready_danger": 14.62,
    "take_pairs": -1.55,
    "take_late": 17.18,
    "points_danger": 22.94,
    "held": 1.01,
    "ready": 6.83,
    "ready_late": -5.86,
    "cards": 0.36,
    "quad_chance": 4.50,
    "joker_pair": 7.40,
    "openings_them": -2.01,
    "out": 28.16,
    "discard": 9.00,
    "discard_layable": -20.99,
    "discard_for_left": -16.25,
    "discard_for_partner": 11.96,
    "discard_rank_in_pile": -8.34,
    "discard_near_in_pile": -5.42,
    "discard_live": -1.27,
    "discard_declined": 0.52,
    "discard_value": -5.91,
    "discard_takes_back": 3.64,
}
"""Points of margin per unit of each feature, in the order of the features; docs/bots.md has the units."""
FEATURES = tuple(WEIGHTS)
NUM_FEATURES = len(FEATURES)
EXPERT_WEIGHTS = np.array(list(WEIGHTS.values()))
(
    TAKE_ANY, TAKE_LOAD, TAKE_CARDS, TAKE_READY_DANGER, TAKE_PAIRS, TAKE_LATE,
    POINTS_DANGER, HELD, READY, READY_LATE, CARDS, QUAD_CHANCE, JOKER_PAIR, OPENINGS_THEM, OUT,
    DISCARD_ANY, DISCARD_LAYABLE, DISCARD_FOR_LEFT, DISCARD_FOR_PARTNER, DISCARD_RANK_IN_PILE, DISCARD_NEAR_IN_PILE,
    DISCARD_LIVE, DISCARD_DECLINED, DISCARD_VALUE, DISCARD_TAKES_BACK,
) = range(NUM_FEATURES)  # fmt: skip


@compiled
def near(cards):
    """The cards one or two ranks from a card of a set, in its suit."""
    up, down = next_up(cards), next_down(cards)
    return up | down | next_up(up) | next_down(down)


@compiled
def ready_cards(cards, sets, runs):
    """The cards of a hand that can be laid now."""
    ready = completable_within(cards & PLAIN, sets, runs)
    if jokers_in(cards) >= 3 or jokers_in(sets) == 3:
        ready |= cards & JOKERS
    return ready


@compiled
def unseen_by(game, seat):
    """The plain cards whose place a seat does not know, or knows to be in another hand."""
    return ~(game["hand"][seat] | game["sets"] | game["runs"] | game["pile"]) & PLAIN


@compiled
def danger_of(game, seat):
    """1 / (1 + cards in the shorter of the opponents' hands)."""
    left = popcount(game["hand"][(seat + 1) % NUM_SEATS])
    right = popcount(game["hand"][(seat + 3) % NUM_SEATS])
    return 1.0 / (1.0 + min(left, right))


@compiled
def take_features(game, seat, action, out):
    """Add the features of a take."""
    wanted = action - TAKE.start
    card = min(wanted, JOKER)
    skip = max(wanted - JOKER, 0)
    place = int(game["pile_size"]) - 1
    taken = ZERO
    number = 0
    while True:
        top = int(game["pile_card"][place])
        taken = add_card(taken, top)
        number += 1
        if top == card:
            if skip == 0:
                break
            skip -= 1
        place -= 1
    hand = game["hand"][seat]
    full = plus(hand, taken)
    sets, runs = game["sets"], game["runs"]
    ready = ready_cards(full, sets, runs)
    gain = (hand_value(ready) - hand_value(ready_cards(hand, sets, runs))) / 10.0
    load = hand_value(minus(full, ready) & PLAIN) / 10.0 - hand_value(minus(hand, ready & hand) & PLAIN) / 10.0
    rest = full & ~ready & PLAIN
    out[TAKE_ANY] = 1.0
    out[TAKE_LOAD] = load
    out[TAKE_CARDS] = number
    out[TAKE_READY_DANGER] = gain * danger_of(game, seat)
    out[TAKE_PAIRS] = popcount(ranks_pair(rest))
    out[TAKE_LATE] = gain if int(game["stock_size"]) < 8 else 0.0


@compiled
def hand_features(game, seat, hand, sets, runs, out):
    """Add the features of hand and table after an action."""
    plain = hand & PLAIN
    ready = ready_cards(hand, sets, runs)
    ready_value = hand_value(ready) / 10.0
    held = hand_value(hand) / 10.0 - ready_value
    live = unseen_by(game, seat) | (game["pile"] & PLAIN)
    out[HELD] = held
    out[READY] = ready_value
    out[READY_LATE] = ready_value if int(game["stock_size"]) < 8 else 0.0
    out[CARDS] = popcount(hand)
    out[QUAD_CHANCE] = popcount(ranks_triple(plain) & ranks_any(live))
    out[JOKER_PAIR] = 1.0 if jokers_in(hand) == 2 else 0.0
    spots = (in_every_suit(ranks_any(sets & PLAIN)) & ~sets) | next_up(runs) | next_down(runs)
    spots &= ~(runs | sets) & PLAIN
    out[OPENINGS_THEM] = popcount(spots & ~plain & (live | game["known"][(seat + 1) % NUM_SEATS]))


@compiled
def discard_features(game, seat, card, hand, out):
    """Add the features of a discard: its use for the other players, and the pile after it."""
    out[DISCARD_ANY] = 1.0
    out[DISCARD_VALUE] = int(CARD_VALUES[card]) / 10.0
    if card == JOKER:
        out[DISCARD_RANK_IN_PILE] = jokers_in(game["pile"])
        return
    one = bit(card)
    sets, runs = game["sets"], game["runs"]
    pile = game["pile"] & PLAIN
    value = int(CARD_VALUES[card]) / 10.0
    mates = in_every_suit(ONE << np.uint64(card % NUM_RANKS)) & ~one
    close = near(one)
    left, partner = (seat + 1) % NUM_SEATS, (seat + 2) % NUM_SEATS
    if completable(ZERO, sets, runs) & one != ZERO:
        out[DISCARD_LAYABLE] = value
    if completable(game["known"][left] & PLAIN, sets, runs) & one != ZERO:
        out[DISCARD_FOR_LEFT] = 1.0
    if completable(game["known"][partner] & PLAIN, sets, runs) & one != ZERO:
        out[DISCARD_FOR_PARTNER] = 1.0
    out[DISCARD_RANK_IN_PILE] = popcount(pile & mates)
    out[DISCARD_NEAR_IN_PILE] = popcount(pile & close)
    unseen = unseen_by(game, seat)
    out[DISCARD_LIVE] = popcount(unseen & mates) + 0.5 * popcount(unseen & close)
    declined = game["declined"][left]
    out[DISCARD_DECLINED] = popcount(declined & mates) + 0.5 * popcount(declined & close)
    if completable(hand & PLAIN, sets, runs) & one != ZERO:
        out[DISCARD_TAKES_BACK] = 1.0


@compiled
def features(game, action, out):
    """Write the features of a legal action of the seat to move into ``out`` (NUM_FEATURES,); all others are 0."""
    for index in range(NUM_FEATURES):
        out[index] = 0.0
    seat = int(game["seat"])
    if int(game["phase"]) == DRAW_PHASE:
        if TAKE.start <= action < TAKE.stop:
            take_features(game, seat, action, out)
        return
    cards = ACTION_CARDS[action]
    hand = minus(game["hand"][seat], cards)
    sets, runs = game["sets"], game["runs"]
    if action >= DISCARD.start:
        discard_features(game, seat, action - DISCARD.start, hand, out)
    else:
        points = int(ACTION_POINTS[int(game["quad_jacks"])][action]) / 10.0
        out[POINTS_DANGER] = points * danger_of(game, seat)
        if MELD_RUN.start <= action < MELD_RUN.stop or LAYOFF_RUN.start <= action < LAYOFF_RUN.stop:
            runs |= cards
        else:
            sets = plus(sets, cards)
        if hand == ZERO:
            out[OUT] = 1.0
            return
    hand_features(game, seat, hand, sets, runs, out)


@compiled
def best_by_features(game, words, row, weights):
    """The legal action with the highest weighted sum of features; of equals the lowest id."""
    values = np.empty(NUM_FEATURES)
    best = -1
    most = -np.inf
    for word in range(WORDS):
        bits = words[row, word]
        while bits != ZERO:
            action = 64 * word + lowest(bits)
            bits &= bits - ONE
            features(game, action, values)
            worth = 0.0
            for index in range(NUM_FEATURES):
                worth += weights[index] * values[index]
            if worth > most:
                most = worth
                best = action
    return best


@compiled
def features_of(games, rows, actions, out):
    """The features of actions (m,) in the games ``rows`` (m,): ``out`` (m, NUM_FEATURES) float64 is written."""
    for index in range(len(rows)):
        features(games[rows[index]], int(actions[index]), out[index])
