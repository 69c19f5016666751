"""Deals between a team of experts with given weights and a team of bots, for ablation and tuning."""

from __future__ import annotations

import numpy as np

from persian_rummy_env.core.apply import apply
from persian_rummy_env.core.bot_kernels import choose
from persian_rummy_env.core.compiler.jit import compiled
from persian_rummy_env.core.expert import best_by_features
from persian_rummy_env.core.legal import legal_actions
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.rules import NUM_TEAMS
from persian_rummy_env.state import OVER


@compiled
def play_weighted(games, team, weights, bot, start, stop):
    """Play every game to its end.

    Args:
        games: (n,) STATE, changed in place.
        team: (n,) integers, the team of the experts in each game.
        weights: (NUM_FEATURES,) float64.
        bot: the code of the bots in the other team.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for lane in range(start, stop):
        game = games[lane]
        own_team = int(team[lane])
        while int(game["phase"]) != OVER:
            legal_actions(game, words, 0)
            if int(game["seat"]) % NUM_TEAMS == own_team:
                apply(game, best_by_features(game, words, 0, weights))
            else:
                apply(game, choose(game, words, 0, bot))
