"""The expert bot: a weighted sum of features for every legal action, all of them of what the seat sees.

``FEATURES`` names them; docs/bots.md says what each is worth and how the weights were found. The features of the draw
phase weigh a take against drawing (which has none); those of the meld phase weigh the hand, the table and the pile as
an action leaves them.
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
from .intrinsics import lowest, popcount
from .jit import compiled
from .legal import WORDS, completable_within
from .score import hand_value

WEIGHTS: dict[str, float] = {
    "take": -13.64,
    "take_ready": 2.75,
    "take_load": 5.71,
    "take_cards": 6.09,
    "take_load_danger": -15.33,
    "take_ready_danger": 7.00,
    "take_pairs": 0.91,
    "take_neighbours": -0.62,
    "take_left_pile": 23.87,
    "take_late": 3.26,
    "points": 2.75,
    "points_danger": 13.34,
    "held": 1.09,
    "held_danger": -2.03,
    "ready": 6.20,
    "ready_danger": 0.77,
    "ready_late": -2.08,
    "cards": 0.44,
    "pairs": 3.55,
    "neighbours": 2.02,
    "gaps": 1.28,
    "triples": 1.09,
    "quad_chance": 0.56,
    "joker_pair": 4.42,
    "openings_them": -1.43,
    "openings_us": 3.33,
    "out": 27.46,
    "out_their_cards": 9.67,
    "out_partner_cards": -10.03,
    "discard": 6.05,
    "discard_layable": -12.52,
    "discard_for_left": -12.29,
    "discard_for_partner": 6.95,
    "discard_rank_in_pile": -6.83,
    "discard_near_in_pile": -3.66,
    "discard_pile_depth": 0.65,
    "discard_live": -1.49,
    "discard_declined": 0.06,
    "discard_value": -3.30,
    "discard_takes_back": 3.26,
}
"""Points of margin a unit of each feature, in the order of the features; docs/bots.md tells what a unit is."""
FEATURES = tuple(WEIGHTS)
NUM_FEATURES = len(FEATURES)
EXPERT_WEIGHTS = np.array(list(WEIGHTS.values()))
(
    TAKE_ANY, TAKE_READY, TAKE_LOAD, TAKE_CARDS, TAKE_LOAD_DANGER, TAKE_READY_DANGER, TAKE_PAIRS, TAKE_NEIGHBOURS,
    TAKE_LEFT_PILE, TAKE_LATE,
    POINTS, POINTS_DANGER, HELD, HELD_DANGER, READY, READY_DANGER, READY_LATE, CARDS, PAIRS, NEIGHBOURS, GAPS, TRIPLES,
    QUAD_CHANCE, JOKER_PAIR, OPENINGS_THEM, OPENINGS_US, OUT, OUT_THEIR_CARDS, OUT_PARTNER_CARDS,
    DISCARD_ANY, DISCARD_LAYABLE, DISCARD_FOR_LEFT, DISCARD_FOR_PARTNER, DISCARD_RANK_IN_PILE, DISCARD_NEAR_IN_PILE,
    DISCARD_PILE_DEPTH, DISCARD_LIVE, DISCARD_DECLINED, DISCARD_VALUE, DISCARD_TAKES_BACK,
) = range(NUM_FEATURES)  # fmt: skip


@compiled
def near(cards):
    """The cards one or two ranks from a card of a set, in its suit."""
    up, down = next_up(cards), next_down(cards)
    return up | down | next_up(up) | next_down(down)


@compiled
def ready_cards(cards, sets, runs):
    """The cards of a hand that could be laid now."""
    ready = completable_within(cards & PLAIN, sets, runs)
    if jokers_in(cards) >= 3 or jokers_in(sets) == 3:
        ready |= cards & JOKERS
    return ready


@compiled
def unseen_by(game, seat):
    """The plain cards that a seat does not know the place of, or knows in another hand."""
    return ~(game["hand"][seat] | game["sets"] | game["runs"] | game["pile"]) & PLAIN


@compiled
def danger_of(game, seat):
    """How near an opponent is to going out: 1 with an empty hand, 1/2 with one card, and so on."""
    left = popcount(game["hand"][(seat + 1) % NUM_SEATS])
    right = popcount(game["hand"][(seat + 3) % NUM_SEATS])
    return 1.0 / (1.0 + min(left, right))


@compiled
def take_features(game, seat, action, out):
    """The features of a take."""
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
    danger = danger_of(game, seat)
    rest = full & ~ready & PLAIN
    out[TAKE_ANY] = 1.0
    out[TAKE_READY] = gain
    out[TAKE_LOAD] = load
    out[TAKE_CARDS] = number
    out[TAKE_LOAD_DANGER] = load * danger
    out[TAKE_READY_DANGER] = gain * danger
    out[TAKE_PAIRS] = popcount(ranks_pair(rest))
    out[TAKE_NEIGHBOURS] = popcount(rest & near(rest))
    out[TAKE_LEFT_PILE] = place / 10.0
    out[TAKE_LATE] = gain if int(game["stock_size"]) < 8 else 0.0


@compiled
def hand_features(game, seat, hand, sets, runs, out):
    """The features of the hand and the table that an action leaves."""
    danger = danger_of(game, seat)
    plain = hand & PLAIN
    ready = ready_cards(hand, sets, runs)
    ready_value = hand_value(ready) / 10.0
    held = hand_value(hand) / 10.0 - ready_value
    live = unseen_by(game, seat) | (game["pile"] & PLAIN)
    rest = plain & ~ready
    out[HELD] = held
    out[HELD_DANGER] = held * danger
    out[READY] = ready_value
    out[READY_DANGER] = ready_value * danger
    out[READY_LATE] = ready_value if int(game["stock_size"]) < 8 else 0.0
    out[CARDS] = popcount(hand)
    live_ranks = ranks_any(live)
    out[PAIRS] = popcount(ranks_pair(rest) & live_ranks)
    up = rest & next_down(rest)  # a card whose upper neighbour is held too
    out[NEIGHBOURS] = popcount(up & (next_up(live) | next_down(next_down(live))))
    out[GAPS] = popcount(rest & next_down(next_down(rest)) & next_down(live))
    out[TRIPLES] = popcount(ranks_triple(plain))
    out[QUAD_CHANCE] = popcount(ranks_triple(plain) & live_ranks)
    jokers = jokers_in(hand)
    out[JOKER_PAIR] = 1.0 if jokers == 2 else 0.0
    spots = (in_every_suit(ranks_any(sets & PLAIN)) & ~sets) | next_up(runs) | next_down(runs)
    spots &= ~(runs | sets) & PLAIN
    out[OPENINGS_THEM] = popcount(spots & ~plain & (live | game["known"][(seat + 1) % NUM_SEATS]))
    out[OPENINGS_US] = popcount(spots & game["known"][(seat + 2) % NUM_SEATS])


@compiled
def discard_features(game, seat, card, hand, out):
    """The features of a discard: what it is to the others, and what it makes of the pile."""
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
    if pile & (mates | close) != ZERO:
        size = int(game["pile_size"])
        for place in range(size):
            other = int(game["pile_card"][place])
            if other != JOKER and bit(other) & (mates | close) != ZERO:
                out[DISCARD_PILE_DEPTH] = (size - place) / 10.0
                break
    unseen = unseen_by(game, seat)
    out[DISCARD_LIVE] = popcount(unseen & mates) + 0.5 * popcount(unseen & close)
    declined = game["declined"][left]
    out[DISCARD_DECLINED] = popcount(declined & mates) + 0.5 * popcount(declined & close)
    if completable(hand & PLAIN, sets, runs) & one != ZERO:
        out[DISCARD_TAKES_BACK] = 1.0


@compiled
def features(game, action, out):
    """Write the features of a legal action of the seat to move into ``out`` (NUM_FEATURES,), all others zero."""
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
        out[POINTS] = points
        out[POINTS_DANGER] = points * danger_of(game, seat)
        if MELD_RUN.start <= action < MELD_RUN.stop or LAYOFF_RUN.start <= action < LAYOFF_RUN.stop:
            runs |= cards
        else:
            sets = plus(sets, cards)
        if hand == ZERO:
            out[OUT] = 1.0
            out[OUT_THEIR_CARDS] = popcount(game["hand"][(seat + 1) % NUM_SEATS]) + popcount(
                game["hand"][(seat + 3) % NUM_SEATS]
            )
            out[OUT_PARTNER_CARDS] = popcount(game["hand"][(seat + 2) % NUM_SEATS])
            return
    hand_features(game, seat, hand, sets, runs, out)


@compiled
def best_by_features(game, words, row, weights):
    """The legal action of the highest weighted sum of features; the lowest id of equals."""
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
