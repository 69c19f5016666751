"""What is paid, when, and to whom."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, encode_action
from tests.env.play import game_of, play, position, put, scaled

LANES = scaled(40, 3)


def episodes(**options: Any) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Sampled play to the end: rewards (t, n, 4), final scores (n, 2), deals finished after each step."""
    env = PersianRummyVecEnv(LANES, autoreset_mode="DISABLED", **options)
    shown = env.reset(seed=17)
    rewards, deals = [], []
    while (shown.seat != -1).any():
        shown = env.step(env.sample_actions())
        rewards.append(shown.reward)
        deals.append(env.get_state()["deal"].astype(int) + (env.get_state()["phase"] == 2))
    return np.stack(rewards), env.get_state()["score"].astype(int), deals


def test_dense_and_end_pay_the_same_in_all_and_end_only_at_the_end_of_deals() -> None:
    dense, score, _ = episodes(reward_timing="dense")
    end, end_score, deals = episodes(reward_timing="end")
    assert (score == end_score).all()
    margin = (score[:, 0] - score[:, 1]) / 100
    assert np.allclose(dense.sum(axis=0)[:, 0], margin, atol=1e-4)
    assert np.allclose(end.sum(axis=0)[:, 0], margin, atol=1e-4)
    at_end = np.diff(np.array([np.zeros(LANES, dtype=int), *deals]), axis=0) > 0
    assert at_end.sum() == 2 * LANES
    assert (end[~at_end] == 0).all()
    assert (np.abs(dense[~at_end]).sum(axis=-1) > 0).any()


@pytest.mark.parametrize("options", [{}, {"reward_timing": "end"}, {"reward": "win"}, {"episode": "deal"}])
def test_partners_are_paid_alike_and_a_step_sums_to_zero(options: dict[str, str]) -> None:
    rewards, *_ = episodes(**options)
    assert rewards.dtype == np.float32
    assert (rewards[..., 0] == rewards[..., 2]).all()
    assert (rewards[..., 1] == rewards[..., 3]).all()
    assert (rewards.sum(axis=-1) == 0).all()
    assert np.abs(rewards).sum() > 0


@pytest.mark.rules("R13")
@pytest.mark.parametrize("timing", ["dense", "end"])
def test_a_win_is_paid_once_at_the_end_of_the_game(timing: str) -> None:
    rewards, score, _ = episodes(reward="win", reward_timing=timing)
    assert (np.count_nonzero(rewards[..., 0], axis=0) == (score[:, 0] != score[:, 1])).all()
    assert (rewards.sum(axis=0)[:, 0] == np.sign(score[:, 0] - score[:, 1])).all()


@pytest.mark.rules("R13")
@pytest.mark.parametrize(("left", "paid"), [("3C", 0.0), ("4C", -1.0), ("2C", 1.0)])
def test_equal_points_are_a_tie(left: str, paid: float) -> None:
    env = position({1: "3D", 2: left}, stock="", pile="KS", stock_out="end", options={"reward": "win"})
    shown = env.step([1])
    assert shown.terminated[0]
    assert shown.reward[0].tolist() == [paid, -paid, paid, -paid]


def test_points_are_paid_as_they_are_made_and_hands_at_the_end() -> None:
    hands = {0: "AC", 1: "7C 7D 7H 8C", 2: "JK", 3: "KD"}
    env = position(hands, stock="8D 2C 3C", pile="KS", stock_out="end")
    paid = []
    for action in ("draw", "meld 7C 7D 7H", "discard 8C"):
        play_one(env, action, paid)
    assert paid == [0.0, np.float32(-0.21), 0.0]
    state = env.get_state()
    state["stock_size"] = 0
    put(env, state)
    play_one(env, "pass", paid)
    assert paid[-1] == np.float32((-15 - 20 + 8 + 10) / 100)
    assert game_of(env)["score"].tolist() == [-35, 3]


def play_one(env: PersianRummyVecEnv, action: str, paid: list[Any]) -> None:
    paid.append(env.step([encode_action(action)]).reward[0, 0])


@pytest.mark.rules("R38", "R50", "R51")
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("last", ["meld 7C 7D 7H", "layoff 7H run"])
def test_going_out_ends_the_deal_at_once_and_pays_the_bonus_to_its_team(seat: int, last: str) -> None:
    by_meld = last.startswith("meld")
    hands = {0: "AC", 1: "JK", 2: "KD", 3: "2C"}
    hands[seat] = "7C 7D" if by_meld else ""
    table = [((seat + 1) % 4, "4H 5H 6H")]
    env = position(hands, stock="7H 9C", pile="KS", table=table, seat=seat)
    play(env, "draw")
    shown = env.step([encode_action(last)])
    left = {0: 15, 1: 20, 2: 10, 3: 2, seat: 0}
    score = [-left[0] - left[2], -left[1] - left[3]]
    score[seat % 2] += 25 + (21 if by_meld else 7)
    assert game_of(env)["score"].tolist() == score
    assert int(game_of(env)["out"]) == seat
    assert (bool(shown.terminated[0]), int(shown.seat[0])) == (True, -1)
    assert not shown.action_mask.any()
    assert int(game_of(env)["stock_size"]) == 1
