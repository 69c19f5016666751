"""PufferLib 3: tables with one learner each as a native environment, a row a table.

Written and checked against the source of 3.0.0, which cannot be installed beside this package: it asks for numpy below 2
(docs/pufferlib.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pufferlib  # pyright: ignore[reportMissingImports]
from gymnasium import spaces

from ..actions import NUM_ACTIONS
from ..gym_vector_env import PersianRummyGymVectorEnv
from ..observation import HIGH, SIZE

MASK = slice(SIZE, SIZE + NUM_ACTIONS)
"""Where the mask lies in a row of the observation."""


class PersianRummyPuffer(pufferlib.PufferEnv):
    """``num_tables`` tables; the rows of one of them are the decisions of one learner, with what it was paid in between.

    A row is (1567,) uint8: the raw observation (1020; divide by ``observation.HIGH``), and the mask (547), from ``MASK`` on.
    The library samples over all actions: the policy has to mask its own logits. A deal that ends gives way to
    the next in the same step.

    Args:
        num_tables: rows.
        log_interval: steps between two entries of the info list, which hold the mean return of the deals that ended.
        buf, seed: as the library hands them over.
        options: of ``PersianRummyGymVectorEnv``.
    """

    def __init__(
        self, num_tables: int = 256, *, log_interval: int = 128, buf: Any = None, seed: int = 0, **options: Any
    ) -> None:
        self.tables = PersianRummyGymVectorEnv(num_tables, raw=True, seed=seed, **options)
        high = np.concatenate([HIGH, np.ones(NUM_ACTIONS, dtype=np.uint8)])
        self.single_observation_space = spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.num_agents = num_tables
        self.log_interval = log_interval
        self._returns = np.zeros(num_tables)
        self._finished: list[float] = []
        self._steps = 0
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, float]]]:
        observation, _ = self.tables.reset(seed=seed)
        self._show(observation)
        self.rewards[:] = 0
        self.terminals[:] = False
        self.truncations[:] = False
        self._returns[:] = 0
        return self.observations, []

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[dict[str, float]]]:
        observation, rewards, terminated, truncated, _ = self.tables.step(np.asarray(actions).reshape(-1))
        self._show(observation)
        self.rewards[:] = rewards
        self.terminals[:] = terminated
        self.truncations[:] = truncated
        return self.observations, self.rewards, self.terminals, self.truncations, self._told(rewards)

    def _show(self, observation: Mapping[str, np.ndarray]) -> None:
        self.observations[:, :SIZE] = observation["observation"]
        self.observations[:, MASK] = observation["action_mask"]

    def _told(self, rewards: np.ndarray) -> list[dict[str, float]]:
        self._returns += rewards
        ended = self.terminals | self.truncations
        self._finished += self._returns[ended].tolist()
        self._returns[ended] = 0
        self._steps += 1
        if self._steps % self.log_interval or not self._finished:
            return []
        told = {"points_a_deal": 100 * float(np.mean(self._finished)), "deals": float(len(self._finished))}
        self._finished = []
        return [told]

    def close(self) -> None:
        self.tables.close()
