"""The loops of one game in Python that ours and the peers' figures share, so that both are measured alike."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

CHECK_EVERY = 64
"""Decisions between two looks at the clock."""


def for_a_while(decide: Callable[[], Any], seconds: float) -> float:
    """Take decisions for so long; returns decisions per second."""
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
    """Decisions per second of a PettingZoo AEC environment: ``last()``, a uniformly random legal action from the mask,
    ``step``; a new game by ``reset`` as soon as one is over."""
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
