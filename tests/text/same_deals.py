"""Deals as the AEC environment plays them, for comparison with the same deals played by text."""

from __future__ import annotations

from collections.abc import Sequence

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.players.policy_io import choose

ONE_DEAL = RuleSet(deals=1)


def points(players: Sequence[BasePolicy], seed: int, rules: RuleSet = ONE_DEAL) -> tuple[int, int]:
    """The score by team of the game of a seed in the AEC environment. The players, by seat, draw no random numbers."""
    env = persian_rummy_env.env(rules=rules)
    env.reset(seed=seed)
    while env.agents:
        seat = env.possible_agents.index(env.agent_selection)
        over = env.terminations[env.agent_selection]
        env.step(None if over else int(choose(env.unwrapped.get_state(), players[seat])[0]))
    us, them = env.unwrapped.get_state()[0]["score"].tolist()
    return us, them
