"""The Gymnasium environments against the AEC environment: the same masks, rewards and endings, and nothing that is
hidden."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import persian_rummy_env
from persian_rummy_env.actions import DISCARD, DRAW, PASS
from persian_rummy_env.bots import BOTS
from persian_rummy_env.core import bot_kernels as compiled_bots
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.policy import DecisionBatch
from tests.adapters.processes import check_hash_seeds
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, deck, over, uniform
from tests.env.play import scaled

ROOT = Path(__file__).resolve().parents[2]
ID = "PersianRummy-v0"


def make(**options: Any) -> Any:
    return gymnasium.make(ID, **options).unwrapped


def bot_action(states: np.ndarray, bot: str) -> int:
    """What a bot plays in a game, on a copy of it (a random one's own stream moves on in the copy only)."""
    games, legal = states.copy(), np.zeros((1, WORDS), dtype=np.uint64)
    from persian_rummy_env.core import batch_kernels

    batch_kernels.legal_words(games, legal, 0, 1)
    actions = np.zeros(1, dtype=np.int64)
    compiled_bots.choose_many(games, legal, np.full((1, 4), BOTS[bot], dtype=np.int8), actions, 0, 1)
    return int(actions[0])


class Scripted:
    """A bot as a policy outside the loop, which must not be told more than its seat sees."""

    name = "outside"

    def __init__(self) -> None:
        self.asked = 0

    def act(self, batch: DecisionBatch) -> np.ndarray:
        self.asked += len(batch.seat)
        return batch.action_mask.argmax(axis=1)


def first_legal(mask: np.ndarray) -> int:
    return int(mask.argmax())


@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_gymnasiums_checker_is_content(observation: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(observation=observation), skip_render_check=True)


@pytest.mark.parametrize("seats", [0, 1, 2, 3, (0, 2), (1, 3)])
def test_an_episode_is_that_of_the_aec_environment(seats: Any) -> None:
    """Masks bit for bit, observations, and the sum of the rewards, over at least 500 decisions of the learner."""
    mine = {seats} if isinstance(seats, int) else set(seats)
    learner, aec = make(seats=seats, opponents="greedy"), persian_rummy_env.env(episode="deal")
    rng = np.random.default_rng(5)
    decisions = seed = 0
    while decisions < scaled(500):
        observation, info = learner.reset(seed=seed)
        aec.reset(seed=seed)
        earned = expected = 0.0
        ended = False
        while not ended:
            while not over(aec) and int(aec.agent_selection[-1]) not in mine:
                aec.step(bot_action(aec.get_state(), "greedy"))
                expected += aec.rewards[f"player_{min(mine)}"]
            seen = aec.observe(aec.agent_selection)
            assert info["seat"] == int(aec.agent_selection[-1])
            assert (info["action_mask"] == seen["action_mask"]).all()
            assert (observation["action_mask"] == seen["action_mask"]).all()
            assert (learner.action_masks() == seen["action_mask"].astype(bool)).all()
            assert (observation["observation"] == seen["observation"]).all()
            assert learner.observation_space.contains(observation)
            action = uniform(seen["action_mask"], rng)
            aec.step(action)
            expected += aec.rewards[f"player_{min(mine)}"]
            observation, reward, terminated, truncated, info = learner.step(action)
            earned += reward
            ended = terminated or truncated
            decisions += 1
        while not over(aec):
            aec.step(bot_action(aec.get_state(), "greedy"))
            expected += aec.rewards[f"player_{min(mine)}"]
        assert earned == pytest.approx(expected, abs=1e-6)
        score = learner.get_state()["score"][0]
        sign = 1 if min(mine) == 0 else 1 if min(mine) == 2 else -1
        assert earned == pytest.approx(sign * (int(score[0]) - int(score[1])) / 100)
        assert not info["action_mask"].any()
        seed += 1


def test_a_policy_outside_the_loop_plays_as_it_would_inside() -> None:
    policy = Scripted()
    learner, aec = make(seats=1, opponents="greedy", partner=policy), persian_rummy_env.env(episode="deal")
    _, info = learner.reset(seed=3)
    aec.reset(seed=3)
    rng = np.random.default_rng(0)
    while not over(aec):
        seat = int(aec.agent_selection[-1])
        mask = aec.observe(aec.agent_selection)["action_mask"]
        if seat == 1:
            assert (info["action_mask"] == mask).all()
            action = uniform(mask, rng)
            info = learner.step(action)[4]
        else:
            action = first_legal(mask) if seat == 3 else bot_action(aec.get_state(), "greedy")
        aec.step(action)
    assert (learner.get_state()["score"] == aec.get_state()["score"]).all()
    assert policy.asked > 0


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
def test_the_batch_is_the_single_environment_many_times_over(mode: str) -> None:
    lanes = 5
    batch = gymnasium.make_vec(ID, num_envs=lanes, opponents="greedy", autoreset_mode=mode)
    seeds = [11 + lane for lane in range(lanes)]
    shown, infos = batch.reset(seed=seeds)
    singles = [make(opponents="greedy") for _ in seeds]
    for single, seed in zip(singles, seeds, strict=True):
        single.reset(seed=seed)
    waits = np.zeros(lanes, dtype=bool)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(scaled(120)):
        masks = infos["action_mask"].copy()
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        shown, rewards, terminated, truncated, infos = batch.step(actions)
        for lane, single in enumerate(singles):
            if waits[lane]:
                if mode == "NEXT_STEP":
                    observation, info = single.reset()
                    waits[lane] = False
                    assert (rewards[lane], terminated[lane], truncated[lane]) == (0, False, False)
                    assert (shown["observation"][lane] == observation["observation"]).all()
                    assert (infos["action_mask"][lane] == info["action_mask"]).all()
                continue
            observation, reward, over_now, cut, info = single.step(actions[lane])
            assert (rewards[lane], terminated[lane], truncated[lane]) == (reward, over_now, cut)
            if over_now:
                ends += 1
                if mode == "SAME_STEP":
                    assert (infos["final_obs"][lane]["observation"] == observation["observation"]).all()
                    assert not infos["final_info"]["action_mask"][lane].any()
                    observation, info = single.reset()
                else:
                    waits[lane] = True
            assert (shown["observation"][lane] == observation["observation"]).all()
            assert (infos["action_mask"][lane] == info["action_mask"]).all()
            assert infos["seat"][lane] == info["seat"]
        if mode == "DISABLED" and waits.any():
            before = {lane: shown["observation"][lane].copy() for lane in np.flatnonzero(~waits)}
            shown, infos = batch.reset(options={"reset_mask": waits})
            for lane, view in before.items():
                assert (shown["observation"][lane] == view).all()
            for lane in np.flatnonzero(waits):
                observation, _ = singles[lane].reset()
                assert (shown["observation"][lane] == observation["observation"]).all()
            waits[:] = False
    assert ends > 0 or scaled(100) < 100


def test_a_deal_over_in_the_learners_first_turn_pays_it() -> None:
    table = make(seats=1)
    table.reset(options={"decks": [OUT_AT_ONCE], "dealer": 0})
    rewards = [table.step(persian_rummy_env.encode_action(name))[1:3] for name in GOING_OUT]
    assert [ended for _, ended in rewards] == [False, False, True]
    score = table.get_state()["score"][0]
    assert sum(reward for reward, _ in rewards) == pytest.approx((int(score[1]) - int(score[0])) / 100)
    with pytest.raises(RuntimeError, match="call reset"):
        table.step(0)


class NeverMelds(Scripted):
    """Draws, or passes, and discards."""

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return np.array([drawing(mask) for mask in batch.action_mask])


def drawing(mask: np.ndarray) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[0] if legal[0] in (DRAW.start, PASS.start) else legal[-1])


