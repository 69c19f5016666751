"""The example of PPO in one file: its advantages are those of training, and it runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from examples import ppo_minimal
from train.data.gae import advantages


def test_its_advantages_are_those_of_training(monkeypatch: pytest.MonkeyPatch):
    """One deal in each game, from its first step to its last: nothing is cut, so both bootstrap alike."""
    steps, envs, rng = 40, 3, np.random.default_rng(0)
    monkeypatch.setattr(ppo_minimal, "STEPS", steps)
    monkeypatch.setattr(ppo_minimal, "NUM_ENVS", envs)
    rollout = ppo_minimal.Rollout()
    rollout.seat[:] = rng.integers(4, size=(steps, envs))
    rollout.choice[:] = rng.random((steps, envs)) < 0.6
    rollout.value[:] = rng.normal(size=(steps, envs))
    margin = rng.normal(size=(steps, envs)).astype(np.float32)
    rollout.reward[:] = margin[..., None] * np.array([1, -1, 1, -1], dtype=np.float32)
    rollout.done[:] = False
    rollout.done[-1] = True
    own = ppo_minimal.advantages(rollout, rng.normal(size=(envs, 4)).astype(np.float32))
    time, lane = np.nonzero(rollout.choice)
    earned = np.concatenate([np.zeros((1, envs)), margin.astype(np.float64).cumsum(axis=0)])
    seat, value = rollout.seat[time, lane], rollout.value[time, lane]
    expected = advantages(lane, seat, time, value, earned, ppo_minimal.GAE_LAMBDA)
    assert np.allclose(own[time, lane], expected, atol=1e-4)
    assert (own[~rollout.choice] == 0).all()


def test_it_trains_and_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ppo_minimal, "NUM_ENVS", 16)
    monkeypatch.setattr(ppo_minimal, "STEPS", 24)
    margin = ppo_minimal.main(["--minutes", "0.01", "--deals", "8", "--out", str(tmp_path / "net.pt")])
    assert np.isfinite(margin)
    net = ppo_minimal.ActorCritic()
    net.load_state_dict(torch.load(tmp_path / "net.pt"))
