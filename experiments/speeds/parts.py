"""The cost of one decision, part by part: each compiled part runs separately over stored states of random play."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from persian_rummy_env import NUM_ACTIONS
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.core import arena_kernels, batch_kernels
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.observation import SIZE
from persian_rummy_env.rules import NUM_SEATS
from persian_rummy_env.state import DRAW_PHASE, MELD_PHASE, NOTHING_OWED, OVER

from ..shared.timing import figure, in_turn
from . import kernels
from .own import BANK, VectorRuns, mixed_states

LANES = 1024
"""States in a sample, and the batch size for comparison."""
WRITTEN = SIZE + NUM_ACTIONS + 1 + 4 * NUM_SEATS + 2
"""Bytes of one output row: observation, mask, seat, reward, two flags."""

Measure = Callable[[], float]


def by_phase(states: np.ndarray) -> dict[str, np.ndarray]:
    """The states by phase."""
    melding = states["phase"] == MELD_PHASE
    owing = states["owed"] != NOTHING_OWED
    return {
        "draw": states["phase"] == DRAW_PHASE,
        "meld": melding & ~owing,
        "meld, card owed": melding & owing,
    }


def repeated(kernel: Callable[..., Any], *args: Any, repeats: int, before: Callable[[], Any] | None = None) -> Measure:
    """A measure of ``kernel`` on ``LANES`` games, in nanoseconds per game, without the time of ``before``."""

    def run() -> float:
        spent = 0
        for _ in range(repeats):
            if before is not None:
                before()
            start = time.perf_counter_ns()
            kernel(*args)
            spent += time.perf_counter_ns() - start
        return spent / repeats / LANES

    run()  # compiles
    return run


def without_ends(states: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The games whose deal continues after the action; scoring and dealing are timed separately."""
    after = states.copy()
    kernels.apply_all(after, actions)
    return np.flatnonzero((after["deal"] == states["deal"]) & (after["phase"] != OVER))


def decision_measures(states: np.ndarray, repeats: int) -> dict[str, Measure]:
    """The parts of a decision, on states of one phase."""
    states = np.resize(states, LANES)
    legal = np.zeros((LANES, WORDS), dtype=np.uint64)
    actions = np.zeros(LANES, dtype=np.int64)
    batch_kernels.legal_words(states, legal, 0, LANES)
    batch_kernels.sample(states, legal, actions, 0, LANES)
    going_on = np.resize(without_ends(states, actions), LANES)
    played, chosen, room = states[going_on], actions[going_on], np.empty_like(states)
    observation = np.empty(LANES * SIZE, dtype=np.uint8)
    mask, reward = np.empty(LANES * NUM_ACTIONS, dtype=np.int8), np.zeros((LANES, NUM_SEATS), dtype=np.float32)
    seats, before = states["seat"].astype(np.int64), np.zeros(LANES, dtype=np.int64)
    written = np.zeros_like(legal)
    spare = np.zeros_like(actions)

    def timed(kernel: Callable[..., Any], *args: Any, before: Callable[[], Any] | None = None) -> Measure:
        return repeated(kernel, *args, repeats=repeats, before=before)

    lanes = (0, LANES)
    return {
        "check of the action": timed(batch_kernels.first_illegal, states, actions, legal, *lanes),
        "apply": timed(kernels.apply_all, room, chosen, before=lambda: np.copyto(room, played)),
        "reward": summed(timed(kernels.margins, states, before), timed(kernels.pay_all, states, before, reward)),
        "legality": timed(batch_kernels.legal_words, states, written, *lanes),
        "mask": timed(kernels.write_masks, legal, mask),
        "observe": timed(batch_kernels.observe_seats, states, seats, observation, *lanes),
        "sampling": timed(batch_kernels.sample, states, legal, spare, *lanes),
    }


def summed(*measures: Measure) -> Measure:
    return lambda: sum(measure() for measure in measures)


def deal_measures(repeats: int) -> dict[str, Measure]:
    """The parts that run once per deal."""
    states = mixed_states(LANES)
    last, room = states.copy(), np.empty_like(states)
    last["deal"] = last["deals"] - 1
    return {
        "deal": repeated(kernels.deal_all, room, repeats=repeats, before=lambda: np.copyto(room, states)),
        "score of a deal": repeated(kernels.end_all, room, repeats=repeats, before=lambda: np.copyto(room, last)),
    }


def decisions_per_deal(games: int = 500) -> float:
    """Decisions per deal in random play."""
    ensure_compiled("scripted players")
    states = mixed_states(games)
    batch_kernels.reset(
        states,
        np.ones(games, dtype=bool),
        np.arange(games, dtype=np.uint64),
        True,
        np.full(games, -1, np.int8),
        0,
        games,
    )
    decisions = np.zeros(games, dtype=np.int64)
    arena_kernels.advance(states, np.broadcast_to(bot_codes("random"), (games, NUM_SEATS)).copy(), decisions, 0, games)
    return float(decisions.sum() / states["deals"].sum())


def write_speed(lanes: int, repeats: int) -> Measure:
    """Bytes per second when the rows of a batch are only filled with a constant."""
    rows = np.empty(lanes * WRITTEN, dtype=np.uint8)
    rows.fill(0)

    def run() -> float:
        start = time.perf_counter()
        for value in range(repeats):
            rows.fill(value & 1)
        return repeats * len(rows) / (time.perf_counter() - start)

    return run


def profiled(runs: int, repeats: int, sizes: tuple[int, ...] = (LANES, BANK)) -> dict[str, Any]:
    """The whole profile, as it is stored."""
    states = mixed_states(BANK)
    phases = by_phase(states)
    measures: dict[tuple[str, str], Measure] = {}
    for phase, here in phases.items():
        for part, measure in decision_measures(states[here], repeats).items():
            measures[phase, part] = measure
    for part, measure in deal_measures(repeats).items():
        measures["deal", part] = measure
    steps = {lanes: VectorRuns(lanes, repeats * LANES).steps_alone for lanes in sizes}
    fills = {lanes: write_speed(lanes, repeats) for lanes in sizes}
    values = in_turn(measures, runs)
    whole = {lanes: [1e9 / speed for speed in found] for lanes, found in in_turn(steps, runs).items()}
    written = in_turn(fills, runs)
    parts: dict[str, Any] = {phase: {} for phase in (*phases, "deal")}
    for (phase, part), found in values.items():
        parts[phase][part] = figure(found, "ns/deal" if phase == "deal" else "ns/decision")
    return {
        "lanes": LANES,
        "shares": {phase: float(here.mean()) for phase, here in phases.items()},
        "decisions_per_deal": decisions_per_deal(),
        "parts": parts,
        "step": {str(lanes): figure(found, "ns/decision") for lanes, found in whole.items()},
        "bytes_written": WRITTEN,
        "write_speed": {str(lanes): figure(found, "bytes/s") for lanes, found in written.items()},
    }