def test_a_deal_that_ends_with_the_stock_is_that_of_the_aec_environment() -> None:
    table = make(seats=2, opponents=NeverMelds(), partner=NeverMelds())
    aec = persian_rummy_env.env(episode="deal")
    _, info = table.reset(seed=6)
    aec.reset(seed=6)
    earned, ended = 0.0, False
    while not ended:
        action = drawing(info["action_mask"])
        _, reward, ended, cut, info = table.step(action)
        earned += reward
        assert not cut
    expected = 0.0
    while not over(aec):
        aec.step(drawing(aec.observe(aec.agent_selection)["action_mask"]))
        expected += aec.rewards["player_2"]
    assert int(aec.get_state()["stock_size"][0]) == 0
    assert int(aec.get_state()["passes"][0]) == 4
    assert earned == pytest.approx(expected)
    assert (table.get_state()["hand"] == aec.get_state()["hand"]).all()


def test_a_deal_over_before_the_learners_first_turn_is_skipped_and_counted() -> None:
    out = deck("QC QD QH QS KC KD KH", stock="KS", turned="2C")  # nothing to take: player_1 draws and goes out
    table = make(seats=0, opponents="greedy")
    _, info = table.reset(seed=1, options={"decks": [out], "dealer": 0})
    assert info["skipped"] == 1
    assert info["action_mask"].any()
    assert table.step(first_legal(info["action_mask"]))[4]["skipped"] == 0


def test_what_was_earned_before_the_first_decision_comes_with_the_first_reward() -> None:
    found = 0
    table = make(seats=0, opponents="greedy")
    for seed in range(scaled(60, 20)):
        _, info = table.reset(seed=seed)
        points = table.get_state()["points"][0].astype(int)
        _, reward, ended, _, _ = table.step(first_legal(info["action_mask"]))
        if points.any() and not ended and int(info["action_mask"].argmax()) < 58:
            found += 1
            assert reward == pytest.approx((points[0] - points[1]) / 100)
    assert found


