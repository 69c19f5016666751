"""What the tests of the training share: one thread an operation, and decisions of real deals."""

from typing import NamedTuple

import numpy as np
import pytest
import torch

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.players.inputs import SIZE, VIEW_SIZE, write_hidden_hands


class Decisions(NamedTuple):
    """Of random play: ``view`` (k, VIEW_SIZE) uint8, ``legal`` (k, 9) uint64, ``mask`` (k, 547) bool."""

    view: np.ndarray
    legal: np.ndarray
    mask: np.ndarray


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def decisions():
    """Some 1,400 decisions with more than one legal action, from all parts of deals."""
    env = PersianRummyVecEnv(48, episode="deal", seed=5)
    now = env.reset()
    parts = []
    for _ in range(45):
        lanes = np.flatnonzero(now.action_mask.sum(axis=1) > 1)
        view = np.empty((len(lanes), VIEW_SIZE), dtype=np.uint8)
        view[:, :SIZE] = now.observation[lanes]
        write_hidden_hands(env.get_state()["hand"][lanes], now.seat[lanes], view)
        parts.append((view, env.packed_mask[lanes], now.action_mask[lanes].astype(bool)))
        now = env.step(env.sample_actions())
    return Decisions(*(np.concatenate(column) for column in zip(*parts, strict=True)))
