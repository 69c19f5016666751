"""Tables at which one team is frozen: only our decisions are asked for, and nothing of the game is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from experiments import best_response
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.core.batch_kernels import MARGIN_SCALE
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.players.load import load
from train.config.ppo import Config
from train.config.presets import QUICK
from train.data.against import FrozenOpponents, collectors_versus
from train.data.rollout import Players
from train.scale.workers import jobs_of

LANES = 24
SEEDS = np.arange(LANES, dtype=np.uint64)
OPPONENTS = ("greedy", "search(deepest, worlds=1)", "python:tests.agents.strangers:First")


def opposed(name: str, lanes: int = LANES) -> FrozenOpponents:
    env = PersianRummyVecEnv(lanes, episode="deal", autoreset_mode="DISABLED", copy=False)
    return FrozenOpponents(env, load(name))


@pytest.mark.parametrize("name", OPPONENTS)
def test_our_seats_alone_are_asked_and_rewards_are_of_everything_between(name: str) -> None:
    tables = opposed(name)
    now = tables.reset(seed=SEEDS)
    earned = now.reward[:, 0].astype(float) * MARGIN_SCALE
    assert name != "greedy" or earned.any(), "greedy melds before our first decision here and there"
    while (now.seat >= 0).any():
        live = np.flatnonzero(now.seat >= 0)
        assert (now.seat[live] % 2 == live % 2).all(), "our team is 0 in the even lanes and 1 in the odd ones"
        now = tables.step(now.action_mask.argmax(axis=1))
        assert (now.reward == now.reward[:, :1] * [1, -1, 1, -1]).all()
        earned += now.reward[:, 0].astype(float) * MARGIN_SCALE
    games = tables.get_state()
    assert np.allclose(earned, games["score"][:, 0] - games["score"][:, 1])


@pytest.mark.parametrize("name", OPPONENTS)
def test_it_is_the_game_that_a_match_plays(name: str) -> None:
    tables = opposed(name)
    now = tables.reset(seed=SEEDS)
    while (now.seat >= 0).any():
        now = tables.step(now.action_mask.argmax(axis=1))
    games = new_games(SEEDS, np.full(LANES, -1, dtype=np.int8), None, 1)
    us_first = np.arange(LANES)[:, None] % 2 == np.arange(4) % 2
    play(games, [load(OPPONENTS[2]), load(name)], np.where(us_first, 0, 1))
    for field in ("score", "out", "hand", "decisions", "laid"):
        assert (tables.get_state()[field] == games[field]).all(), field


def test_another_game_follows_and_its_cards_are_those_of_the_stream() -> None:
    tables = opposed("deepest")
    plain = PersianRummyVecEnv(LANES, episode="deal", autoreset_mode="DISABLED")
    plain.reset(seed=SEEDS)
    now = tables.reset(seed=SEEDS)
    while (now.seat >= 0).any():
        now = tables.step(now.action_mask.argmax(axis=1))
    tables.reset()
    plain.reset()
    assert (tables.get_state()["decks"][:, 0, :28] == plain.get_state()["decks"][:, 0, :28]).all()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="SAME_STEP"):
        FrozenOpponents(PersianRummyVecEnv(2, episode="deal"), load("greedy"))
    tables = opposed("greedy", 2)
    tables.reset(seed=SEEDS[:2])
    with pytest.raises(ValueError, match="action 546 is not legal"):
        tables.step(np.array([546, 546]))


def test_a_collector_keeps_our_decisions_alone() -> None:
    from agents.network import Actor, Critic

    config = Config(deals=16, threads=2)
    collector = collectors_versus("greedy")(config, 16, torch.device("cpu"))
    torch.manual_seed(0)
    [job] = jobs_of(replace(config, deals=16, parts=1), 0, 0)
    rollout = collector.collect(Players(Actor(QUICK.shape), Critic(QUICK.shape)), job)
    assert (rollout.seat % 2 == rollout.lane % 2).all()
    final = collector.env.get_state()
    # All but what the opponents laid before our first decision, which none of our decisions has earned.
    before = rollout.margin - (final["score"][:, 0] - final["score"][:, 1])
    assert (before * np.where(np.arange(16) % 2 == 0, 1, -1) >= 0).all()
    assert (before == 0).mean() > 0.5
    assert len(np.unique(rollout.lane)) == 16


# The command ----------------------------------------------------------------------------------------------------------


def run(out: Path, *more: str) -> dict[str, Any]:
    given = ["--against", "greedy", "--preset", "scratch", "--updates", "2", "--deals", "8", "--pairs", "12"]
    given += ["--curve-pairs", "4", "--every", "1", "--out", str(out), *more]
    assert best_response.main(given) == 0
    return json.loads((out / "results.json").read_text())


def test_a_run_trains_measures_and_leaves_the_team(tmp_path: Path) -> None:
    result = run(tmp_path / "a")
    assert [row["updates"] for row in result["curve"]] == [1]
    assert result["result"]["pairs"] == 12
    assert result["result"]["b"] == "greedy"
    assert result["deals"]["curve"] != result["deals"]["result"]
    policy = load(f"file:{tmp_path / 'a' / 'policy.safetensors'}")
    assert policy.rules == Config().rule_set
    again = run(tmp_path / "b")
    for row in (*result["curve"], *again["curve"], result["result"], again["result"]):
        row.pop("seconds")
    assert again["curve"] == result["curve"], "with a budget in updates a run repeats"
    assert again["result"] == result["result"]
    warm = run(tmp_path / "c", "--init-from", str(tmp_path / "a" / "policy.safetensors"))
    assert warm["curve"][0]["margin"] != result["curve"][0]["margin"]


@pytest.mark.parametrize(
    ("more", "report"),
    [
        (("--against", "gredy"), "did you mean 'greedy'"),
        (("--init-from", "no/such"), "no such policy file"),
        (("--minutes", "1"), "expected one of the two"),
        (("--deals", "1"), "every thread must have a deal"),
    ],
)
def test_nonsense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], report: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        run(tmp_path, *more)
    assert refused.value.code == 2
    assert report in capsys.readouterr().err
