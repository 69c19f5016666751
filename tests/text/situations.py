"""Games on their way, for the tests of text."""

import numpy as np

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.core import batch_kernels
from persian_rummy_env.observation import SIZE
from persian_rummy_env.rules import RuleSet

VARIANTS = (RuleSet(), RuleSet(deals=1, quad_bonus="jacks"), RuleSet(deals=4, stock_out="end"))


def positions(count: int, seed: int = 0, games: int = 24, steps: int = 420) -> list[np.void]:
    """`count` records from the whole length of random games by several rules, ended games among them."""
    found: list[np.void] = []
    for rules in VARIANTS:
        env = PersianRummyVecEnv(games, rules=rules, autoreset_mode="NEXT_STEP")
        env.reset(seed=seed)
        for _ in range(steps):
            found.extend(env.get_state())
            env.step(env.sample_actions())
    picked = np.random.default_rng(seed).choice(len(found), count, replace=False)
    return [found[index] for index in picked]


def observed(game: np.ndarray, seat: int) -> np.ndarray:
    """The engine's observation of a seat in one record, (1020,) uint8."""
    row = np.zeros(SIZE, dtype=np.uint8)
    batch_kernels.observe_seats(game.reshape(1), np.array([seat], dtype=np.int64), row, 0, 1)
    return row
