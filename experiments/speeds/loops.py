"""Python loops over one game, used for this package and for its peers, so that both are measured alike."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

CHECK_EVERY = 64
"""Decisions between two readings of the clock."""


def for_a_while(decide: Callable[[], Any], seconds: float) -> float:
    """Take decisions for a number of seconds; returns decisions per second."""
    decisions = 0
    start = time.perf_counter()
    while True:
        for _ in range(CHECK_EVERY):
            decide()
        decisions += CHECK_EVERY
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed


def aec_decisions(env: Any, seconds: float, seed: int = 0) -> float:
    """Decisions per second of a PettingZoo AEC environment: ``last()``, a uniform legal action from the mask, ``step``,
    and ``reset`` at the end of a game."""
    draw = random.Random(seed).random
    env.reset(seed=seed)

    def decide() -> None:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            observation = env.last()[0]
        legal = observation["action_mask"].nonzero()[0]
        env.step(int(legal[int(draw() * len(legal))]))

    return for_a_while(decide, seconds)
