"""Registers the environments with Gymnasium and, from version 1.27, with PettingZoo."""

from __future__ import annotations

import gymnasium
import pettingzoo

PETTINGZOO_ID = "persian_rummy_v0"
GYMNASIUM_ID = "PersianRummy-v0"


def register() -> None:
    """Register ``gymnasium.make("PersianRummy-v0")`` and ``pettingzoo.make("aec", "persian_rummy_v0")``; nothing
    happens if they are registered."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="persian_rummy_env.envs.gym:PersianRummyGymEnv",
            vector_entry_point="persian_rummy_env.envs.gym_vector:PersianRummyGymVectorEnv",
        )
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is None or PETTINGZOO_ID.replace("_v", "-v") in registry:
        return
    pettingzoo.register("aec", PETTINGZOO_ID, entry_point="persian_rummy_env.envs.aec:env")
