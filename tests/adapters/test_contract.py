"""The checks of ``contract`` pass on the bare AEC environment, and see each fault that is planted in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env.adapters.parallel import PersianRummyParallel
from tests.adapters import contract
from tests.env.aec_play import mask_of, uniform


class Bare:
    """The AEC environment as a table; ``fault`` plants one."""

    def __init__(self, fault: str = "", **options: Any) -> None:
        self.env = persian_rummy_env.env(episode="deal", **options)
        self.fault = fault

    def begin(self, seed: int, options: dict[str, Any] | None) -> None:
        self.env.reset(seed=seed, options=options)

    def seat(self) -> int:
        return int(self.env.agent_selection[-1])

    def shown(self) -> tuple[Any, Any]:
        seen = self.env.observe(self.env.agent_selection)
        if self.fault == "observation":
            seen["observation"][7] = 0.5
        if self.fault == "mask":
            seen["action_mask"][400] = 1
        return seen["observation"], seen["action_mask"]

    def step(self, action: int) -> None:
        self.env.step(action)

    def paid(self) -> Sequence[float]:
        paid = list(self.env.rewards.values())
        return [paid[0], 0, 0, 0] if self.fault == "paid" else paid

    def flags(self) -> tuple[bool, bool]:
        flags = self.env.terminations["player_0"], self.env.truncations["player_0"]
        return (flags[1], flags[0]) if self.fault == "flags" else flags


@pytest.mark.parametrize(("choose", "options", "flags"), contract.ENDINGS)
def test_the_bare_environment_keeps_it(choose: Any, options: dict[str, Any], flags: tuple[bool, bool]) -> None:
    contract.follow(Bare(**options), options, choose, flags)
    contract.first_turn(Bare(**options))


@pytest.mark.parametrize("fault", ["observation", "mask", "paid", "flags"])
def test_a_planted_fault_is_seen(fault: str) -> None:
    with pytest.raises(AssertionError):
        contract.follow(Bare(fault), {}, uniform, (True, False))
    with pytest.raises(AssertionError):
        contract.first_turn(Bare(fault))


def test_hidden_cards_that_show_are_seen() -> None:
    env = persian_rummy_env.env(episode="deal")

    def show(state: np.ndarray, seat: int) -> list[Any]:
        env.reset(seed=0)
        env.set_state(state)
        return list(env.observe(env.possible_agents[seat]).values())

    contract.nothing_hidden(show)
    with pytest.raises(AssertionError, match="hidden"):
        contract.nothing_hidden(lambda state, seat: [*show(state, seat), env.state()])


def test_a_shared_array_is_seen() -> None:
    env = persian_rummy_env.env(episode="deal")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    one = np.zeros(547)

    def steps(shared: bool) -> Any:
        for _ in range(10):
            mask = mask_of(env)
            one[:] = mask
            yield [one if shared else mask]
            env.step(uniform(mask, rng))

    contract.not_shared(steps(False))
    with pytest.raises(AssertionError):
        contract.not_shared(steps(True))


def test_the_hash_seed_and_the_process() -> None:
    contract.same_under_two_hash_seeds("print(hash(7))")
    with pytest.raises(AssertionError):
        contract.same_under_two_hash_seeds("print(hash('seven'))")
    assert contract.in_spawned_process(digest, b"x") == digest(b"x")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_what_is_no_action_is_refused() -> None:
    table = PersianRummyParallel()
    table.reset(seed=1)
    contract.takes_actions_alone(lambda action: table.step({table.acting: action}))
