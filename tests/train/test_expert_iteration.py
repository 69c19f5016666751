"""Expert iteration as a whole, on a small scale: what it leaves, that it learns, and that it refuses nonsense."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

import train.expert_iteration
import train.selfplay
from agents.load import load
from train import log
from train.expert_config import PRESETS, STAGES, ExpertConfig
from train.expert_iteration import COLUMNS, main
from train.match import play_match

SMALL = [
    *("--labels", "2048", "--tables", "64", "--deals", "8", "--width", "32", "--minibatch", "256", "--threads", "2"),
    *("--seed", "3", "--eval-pairs", "4", "--final-pairs", "8", "--eval-every", "50", "--save-every", "50"),
]

STAGED = [
    *("--labels", "256", "--tables", "32", "--deals", "4", "--width", "16", "--minibatch", "128", "--threads", "2"),
    *("--imitate", "0.25", "--ppo", "0.5", "--critic", "0.25", "--plies", "6", "--updates", "8"),
    *("--seed", "3", "--eval-pairs", "4", "--final-pairs", "4", "--eval-every", "3", "--save-every", "1"),
]
"""Two updates of each stage."""


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions are compiled by the tests themselves."""
    monkeypatch.setattr(train.expert_iteration, "warm_up", lambda *_: None)


def contents(out: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    with safe_open(out / "checkpoint.safetensors", framework="numpy") as file:
        says = {name: text for name, text in (file.metadata() or {}).items() if name not in ("config", "counters")}
        return {name: file.get_tensor(name) for name in file.keys()}, says  # noqa: SIM118 (it is no mapping)


def rows(out: Path) -> list[dict[str, str]]:
    timed = (*log.TIMED, "labels_per_second")
    return [{k: v for k, v in row.items() if k not in timed} for row in log.read(out / log.FILE, COLUMNS)]


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


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "straight"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train.expert_iteration, "warm_up", lambda *_: None)
        assert main([*STAGED, "--out", str(out)]) == 0
    return out


def test_the_stages_follow_each_other(straight: Path) -> None:
    table = rows(straight)
    assert [row["stage"] for row in table] == ["0", "0", "1", "1", "2", "2", "3", "3"]
    assert all((row["labels"] != "") == (row["stage"] in "01") for row in table)
    assert all((row["policy_loss"] != "") == (row["stage"] in "23") for row in table)
    assert [float(row["lr"]) for row in table[:4]] == pytest.approx([2e-3 + (3e-5 - 2e-3) * k / 4 for k in range(4)])
    assert [float(row["lr"]) for row in table[6:]] == pytest.approx([2e-4, (2e-4 + 3e-5) / 2])
    assert [row["actor_norm"] != "" for row in table] == [True] * 4 + [False] * 2 + [True] * 2


@pytest.mark.parametrize("after", [1, 2, 4, 5, 6])
def test_stopped_and_resumed_is_the_same_run_bit_for_bit(straight: Path, tmp_path: Path, after: int) -> None:
    out = tmp_path / "halves"
    assert main([*STAGED, "--pause-after", str(after), "--out", str(out)]) == 0
    assert len(rows(out)) == after
    assert main(["--resume", str(out)]) == 0
    (tensors, says), (expected, expected_says) = contents(out), contents(straight)
    assert tensors.keys() == expected.keys()
    assert [name for name in tensors if not np.array_equal(tensors[name], expected[name])] == []
    assert says == expected_says
    assert rows(out) == rows(straight)


def test_a_run_of_self_play_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "other")
    small = ["--deals", "4", "--width", "16", "--updates", "1", "--eval-pairs", "1", "--final-pairs", "1"]
    assert train.selfplay.main([*small, "--out", out]) == 0
    with pytest.raises(SystemExit) as refused:
        main(["--resume", out])
    assert refused.value.code == 1
    assert "missing settings" in capsys.readouterr().err


def test_shares_of_the_budget() -> None:
    config = replace(PRESETS["quick"], imitate=0.2, ppo=0.4, critic=0.1)
    at = {0.0: 0, 0.19: 0, 0.2: 1, 0.59: 1, 0.6: 2, 0.69: 2, 0.7: 3, 1.0: 3}
    assert {progress: STAGES.index(config.stage(progress)) for progress in at} == at
    assert [config.way(progress) for progress in (0.0, 0.3, 0.6, 0.65, 0.85)] == pytest.approx([0, 0.5, 0, 0, 0.5])
    assert replace(config, ppo=0.0, critic=0.0).stage(1.0) == "ppo"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"imitate": 0.7, "ppo": 0.4}, "imitate=0.7, ppo=0.4"),
        ({"ppo": 0.1, "critic": 0.2}, "critic=0.2"),
        ({"near": "experd"}, "near='experd': expected a bot"),
        ({"worlds": 0}, "worlds=0"),
        ({"objective": "win"}, "objective='win': labels are points"),
        ({"random_share": 1.5}, "random_share=1.5"),
        ({"temperature": 0.0}, "temperature=0.0"),
        ({"label_lr": (1e-3, 0.0)}, "label_lr"),
        ({"tables": 1, "threads": 2}, "tables=1, threads=2"),
        ({"lr": (-1.0, 0.0)}, "lr="),
    ],
)
def test_nonsense_is_refused_by_name(settings: dict, told: str) -> None:
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        replace(PRESETS["quick"], **settings)


def test_it_starts_as_the_player_it_is_given(straight: Path, tmp_path: Path) -> None:
    """With a rate of learning that moves nothing, what comes out is what went in."""
    out, given = tmp_path / "on", straight / "policy.safetensors"
    still = ["--label-lr", "1e-30", "1e-30", "--ppo", "0", "--critic", "0", "--imitate", "1"]
    assert main([*STAGED, *still, "--updates", "1", "--seed", "9", "--start", str(given), "--out", str(out)]) == 0
    with safe_open(out / "policy.safetensors", "numpy") as ours, safe_open(given, "numpy") as theirs:
        names = set(theirs.keys())
        assert names == set(ours.keys())
        assert [name for name in names if not np.allclose(ours.get_tensor(name), theirs.get_tensor(name))] == []
