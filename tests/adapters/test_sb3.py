"""Stable-Baselines3: the batch as a VecEnv, the single environment in spawned workers, and MaskablePPO's masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: nox -s sb3")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import SubprocVecEnv

from persian_rummy_env import PersianRummyGymEnv, PersianRummyGymVectorEnv
from persian_rummy_env.adapters.sb3 import PersianRummySB3VecEnv


def single() -> PersianRummyGymEnv:
    return PersianRummyGymEnv(observation="flat", opponents="greedy")


def test_the_checker_of_sb3_is_content() -> None:
    check_env(single(), warn=True)


def test_masks_and_rewards_are_those_of_the_batch() -> None:
    """500 decisions a lane, bit for bit; ends, returns and last observations included."""
    envs, batch = PersianRummySB3VecEnv(3, opponents="greedy"), PersianRummyGymVectorEnv(3, observation="flat")
    envs.seed(5)
    assert (envs.reset() == batch.reset(seed=5)[0]).all()
    rng = np.random.default_rng(0)
    returns, ends = np.zeros(3), 0
    for _ in range(500):
        masks = get_action_masks(envs)
        assert (masks == batch.action_masks()).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        observation, rewards, done, infos = envs.step(actions)
        expected, earned, terminated, _, told = batch.step(actions)
        assert (observation == expected).all()
        assert (rewards == earned.astype(np.float32)).all()
        assert (done == terminated).all()
        returns += earned
        for lane in np.flatnonzero(done):
            ends += 1
            assert (infos[lane]["terminal_observation"] == told["final_obs"][lane]).all()
            assert infos[lane]["episode"]["r"] == pytest.approx(returns[lane])
            assert infos[lane]["TimeLimit.truncated"] is False
            returns[lane] = 0
    assert ends > 20


def test_a_cut_episode_says_so() -> None:
    envs = PersianRummySB3VecEnv(2, opponents="greedy", max_decisions=20)
    envs.seed(1)
    envs.reset()
    cut = 0
    for _ in range(30):
        _, _, done, infos = envs.step(np.array([np.flatnonzero(mask)[-1] for mask in get_action_masks(envs)]))
        cut += sum(infos[lane]["TimeLimit.truncated"] for lane in np.flatnonzero(done))
    assert cut > 0


@pytest.mark.parametrize("workers", ["batch", "spawn"])
def test_it_learns_and_its_first_ratio_is_one(workers: str) -> None:
    envs: Any = PersianRummySB3VecEnv(4) if workers == "batch" else SubprocVecEnv([single] * 2, start_method="spawn")
    try:
        assert is_masking_supported(envs)
        # One minibatch of the whole rollout, once: its ratios are all first ratios.
        size = 256
        model = MaskablePPO("MlpPolicy", envs, n_steps=size // envs.num_envs, batch_size=size, n_epochs=1, seed=1)
        before = model.policy.action_net.weight.detach().clone()
        model.learn(size)
        logged = model.logger.name_to_value
        assert logged["train/clip_fraction"] == 0
        assert abs(logged["train/approx_kl"]) < 1e-6
        assert np.isfinite(logged["train/loss"])
        assert (model.policy.action_net.weight != before).any()
    finally:
        envs.close()


def test_prediction_keeps_to_the_mask() -> None:
    tables = PersianRummyGymVectorEnv(32, observation="flat")
    model = MaskablePPO("MlpPolicy", PersianRummySB3VecEnv(2), n_steps=8, batch_size=16)
    observation, _ = tables.reset(seed=1)
    for _ in range(40):
        masks = tables.action_masks()
        actions, _ = model.predict(observation, action_masks=masks, deterministic=False)
        assert masks[np.arange(32), actions].all()
        observation, *_ = tables.step(actions)