def test_the_cap_truncates() -> None:
    table = make(seats=2, max_decisions=30)
    for seed in range(5):
        _, info = table.reset(seed=seed)
        ended = (False, False)
        while ended == (False, False):
            _, _, *ended, info = table.step(int(np.flatnonzero(info["action_mask"])[-1]))
            ended = tuple(ended)
        assert ended == (False, True)
        assert int(table.get_state()["episode_decisions"][0]) == 30


def test_an_illegal_action_forfeits_or_is_refused() -> None:
    table = make(seats=3)
    _, info = table.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert table.step(illegal)[1:4] == (-1.0, True, False)
    strict = make(seats=3, illegal_action="raise")
    strict.reset(seed=1)
    before = strict.get_state()
    with pytest.raises(ValueError, match=f"action {illegal}"):
        strict.step(illegal)
    assert (strict.get_state() == before).all()
    with pytest.raises(TypeError, match="expected an action id"):
        strict.step(1.0)


def test_the_learner_sits_at_each_seat_in_turn() -> None:
    table = make()
    seats = []
    for seed in (2, None, None, None, None):
        _, info = table.reset(seed=seed)
        assert info["skipped"] == 0
        seats.append(int(table._vector._batch.base_seat[0]))
    assert seats == [2, 3, 0, 1, 2]


def test_every_discard_it_may_make_is_a_card_of_its_hand() -> None:
    batch = gymnasium.make_vec(ID, num_envs=64, raw=True)
    shown, _ = batch.reset(seed=0)
    for _ in range(40):
        discards = shown["action_mask"][:, DISCARD.start : DISCARD.stop]
        assert (shown["observation"][:, :52][discards[:, :52] == 1] == 1).all()
        shown, *_ = batch.step(batch.sample_actions())


def test_nothing_hidden_is_shown() -> None:
    table = make(seats=0, opponents="greedy")
    batch = table._vector._batch
    rng = np.random.default_rng(0)
    observation, info = table.reset(seed=4)
    for _ in range(scaled(60, 10)):
        seat = info["seat"]
        before = batch.games.copy()
        batch.games[:] = exchange_hidden(before, seat, rng)
        batch.allocate_output()
        batch._write_outputs()
        batch.guard.whole = True
        assert (table._vector._observation()["observation"][0] == observation["observation"]).all()
        assert (table.action_masks() == info["action_mask"].astype(bool)).all()
        batch.games[:] = before
        batch._write_outputs()
        observation, _, ended, _, info = table.step(uniform(info["action_mask"], rng))
        if ended:
            observation, info = table.reset()


def test_what_was_handed_out_does_not_change() -> None:
    batch = gymnasium.make_vec(ID, num_envs=4)
    shown, infos = batch.reset(seed=0)
    kept = []
    for _ in range(60):
        shown, rewards, terminated, _, infos = batch.step(batch.sample_actions())
        final = infos.get("final_obs")
        arrays = [shown["observation"], shown["action_mask"], rewards, terminated, infos["seat"], infos["skipped"]]
        if final is not None:
            arrays += [row["observation"] for row in final if row is not None]
        kept += [(array, array.copy()) for array in arrays]
    assert all((array == copy).all() for array, copy in kept)


TRACE = """
import hashlib, gymnasium, numpy as np, persian_rummy_env
batch = gymnasium.make_vec("PersianRummy-v0", num_envs=8, opponents="random")
batch.reset(seed=3)
digest = hashlib.sha256()
for _ in range(60):
    shown, rewards, *_ = batch.step(batch.sample_actions())
    digest.update(shown["observation"].tobytes() + rewards.tobytes())
print(digest.hexdigest())
"""


def test_the_hash_seed_changes_nothing() -> None:
    check_hash_seeds(TRACE)


def test_spawned_workers_play() -> None:
    workers = gymnasium.make_vec(
        f"persian_rummy_env:{ID}", num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    try:
        _, infos = workers.reset(seed=1)
        for _ in range(5):
            actions = np.array([first_legal(mask) for mask in infos["action_mask"]])
            _, _, _, _, infos = workers.step(actions)
        assert infos["action_mask"].any(axis=1).all()
    finally:
        workers.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seats": 4}, "expected a seat 0..3"),
        ({"seats": (0, 1)}, "a team"),
        ({"opponents": "gready"}, "random, greedy, deepest, expert"),
        ({"seats": "team", "partner": "greedy"}, "plays both seats"),
        ({"observation": "image"}, "'dict', 'flat'"),
        ({"render_mode": "human"}, "'ansi', 'rgb_array'"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        persian_rummy_env.PersianRummyGymEnv(**options)
