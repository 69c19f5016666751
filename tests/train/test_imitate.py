"""Imitation: what the bot says is what is learnt, and the player goes on in self-play."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import train.data.labels
import train.imitate
import train.selfplay
from agents.inputs import DenseInputs
from persian_rummy_env.players.load import load
from tests.train.runs import contents
from train.algorithms.cloning import clone
from train.algorithms.learner import NetworkLearner
from train.config.base import with_settings
from train.config.imitate import ImitateConfig
from train.data.labels import LabelCollector, by_bot
from train.imitate import PRESETS, Imitation, main
from train.run import log
from train.scale.shards import Shards

CPU = torch.device("cpu")
CONFIG = with_settings(
    ImitateConfig(),
    {"deals": 96, "threads": 2, "network.width": 32, "optim.minibatch": 128, "seed": 3, "optim.lr": (3e-3, 3e-3)},
)
SMALL = [
    *(
        "--deals",
        "64",
        "--imitate.batch-size",
        "1024",
        "--network.width",
        "32",
        "--optim.minibatch",
        "256",
        "--threads",
        "2",
        "--seed",
        "3",
    ),
    *("--eval.pairs", "4", "--eval.final-pairs", "8", "--eval.every", "50", "--save-every", "1"),
]


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions are compiled by the tests themselves."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


def test_choices_are_learnt_in_every_order_of_the_suits():
    pupil = NetworkLearner.of_actor(CONFIG, CPU, Shards(2))
    tables = LabelCollector(CONFIG, 0, 96, CPU, 0.1)
    lessons = tables.collect(pupil.actor, 600, by_bot("expert"))
    told = [clone(pupil, lessons, 3e-3, 1, permute_suits=True) for _ in range(60)]
    assert told[-1]["bc_loss"] < 0.6 * told[0]["bc_loss"]
    assert told[-1]["agreement"] > told[0]["agreement"] + 0.2


def test_it_resumes_bit_for_bit_and_goes_on_in_self_play(tmp_path: Path):
    one, two, on = tmp_path / "one", tmp_path / "two", tmp_path / "on"
    assert main([*SMALL, "--updates", "10", "--out", str(one)]) == 0
    assert main([*SMALL, "--updates", "10", "--pause-after", "4", "--out", str(two)]) == 0
    assert main(["--resume", str(two)]) == 0
    (ours, says), (theirs, expected) = (contents(out / "checkpoint.safetensors") for out in (two, one))
    assert [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert says["streams"] == expected["streams"]
    table = log.read(one / log.FILE)
    assert float(table[-1]["agreement"]) > float(table[0]["agreement"]) + 0.02
    policy = one / "policy.safetensors"
    words = [
        "--preset",
        "scratch",
        "--deals",
        "8",
        "--network.width",
        "32",
        "--optim.minibatch",
        "128",
        "--updates",
        "1",
        "--eval.final-pairs",
        "4",
    ]
    assert train.selfplay.main([*words, "--eval.pairs", "4", "--init-from", str(policy), "--out", str(on)]) == 0
    assert load(f"file:{on / 'policy.safetensors'}").rules == ImitateConfig().rule_set


def test_the_preset_starts():
    assert ImitateConfig.from_dict(PRESETS["quick"].as_dict()) == PRESETS["quick"]
    Imitation(PRESETS["quick"]).close()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"imitate.teacher": "experd"}, "did you mean 'expert'"),
        ({"imitate.teacher": "file:no/such"}, "no such policy file"),
        ({"imitate.batch_size": 0}, "imitate.batch_size=0"),
        ({"imitate.epsilon": 2.0}, "2.0"),
    ],
)
def test_nonsense_is_refused_by_name(wrong: dict, told: str):
    with pytest.raises(ValueError, match=told):
        with_settings(CONFIG, wrong)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_logged_is_of_every_decision(threads: int):
    """The loss and the agreement of one minibatch, from the network's own probabilities."""
    pupil = NetworkLearner.of_actor(with_settings(CONFIG, {"optim.minibatch": 4096}), CPU, Shards(threads))
    torch.nn.init.normal_(pupil.actor.last.weight, std=0.3)
    lessons = LabelCollector(CONFIG, 0, 96, CPU, 0.1).collect(pupil.actor, 300, by_bot("expert"))
    chosen = torch.from_numpy(lessons.action)
    log_p = pupil.actor.log_p(DenseInputs.of(lessons.view, lessons.legal)).detach()
    told = clone(pupil, lessons, 1e-3, 1, permute_suits=False)
    assert told["bc_loss"] == pytest.approx(float(-log_p[torch.arange(len(chosen)), chosen].mean()), rel=1e-4)
    assert told["agreement"] == pytest.approx(float((log_p.argmax(1) == chosen).float().mean()), abs=1e-6)
