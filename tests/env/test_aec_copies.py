"""Copies: deep copies, pickles and other processes go on with the same game, from the middle of a turn."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import env, raw_env
from persian_rummy_env.core import batch_kernels
from persian_rummy_env.core.compiler.jit import JIT
from persian_rummy_env.core.observe import observe_float, observe_full_float
from tests.env.aec_play import leave, mask_of, over, play_on, trace
from tests.env.play import equal

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda table: pickle.loads(pickle.dumps(table))}
BOTH = pytest.mark.parametrize("make", [env, raw_env])
WAYS = pytest.mark.parametrize("way", COPIES)


def in_mid_turn(make: Any, **options: Any) -> Any:
    """A table where an agent has drawn and not yet discarded, drawn on the way."""
    table = make(render_mode="rgb_array", **options)
    table.reset(seed=12)
    rng = np.random.default_rng(12)
    play_on(table, rng, steps=25)
    while int(table.get_state()["phase"][0]) != 1:
        play_on(table, rng, steps=1)
    table.render()
    return table


@BOTH
@WAYS
def test_a_copy_goes_on_with_the_same_game(make, way: str) -> None:
    table = in_mid_turn(make)
    twin = COPIES[way](table)
    assert type(twin) is type(table)
    assert equal(twin.get_state(), table.get_state())
    assert twin.agent_selection == table.agent_selection
    assert (mask_of(twin) == mask_of(table)).all()
    assert twin.last(observe=False) == table.last(observe=False)
    before = table.get_state()
    played = play_on(copy.deepcopy(table), np.random.default_rng(0))
    assert equal(table.get_state(), before), "playing the copy does not touch the original"
    assert trace(twin, played) == trace(table, played)
    assert over(table)
    table.reset()
    twin.reset()
    assert equal(twin.get_state(), table.get_state()), "the generator came along"


@WAYS
def test_a_copy_and_its_original_do_not_touch_each_other(way: str) -> None:
    table = in_mid_turn(env)
    before, mask = table.get_state(), mask_of(table)
    twin = COPIES[way](table)
    play_on(twin, np.random.default_rng(1), steps=10)
    twin.reset(seed=1)
    assert equal(table.get_state(), before)
    assert (mask_of(table) == mask).all()
    kept, twin_mask = twin.get_state(), mask_of(twin)
    play_on(table, np.random.default_rng(2), steps=10)
    assert equal(twin.get_state(), kept)
    assert (mask_of(twin) == twin_mask).all()


@WAYS
def test_copies_are_faithful_before_a_reset_and_at_the_end(way: str) -> None:
    fresh = COPIES[way](env(seed=3))
    fresh.reset()
    other = env()
    other.reset(seed=3)
    assert equal(fresh.get_state(), other.get_state())
    table = env(max_decisions=30)
    table.reset(seed=4)
    play_on(table, np.random.default_rng(4))
    table.step(None)
    twin = COPIES[way](table)
    assert twin.truncations == table.truncations
    assert leave(twin) == leave(table) == ["player_1", "player_2", "player_3"]


@WAYS
def test_a_copy_needs_no_new_compiled_code(way: str) -> None:
    """A dtype that lost its alignment on the way would be another type to the compiler."""
    if not JIT:
        pytest.skip("nothing is compiled")
    table = in_mid_turn(env)
    kernels: list[Any] = [
        batch_kernels.step,
        batch_kernels.write_all_outputs,
        batch_kernels.reset,
        observe_float,
        observe_full_float,
    ]
    play_on(table, np.random.default_rng(0), steps=1)
    table.state()
    before = [len(kernel.signatures) for kernel in kernels]
    twin = COPIES[way](table)
    play_on(twin, np.random.default_rng(0))
    twin.reset()
    twin.state()
    assert [len(kernel.signatures) for kernel in kernels] == before


@WAYS
def test_sampling_streams_of_the_spaces_come_along(way: str) -> None:
    table = in_mid_turn(env)
    space = table.action_space("player_0")
    space.seed(5)
    space.sample()
    twin = COPIES[way](table)
    assert [twin.action_space("player_0").sample() for _ in range(5)] == [space.sample() for _ in range(5)]


def test_a_game_goes_on_in_other_processes() -> None:
    table = in_mid_turn(env)
    played = play_on(copy.deepcopy(table), np.random.default_rng(3), steps=30)
    # Not multiprocessing's own pool, which waits for ever for a worker that has died.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        traces = list(pool.map(trace, [table] * 2, [played] * 2, timeout=300))
    assert traces == [trace(table, played)] * 2


def test_states_move_between_tables() -> None:
    table, other = in_mid_turn(env), env()
    other.set_state(table.get_state())
    played = play_on(copy.deepcopy(table), np.random.default_rng(6), steps=60)
    for action in played:
        table.step(action)
        other.step(action)
        assert other.agent_selection == table.agent_selection
        assert other.rewards == table.rewards
        assert (other.state() == table.state()).all()
    table.get_state()["hand"][0] = 0
    assert equal(table.get_state(), other.get_state()), "what get_state gives is a copy"


def test_states_that_are_over_are_over_on_another_table() -> None:
    other = env()
    for cap, flags in ((None, (True, False)), (9, (False, True))):
        table = env(episode="deal", max_decisions=cap)
        table.reset(seed=1)
        play_on(table, np.random.default_rng(1))
        other.set_state(table.get_state())
        assert other.last(observe=False) == (None, 0.0, *flags, {})
        assert leave(other) == list(table.possible_agents)


@pytest.mark.parametrize("wrong", [np.zeros(1), np.zeros(3, dtype=np.int8)])
def test_states_of_another_kind_are_refused(wrong: np.ndarray) -> None:
    table = env()
    with pytest.raises(ValueError, match="STATE"):
        table.set_state(wrong)
    table.reset(seed=1)
    with pytest.raises(ValueError, match="STATE"):
        table.set_state(np.concatenate([table.get_state()] * 2))
