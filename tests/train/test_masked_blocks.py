"""Blocks of the observation that are not read: play does not hang on them, also after training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import train.selfplay
from agents.inputs import DenseInputs
from agents.learned import read_policy
from persian_rummy_env.observation import BLOCK
from tests.train.conftest import Decisions
from train.config.base import with_settings
from train.config.ppo import Config

MASKED = ("declined_left", "declined_partner", "declined_right")
BYTES = np.concatenate([np.arange(BLOCK[name].offset, BLOCK[name].stop) for name in MASKED])
SMALL = [
    *(
        "--bc.fraction",
        "0.5",
        "--bc.batch-size",
        "512",
        "--deals",
        "16",
        "--network.width",
        "16",
        "--optim.minibatch",
        "128",
        "--updates",
        "4",
    ),
    *(
        "--ppo.critic-warmup-updates",
        "0",
        "--threads",
        "2",
        "--seed",
        "3",
        "--eval.pairs",
        "2",
        "--eval.final-pairs",
        "2",
    ),
    *("--pool.after", "0", "--pool.every", "1", "--optim.lr", "1e-2", "1e-2"),
]


@pytest.mark.parametrize("masked", [MASKED, ()], ids=["masked", "read"])
def test_a_player_that_does_not_read_a_block(
    masked: tuple[str, ...], decisions: Decisions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(train.selfplay, "warm_up", lambda *_: None)
    assert train.selfplay.main([*SMALL, "--out", str(tmp_path)], masked_blocks=masked) == 0
    actor = read_policy(tmp_path / "policy.safetensors")
    other = decisions.view.copy()
    other[:, BYTES] ^= 1
    before, after = (
        actor.log_p(DenseInputs.of(view, decisions.legal)).detach().numpy() for view in (decisions.view, other)
    )
    assert np.array_equal(before, after) == bool(masked)


def test_blocks_have_names():
    assert np.array_equal(with_settings(Config(), {"masked_blocks": MASKED}).masked_bytes, BYTES)
    with pytest.raises(ValueError, match=r"declined_lift.*declined_left"):
        with_settings(Config(), {"masked_blocks": ("declined_lift",)})
