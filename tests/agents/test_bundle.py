"""Bundled players are made of runs by a command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env.players.policy_file import read_policy_file
from persian_rummy_env.players.tensor_file import read_tensor_file

pytest.importorskip("torch")

import train.selfplay
from tools import bundle

WORDS = (
    "--preset scratch --deals 4 --network.width 8 --network.blocks 1 --optim.minibatch 64 --threads 1 --eval.pairs 2 "
    "--eval.final-pairs 2 --eval.every 5 --updates 2 --seed 3"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train.run.main_process.warm_up", lambda *_: None)
        out = tmp_path_factory.mktemp("run") / "a"
        assert train.selfplay.main([*WORDS.split(), "--out", str(out)]) == 0
    return out


def test_a_run_becomes_a_bundled_player(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundle, "WEIGHTS", tmp_path)
    assert bundle.main([str(run), "tiny-1", "--commit", "1a2b3c4"]) == 0
    stored = read_tensor_file(tmp_path / "tiny-1.safetensors", "policy", {})
    given = read_policy_file(run / "policy.safetensors")
    assert {tensor.dtype.name for tensor in stored.tensors.values()} == {"float16"}
    for name, tensor in given.tensors.items():
        assert np.array_equal(stored.tensors[name], tensor.astype(np.float16))
    assert {name: stored.metadata[name] for name in given.metadata} == given.metadata
    assert stored.metadata["commit"] == "1a2b3c4"
    assert "M decisions in 0 minutes on 1 core" in stored.metadata["experience"]
    made_by = stored.metadata["made by"]
    assert made_by.startswith("python -m train.selfplay --preset scratch ")
    assert "--network.width 8" in made_by
    assert "--out" not in made_by
    capsys.readouterr()
    with pytest.raises(SystemExit):
        bundle.main([str(run), "tiny-1", "--commit", "1a2b3c4"])
    assert "a frozen name never changes" in capsys.readouterr().err


def test_the_command_in_the_header_makes_the_same_run(run: Path, tmp_path: Path) -> None:
    words = bundle.facts_of(run).made_by.split()[3:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train.run.main_process.warm_up", lambda *_: None)
        assert train.selfplay.main([*words, "--out", str(tmp_path / "b")]) == 0
    one, other = (read_policy_file(path / "policy.safetensors").tensors for path in (run, tmp_path / "b"))
    assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("name", "report"),
    [("Tiny", "expected lower case"), ("../tiny-1", "expected lower case"), ("tiny-2", "no such policy")],
)
def test_what_is_no_name_and_no_run_is_refused(
    name: str, report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundle, "WEIGHTS", tmp_path)
    with pytest.raises(SystemExit):
        bundle.main([str(tmp_path), name, "--commit", "1a2b3c4"])
    assert report in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
