"""The parallel view, and what docs/parallel.md says of SuperSuit and of PettingZoo's own converters, claim by claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("supersuit", reason="SuperSuit is not installed: nox -s supersuit")

import supersuit
from pettingzoo.test import parallel_api_test
from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel

import persian_rummy_env
from persian_rummy_env.adapters.parallel import PersianRummyParallel
from tests.adapters import contract
from tests.env.aec_play import uniform

pytestmark = pytest.mark.filterwarnings("ignore")


class Tables:
    """The parallel view; the three who are not to move hand in an action that is not looked at."""

    def __init__(self, **options: Any) -> None:
        self.env = PersianRummyParallel(**options)

    def begin(self, seed: int, options: dict[str, Any] | None) -> None:
        self.seen, _ = self.env.reset(seed=seed, options=options)

    def seat(self) -> int:
        [seat] = [seat for seat in range(4) if self.seen[f"player_{seat}"]["action_mask"].any()]
        assert self.env.acting == f"player_{seat}"
        return seat

    def shown(self) -> tuple[Any, Any]:
        return tuple(self.seen[self.env.acting][name] for name in ("observation", "action_mask"))

    def step(self, action: int) -> None:
        actions = {agent: np.int64(3) for agent in self.env.agents} | {self.env.acting: np.int64(action)}
        self.seen, rewards, terminated, truncated, _ = self.env.step(actions)
        self.rewards = list(rewards.values())
        [self.ended] = set(zip(terminated.values(), truncated.values(), strict=True))
        assert (self.env.agents == []) == any(self.ended)

    def paid(self) -> Sequence[float]:
        return self.rewards

    def flags(self) -> tuple[bool, bool]:
        return self.ended


@pytest.mark.parametrize(("choose", "options", "flags"), contract.ENDINGS)
def test_a_deal_is_that_of_the_aec_environment(choose: Any, options: dict[str, Any], flags: tuple[bool, bool]) -> None:
    contract.follow(Tables(**options), options, choose, flags)


def test_a_deal_over_in_the_first_turn_pays_all_four() -> None:
    contract.first_turn(Tables())


def test_pettingzoos_parallel_test_passes() -> None:
    parallel_api_test(PersianRummyParallel(), num_cycles=300)


def test_nothing_hidden_is_shown() -> None:
    env = PersianRummyParallel()
    env.reset(seed=0)

    def show(state: np.ndarray, seat: int) -> list[Any]:
        env.aec.set_state(state)
        return list(env._observations()[f"player_{seat}"].values())

    contract.nothing_hidden(show)


def test_what_was_handed_out_does_not_change() -> None:
    tables, rng = Tables(), np.random.default_rng(0)

    def steps() -> Any:
        tables.begin(1, None)
        while tables.env.agents:
            yield [array for seen in tables.seen.values() for array in seen.values()]
            tables.step(uniform(tables.shown()[1], rng))

    contract.not_shared(steps())


def test_an_action_of_the_agent_to_move_is_asked_for() -> None:
    env = PersianRummyParallel()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=f"expected an action for {env.acting}"):
        env.step({agent: 0 for agent in env.agents if agent != env.acting})


def first_legal(observations: dict[str, np.ndarray]) -> np.ndarray:
    return observations["action_mask"].argmax(axis=1)


@pytest.mark.parametrize("processes", [0, 2])
def test_supersuits_vector_of_parallel_views_wastes_three_rows_in_four(processes: int) -> None:
    rows = supersuit.pettingzoo_env_to_vec_env_v1(PersianRummyParallel())
    tables = supersuit.concat_vec_envs_v1(rows, 2, num_cpus=processes)
    observations, _ = tables.reset(seed=1)
    for _ in range(40):
        assert observations["observation"].shape == (8, 1020)
        acting = observations["action_mask"].any(axis=1).reshape(2, 4)
        assert acting.sum(axis=1).tolist() == [1, 1]
        observations, rewards, *_ = tables.step(first_legal(observations))
        assert rewards.reshape(2, 4).sum(axis=1).tolist() == pytest.approx([0, 0])
    tables.close()


def test_a_vector_of_parallel_views_cannot_end_a_deal() -> None:
    """After the last step it resets the table, and goes on: what was paid and both flags are there."""
    rows = supersuit.pettingzoo_env_to_vec_env_v1(PersianRummyParallel(max_decisions=12))
    observations, _ = rows.reset(seed=1)
    for step in range(1, 25):
        observations, _, terminated, truncated, infos = rows.step(first_legal(observations))
        assert not terminated.any()
        assert truncated.all() == (step % 12 == 0)
        assert all(("terminal_observation" in info) == (step % 12 == 0) for info in infos)
        assert observations["action_mask"].any(axis=1).sum() == 1


def test_the_aec_vectoriser_hands_out_objects_and_takes_no_dicts_to_processes() -> None:
    tables = supersuit.vectorize_aec_env_v0(persian_rummy_env.env(), 3)
    tables.reset(seed=1)
    observations, _, _, _, _, _, passes, _ = tables.last()
    assert observations.dtype == object
    assert passes.dtype == np.uint8
    with pytest.raises(AssertionError, match="Box and Discrete"):
        supersuit.vectorize_aec_env_v0(persian_rummy_env.env(), 3, num_cpus=2).reset()


def test_the_aec_vectoriser_lets_tables_wait_that_are_in_the_middle_of_a_turn() -> None:
    """It goes on to the next agent after every step: a seat that has drawn, and is to discard, waits for a round."""
    tables = supersuit.vectorize_aec_env_v0(persian_rummy_env.env(), 8)
    tables.reset(seed=1)
    waited = played = 0
    for _ in range(200):
        observations, *_, passes, _ = tables.last()
        masks = [seen["action_mask"] for seen in observations]
        waited += int(passes.sum())
        played += int((1 - passes).sum())
        tables.step(np.array([int(mask.argmax()) if mask.any() else 0 for mask in masks]))
    assert waited > played


def test_pettingzoos_converters() -> None:
    """The one for simultaneous games refuses. The other shows everyone's view, and says who acts in a text."""
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(persian_rummy_env.env())
    converted = turn_based_aec_to_parallel(persian_rummy_env.env())
    observations, _ = converted.reset(seed=1)
    acting = converted.aec_env.agent_selection
    mask = observations[acting]["action_mask"]
    results = converted.step(dict.fromkeys(converted.agents, int(mask.argmax())))
    assert len(results[0]) == 4
    assert isinstance(results[4]["player_0"]["active_agent"], str)


def test_the_hash_seed_changes_nothing() -> None:
    contract.same_under_two_hash_seeds(
        "import hashlib, numpy as np\n"
        "from tests.adapters.test_supersuit import Tables, uniform\n"
        "tables, rng, told = Tables(), np.random.default_rng(0), hashlib.sha256()\n"
        "tables.begin(1, None)\n"
        "while tables.env.agents:\n"
        "    told.update(b''.join(array.tobytes() for seen in tables.seen.values() for array in seen.values()))\n"
        "    tables.step(uniform(tables.shown()[1], rng))\n"
        "    told.update(repr(tables.paid()).encode())\n"
        "print(told.hexdigest())"
    )


def test_spawned_tables_play() -> None:
    assert contract.in_spawned_process(deal, 3) == deal(3)


def deal(seed: int) -> list[float]:
    tables, rng, total = Tables(), np.random.default_rng(seed), np.zeros(4)
    tables.begin(seed, None)
    while tables.env.agents:
        tables.step(uniform(tables.shown()[1], rng))
        total += tables.paid()
    return total.tolist()
