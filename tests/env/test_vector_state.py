"""What is handed out, and what can be taken away: arrays, states, copies."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.envs.vector import StepResult
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.state import STATE
from tests.env.play import COMPILED, equal, scaled

LANES = 5
SHAPES = {
    "observation": ((LANES, 1020), np.uint8),
    "action_mask": ((LANES, 547), np.int8),
    "seat": ((LANES,), np.int8),
    "reward": ((LANES, 4), np.float32),
    "terminated": ((LANES,), np.bool_),
    "truncated": ((LANES,), np.bool_),
}


def started(steps: int = 40, seed: int = 1, **options: Any) -> PersianRummyVecEnv:
    env = PersianRummyVecEnv(LANES, **options)
    env.reset(seed=seed)
    for _ in range(steps):
        env.step(env.sample_actions())
    return env


def same_play(env: PersianRummyVecEnv, other: PersianRummyVecEnv, steps: int = scaled(150, 40)) -> bool:
    """Whether both, left to sampled actions, show the same from here on."""
    for _ in range(steps):
        actions = env.sample_actions()
        if (other.sample_actions() != actions).any():
            return False
        one, two = env.step(actions), other.step(actions)
        if not all((mine == others).all() for mine, others in zip(one, two, strict=True)):
            return False
    return equal(env.get_state(), other.get_state())


def test_shapes_and_types() -> None:
    env = PersianRummyVecEnv(LANES)
    for batch in (env.reset(seed=1), env.step(env.sample_actions()), env.set_state(env.get_state())):
        assert isinstance(batch, StepResult)
        assert {name: (part.shape, part.dtype) for name, part in batch._asdict().items()} == SHAPES
        assert all(part.flags.c_contiguous and part.flags.writeable for part in batch)
    assert env.single_action_space.n == 547
    assert env.single_action_space is env.single_action_space
    for lane in range(LANES):
        row = {"observation": batch.observation[lane], "action_mask": batch.action_mask[lane]}
        assert env.single_observation_space.contains(row)
        assert env.single_action_space.sample(batch.action_mask[lane]) in np.flatnonzero(batch.action_mask[lane])


def test_arrays_are_the_callers_to_keep() -> None:
    env = PersianRummyVecEnv(LANES)
    batches = [env.reset(seed=1)]
    for number in range(scaled(120, 20)):
        batches.append(env.step(env.sample_actions()))
        if number == 10:
            batches.append(env.set_state(env.get_state()))
        if number == 15:
            batches.append(env.reset(options={"reset_mask": np.arange(LANES) == 2}))
    frozen = [pickle.dumps(batch) for batch in batches]
    for _ in range(50):
        env.step(env.sample_actions())
    assert [pickle.dumps(batch) for batch in batches] == frozen
    for part in batches[-1]:
        part[...] = 1  # what the caller does to them changes nothing here either
    assert same_play(env, env.clone(), 20)


def test_without_copy_the_next_step_writes_over_them() -> None:
    env, other = started(copy=False), started()
    assert same_play(env.clone(), other.clone())
    first = env.step(env.sample_actions())
    kept = pickle.dumps(first)
    second = env.step(env.sample_actions())
    assert all(one is two for one, two in zip(first, second, strict=True))
    assert pickle.dumps(first) != kept
    third = env.reset(seed=4)
    assert all(one is two for one, two in zip(first, third, strict=True))
    assert (third.reward == 0).all()


def test_states_are_copies() -> None:
    env = started()
    state = env.get_state()
    assert state.dtype == STATE
    assert state.shape == (LANES,)
    before = state.copy()
    env.step(env.sample_actions())
    assert equal(state, before)
    env.set_state(state)
    env.step(env.sample_actions())
    assert equal(state, before)


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
@pytest.mark.parametrize("steps", [1, 41, 95, 240])
def test_a_state_put_into_another_environment_plays_on_the_same(mode: str, steps: int) -> None:
    options = {"autoreset_mode": mode, "episode": "deal"}
    env = started(steps, **options)
    other = PersianRummyVecEnv(LANES, **options)
    shown = other.set_state(env.get_state())
    seen = env._result()
    assert (shown.observation == seen.observation).all()
    assert (shown.action_mask == seen.action_mask).all()
    assert (shown.seat == seen.seat).all()
    assert not shown.reward.any()
    assert len(other.final.env_index) == 0
    assert same_play(env, other)


def test_lanes_can_be_shuffled_and_taken_from_several_environments() -> None:
    one, two = started(30), started(77, seed=2)
    mixed = np.concatenate([one.get_state(), two.get_state()])[[9, 0, 7, 3, 3]]
    env = PersianRummyVecEnv(LANES)
    env.set_state(mixed)
    assert equal(env.get_state(), mixed)
    assert equal(env.get_state()[3:4], env.get_state()[4:5])
    env.step(env.sample_actions())
    assert equal(env.get_state()[3:4], env.get_state()[4:5])


@pytest.mark.parametrize(
    "copied",
    [PersianRummyVecEnv.clone, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["clone", "deepcopy", "pickle"],
)
@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
def test_a_copy_in_mid_turn_plays_on_and_stands_alone(copied: Any, mode: str) -> None:
    options = {"autoreset_mode": mode, "reward": "win", "max_decisions": 130, "rules": {"stock_out": "end"}}
    env = started(60, **options)
    assert {0, 1} == set(env.get_state()["phase"].tolist()), "no lane is in mid-turn"
    other = copied(env)
    untouched = other.get_state()
    assert same_play(env, copied(env))
    assert equal(other.get_state(), untouched)
    fresh = started(60, **options)
    assert same_play(fresh, other)
    assert (other.rules, other.autoreset_mode, other.options) == (env.rules, env.autoreset_mode, env.options)


def test_an_environment_with_threads_can_be_copied_too() -> None:
    env = PersianRummyVecEnv(200, threads=2)
    env.reset(seed=1)
    env.step(env.sample_actions())
    other = pickle.loads(pickle.dumps(env))
    assert same_play(env, other, scaled(30, 2))
    env.close()
    env.close()
    assert same_play(env, other, 2), "a closed environment starts its threads again"
    env.close()
    other.close()


def test_an_environment_that_was_not_reset_can_be_copied() -> None:
    env = PersianRummyVecEnv(LANES, seed=7)
    other = env.clone()
    assert (env.reset().observation == other.reset().observation).all()


def test_the_packed_mask_is_the_mask() -> None:
    env = started()
    for _ in range(30):
        shown = env.step(env.sample_actions())
        packed = env.packed_mask
        assert packed.dtype == np.uint64
        assert (unpack_mask(packed) == shown.action_mask).all()
    packed[:] = 0
    assert env.sample_actions().any()


# Sampling -------------------------------------------------------------------------------------------------------------


def test_sampled_actions_are_legal_and_zero_where_nothing_is() -> None:
    lanes = scaled(40, 3)
    env = PersianRummyVecEnv(lanes, episode="deal", autoreset_mode="DISABLED")
    shown = env.reset(seed=1)
    rng = np.random.default_rng(0)
    waited = 0
    while (shown.seat != -1).any():
        for actions in (env.sample_actions(), env.sample_actions(rng)):
            assert actions.dtype == np.int64
            assert actions.shape == (lanes,)
            playing = shown.seat != -1
            assert shown.action_mask[np.arange(lanes), actions][playing].all()
            assert (actions[~playing] == 0).all()
            waited += int((~playing).sum())
        shown = env.step(actions)
    assert waited > 0


@pytest.mark.skipif(not COMPILED, reason="many draws")
@pytest.mark.parametrize("own", [True, False])
def test_sampling_is_uniform_over_the_legal_actions(own: bool) -> None:
    lanes, rounds = 500, 40
    env = PersianRummyVecEnv(lanes)
    single = started(34)
    state = max(single.get_state(), key=lambda game: unpack_mask(legal_of(game)).sum())
    games = np.repeat(state.reshape(1), lanes)
    games["sample_rng"] = np.random.default_rng(2).integers(2**63, size=lanes)
    shown = env.set_state(games)
    rng = None if own else np.random.default_rng(1)
    drawn = np.concatenate([env.sample_actions(rng) for _ in range(rounds)])
    legal = np.flatnonzero(shown.action_mask[0])
    assert len(legal) >= 7
    counts = np.bincount(drawn, minlength=547)[legal]
    assert counts.sum() == lanes * rounds
    expected = lanes * rounds / len(legal)
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert chi2 < len(legal) - 1 + 5 * np.sqrt(2 * (len(legal) - 1))


def legal_of(game: np.void) -> np.ndarray:
    env = PersianRummyVecEnv(1)
    env.set_state(game.reshape(1))
    return env.packed_mask[0]


def test_sampling_never_touches_the_deals() -> None:
    """Faces that sample in different ways are dealt the same cards."""
    rounds, wanted = (400, 2) if COMPILED else (130, 1)
    quiet, busy, outside = (started(0, episode="deal") for _ in range(3))
    for _ in range(25):
        busy.sample_actions()
    before = busy.get_state()
    outside.sample_actions(np.random.default_rng(0))
    assert equal(outside.get_state(), quiet.get_state())
    for name in STATE.names or ():
        assert (before[name] == quiet.get_state()[name]).all() == (name != "sample_rng")
    decks = []
    for env, rng in ((quiet, None), (busy, None), (outside, np.random.default_rng(5))):
        found: list[list[bytes]] = [[] for _ in range(LANES)]
        for _ in range(rounds):
            if not env.step(env.sample_actions(rng)).terminated.any():
                continue
            for lane, state in zip(env.final.env_index, env.final.state, strict=True):
                found[lane].append(state["decks"][0].tobytes())
        decks.append([of_lane[:wanted] for of_lane in found])
    assert min(map(len, decks[0])) == wanted
    assert decks[0] == decks[1] == decks[2]
