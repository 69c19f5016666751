"""What every adapter for language models keeps: the points of the AEC environment, and nothing hidden in a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.apps.text_game import TextGame
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.policy_io import choose

SECRET = 9_876_543_210_123_456_789
"""A seed that no other number contains by chance."""
TOOLS = {"draw", "take", "pass_turn", "meld", "lay_off", "discard"}
"""The tools of ``adapters.trl.PersianRummyTools``."""


def aec_margin(players: Sequence[str], seed: int, rules: RuleSet | None = None) -> int:
    """The points of team 0 less those of team 1 in a game of the AEC environment, played by policies by seat."""
    policies = {name: persian_rummy_env.load(name) for name in set(players)}
    env = persian_rummy_env.env(rules=rules or RuleSet(deals=1))
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        seat = env.possible_agents.index(env.agent_selection)
        env.step(int(choose(env.unwrapped.get_state(), policies[players[seat]])[0]))
    first, second = env.unwrapped.get_state()["score"][0].tolist()
    return first - second


def exchanged(game: TextGame, rng: np.random.Generator) -> tuple[Any, Any]:
    """Exchange the cards that the seat to answer cannot see, in place.

    Returns:
        the standing before, for ``put_back``; and whether a card moved.
    """
    before = game._table._now
    assert game.seat is not None
    other = exchange_hidden(before.games, game.seat, rng)
    game._table._now = before._replace(games=other)
    return before, bool((other != before.games).any())


def put_back(game: TextGame, before: Any) -> None:
    game._table._now = before
