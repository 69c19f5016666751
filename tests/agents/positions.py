"""Positions from play, for the tests of those who choose in them."""

from __future__ import annotations

from functools import cache

import numpy as np

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.bots import BOTS
from persian_rummy_env.core import batch_kernels, bot_kernels
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.evaluation.arena import show
from persian_rummy_env.players.policy import DecisionBatch

LONGEST = 90
"""Decisions before a position, at most: about a deal and a half."""


@cache
def _played(lanes: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    env = PersianRummyVecEnv(lanes, episode="game")
    env.reset(seed=seed)
    codes = rng.choice(list(BOTS.values()), size=(lanes, 4)).astype(np.int8)
    when = rng.integers(LONGEST, size=lanes)
    found = env.get_state()
    for step in range(1, LONGEST):
        env.step(chosen(env.get_state(), env.packed_mask, codes))
        found[when == step] = env.get_state()[when == step]
    return found


def positions(lanes: int, seed: int = 1) -> np.ndarray:
    """Games under way at all stages, each between bots drawn for its four seats: (lanes,) STATE, the caller's own."""
    return _played(lanes, seed).copy()


def packed_legal(games: np.ndarray) -> np.ndarray:
    """The legal actions of each game as bits: (n, 9) uint64."""
    legal = np.zeros((len(games), WORDS), dtype=np.uint64)
    batch_kernels.legal_words(games, legal, 0, len(games))
    return legal


def chosen(games: np.ndarray, legal: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """What bots choose, by code (n, 4): (n,) int64."""
    actions = np.zeros(len(games), dtype=np.int64)
    bot_kernels.choose_many(games, legal, codes, actions, 0, len(games))
    return actions


def choices_of(name: str, games: np.ndarray) -> np.ndarray:
    """What a bot chooses in each game, whoever is to move."""
    return chosen(games, packed_legal(games), np.full((len(games), 4), BOTS[name], dtype=np.int8))


def shown(games: np.ndarray) -> DecisionBatch:
    """What the seats to move see, views included."""
    return show(games, np.arange(len(games)), views=True)
