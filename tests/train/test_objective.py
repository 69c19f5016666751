"""Winning games of two deals as the aim: what is paid, by hand, and what the network then reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.inputs import inputs_on
from agents.learned import LearnedPolicy
from agents.network import Actor, Critic
from persian_rummy_env.players.inputs import OF_OTHER_DEALS, SIZE
from persian_rummy_env.players.network_shape import Shape
from tests.train.playing import played
from tests.train.runs import SMALL
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.reward import win_value
from train.data.rollout import Players
from train.selfplay import SelfPlay, main

CPU = torch.device("cpu")
CONFIG = with_settings(
    Config(),
    {
        "deals": 32,
        "network.width": 32,
        "seed": 3,
        "reward.kind": "win",
        "reward.win_sd": 100.0,
        "ppo.gae_lambda": 1.0,
        "reward.scale": 7.0,
    },
)


def test_by_hand():
    """A game of two deals, sd 100. Before it the teams are level. Team 0 leads by 50 within the first deal, when two
    are not finished: 50 / (100 sqrt 2) = 0.3536 sd, Phi = 0.6382. It ends the first deal 80 ahead, with one to play:
    0.8 sd, 0.7881. In the second it falls to 20 behind: -0.2 sd, 0.4207. It wins by 5."""
    margin = np.array([0.0, 50.0, 80.0, -20.0, 5.0])
    worth = win_value(margin, np.array([2, 2, 1, 1, 0]), 100.0)
    assert worth == pytest.approx([0, 2 * 0.63816 - 1, 2 * 0.78814 - 1, 2 * 0.42074 - 1, 1], abs=1e-4)
    paid = np.diff(worth)
    assert paid == pytest.approx([0.27633, 0.29996, -0.73481, 1.15852], abs=1e-4)
    assert paid.sum() == pytest.approx(1), "what is paid adds up to the game won"
    assert np.array_equal(win_value(-margin, np.array([2, 2, 1, 1, 0]), 100.0), -worth), "and the others lose it"
    assert win_value(np.array([0.0]), np.array([0]), 100.0) == 0, "a tie"


def collect(config: Config):
    torch.manual_seed(1)
    actor, critic = Actor(config.shape), Critic(config.shape)
    torch.nn.init.normal_(actor.last.weight, std=0.3)
    return played(config, Players(actor, critic))


def test_games_of_two_deals_are_played_and_paid_to_the_end():
    rollout = collect(CONFIG)
    assert len(rollout.margin) == 16
    deal = rollout.view[:, :SIZE][:, OF_OTHER_DEALS]
    assert len(np.unique(deal, axis=0)) > 16, "scores differ in the second deals"
    first = np.array([np.flatnonzero(rollout.lane == lane)[0] for lane in range(16)])
    target = (rollout.advantage + rollout.value)[first]
    sign = np.where(rollout.seat[first] % 2 == 0, 1, -1)
    assert target == pytest.approx(sign * np.sign(rollout.margin), abs=1e-5)
    assert (rollout.length > 50).all()


def test_the_score_is_read_for_winning_and_not_for_the_margin(decisions):
    view, legal = decisions.view[:64].copy(), decisions.legal[:64]
    other = view.copy()
    other[:, OF_OTHER_DEALS] ^= 1
    for games in (False, True):
        torch.manual_seed(2)
        actor = Actor(Shape(32, 2, games))
        torch.nn.init.normal_(actor.last.weight, std=0.3)
        alike = [actor.legal_log_probs(inputs_on(CPU, v[:, :SIZE], legal, games)).numpy() for v in (view, other)]
        assert np.array_equal(*alike), "before anything is learnt of it, the score makes no difference"
        torch.nn.init.normal_(actor.trunk.weight, std=0.3)
        now = [actor.legal_log_probs(inputs_on(CPU, v[:, :SIZE], legal, games)).numpy() for v in (view, other)]
        assert np.array_equal(*now) != games


def test_a_player_of_deals_is_finished_for_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decisions):
    """It begins as it was, learns, and its file plays games, reading the score."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    base, fine = tmp_path / "base", tmp_path / "fine"
    assert main([*SMALL, "--updates", "1", "--out", str(base)]) == 0
    start = base / "policy.safetensors"
    learner = SelfPlay(with_settings(CONFIG, {"network.width": 16})).learner
    learner.begin_as(start)
    old = LearnedPolicy(start).actor
    view, legal = decisions.view[:, :SIZE].copy(), decisions.legal
    said = (
        old.legal_log_probs(inputs_on(CPU, view, legal)),
        learner.actor.legal_log_probs(inputs_on(CPU, view, legal, games=True)),
    )
    assert torch.allclose(*said, atol=1e-5)
    words = ["--reward.kind", "win", "--init-from", str(start), "--ppo.critic-warmup-updates", "1", "--updates", "3"]
    assert main([*SMALL, *words, "--out", str(fine)]) == 0
    policy = LearnedPolicy(fine / "policy.safetensors")
    assert policy.actor.shape.games
    assert policy.actor.trunk.weight[torch.from_numpy(OF_OTHER_DEALS)].abs().max() > 0


def test_a_start_that_does_not_fit_is_refused_by_name(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    base = tmp_path / "base"
    assert main([*SMALL, "--updates", "1", "--out", str(base)]) == 0
    start = str(base / "policy.safetensors")
    for words, said in (
        (["--network.width", "32", "--init-from", start], "--network.width 16 --network.blocks 2"),
        (["--rules.quad-bonus", "jacks", "--init-from", start], "quad_bonus=any"),
        (["--init-from", "no/such"], "no such policy file"),
        (["--reward.kind", "win", "--deals", "3"], "reward.kind='win', deals=3, threads=2"),
    ):
        with pytest.raises(SystemExit) as left:
            main([*SMALL, *words, "--updates", "1", "--out", str(tmp_path / "other")])
        assert left.value.code not in (0, None)
        assert said in capsys.readouterr().err
        assert not (tmp_path / "other" / "checkpoint.safetensors").exists()
