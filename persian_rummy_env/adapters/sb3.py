"""Stable-Baselines3: the batched agent as a ``VecEnv``, for ``sb3_contrib.MaskablePPO``.

``gymnasium.make("PersianRummy-v0", observation="flat")`` also works with it; this is the fast way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore[reportMissingImports]

from ..envs.gym_vector import PersianRummyGymVectorEnv
from ..envs.options import AgentOptions


class PersianRummySB3VecEnv(VecEnv):
    """``num_envs`` games with one agent each, stepped by one compiled call.

    Observations are the flat vector, (n, 1020) float32. MaskablePPO gets masks by ``env_method("action_masks")``. When
    an episode ends, the next one starts at once. ``info["terminal_observation"]`` and ``info["TimeLimit.truncated"]``
    tell how it ended; ``info["episode"]`` holds its return ``r`` and length ``l``.

    Args:
        options: options of ``PersianRummyGymVectorEnv``, except ``autoreset_mode``, ``observation`` and ``raw``.
    """

    def __init__(self, num_envs: int, **options: Unpack[AgentOptions]) -> None:
        self.sub_envs = PersianRummyGymVectorEnv(num_envs, observation="flat", **options)
        self.render_mode = None
        super().__init__(num_envs, self.sub_envs.single_observation_space, self.sub_envs.single_action_space)
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)
        self._actions = np.zeros(num_envs, dtype=np.int64)

    def reset(self) -> np.ndarray:
        """Start new episodes, with the seed of ``seed()`` if one was set."""
        first = self._seeds[0]
        observation, infos = self.sub_envs.reset(seed=None if first is None else first)
        self.reset_infos = [{"seat": int(seat)} for seat in infos["seat"]]
        self._reset_seeds()
        self._returns[:] = 0
        self._lengths[:] = 0
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observation, rewards, terminated, truncated, batched = self.sub_envs.step(self._actions)
        done = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(done):
            infos[index] = {
                "terminal_observation": batched["final_obs"][index],
                "TimeLimit.truncated": bool(truncated[index]),
                "episode": {"r": float(self._returns[index]), "l": int(self._lengths[index]), "t": 0.0},
            }
        self._returns[done] = 0
        self._lengths[done] = 0
        return observation, rewards.astype(np.float32), done, infos

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:  # noqa: ARG002
        if method_name != "action_masks":
            raise AttributeError(f"env_method({method_name!r}): the sub-environments have only 'action_masks'")
        masks = self.sub_envs.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        value = getattr(self if attr_name in ("render_mode", "spec") else self.sub_envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002
        raise AttributeError(f"set_attr({attr_name!r}, {value!r}): the options of a batch are given when it is made")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        return [None] * self.num_envs

    def close(self) -> None:
        self.sub_envs.close()
