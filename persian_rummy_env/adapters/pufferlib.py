"""PufferLib 3: games with one agent each as a native environment, and a policy that masks.

3.0.0 is built from its source, since it asks for numpy below 2 and works without that (docs/pufferlib.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pufferlib  # pyright: ignore[reportMissingImports]
import torch
from gymnasium import spaces
from torch import nn

from ..actions import NUM_ACTIONS
from ..envs.gym_vector import PersianRummyGymVectorEnv
from ..observation import HIGH, SIZE

MASK = slice(SIZE, SIZE + NUM_ACTIONS)
"""The columns of the mask in a row of the observation."""
MASKED = -1e9
"""The logit of an action that is not legal."""


class PersianRummyPuffer(pufferlib.PufferEnv):  # pyright: ignore[reportAttributeAccessIssue]
    """``num_tables`` games; each row is a decision of one agent, with its reward since the decision before.

    A row is (1567,) uint8: the raw observation (1020; divide by ``observation.HIGH``) and the mask (547) at ``MASK``.
    The library samples over all actions, so the policy has to mask its own logits. When a deal ends, the next one
    starts in the same step.

    Args:
        num_tables: number of rows.
        log_interval: steps between two entries of the info list, each the mean return of the deals that ended.
        buf, seed: the arguments of the library.
        options: options of ``PersianRummyGymVectorEnv``.
    """

    observations: np.ndarray  # these four are the library's buffers, possibly in shared memory
    rewards: np.ndarray
    terminals: np.ndarray
    truncations: np.ndarray

    def __init__(
        self, num_tables: int = 256, *, log_interval: int = 128, buf: Any = None, seed: int = 0, **options: Any
    ) -> None:
        self.sub_envs = PersianRummyGymVectorEnv(num_tables, raw=True, seed=seed, **options)
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
        observation, _ = self.sub_envs.reset(seed=seed)
        self._show(observation)
        self.rewards[:] = 0
        self.terminals[:] = False
        self.truncations[:] = False
        self._returns[:] = 0
        return self.observations, []

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[dict[str, float]]]:
        observation, rewards, terminated, truncated, _ = self.sub_envs.step(np.asarray(actions).reshape(-1))
        self._show(observation)
        self.rewards[:] = rewards
        self.terminals[:] = terminated
        self.truncations[:] = truncated
        return self.observations, self.rewards, self.terminals, self.truncations, self._stats(rewards)

    def _show(self, observation: Mapping[str, np.ndarray]) -> None:
        self.observations[:, :SIZE] = observation["observation"]
        self.observations[:, MASK] = observation["action_mask"]

    def _stats(self, rewards: np.ndarray) -> list[dict[str, float]]:
        self._returns += rewards
        ended = self.terminals | self.truncations
        self._finished += self._returns[ended].tolist()
        self._returns[ended] = 0
        self._steps += 1
        if self._steps % self.log_interval or not self._finished:
            return []
        stats = {"points_a_deal": 100 * float(np.mean(self._finished)), "deals": float(len(self._finished))}
        self._finished = []
        return [stats]

    def close(self) -> None:
        self.sub_envs.close()


class MaskedPolicy(nn.Module):
    """One hidden layer, with values and logits; the logit of an illegal action is ``MASKED``.

    The mask is read from the stored rows, so that sampling and the loss use the same distribution.
    """

    def __init__(self, hidden_size: int = 128) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.high: torch.Tensor
        self.register_buffer("high", torch.as_tensor(HIGH.astype(np.float32)))
        self.body = nn.Sequential(nn.Linear(SIZE, hidden_size), nn.ReLU())
        self.actor = nn.Linear(hidden_size, NUM_ACTIONS)
        self.critic = nn.Linear(hidden_size, 1)

    def forward_eval(self, observations: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, torch.Tensor]:  # noqa: ARG002  # theirs
        """From rows (k, 1567) to logits (k, 547) and values (k, 1)."""
        hidden = self.body(observations[:, :SIZE].float() / self.high)
        return self.actor(hidden).masked_fill(observations[:, MASK] == 0, MASKED), self.critic(hidden)

    def forward(self, observations: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_eval(observations, state)
