"""Games between bots and players outside the loop: what a match needs of the core."""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..state import OVER
from .apply import apply
from .bot_kernels import choose
from .compiler.jit import compiled
from .legal import legal_actions
from .masks import ONLY_ROW, WORDS, is_legal
from .observe import observe

OUTSIDE = -1
"""In place of a bot's code: somebody outside the loop plays this seat."""


@compiled
def advance(games, bots, decisions, start, stop):
    """Let bots play every game on until it is over or somebody ``OUTSIDE`` is to move.

    Args:
        games: (n,) STATE, changed in place.
        bots: (n, 4) int8, codes of bots, or ``OUTSIDE``.
        decisions: (n,) int64, added to.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for lane in range(start, stop):
        game = games[lane]
        while int(game["phase"]) != OVER:
            bot = int(bots[lane, int(game["seat"])])
            if bot == OUTSIDE:
                break
            legal_actions(game, words, ONLY_ROW)
            apply(game, choose(game, words, ONLY_ROW, bot))
            decisions[lane] += 1


@compiled
def show_lanes(games, lanes, observation, legal):
    """The observation, a flat array of k rows, and the packed mask (k, WORDS), of the seat to move in the games
    ``lanes`` (k,)."""
    for row in range(len(lanes)):
        game = games[lanes[row]]
        legal_actions(game, legal, row)
        observe(game, int(game["seat"]), observation, row)


@compiled
def play_lanes(games, lanes, actions):
    """Play one action in each of the games ``lanes`` (k,). Stops at the first illegal one and returns its place in
    ``lanes``; -1: all were played."""
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for row in range(len(lanes)):
        game = games[lanes[row]]
        legal_actions(game, words, ONLY_ROW)
        action = int(actions[row])
        if action < 0 or action >= NUM_ACTIONS or not is_legal(words, ONLY_ROW, action):
            return row
        apply(game, action)
    return -1
