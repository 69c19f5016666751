"""Another kind of network by the registry: it trains, is saved, resumed, played and exported like the first kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import train.dmc
import train.selfplay
from agents.inputs import DenseInputs
from agents.learned import policy_bytes, read_policy
from agents.network import KINDS, Actor, Critic
from persian_rummy_env.observation import BLOCK, SIZE
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.players.load import load
from persian_rummy_env.players.network_shape import Shape
from tests.train.runs import contents, rows
from train import export
from train.config.base import with_settings
from train.config.ppo import Config

SHAPE = Shape(width=16, blocks=1, kind="attention")
SMALL = [
    *("--network.kind", "attention", "--network.width", "16", "--network.blocks", "1", "--optim.minibatch", "64"),
    *("--deals", "4", "--threads", "2", "--seed", "3", "--save-every", "1"),
    *("--eval.pairs", "2", "--eval.final-pairs", "2", "--eval.every", "9"),
]


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


def test_an_attention_run_trains_and_resumes_bit_for_bit(tmp_path: Path):
    words = [*SMALL, "--preset", "quick", "--bc.fraction", "0.25", "--bc.batch-size", "64", "--updates", "4"]
    assert train.selfplay.main([*words, "--out", str(tmp_path / "a")]) == 0
    assert train.selfplay.main([*words, "--pause-after", "2", "--out", str(tmp_path / "b")]) == 0
    assert train.selfplay.main(["--resume", str(tmp_path / "b")]) == 0
    assert rows(tmp_path / "a") == rows(tmp_path / "b")
    one, other = (contents(tmp_path / name / "policy.safetensors")[0] for name in "ab")
    assert all(np.array_equal(tensor, other[name]) for name, tensor in one.items())
    assert all(float(row["ratio_error"]) < 1e-5 for row in rows(tmp_path / "a") if row["ratio_error"])
    policy = load(f"file:{tmp_path / 'a' / 'policy.safetensors'}")
    assert read_policy(tmp_path / "a" / "policy.safetensors").shape == SHAPE
    assert policy.rules == Config().rule_set
    start = ["--preset", "scratch", "--init-from", str(tmp_path / "a" / "policy.safetensors"), "--updates", "1"]
    assert train.selfplay.main([*SMALL, *start, "--out", str(tmp_path / "c")]) == 0


def test_deep_monte_carlo_takes_it(tmp_path: Path):
    assert train.dmc.main([*SMALL, "--updates", "2", "--out", str(tmp_path / "d")]) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_is_exported(tmp_path: Path, decisions):
    torch.manual_seed(0)
    actor = Actor(SHAPE)
    torch.nn.init.normal_(actor.last.weight, std=0.3)
    (tmp_path / "policy.safetensors").write_bytes(policy_bytes(actor, {}))
    assert export.main([str(tmp_path / "policy.safetensors"), "--out", str(tmp_path / "player.pt")]) == 0
    player = torch.jit.load(tmp_path / "player.pt")
    view, legal = decisions.view[:50, :SIZE], decisions.legal[:50]
    _, action = player(torch.from_numpy(view.copy()), torch.from_numpy(unpack_mask(legal).astype(np.int8)))
    assert np.array_equal(action.numpy(), actor.choose(DenseInputs.of(view, legal), None)[0])


@pytest.mark.parametrize("block", ["hand", "pile", "score", "declined_left"])
def test_zeroed_blocks_make_no_difference(block: str, decisions):
    torch.manual_seed(0)
    actor, columns = Actor(SHAPE), np.arange(BLOCK[block].offset, BLOCK[block].stop)
    torch.nn.init.normal_(actor.last.weight, std=1.0)
    view, legal = decisions.view[:100, :SIZE], decisions.legal[:100]
    other = view.copy()
    other[:, columns] ^= 1

    def differ() -> bool:
        before, after = (actor.log_p(DenseInputs.of(each, legal)) for each in (view, other))
        return not torch.equal(before, after)

    assert differ() == (block != "score")  # a block of other deals is not read
    actor.trunk.zero_inputs(columns)
    assert not differ()


def test_its_critic_reads_the_other_hands(decisions):
    torch.manual_seed(0)
    critic = Critic(SHAPE)
    torch.nn.init.normal_(critic.last.weight, std=1.0)
    view = decisions.view[:50].copy()
    before = critic(DenseInputs.of(view, decisions.legal[:50]))
    view[:, SIZE:] = 0
    assert (critic(DenseInputs.of(view, decisions.legal[:50])) != before).float().mean() > 0.9


def test_sizes_and_kinds_that_are_not_there_are_refused(tmp_path: Path):
    path = tmp_path / "policy.safetensors"
    path.write_bytes(policy_bytes(Actor(SHAPE), {}))
    for kind, trunk in KINDS.items():
        tensors = dict(Actor(Shape(16, 1, kind=kind)).state_dict())
        trunk.check({"width": 16, "blocks": 1}, tensors, "trunk.")
        for wrong in ({"width": 8, "blocks": 1}, {"width": 16, "blocks": 10**9}):
            with pytest.raises(ValueError, match="tensors have"):
                trunk.check(wrong, tensors, "trunk.")
    with pytest.raises(ValueError, match=r"atention.*attention"):
        with_settings(Config(), {"network.kind": "atention"})
