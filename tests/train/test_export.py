"""Exported players: files that run where this repository is not, and say what the network says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.inputs import MASKED, DenseInputs
from agents.learned import policy_bytes, read_policy
from agents.network import Actor
from agents.trunk import Residual
from persian_rummy_env.players.inputs import SIZE
from persian_rummy_env.players.load import load
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.players.policy_file import read_policy_file
from persian_rummy_env.players.tensor_file import read_tensor_file
from train.export import Standalone, main

TORCHSCRIPT = """
import sys
import numpy as np, torch
player = torch.jit.load(sys.argv[1])
rows = np.load(sys.argv[2])
logits, action = player(torch.from_numpy(rows["observation"]), torch.from_numpy(rows["mask"]))
np.savez(sys.argv[3], logits=logits.detach().numpy(), action=action.numpy())
assert not {"agents", "train", "persian_rummy_env", "numba"} & set(sys.modules)
"""
ONNX = """
import sys
import numpy as np, onnxruntime
player = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
rows = np.load(sys.argv[2])
logits, action = player.run(["logits", "action"], {"observation": rows["observation"], "action_mask": rows["mask"]})
np.savez(sys.argv[3], logits=logits, action=action)
assert not {"agents", "train", "persian_rummy_env", "numba", "torch"} & set(sys.modules)
"""


@pytest.fixture(params=[False, True], ids=["deals", "games"])
def actor(request: pytest.FixtureRequest) -> Actor:
    torch.manual_seed(1)
    actor = Actor(Shape(32, 2, games=request.param))
    for parameter in actor.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return actor


@pytest.mark.parametrize(("form", "program"), [("torchscript", TORCHSCRIPT), ("onnx", ONNX)])
def test_it_says_what_the_network_says_away_from_the_repository(
    actor: Actor, form: str, program: str, decisions, tmp_path: Path
):
    if form == "onnx" and not all(importlib.util.find_spec(name) for name in ("onnx", "onnxscript", "onnxruntime")):
        pytest.skip("needs the group `export`")
    policy, out, rows, said = (tmp_path / name for name in ("p.safetensors", "player", "rows.npz", "said.npz"))
    policy.write_bytes(policy_bytes(actor, {}))
    assert main([str(policy), "--format", form, "--out", str(out)]) == 0
    view = decisions.view[:300, :SIZE].copy()
    np.savez(rows, observation=view, mask=decisions.mask[:300].astype(np.int8))
    run = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", program, out, rows, said],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answer = np.load(said)
    dense = DenseInputs.of(view, decisions.legal[:300])
    logits = actor.last(actor.trunk(dense)).detach().numpy()
    mask = decisions.mask[:300]
    assert np.allclose(answer["logits"][mask], logits[mask], atol=1e-3)
    assert (answer["logits"][~mask] == MASKED).all()
    assert np.array_equal(answer["action"], actor.choose(dense, None)[0])
    assert len(set(answer["action"].tolist())) > 20


class Gated(Residual):
    """A block of a type that an export never heard of."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.linear(x).tanh() * torch.sigmoid(self.norm(x))


def test_a_new_type_of_block_is_exported_as_it_plays(actor: Actor, decisions):
    actor.trunk.blocks[1] = Gated(32)
    dense = DenseInputs.of(decisions.view[:300, :SIZE], decisions.legal[:300])
    logits, action = Standalone(actor)(dense.view, dense.mask.to(torch.int8))
    assert torch.equal(logits[dense.mask], actor.last(actor.trunk(dense))[dense.mask])
    assert np.array_equal(action.numpy(), actor.choose(dense, None)[0])


def test_where_nothing_is_legal_an_export_says_so(actor: Actor, decisions):
    mask = torch.from_numpy(decisions.mask[:5].astype(np.int8))
    mask[3] = 0
    _, action = Standalone(actor)(torch.from_numpy(decisions.view[:5, :SIZE].copy()), mask)
    assert [int(each) == -1 for each in action] == [False, False, False, True, False]


def test_a_policy_file_of_float16_is_half_as_long_and_plays_its_rounded_weights(actor: Actor, tmp_path: Path):
    policy, half, whole = (tmp_path / name for name in ("p.safetensors", "half.safetensors", "whole.safetensors"))
    policy.write_bytes(policy_bytes(actor, {"rules": '{"deals": 2}', "made by": "hand"}))
    assert main([str(policy), "--format", "policy", "--dtype", "float16", "--out", str(half)]) == 0
    assert main([str(policy), "--format", "policy", "--out", str(whole)]) == 0
    assert half.stat().st_size < 0.55 * policy.stat().st_size
    stored, read, given = read_tensor_file(half, "policy", {}), read_policy_file(half), read_policy_file(policy)
    assert stored.digest
    assert read.metadata == given.metadata
    for name, tensor in given.tensors.items():
        assert np.array_equal(read_policy_file(whole).tensors[name], tensor)
        rounded = tensor.astype(np.float16)
        assert stored.tensors[name].dtype == np.float16
        assert read.tensors[name].dtype == np.float32
        assert np.array_equal(read.tensors[name], rounded.astype(np.float32))
        assert not np.array_equal(rounded, tensor) or not tensor.any()
    assert np.array_equal(read_policy(half).last.weight.detach().numpy(), read.tensors["last.weight"])
    assert load(f"file:{half}").rules == load(f"file:{policy}").rules


def test_weights_beyond_the_range_of_float16_are_refused(
    actor: Actor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    policy, out = tmp_path / "p.safetensors", tmp_path / "half.safetensors"
    with torch.no_grad():
        actor.last.weight[3, 3] = 70_000.0
    policy.write_bytes(policy_bytes(actor, {}))
    for words, told in ((["--format", "policy"], "last.weight"), (["--format", "onnx"], "expected --format policy")):
        with pytest.raises(SystemExit):
            main([str(policy), *words, "--dtype", "float16", "--out", str(out)])
        assert told in capsys.readouterr().err
        assert not out.exists()


def test_a_bundled_policy_is_exported_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "player.safetensors"
    assert main(["champion", "--format", "policy", "--out", str(out)]) == 0
    assert load(f"file:{out}").rules == load("champion").rules
    assert capsys.readouterr().err == f"wrote {out}\n"


def test_what_cannot_be_exported_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str], actor: Actor):
    policy = tmp_path / "p.safetensors"
    for words, told in (
        ([str(policy), "--out", str(tmp_path / "x")], "no such policy file"),
        ([str(policy), "--out", str(tmp_path / "x"), "--format", "pickle"], "pickle"),
    ):
        with pytest.raises(SystemExit) as refused:
            main(words)
        assert refused.value.code not in (0, None)
        assert told in capsys.readouterr().err
    policy.write_bytes(policy_bytes(actor, {}))
    with pytest.raises(SystemExit):
        main([str(policy), "--out", str(tmp_path / "none" / "x")])
    assert "there is no folder" in capsys.readouterr().err


def test_a_missing_library_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], actor: Actor, monkeypatch: pytest.MonkeyPatch
):
    policy = tmp_path / "p.safetensors"
    policy.write_bytes(policy_bytes(actor, {}))
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(SystemExit) as refused:
        main([str(policy), "--format", "onnx", "--out", str(tmp_path / "x")])
    assert refused.value.code not in (0, None)
    assert "pip install onnx onnxscript" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
