"""Blocks of the observation that are not read: play does not hang on them, also after training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import train.selfplay
from agents.learned import read_policy
from agents.network import DenseRows
from persian_rummy_env.observation import BLOCK
from tests.train.conftest import Decisions
from train.config.settings import Config

UNREAD = ("declined_left", "declined_partner", "declined_right")
BYTES = np.concatenate([np.arange(BLOCK[name].offset, BLOCK[name].stop) for name in UNREAD])
SMALL = [
    *("--taught", "0.5", "--lessons", "512", "--deals", "16", "--width", "16", "--minibatch", "128", "--updates", "4"),
    *("--critic-updates", "0", "--threads", "2", "--seed", "3", "--eval-pairs", "2", "--final-pairs", "2"),
    *("--pool-after", "0", "--pool-every", "1", "--lr", "1e-2", "1e-2"),
]


@pytest.mark.parametrize("unread", [UNREAD, ()], ids=["unread", "read"])
def test_a_player_that_does_not_read_a_block(
    unread: tuple[str, ...], decisions: Decisions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(train.selfplay, "warm_up", lambda *_: None)
    words = ["--unread", *unread] if unread else []
    assert train.selfplay.main([*SMALL, *words, "--out", str(tmp_path)]) == 0
    actor = read_policy(tmp_path / "policy.safetensors")
    other = decisions.view.copy()
    other[:, BYTES] ^= 1
    before, after = (
        actor.log_p(DenseRows.of(view, decisions.legal)).detach().numpy() for view in (decisions.view, other)
    )
    assert np.array_equal(before, after) == bool(unread)


def test_blocks_have_names():
    assert np.array_equal(replace(Config(), unread=UNREAD).unread_bytes, BYTES)
    with pytest.raises(ValueError, match=r"declined_lift.*declined_left"):
        replace(Config(), unread=("declined_lift",))
