"""Damaged files of training: each ends in the right value or in one clear line, and changes no file.

In the normal run some of each format; ``-m slow`` has 200 of each.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.learned import read_policy
from experiments import tune
from persian_rummy_env.core.expert import EXPERT_WEIGHTS
from persian_rummy_env.system.run_folder import FolderError
from tests.damage import BYTES, HEADER, JSON, TABLE, damages
from tests.train.damaged import TINY, files_of
from train.run import log
from train.run.checkpoint import Checkpoint
from train.selfplay import main

CONFIG = tune.TuneConfig(population=8, elite=2, pairs=32, threads=1, against=("greedy",))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train.run.main_process.warm_up", lambda *_: None)
        assert main([*TINY, "--updates", "4", "--pause-after", "2", "--out", str(out)]) == 0
    return out


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch):
    """A run that gets as far as its first update got past every check of its files; it need not play."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


def counted(few: int) -> Any:
    """So many damages in the normal run, and 200 in the slow one."""
    return pytest.mark.parametrize("count", [few, pytest.param(200, marks=pytest.mark.slow)])


def damaged_copies(whole: Path, name: str, count: int, kinds: Mapping[str, Any], out: Path) -> Iterator[str]:
    """Copies of a run's folder, one after the other, in which a file is damaged; what was done to it."""
    for damage in damages((whole / name).read_bytes(), count, seed=5, kinds=kinds):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(whole, out)
        (out / name).write_bytes(damage.content)
        yield damage.name


@counted(40)
def test_policies(whole: Path, tmp_path: Path, count: int):
    path, expected = tmp_path / "policy.safetensors", read_policy(whole / "policy.safetensors").state_dict()
    for damage in damages((whole / "policy.safetensors").read_bytes(), count, kinds={**BYTES, **HEADER}):
        path.write_bytes(damage.content)
        said = ""
        try:
            found = read_policy(path).state_dict()
        except ValueError as error:
            said = str(error)
        else:
            assert all(torch.equal(found[name], tensor) for name, tensor in expected.items()), damage.name
        assert not said or said.startswith(f"{path}: "), damage.name
        assert "\n" not in said, damage.name


def after(out: Path) -> tuple[Any, list[dict[str, str]], dict[str, bytes]]:
    """What a resumed run came to: its tensors, its log without what hangs on the clock, its best copy."""
    rows = [{k: v for k, v in row.items() if k not in log.TIMED} for row in log.read(out / "metrics.csv")]
    tensors = {name: tensor.numpy().tobytes() for name, tensor in Checkpoint.read(out).tensors.items()}
    best = read_policy(out / "best.safetensors").state_dict()
    return tensors, rows, {name: tensor.numpy().tobytes() for name, tensor in best.items()}


def tried(
    whole: Path, name: str, count: int, kinds: Mapping[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = tmp_path / "right"
    shutil.copytree(whole, right)
    assert main(["--resume", str(right), "--pause-after", "3"]) == 0
    out = tmp_path / "damaged"
    for damage in damaged_copies(whole, name, count, kinds, out):
        before = files_of(out)
        try:
            status = main(["--resume", str(out), "--pause-after", "3"])
        except SystemExit as left:
            status = left.code
        said = capsys.readouterr().err
        if status == 0:
            assert after(out) == after(right), damage
        else:
            assert status == 1, damage
            assert said.startswith("error: "), (damage, said)
            assert said.count("\n") == 1, (damage, said)
            assert name in said, (damage, said)
            assert files_of(out) == before, damage


@counted(20)
@pytest.mark.parametrize("name", ["checkpoint.safetensors", "best.safetensors"])
def test_checkpoints_and_best_copies(whole: Path, name: str, count: int, tmp_path: Path, capsys):
    tried(whole, name, count, {**BYTES, **HEADER}, tmp_path, capsys)


@counted(8)
def test_configs(whole: Path, count: int, tmp_path: Path, capsys):
    tried(whole, "config.json", count, {**BYTES, **JSON}, tmp_path, capsys)


@counted(20)
def test_logs(whole: Path, count: int, tmp_path: Path, capsys):
    tried(whole, "metrics.csv", count, {**BYTES, **TABLE}, tmp_path, capsys)


@counted(40)
def test_weights_of_tuning(tmp_path: Path, count: int):
    config = replace(CONFIG, out=tmp_path)
    spread = np.linspace(0.1, 2, len(EXPERT_WEIGHTS))
    tune.write_weights(tmp_path, config, 3, EXPERT_WEIGHTS, spread)
    path = tmp_path / tune.FILE
    for damage in damages(path.read_bytes(), count, kinds={**BYTES, **JSON}):
        path.write_bytes(damage.content)
        said = ""
        try:
            generation, mean, wide = tune.start(config)
        except FolderError as error:
            said = str(error)
        else:
            assert generation == 3, damage.name
            assert np.array_equal(mean, EXPERT_WEIGHTS), damage.name
            assert np.array_equal(wide, spread), damage.name
        assert not said or said.startswith(f"{path}: "), damage.name
        assert "\n" not in said, damage.name
