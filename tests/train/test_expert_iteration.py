"""Expert iteration as a whole, on a small scale: what it leaves, that it learns, and that it refuses nonsense."""

from __future__ import annotations

from pathlib import Path

import pytest

import train.expert_iteration
from agents.load import load
from train.expert_config import PRESETS, ExpertConfig
from train.expert_iteration import main
from train.match import play_match

SMALL = [
    *("--labels", "2048", "--tables", "64", "--deals", "8", "--width", "32", "--minibatch", "256", "--threads", "2"),
    *("--seed", "3", "--eval-pairs", "4", "--final-pairs", "8", "--eval-every", "50", "--save-every", "50"),
]


def test_it_learns_and_leaves_a_player(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert main([*SMALL, "--updates", "12", "--out", str(out)]) == 0
    for name in (
        "config.json",
        "metrics.csv",
        "checkpoint.safetensors",
        "policy.safetensors",
        "curve.png",
        "results.json",
    ):
        assert (out / name).stat().st_size > 0, name
    result = play_match(load(f"file:{out / 'policy.safetensors'}"), load("random"), 128, 5)
    assert result.low > 40


def test_every_preset_is_a_config() -> None:
    assert all(isinstance(preset, ExpertConfig) and preset.preset == name for name, preset in PRESETS.items())


def test_an_unknown_setting_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        train.expert_iteration.main(["--nonsense", "1", "--out", str(tmp_path)])
    assert refused.value.code != 0
    assert "nonsense" in capsys.readouterr().err
