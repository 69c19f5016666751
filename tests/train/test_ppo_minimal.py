"""The example of PPO in one file: its advantages are those of training, and it runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from examples import ppo_minimal
from train.data.gae import advantages


def test_its_advantages_are_those_of_training() -> None:
    """One deal in each game, from its first step to its last: nothing is cut, so both bootstrap alike."""
    args, rng = ppo_minimal.Args(num_steps=40, num_envs=3), np.random.default_rng(0)
    storage = ppo_minimal.Storage(args)
    shape = (args.num_steps, args.num_envs)
    seats, choices = rng.integers(4, size=shape), rng.random(shape) < 0.6
    values, margin = rng.normal(size=shape), rng.normal(size=shape).astype(np.float32)
    storage.seats[:], storage.choices[:] = torch.from_numpy(seats), torch.from_numpy(choices)
    storage.values[:] = torch.from_numpy(values)
    storage.rewards[:] = torch.from_numpy(margin[..., None] * np.array([1, -1, 1, -1], dtype=np.float32))
    storage.dones[-1] = True
    next_values = torch.from_numpy(rng.normal(size=(args.num_envs, 4)).astype(np.float32))
    own = ppo_minimal.seat_gae(storage, next_values, args).numpy()
    time, lane = np.nonzero(choices)
    earned = np.concatenate([np.zeros((1, args.num_envs)), margin.astype(np.float64).cumsum(axis=0)])
    expected = advantages(lane, seats[time, lane], time, values[time, lane], earned, args.gae_lambda)
    assert np.allclose(own[time, lane], expected, atol=1e-4)
    assert (own[~choices] == 0).all()


def test_it_trains_and_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = {"num-envs": 16, "num-steps": 24, "total-timesteps": 384, "pairs": 4, "out": tmp_path / "net.pt"}
    margin = ppo_minimal.main([f"--{name}={value}" for name, value in small.items()])
    assert f"384 decisions: ppo_minimal v random: {margin:+.1f}" in capsys.readouterr().out
    ppo_minimal.Agent().load_state_dict(torch.load(tmp_path / "net.pt"))


def test_the_first_ratio_is_one_and_illegal_actions_are_never_drawn() -> None:
    args = ppo_minimal.Args(num_envs=8, num_steps=30)
    storage, agent = ppo_minimal.Storage(args), ppo_minimal.Agent(16)
    envs = ppo_minimal.PersianRummyVecEnv(args.num_envs, episode="deal")
    ppo_minimal.collect(envs, envs.reset(seed=1), agent, storage, args)
    assert storage.masks.gather(2, storage.actions[..., None]).all()
    with torch.no_grad():
        flat = [tensor.flatten(0, 1) for tensor in (storage.obs, storage.masks, storage.actions)]
        _, logprobs, _, values = agent.get_action_and_value(*flat)
    assert torch.allclose(logprobs, storage.logprobs.flatten(), atol=1e-5)
    assert torch.allclose(values, storage.values.flatten(), atol=1e-5)
