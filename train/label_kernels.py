"""Compiled loops that say what the legal actions of decisions are worth.

A value is in points of margin to the team of the seat to move, less the mean of the decision's actions: only
differences between the actions of a decision say which to choose, and what all of them share is noise.
"""

from __future__ import annotations

import numpy as np

from persian_rummy_env.cards import NUM_CARDS
from persian_rummy_env.core.apply import apply
from persian_rummy_env.core.belief import deal_world
from persian_rummy_env.core.bots import choose
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, NUM_FEATURES, features
from persian_rummy_env.core.intrinsics import lowest
from persian_rummy_env.core.jit import compiled
from persian_rummy_env.core.legal import WORDS, legal_actions
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.core.search import deal_margin
from persian_rummy_env.rules import NUM_SEATS, NUM_TEAMS
from persian_rummy_env.state import OVER, STATE

ONE = np.uint64(1)
ZERO = np.uint64(0)
SEVERAL = -1


@compiled
def list_legal(legal, start, action):
    """The legal actions of each row of packed masks (k, 9), one row's after another's, by id.

    Args:
        start: (k + 1,) int64, gets where each row's begin in ``action`` (m,) int16.
    """
    found = 0
    for row in range(len(legal)):
        start[row] = found
        for word in range(WORDS):
            bits = legal[row, word]
            while bits != ZERO:
                action[found] = 64 * word + lowest(bits)
                found += 1
                bits &= bits - ONE
    start[len(legal)] = found


@compiled
def only_legal(words):
    """The legal action, if there is but one; else ``SEVERAL``."""
    found = SEVERAL
    for word in range(WORDS):
        bits = words[0, word]
        if bits != ZERO:
            if found != SEVERAL or bits & (bits - ONE) != ZERO:
                return SEVERAL
            found = 64 * word + lowest(bits)
    return found


@compiled
def play_on(game, words, near, plies, far):
    """Play to the end: bot ``near`` takes the first ``plies`` decisions, bot ``far`` those that follow. Decisions with
    a single legal action are not counted."""
    while int(game["phase"]) != OVER:
        legal_actions(game, words, 0)
        action = only_legal(words)
        if action == SEVERAL:
            action = choose(game, words, 0, near if plies > 0 else far)
            plies -= 1
        apply(game, action)


@compiled
def split_stock(game):
    """From now on each seat draws from a stock of its own. Of a world whose stock is dealt at random that is as good as
    one stock for all, and what one seat does no longer shifts the cards that the others draw."""
    left = int(game["stock_size"])
    game["split_stock"] = 1
    for order in range(NUM_SEATS):
        game["queue"][(int(game["seat"]) + order) % NUM_SEATS] = (left + NUM_SEATS - 1 - order) // NUM_SEATS


@compiled
def search_labels(views, seeds, start, action, worlds, near, plies, far, value, spread):
    """Play every action of every decision in the same sampled worlds, and let bots play on (``play_on``).

    Args:
        views: (k,) STATE, each as the seat to move knows it.
        seeds: (k,) uint64; world ``j`` of a decision depends on its seed and ``j`` alone.
        start, action: the actions of each decision, as ``list_legal`` gives them.
        worlds: how many.
        near, plies, far: who plays on.
        value: (m,) float32, gets the mean over the worlds.
        spread: (k,) float32, gets the variance from world to world of a value, the mean over the decision's actions;
            0 with a single world.
    """
    scratch = np.zeros(2, dtype=STATE)
    words = np.zeros((1, WORDS), dtype=np.uint64)
    cards = np.zeros(NUM_CARDS, dtype=np.uint8)
    margins = np.zeros(len(action) + 1)
    game, world = scratch[0], scratch[1]
    for row in range(len(views)):
        first, count = start[row], start[row + 1] - start[row]
        value[first : first + count] = 0
        squares = 0.0
        for number in range(worlds):
            scratch[1] = views[row]
            world["sample_rng"] = mixed(seeds[row] ^ mixed(np.uint64(number) + GOLDEN))
            deal_world(world, int(world["seat"]), cards)
            split_stock(world)
            world["deals"] = int(world["deal"]) + 1  # this deal and no further
            mean = 0.0
            for k in range(count):
                scratch[0] = scratch[1]
                apply(game, int(action[first + k]))
                play_on(game, words, near, plies, far)
                margins[k] = deal_margin(game, int(world["seat"]) % NUM_TEAMS)
                mean += margins[k] / count
            for k in range(count):
                centred = margins[k] - mean
                value[first + k] += centred / worlds
                squares += centred * centred
        spread[row] = 0
        if worlds > 1:
            explained = 0.0
            for k in range(first, first + count):
                explained += float(value[k]) * float(value[k]) * worlds
            spread[row] = max(squares - explained, 0.0) / ((worlds - 1) * count)


@compiled
def expert_labels(views, start, action, value):
    """What the weights of the expert bot make of every action of every decision: ``value`` (m,) float32."""
    terms = np.empty(NUM_FEATURES)
    for row in range(len(views)):
        first, stop = start[row], start[row + 1]
        mean = 0.0
        for k in range(first, stop):
            features(views[row], int(action[k]), terms)
            worth = 0.0
            for index in range(NUM_FEATURES):
                worth += EXPERT_WEIGHTS[index] * terms[index]
            value[k] = worth
            mean += worth / (stop - first)
        for k in range(first, stop):
            value[k] -= mean
