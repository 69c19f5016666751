"""Determinised search: the value of each legal action is the mean margin of bot playouts over sampled worlds.

All candidates are played in the same worlds, so that luck which they share cancels in the comparison.
"""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..cards import NUM_CARDS
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import STATE
from .apply import apply
from .belief_kernels import deal_world
from .bot_kernels import play_to_end
from .compiler.jit import compiled
from .masks import ONLY_ROW, WORDS
from .rng import GOLDEN, mixed


@compiled
def deal_margin(game, team):
    """The margin of a team in the last finished deal."""
    margin = int(game["last_score"][0]) - int(game["last_score"][1])
    return margin if team == 0 else -margin


@compiled
def playout(world, action, scratch, words, bots):
    """Play an action in a copy of a world and let bots finish the deal; returns the margin of the team that moved."""
    scratch[0] = world
    game = scratch[0]
    team = int(game["seat"]) % NUM_TEAMS
    game["deals"] = int(game["deal"]) + 1  # the game ends with this deal
    apply(game, action)
    play_to_end(game, words, ONLY_ROW, bots)
    return deal_margin(game, team)


@compiled
def world_seeds(views, seed, seeds):
    """Write the seeds of the worlds of each view. They depend only on ``seed`` and on the infostate, so that a search
    does not depend on the rest of the batch or on earlier searches."""
    for row in range(len(views)):
        view = views[row]
        found = mixed(seed ^ view["hand"][int(view["seat"])])
        for part in (view["sets"], view["runs"], view["pile"]):
            found = mixed(found ^ part)
        for seat in range(NUM_SEATS):
            found = mixed(found ^ view["known"][seat])
        count = (int(view["episode_decisions"]) * NUM_SEATS + int(view["seat"])) * NUM_CARDS + int(view["stock_size"])
        seeds[row] = mixed(found ^ np.uint64(count))


@compiled
def evaluate(views, seeds, first, worlds, bot, alive, total, squares, start, stop):
    """Add playouts for every candidate of every decision.

    Args:
        views: (k,) STATE, each as the seat to move knows it.
        seeds: (k,) uint64; world ``j`` of a decision depends on its seed and ``j`` alone.
        first, worlds: worlds ``first`` to ``first + worlds`` are played.
        bot: the bot of the playouts, at all seats.
        alive: (k, 547) bool, the candidates.
        total, squares: (k, 547) float64; the margins and their squares are added.
    """
    scratch = np.zeros(2, dtype=STATE)
    words = np.zeros((1, WORDS), dtype=np.uint64)
    cards = np.zeros(NUM_CARDS, dtype=np.uint8)
    bots = np.full(NUM_SEATS, bot, dtype=np.int8)
    candidates = np.zeros(NUM_ACTIONS, dtype=np.int64)
    world = scratch[1]
    for row in range(start, stop):
        count = 0
        for action in range(NUM_ACTIONS):
            if alive[row, action]:
                candidates[count] = action
                count += 1
        if count < 2:
            continue
        for number in range(first, first + worlds):
            scratch[1] = views[row]
            world["sample_rng"] = mixed(seeds[row] ^ mixed(np.uint64(number) + GOLDEN))
            deal_world(world, int(world["seat"]), cards)
            for index in range(count):
                margin = playout(world, candidates[index], scratch, words, bots)
                total[row, candidates[index]] += margin
                squares[row, candidates[index]] += margin * margin
