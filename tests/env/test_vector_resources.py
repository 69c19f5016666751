"""What a batch costs in memory, and that it runs in a process of its own."""

import multiprocessing
import os
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv
from tests.env.play import COMPILED, equal, scaled

MEGABYTE = 2**20
STATM = Path("/proc/self/statm")


@pytest.mark.skipif(not COMPILED, reason="4,096 games")
@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
def test_4096_games_with_their_buffers_stay_under_100_megabytes(mode: str) -> None:
    PersianRummyVecEnv(1)  # whatever is loaded once is not counted
    tracemalloc.start()
    try:
        env = PersianRummyVecEnv(4096, autoreset_mode=mode)
        shown = env.reset(seed=1)
        for _ in range(3):
            shown = env.step(env.sample_actions())
        assert tracemalloc.get_traced_memory()[1] < 100 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert shown.observation.nbytes == 4096 * 1020


def resident() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.perf
@pytest.mark.skipif(not STATM.exists(), reason="reads /proc to see the memory in use, which this system has not")
@pytest.mark.skipif(not COMPILED, reason="20,000 deals")
def test_20000_deals_leak_nothing() -> None:
    lanes = 500
    env = PersianRummyVecEnv(lanes, episode="deal")
    env.reset(seed=1)

    def play(deals: int) -> None:
        while deals > 0:
            deals -= int(env.step(env.sample_actions()).terminated.sum())
            assert len(env.final.env_index) <= lanes

    play(1000)
    before = resident()
    play(scaled(20_000))
    assert resident() - before < 5 * MEGABYTE


def _continue(env: PersianRummyVecEnv, steps: int) -> tuple[np.ndarray, np.ndarray]:
    total = np.zeros((env.num_envs, 4), dtype=np.float32)
    for _ in range(steps):
        total += env.step(env.sample_actions()).reward
    return env.get_state(), total


@pytest.mark.skipif(sys.platform == "emscripten", reason="no processes")
def test_a_spawned_process_plays_on_what_it_was_sent() -> None:
    env = PersianRummyVecEnv(3, threads=2, reward="win")
    env.reset(seed=1)
    for _ in range(30):
        env.step(env.sample_actions())
    steps = scaled(300, 20)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there, rewards = pool.apply(_continue, (env, steps))
    here, own = _continue(env, steps)
    assert equal(there, here)
    assert (rewards == own).all()
