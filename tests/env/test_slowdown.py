"""A guard against slow-downs: what a decision of the vector environment costs, in units of fixed work that is timed in
the same process at the same time. It tells a step that has become several times slower, not one of a tenth."""

from __future__ import annotations

import time

import numba
import numpy as np
import pytest
from numba import njit

from persian_rummy_env import PersianRummyVecEnv

LANES = 1024
SLICES = 400
READ, WRITTEN, ROUNDS = 63, 1567, 24
MEASURED = 1.16
"""Cost of a decision in units of the fixed work. With ten processes on two cores it was between 1.15 and 1.30."""
ALLOWED = 2.5
"""So many times as slow is a failure: far more than the ratio moves by itself, between processors too."""


def fixed_work(states, rows):
    """Per lane about what a decision does: ``READ`` words in, a chain of shifts and ``^``, ``WRITTEN`` bytes out.

    Never to be changed with the engine, since ``MEASURED`` counts in it.
    """
    for lane in range(len(states)):
        mixed = np.uint64(lane)
        for word in range(READ):
            mixed = mixed ^ states[lane, word]
        for _ in range(ROUNDS):
            mixed = mixed ^ (mixed << np.uint64(13))
            mixed = mixed ^ (mixed >> np.uint64(7))
            mixed = mixed ^ (mixed << np.uint64(17))
        for index in range(WRITTEN):
            rows[lane, index] = np.uint8((mixed >> np.uint64(index & 63)) & np.uint64(1))


def fastest_slices() -> tuple[float, float]:
    """Seconds of the fastest step and of the fastest piece of fixed work, one after the other many times: a neighbour
    who takes the core away spoils some slices, not all."""
    work = njit(fixed_work)
    states, rows = np.ones((LANES, READ), dtype=np.uint64), np.zeros((LANES, WRITTEN), dtype=np.uint8)
    env = PersianRummyVecEnv(LANES, copy=False, seed=1)
    env.reset()
    steps, works = [], []
    for _ in range(SLICES):
        actions = env.sample_actions()
        start = time.perf_counter()
        env.step(actions)
        between = time.perf_counter()
        work(states, rows)
        steps.append(between - start)
        works.append(time.perf_counter() - between)
    return min(steps), min(works)


@pytest.mark.perf
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="times compiled code")
@pytest.mark.skipif(numba.config.BOUNDSCHECK not in (None, 0), reason="times code without bounds checks")
def test_step_is_not_much_slower_than_it_was() -> None:
    step, work = fastest_slices()
    assert step / work < ALLOWED * MEASURED, (
        f"a step of {LANES} lanes takes {step * 1e6:.0f} µs, {step / work:.2f} times the fixed work; "
        f"it was {MEASURED:.2f}: python -m experiments.profile says which part has become slow"
    )
