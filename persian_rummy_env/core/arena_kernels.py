"""Games between bots and policies outside the compiled loop, for matches."""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..state import OVER
from .apply import apply
from .bot_kernels import choose
from .compiler.jit import compiled
from .legal import legal_actions
from .masks import ONLY_ROW, WORDS, count_legal, is_legal, nth_legal
from .observe import observe

OUTSIDE, OUTSIDE_IF_CHOICE = -1, -2
"""Codes of a seat of a policy outside the loop, which decides always or only with two or more legal actions."""
ASK = -1


@compiled
def loop_action(game, words, row, code):
    """The action that the loop plays itself, or ``ASK`` if a policy outside decides.

    Args:
        words: (n, WORDS) uint64; its row receives the legal actions, unless ``code`` is ``OUTSIDE``.
        code: the code of a bot, or ``OUTSIDE`` or ``OUTSIDE_IF_CHOICE``.
    """
    if code == OUTSIDE:
        return ASK
    legal_actions(game, words, row)
    if code != OUTSIDE_IF_CHOICE:
        return choose(game, words, row, code)
    return nth_legal(words, row, 0) if count_legal(words, row) == 1 else ASK


@compiled
def advance(games, codes, decisions, start, stop):
    """Play every game until it is over or a policy outside the loop is to decide.

    Args:
        games: (n,) STATE, changed in place.
        codes: (n, 4) int8, as for ``loop_action``.
        decisions: (n,) int64, the number of decisions is added.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for lane in range(start, stop):
        game = games[lane]
        while int(game["phase"]) != OVER:
            action = loop_action(game, words, ONLY_ROW, int(codes[lane, int(game["seat"])]))
            if action == ASK:
                break
            apply(game, action)
            decisions[lane] += 1


@compiled
def show_lanes(games, lanes, observation, legal):
    """Write the observations, a flat array of k rows, and the packed masks (k, WORDS), of the seats to move in the
    games ``lanes`` (k,)."""
    for row in range(len(lanes)):
        game = games[lanes[row]]
        legal_actions(game, legal, row)
        observe(game, int(game["seat"]), observation, row)


@compiled
def play_lanes(games, lanes, actions):
    """Play one action in each of the games ``lanes`` (k,). Stops at the first illegal action and returns its index in
    ``lanes``; -1 if all were played."""
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for row in range(len(lanes)):
        game = games[lanes[row]]
        legal_actions(game, words, ONLY_ROW)
        action = int(actions[row])
        if action < 0 or action >= NUM_ACTIONS or not is_legal(words, ONLY_ROW, action):
            return row
        apply(game, action)
    return -1
