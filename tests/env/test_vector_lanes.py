"""Lane ``i`` of a batch is the game that every environment plays for its seed, whatever stands beside it."""

from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env import PersianRummyVecEnv, lane_seeds
from persian_rummy_env.envs.vector import StepResult
from persian_rummy_env.observation import HIGH
from tests.env.play import COMPILED, equal, scaled

LANES = 200
"""Enough that three threads get lanes to play."""
SIZES = (1, 7, 64, LANES) if COMPILED else (1, 2, 5)


def trace(env: PersianRummyVecEnv, steps: int, keep: int, seed: Any = 11) -> list[StepResult]:
    """What the first lanes show over some steps of sampled actions."""
    shown = [env.reset(seed=seed), *(env.step(env.sample_actions()) for _ in range(steps))]
    return [StepResult(*(part[:keep] for part in batch)) for batch in shown]


def same(mine: list[StepResult], others: list[StepResult]) -> bool:
    return all(
        one.dtype == other.dtype and (one == other).all()
        for batch, other_batch in zip(mine, others, strict=True)
        for one, other in zip(batch, other_batch, strict=True)
    )


def test_lanes_do_not_depend_on_how_many_there_are() -> None:
    traces = [trace(PersianRummyVecEnv(lanes), scaled(400, 60), 1) for lanes in SIZES]
    for other in traces[1:]:
        assert same(traces[0], other)


def test_lanes_do_not_depend_on_the_threads() -> None:
    one, three = PersianRummyVecEnv(LANES), PersianRummyVecEnv(LANES, threads=3)
    assert same(trace(one, scaled(300, 4), LANES), trace(three, scaled(300, 4), LANES))
    assert equal(one.get_state(), three.get_state())
    three.close()


def test_threads_share_the_lanes_between_them() -> None:
    env = PersianRummyVecEnv(LANES, threads=3)
    assert env._batch._chunks == [(0, 66), (66, 133), (133, 200)]
    assert PersianRummyVecEnv(LANES, threads=64)._batch._chunks == env._batch._chunks
    assert PersianRummyVecEnv(20, threads=3)._batch._chunks == [(0, 20)]


@pytest.mark.parametrize("reward", ["margin", "win"])
def test_each_lane_is_the_single_game_of_its_seed(reward: str) -> None:
    lanes = scaled(12, 2)
    env = PersianRummyVecEnv(lanes, reward=reward, autoreset_mode="DISABLED")
    singles = [PersianRummyVecEnv(1, reward=reward, autoreset_mode="DISABLED") for _ in range(lanes)]
    shown = env.reset(seed=5)
    alone = [single.reset(seed=[seed]) for single, seed in zip(singles, lane_seeds(5, lanes), strict=True)]
    rng = np.random.default_rng(0)
    for _ in range(600):
        for lane, one in enumerate(alone):
            for part, single in zip(shown, one, strict=True):
                assert (part[lane] == single[0]).all()
        actions = env.sample_actions(rng)
        shown = env.step(actions)
        alone = [single.step(actions[lane : lane + 1]) for lane, single in enumerate(singles)]
    assert (shown.seat == -1).all(), "the games have not ended"


def test_a_sequence_of_seeds_gives_each_lane_its_own() -> None:
    spread = PersianRummyVecEnv(6)
    listed = PersianRummyVecEnv(6)
    first, second = spread.reset(seed=9), listed.reset(seed=[int(seed) for seed in lane_seeds(9, 6)])
    assert (first.observation == second.observation).all()
    assert equal(spread.get_state(), listed.get_state())
    listed.reset(seed=list(lane_seeds(9, 6)[::-1]))
    assert equal(spread.get_state(), listed.get_state()[::-1])


@pytest.mark.parametrize("options", [{}, {"reward": "win"}, {"reward_timing": "end"}, {"episode": "deal"}])
def test_each_lane_is_the_aec_game_of_its_seed(options: dict[str, str]) -> None:
    lanes = scaled(5, 2)
    env = PersianRummyVecEnv(lanes, autoreset_mode="DISABLED", **options)
    shown = env.reset(seed=21)
    tables = [persian_rummy_env.env(**options) for _ in range(lanes)]
    for table, seed in zip(tables, lane_seeds(21, lanes), strict=True):
        table.reset(seed=int(seed))
    rng = np.random.default_rng(3)
    for _ in range(600):
        for lane, table in enumerate(tables):
            if shown.seat[lane] == -1:
                continue
            agent = f"player_{shown.seat[lane]}"
            assert table.agent_selection == agent
            seen = table.observe(agent)
            assert (seen["action_mask"] == shown.action_mask[lane]).all()
            learnt = shown.observation[lane].astype(np.float32) / HIGH.astype(np.float32)
            assert (seen["observation"] == learnt).all()
        actions = env.sample_actions(rng)
        playing = shown.seat != -1
        shown = env.step(actions)
        for lane in np.flatnonzero(playing):
            table = tables[lane]
            table.step(int(actions[lane]))
            assert [np.float32(table.rewards[f"player_{seat}"]) for seat in range(4)] == shown.reward[lane].tolist()
            assert set(table.terminations.values()) == {bool(shown.terminated[lane])}
            assert set(table.truncations.values()) == {False}
        if (shown.seat == -1).all():
            break
    assert (shown.seat == -1).all(), "the games have not ended"


def test_any_seat_of_any_lane_can_be_observed_at_any_time() -> None:
    env = PersianRummyVecEnv(9)
    env.reset(seed=4)
    for _ in range(scaled(60, 10)):
        before = env.get_state()
        by_seat = [env.observe(seat) for seat in range(4)]
        mixed = np.arange(9) % 4
        picked = env.observe(mixed)
        for lane, seat in enumerate(mixed):
            assert (picked[lane] == by_seat[seat][lane]).all()
        assert equal(env.get_state(), before)
        env.step(env.sample_actions())
    for wrong, error in (
        *((seats, ValueError) for seats in (4, -1, [0, 1], [4] * 9)),
        *((seats, TypeError) for seats in (0.5, [0.5] * 9)),
    ):
        with pytest.raises(error, match="expected a seat"):
            env.observe(wrong)  # type: ignore[arg-type]
