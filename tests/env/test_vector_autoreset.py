"""How episodes end, and what each autoreset mode does then."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.envs.vector import StepResult
from persian_rummy_env.state import PHASES
from tests.env.play import equal, scaled

MODES = ("SAME_STEP", "NEXT_STEP", "DISABLED")
LANES = 6


def new(mode: str, lanes: int = LANES, **options: Any) -> PersianRummyVecEnv:
    return PersianRummyVecEnv(lanes, episode="deal", autoreset_mode=mode, **options)


def test_the_mode_is_declared_in_gymnasiums_terms() -> None:
    from gymnasium import vector

    for mode in MODES:
        declared = new(mode).metadata["autoreset_mode"]
        assert getattr(declared, "name", declared) == mode
        modes = getattr(vector, "AutoresetMode", None)
        if modes is not None:
            assert declared is modes[mode]
            assert new(declared).autoreset_mode == mode
    with pytest.raises(ValueError, match="SAME_STEP"):
        new("AT_ONCE")


def step_until_an_end(env: PersianRummyVecEnv) -> tuple[np.ndarray, np.ndarray, StepResult]:
    """(states before, actions, batch) of the first step in which a lane ends."""
    for _ in range(500):
        before, actions = env.get_state(), env.sample_actions()
        shown = env.step(actions)
        if shown.terminated.any() or shown.truncated.any():
            return before, actions, shown
    raise AssertionError("no episode has ended")


def continued(state: np.void, action: int) -> tuple[np.void, np.ndarray]:
    """A single game played one action further: its state, and what each seat sees."""
    single = new("DISABLED", lanes=1)
    single.set_state(state.reshape(1))
    single.step(np.array([action]))
    return single.get_state()[0], np.stack([single.observe(seat)[0] for seat in range(4)])


def test_same_step_starts_the_next_episode_and_keeps_how_the_old_one_stood() -> None:
    env = new("SAME_STEP")
    env.reset(seed=2)
    assert len(env.final.env_index) == 0
    for _ in range(scaled(5)):
        before, actions, shown = step_until_an_end(env)
        ended = np.flatnonzero(shown.terminated)
        final = env.final
        assert final.env_index.tolist() == ended.tolist()
        for row, lane in enumerate(ended):
            state, views = continued(before[lane], int(actions[lane]))
            assert PHASES[state["phase"]] == "over"
            assert (final.observation[row] == views).all()
            assert final.score[row].tolist() == state["score"].tolist()
            assert int(final.seat[row]) == int(before["seat"][lane])
            assert final.state[row]["hand"].tolist() == state["hand"].tolist()
            started = env.get_state()[lane]
            assert (int(started["decisions"]), int(started["episode_decisions"])) == (0, 0)
            assert started["score"].tolist() == [0, 0]
            assert int(shown.seat[lane]) == (int(started["dealer"]) + 1) % 4
            assert shown.action_mask[lane].any()
            assert (shown.observation[lane] == env.observe(int(shown.seat[lane]))[lane]).all()
        env.step(env.sample_actions())


def test_next_step_shows_the_end_and_ignores_one_action() -> None:
    env = new("NEXT_STEP")
    env.reset(seed=2)
    for _ in range(scaled(5)):
        before, actions, shown = step_until_an_end(env)
        ended = np.flatnonzero(shown.terminated)
        for lane in ended:
            state, views = continued(before[lane], int(actions[lane]))
            assert shown.seat[lane] == -1
            assert not shown.action_mask[lane].any()
            assert (shown.observation[lane] == views[int(state["seat"])]).all()
            assert (env.final.observation[list(env.final.env_index).index(lane)] == views).all()
        assert env.final.env_index.tolist() == ended.tolist()
        ignored = env.sample_actions()
        assert (ignored[ended] == 0).all()
        ignored[ended] = -12345
        shown = env.step(ignored)
        assert (shown.reward[ended] == 0).all()
        assert not shown.terminated[ended].any()
        assert not shown.truncated[ended].any()
        assert (env.get_state()["episode_decisions"][ended] == 0).all()
        assert (shown.seat[ended] == (env.get_state()["dealer"][ended] + 1) % 4).all()
        assert shown.action_mask[ended].any(axis=1).all()


def test_disabled_waits_for_a_reset_of_the_lanes_named() -> None:
    env = new("DISABLED")
    env.reset(seed=2)
    *_, shown = step_until_an_end(env)
    ended = shown.terminated.copy()
    waiting = env.get_state()[ended]
    for _ in range(3):
        actions = env.sample_actions()
        actions[ended] = 999
        shown = env.step(actions)
        assert (shown.seat[ended] == -1).all()
        assert not shown.action_mask[ended].any()
        assert (shown.reward[ended] == 0).all()
        assert not (shown.terminated | shown.truncated)[ended].any()
        assert equal(env.get_state()[ended], waiting)
        assert not ended[env.final.env_index].any()
    others = env.get_state()[~ended]
    shown = env.reset(options={"reset_mask": ended})
    assert equal(env.get_state()[~ended], others)
    assert (env.get_state()["episode_decisions"][ended] == 0).all()
    assert (shown.seat != -1).all()
    assert shown.action_mask.any(axis=1).all()
    again = env.reset(seed=2, options={"reset_mask": ended})
    other = new("DISABLED").reset(seed=2)
    assert (again.observation[ended] == other.observation[ended]).all()
    assert equal(env.get_state()[~ended], others)


def test_the_reset_mask_is_checked() -> None:
    env = new("DISABLED")
    with pytest.raises(ValueError, match="first reset must start every sub-environment"):
        env.reset(seed=1, options={"reset_mask": np.arange(LANES) < 2})
    env.reset(seed=1)
    before = env.get_state()
    for wrong in (np.ones(LANES), np.ones(LANES - 1, dtype=bool), [1] * LANES):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(seed=2, options={"reset_mask": wrong})
    assert equal(env.get_state(), before)


@pytest.mark.parametrize("mode", MODES)
def test_final_is_of_the_last_step_alone(mode: str) -> None:
    env = new(mode)
    env.reset(seed=2)
    for renew in (lambda: env.set_state(env.get_state()), lambda: env.reset(seed=3), env.reset):
        step_until_an_end(env)
        assert len(env.final.env_index) > 0
        assert len(env.final.env_index) == len(env.final.state) == len(env.final.score) == len(env.final.seat)
        renew()
        assert len(env.final.env_index) == 0
        env.reset(seed=4)


@pytest.mark.parametrize("mode", MODES)
def test_the_modes_play_the_same_episodes(mode: str) -> None:
    """The first episode of a lane is the same in all three; in those that go on, so are the next ones."""
    wanted = 1 if mode == "DISABLED" else 3
    mine, foreign = (rewards_by_episode(new(name, 1), wanted) for name in (mode, "SAME_STEP"))
    assert mine == foreign


def rewards_by_episode(env: PersianRummyVecEnv, episodes: int) -> list[list[float]]:
    shown = env.reset(seed=8)
    ended: list[list[float]] = []
    rewards: list[float] = []
    while len(ended) < episodes:
        waiting = shown.seat[0] == -1
        shown = env.step(env.sample_actions())
        if not waiting:
            rewards.append(float(shown.reward[0, 0]))
        if shown.terminated[0]:
            ended.append(rewards)
            rewards = []
    return ended


@pytest.mark.parametrize("mode", MODES)
def test_max_decisions_cuts_an_episode_for_all(mode: str) -> None:
    env = new(mode, max_decisions=7)
    env.reset(seed=3)
    for number in range(1, 8):
        before, actions = env.get_state(), env.sample_actions()
        shown = env.step(actions)
        assert not shown.terminated.any()
        assert (shown.truncated == (number == 7)).all()
    final = env.final
    assert final.env_index.tolist() == list(range(LANES))
    for lane in range(LANES):
        state, views = continued(before[lane], int(actions[lane]))
        assert PHASES[state["phase"]] != "over"
        assert (final.observation[lane] == views).all()
        assert int(final.seat[lane]) == int(state["seat"])
        if mode != "SAME_STEP":
            assert (shown.observation[lane] == views[int(state["seat"])]).all()
    assert ((shown.seat == -1) == (mode != "SAME_STEP")).all()
    if mode == "NEXT_STEP":
        assert (env.step(env.sample_actions()).seat != -1).all()
    if mode != "DISABLED":
        shown = [env.step(env.sample_actions()) for _ in range(7)][-1]
        assert shown.truncated.all(), "the count has not begun anew"


def test_an_episode_that_ends_with_its_last_decision_is_not_cut() -> None:
    env = new("DISABLED", lanes=1)
    env.reset(seed=1)
    length = 0
    shown = None
    while shown is None or not shown.terminated[0]:
        shown = env.step(env.sample_actions())
        length += 1
    for limit, flags in ((length, (True, False)), (length - 1, (False, True)), (length + 1, (True, False))):
        env = new("DISABLED", lanes=1, max_decisions=limit)
        env.reset(seed=1)
        for _ in range(min(limit, length)):
            shown = env.step(env.sample_actions())
        assert (bool(shown.terminated[0]), bool(shown.truncated[0])) == flags


@pytest.mark.parametrize("mode", MODES)
def test_an_illegal_action_forfeits_where_that_is_asked_for(mode: str) -> None:
    env = new(mode, illegal_action="forfeit")
    env.reset(seed=6)
    for _ in range(9):
        env.step(env.sample_actions())
    seats = env.get_state()["seat"].astype(int)
    actions = env.sample_actions()
    offenders = np.array([1, 4])
    actions[offenders] = (1, -5)  # a pass while there is stock, and no action at all
    before = env.get_state()
    shown = env.step(actions)
    assert shown.terminated.tolist() == [lane in offenders for lane in range(LANES)]
    assert not shown.truncated.any()
    for lane in offenders:
        offender = seats[lane] % 2
        assert shown.reward[lane].tolist() == [-1.0 if seat % 2 == offender else 1.0 for seat in range(4)]
    assert env.final.env_index.tolist() == offenders.tolist()
    for row, lane in enumerate(offenders):
        assert env.final.state[row]["hand"].tolist() == before["hand"][lane].tolist()
        assert int(env.final.seat[row]) == seats[lane]
    assert ((shown.seat[offenders] == -1) == (mode != "SAME_STEP")).all()


@pytest.mark.parametrize("mode", MODES)
def test_every_ending_has_exactly_one_flag(mode: str) -> None:
    env = new(mode, lanes=scaled(20, 6), max_decisions=90)
    env.reset(seed=6)
    flags = np.zeros(2, dtype=int)
    for _ in range(scaled(400, 100)):
        shown = env.step(env.sample_actions())
        assert not (shown.terminated & shown.truncated).any()
        flags += (shown.terminated.sum(), shown.truncated.sum())
    assert flags.min() > 0
