"""Deals between a team of experts with weights of one's own and a team of bots: what ablation and tuning need."""

from __future__ import annotations

import numpy as np

from ..rules import NUM_TEAMS
from ..state import OVER
from .apply import apply
from .bot_kernels import choose
from .expert import best_by_features
from .jit import compiled
from .legal import legal_actions
from .masks import WORDS


@compiled
def play_weighted(games, team, weights, bot, start, stop):
    """Play every game to its end.

    Args:
        games: (n,) STATE, changed in place.
        team: (n,) integers, the team of the experts in each game.
        weights: (NUM_FEATURES,) float64.
        bot: the code of the other team's bots.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for lane in range(start, stop):
        game = games[lane]
        ours = int(team[lane])
        while int(game["phase"]) != OVER:
            legal_actions(game, words, 0)
            if int(game["seat"]) % NUM_TEAMS == ours:
                apply(game, best_by_features(game, words, 0, weights))
            else:
                apply(game, choose(game, words, 0, bot))
