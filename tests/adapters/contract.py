"""What every adapter keeps, as checks: the adapter's table against the bare AEC environment.

A test wraps the library's environment as a ``Table`` and calls these; what is asked is the same for all libraries.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env import encode_action
from persian_rummy_env.envs.testing import exchange_hidden
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, Choose, highest, mask_of, never_meld, over, uniform

ROOT = Path(__file__).resolve().parents[2]


class Table(Protocol):
    """One table as a library shows it."""

    def begin(self, seed: int, options: dict[str, Any] | None) -> None:
        """Start the deal that the AEC environment plays after ``reset(seed=seed, options=options)``."""

    def seat(self) -> int:
        """Who is to move."""

    def shown(self) -> tuple[Any, Any]:
        """The observation and the mask of the seat to move."""

    def step(self, action: int) -> None: ...

    def paid(self) -> Sequence[float]:
        """What the last step paid, by seat. A library that pays at the end alone says nothing before."""

    def flags(self) -> tuple[bool, bool]:
        """Terminated, truncated; for all four seats alike, which this asserts where the library tells it by seat."""


ENDINGS = [
    pytest.param(uniform, {}, (True, False), id="random"),
    pytest.param(never_meld, {}, (True, False), id="empty stock"),
    pytest.param(highest, {"max_decisions": 33}, (False, True), id="max_decisions"),
]
"""How to choose, options of the table, and the flags at the end."""


def follow(
    table: Table, options: dict[str, Any], choose: Choose, flags: tuple[bool, bool], decisions: int = 500
) -> None:
    """Deals on the adapter's table and on the AEC environment: who is to move, observation and mask bit for bit at
    every decision, flags, and what each seat was paid; partners alike, the four summing to zero."""
    aec = persian_rummy_env.env(**{"episode": "deal", **options})
    rng = np.random.default_rng(1)
    played = seed = 0
    while played < decisions:
        aec.reset(seed=seed)
        table.begin(seed, None)
        paid = earned = np.zeros(4)
        while not over(aec):
            mask = mask_of(aec)
            action = choose(mask, rng)
            _agrees(table, aec)
            aec.step(action)
            table.step(action)
            ended = aec.terminations["player_0"], aec.truncations["player_0"]
            assert table.flags() == ended, f"decision {played}"
            paid = paid + np.asarray(table.paid())
            earned = earned + np.array(list(aec.rewards.values()))
            played += 1
        assert table.flags() == flags
        _pays(paid, earned)
        seed += 1


def first_turn(table: Table) -> None:
    """A deal that player_0 ends in its first turn: all four are paid, and the next deal begins."""
    options = {"decks": [OUT_AT_ONCE], "dealer": 3}
    aec = persian_rummy_env.env(episode="deal")
    aec.reset(seed=0, options=options)
    table.begin(0, options)
    paid = np.zeros(4)
    for name in GOING_OUT:
        _agrees(table, aec)
        aec.step(encode_action(name))
        table.step(encode_action(name))
        paid = paid + np.asarray(table.paid())
    assert table.flags() == (True, False)
    score = aec.get_state()["score"][0].astype(float)
    margin = (score[0] - score[1]) / 100
    _pays(paid, np.array([margin, -margin, margin, -margin]))
    table.begin(1, None)
    aec.reset(seed=1)
    _agrees(table, aec)


def _agrees(table: Table, aec: Any) -> None:
    seen = aec.observe(aec.agent_selection)
    observation, mask = table.shown()
    assert table.seat() == int(aec.agent_selection[-1])
    assert np.asarray(mask).shape == seen["action_mask"].shape
    assert (np.asarray(mask) == seen["action_mask"]).all()
    assert (np.asarray(observation) == seen["observation"]).all()


def _pays(paid: np.ndarray, earned: np.ndarray) -> None:
    assert paid.tolist() == pytest.approx(earned.tolist(), abs=1e-5)
    assert paid[0] == paid[2]
    assert paid[1] == paid[3]
    assert paid.sum() == pytest.approx(0, abs=1e-5)


def nothing_hidden(show: Callable[[np.ndarray, int], Iterable[Any]], decisions: int = 40) -> None:
    """Exchange the cards that a seat cannot see, and nothing that it is shown changes.

    Args:
        show: all that a library is shown of a state, (1,) STATE, for a seat 0..3: arrays, numbers or texts.
    """
    aec = persian_rummy_env.env(episode="deal")
    aec.reset(seed=4)
    rng = np.random.default_rng(0)
    others_changed = 0
    for _ in range(decisions):
        state = aec.get_state()
        for seat in range(4):
            other = exchange_hidden(state, seat, rng)
            assert _same(show(state, seat), show(other, seat)), f"seat {seat} is shown what is hidden from it"
            others_changed += not _same(show(state, (seat + 1) % 4), show(other, (seat + 1) % 4))
        aec.step(uniform(mask_of(aec), rng))
        if over(aec):
            aec.reset()
    assert others_changed, "no exchange changed what its owner sees: nothing was checked"


def _same(one: Iterable[Any], other: Iterable[Any]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def not_shared(steps: Iterable[Iterable[np.ndarray]]) -> None:
    """Arrays that were handed out, step by step, are still what they were once all steps are done."""
    kept = [(array, array.copy()) for arrays in steps for array in arrays]
    assert len(kept) > 1
    assert all((array == copy).all() for array, copy in kept)


def same_under_two_hash_seeds(program: str) -> None:
    """A program, run from the root in two new processes whose hash seeds differ, prints the same, and something."""
    printed = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=1200,  # it ends at once unless something hangs
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed != {""}


def in_spawned_process(function: Callable[..., Any], *args: Any) -> Any:
    """What a module's function returns in a process of its own, started by spawn."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args)


NO_ACTIONS: list[Any] = [0.7, 1.0, "0", None, True, [0], b"0", np.float64(1), np.array([0.7]), np.array([True]), {}]


def takes_actions_alone(step: Callable[[Any], Any]) -> None:
    """What is no whole number is no action: it is refused, and not made one."""
    for given in NO_ACTIONS:
        with pytest.raises(TypeError, match="expected an action id"):
            step(given)
