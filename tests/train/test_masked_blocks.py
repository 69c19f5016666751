"""Blocks of the observation that are not read: play does not hang on them, also after training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import train.selfplay
from agents.inputs import DenseInputs
from agents.learned import read_policy
from experiments.shared import masked_training
from persian_rummy_env.observation import BLOCK
from tests.train.conftest import Decisions

BYTES = np.concatenate([np.arange(BLOCK[name].offset, BLOCK[name].stop) for name in masked_training.BLOCKS])
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


@pytest.mark.parametrize("masked", [True, False], ids=["masked", "read"])
def test_a_player_that_does_not_read_a_block(
    masked: bool, decisions: Decisions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    script = masked_training if masked else train.selfplay
    words = [*SMALL, "--out", str(tmp_path)]
    assert script.main([*words, "--pause-after", "3"]) == 0
    assert script.main(["--resume", str(tmp_path)]) == 0
    actor = read_policy(tmp_path / "policy.safetensors")
    other = decisions.view.copy()
    other[:, BYTES] ^= 1
    before, after = (
        actor.log_p(DenseInputs.of(view, decisions.legal)).detach().numpy() for view in (decisions.view, other)
    )
    assert np.array_equal(before, after) == masked


def test_a_masked_run_is_resumed_by_its_own_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    assert masked_training.main([*SMALL, "--pause-after", "1", "--out", str(tmp_path)]) == 0
    with pytest.raises(SystemExit):
        train.selfplay.main(["--resume", str(tmp_path)])
    assert f"python -m experiments.shared.masked_training --resume {tmp_path}" in capsys.readouterr().err
