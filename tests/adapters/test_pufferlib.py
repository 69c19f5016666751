"""PufferLib 3: the native environment against the Gymnasium batch that it stands on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pufferlib", reason="PufferLib is not installed: nox -s pufferlib")

import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pufferlib.pytorch
    import pufferlib.vector

    from persian_rummy_env.adapters.pufferlib import MASK, MaskedPolicy, PersianRummyPuffer

from persian_rummy_env import PersianRummyGymVectorEnv
from persian_rummy_env.observation import SIZE


def pick(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(row[MASK])) for row in rows], dtype=np.int32)


@pytest.mark.parametrize("options", [{}, {"max_decisions": 30}])
def test_rows_are_those_of_the_gymnasium_batch(options: dict[str, Any]) -> None:
    """500 steps: observations and masks bit for bit, rewards, ends, and the returns that it tells."""
    env = PersianRummyPuffer(4, log_interval=1, **options)
    batch = PersianRummyGymVectorEnv(4, raw=True, **options)
    rows, _ = env.reset(seed=5)
    expected, _ = batch.reset(seed=5)
    rng = np.random.default_rng(0)
    running, report = np.zeros(4), 0
    for _ in range(500):
        assert env.single_observation_space.contains(rows[0])
        assert (rows[:, :SIZE] == expected["observation"]).all()
        assert (rows[:, MASK] == expected["action_mask"]).all()
        actions = pick(rows, rng)
        rows, rewards, terminals, truncations, infos = env.step(actions)
        expected, earned, terminated, truncated, _ = batch.step(actions)
        assert (rewards == earned.astype(np.float32)).all()
        assert (terminals == terminated).all()
        assert (truncations == truncated).all()
        running += earned
        ended = terminated | truncated
        if ended.any():
            [info] = infos
            assert info["points_a_deal"] == pytest.approx(100 * running[ended].mean())
            report += int(info["deals"])
            running[ended] = 0
    assert report > 20


def test_the_librarys_own_vector_plays_it() -> None:
    tables = pufferlib.vector.make([PersianRummyPuffer] * 2, [[]] * 2, [{"num_tables": 8}] * 2, "Serial", num_envs=2)
    rows, _ = tables.reset(seed=1)
    assert rows.shape == (16, SIZE + 547)
    assert (rows[:8] != rows[8:]).any()
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(80):
        rows, _, terminals, _, _ = tables.step(pick(rows, rng))
        ended += int(terminals.sum())
    assert ended > 8
    tables.close()


def test_the_policy_masks_where_the_library_samples_and_where_it_learns() -> None:
    tables = PersianRummyPuffer(64)
    rows, _ = tables.reset(seed=1)
    policy = MaskedPolicy(16)
    for _ in range(30):
        seen = torch.as_tensor(rows)
        logits, values = policy.forward_eval(seen, {})
        actions, log_probs, entropy = pufferlib.pytorch.sample_logits(logits)
        assert rows[:, MASK][np.arange(64), actions.numpy()].all()
        assert values.shape == (64, 1)
        _, again, _ = pufferlib.pytorch.sample_logits(policy(seen, {})[0], action=actions)
        assert (again.reshape(-1) == log_probs.reshape(-1)).all()
        assert torch.isfinite(entropy).all()
        rows, *_ = tables.step(actions.numpy())
