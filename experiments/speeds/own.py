"""The figures of this package: the vector environment, the AEC environment, copies, and bots."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

import persian_rummy_env
from persian_rummy_env import NUM_ACTIONS, PersianRummyVecEnv
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.core import arena_kernels
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.envs.options import ObservationForm
from persian_rummy_env.observation import SIZE
from persian_rummy_env.rules import NUM_SEATS

from ..shared.timing import cores, figure, in_turn
from .loops import aec_decisions

SIZES = (1, 64, 256, 1024, 4096, 16384, 65536)
MARKED = (1024, 4096)
"""The batch sizes with goals."""
BANK = 4096
WARM_UP_STEPS = 1000
"""Decisions of the warm-up: about four games of random play, which spread a batch over all stages of a game."""

Figures = dict[str, Any]


@cache
def _bank(lanes: int, seed: int) -> np.ndarray:
    env = PersianRummyVecEnv(lanes, copy=False, seed=seed)
    env.reset()
    for _ in range(WARM_UP_STEPS):
        env.step(env.sample_actions())
    return env.get_state()


def mixed_states(lanes: int, seed: int = 1) -> np.ndarray:
    """States of games in every stage of random play, as in a batch that has run for long.

    Batches over ``BANK`` hold the same states several times, each with its own generators.
    """
    states = np.resize(_bank(min(lanes, BANK), seed), lanes)
    rng = np.random.default_rng(seed)
    for generator in ("rng", "sample_rng"):
        states[generator] = rng.integers(1, 2**64, states[generator].shape, np.uint64)
    return states


class VectorRuns:
    """Runs of the vector environment from the same states with the same actions.

    Args:
        lanes: the batch size.
        decisions: approximate number of decisions of a run, over the whole batch.
    """

    def __init__(
        self, lanes: int, decisions: int, *, copy: bool = False, threads: int = 1, form: ObservationForm = "bytes"
    ) -> None:
        self.steps = max(1, decisions // lanes)
        self.decisions = self.steps * lanes
        self.cores = threads
        self.env = PersianRummyVecEnv(lanes, copy=copy, threads=threads, observation=form)
        self.start = mixed_states(lanes)
        self.actions = []
        with cores(self.cores):  # threads start at the first call and stay on its cores
            self.env.set_state(self.start)
            for _ in range(self.steps):
                actions = self.env.sample_actions()
                self.actions.append(actions)
                self.env.step(actions)

    def play(self) -> None:
        """Make all steps, with precomputed actions."""
        step = self.env.step
        for actions in self.actions:
            step(actions)

    def steps_alone(self) -> float:
        """Decisions per second with precomputed actions."""
        with cores(self.cores):
            self.env.set_state(self.start)
            start = time.perf_counter()
            self.play()
            return self.decisions / (time.perf_counter() - start)

    def with_drawing(self) -> float:
        """Decisions per second including the draws of actions."""
        step, sample = self.env.step, self.env.sample_actions
        with cores(self.cores):
            self.env.set_state(self.start)
            start = time.perf_counter()
            for _ in range(self.steps):
                step(sample())
            return self.decisions / (time.perf_counter() - start)


def apart(halves: Sequence[VectorRuns]) -> float:
    """Decisions per second of batches that have one thread each and share nothing: the maximum of this machine's cores,
    without any synchronisation."""
    with cores(len(halves)), ThreadPoolExecutor(len(halves)) as pool:
        start = time.perf_counter()
        for half in [pool.submit(half.play) for half in halves]:
            half.result()
        return sum(half.decisions for half in halves) / (time.perf_counter() - start)


def vector_figures(
    runs: int, decisions: int, sizes: tuple[int, ...] = SIZES, marked: tuple[int, ...] = MARKED
) -> Figures:
    """The vector environment by batch size; at the ``marked`` sizes also with new arrays, with observations
    as bits, and with two threads."""
    measures: dict[tuple[str, int], Callable[[], float]] = {}
    for lanes in sizes:
        one = VectorRuns(lanes, decisions if lanes > 1 else decisions // 32)
        measures["step", lanes] = one.steps_alone
        measures["step_and_drawing", lanes] = one.with_drawing
    for lanes in marked:
        measures["step_copy", lanes] = VectorRuns(lanes, decisions, copy=True).steps_alone
        measures["step_bits", lanes] = VectorRuns(lanes, decisions, form="bits").steps_alone
    two = VectorRuns(marked[-1], decisions, threads=2)
    measures["step_two_threads", marked[-1]] = two.steps_alone
    halves = [VectorRuns(marked[-1] // 2, decisions // 2) for _ in range(2)]

    def two_apart() -> float:
        for half in halves:
            half.env.set_state(half.start)
        return apart(halves)

    measures["step_two_apart", marked[-1]] = two_apart
    found: Figures = {}
    for (name, lanes), values in in_turn(measures, runs).items():
        found.setdefault(name, {})[str(lanes)] = figure(values, "decisions/s")
    one_call = [1e6 / value for value in found["step"]["1"]["runs"]] if 1 in sizes else []
    return {
        "observation": f"uint8 ({SIZE},)",
        "observation_bytes": SIZE,
        "mask_bytes": NUM_ACTIONS,
        "actions": NUM_ACTIONS,
        "marked": [str(lanes) for lanes in marked],
        "vector": found,
        **({"one_step_call": figure(one_call, "µs")} if one_call else {}),
    }


def aec_figures(runs: int, seconds: float) -> Figures:
    """The AEC environment: one game in a Python loop."""
    envs = {"env": persian_rummy_env.env(), "raw_env": persian_rummy_env.raw_env()}
    values = in_turn({name: lambda env=env: aec_decisions(env, seconds) for name, env in envs.items()}, runs)
    envs["env"].reset(seed=1)
    observation = envs["env"].last()[0]["observation"]
    return {
        "aec": {name: figure(of_one, "decisions/s") for name, of_one in values.items()},
        "aec_observation": f"{observation.dtype} {observation.shape}",
        "aec_observation_bytes": observation.nbytes,
    }


def copy_figures(runs: int, lanes: int = 4096, repeats: int = 8) -> Figures:
    """Copying games: a whole environment by ``clone``, and only the records."""
    env = PersianRummyVecEnv(lanes, copy=False)
    states = mixed_states(lanes)
    env.set_state(states)
    room = np.empty_like(states)

    def timed(action: Callable[[], Any]) -> Callable[[], float]:
        def run() -> float:
            start = time.perf_counter()
            for _ in range(repeats):
                action()
            return (time.perf_counter() - start) / repeats / lanes * 1e9

        return run

    measures = {
        "clone": timed(env.clone),
        "get_state": timed(env.get_state),
        "record_copy": timed(lambda: np.copyto(room, states)),
        "deepcopy_of_states": timed(lambda: copy.deepcopy(states)),
    }
    return {"copies": {name: figure(values, "ns/game") for name, values in in_turn(measures, runs).items()}}


def bot_figures(runs: int, games: int, bot: str = "greedy") -> Figures:
    """Whole games with a compiled bot at all seats and without observations: deals and decisions per second."""
    ensure_compiled("scripted players")
    env = PersianRummyVecEnv(games, copy=False)
    env.reset(seed=1)
    fresh = env.get_state()
    seats = np.broadcast_to(bot_codes([bot] * NUM_SEATS), (games, NUM_SEATS)).copy()
    deals, per_second = [], []
    for _ in range(runs + 1):
        states, decisions = fresh.copy(), np.zeros(games, dtype=np.int64)
        start = time.perf_counter()
        arena_kernels.advance(states, seats, decisions, 0, games)
        elapsed = time.perf_counter() - start
        deals.append(games * int(fresh["deals"][0]) / elapsed)
        per_second.append(float(decisions.sum()) / elapsed)
    # The first run is a warm-up.
    return {
        "bots": {"bot": bot, "deals": figure(deals[1:], "deals/s"), "decisions": figure(per_second[1:], "decisions/s")}
    }
