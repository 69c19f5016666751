"""Deep Monte Carlo: what is regressed, what is played, that it learns, and that it goes on exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.inputs import DenseInputs
from agents.network import Actor
from persian_rummy_env.observation import blocks_of
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.players.inputs import SIZE, SparseInputs
from tests.train.runs import contents
from train.config.base import with_settings
from train.config.dmc import PRESETS, DmcConfig
from train.dmc import DeepMonteCarlo, EpsilonCollector, ValueLearner, main, uniform
from train.run import log
from train.scale.shards import Shards

CPU = torch.device("cpu")
CONFIG = with_settings(DmcConfig(), {"deals": 24, "threads": 2, "network.width": 32, "optim.minibatch": 256, "seed": 3})
DEALS = np.arange(24)
SMALL = [
    *("--deals", "8", "--network.width", "16", "--optim.minibatch", "128", "--threads", "2", "--seed", "3"),
    *("--eval.pairs", "4", "--eval.final-pairs", "8", "--eval.every", "3", "--save-every", "1"),
]


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions are compiled by the tests themselves."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


def actor() -> Actor:
    torch.manual_seed(1)
    made = Actor(CONFIG.shape)
    torch.nn.init.normal_(made.last.weight, std=0.3)
    return made


def test_the_target_is_the_final_margin_less_what_lies_on_the_table():
    returns = EpsilonCollector(CONFIG, 24, CPU).collect(actor(), DEALS, 0.1, 1.0)
    blocks = blocks_of(returns.view)
    us, them = (blocks[f"points_bits_{who}"] @ (2.0 ** np.arange(10)) for who in ("us", "them"))
    final = returns.target + us - them
    assert np.isin(np.abs(np.rint(final)), np.abs(returns.margin)).all()
    assert np.abs(final - np.rint(final)).max() < 1e-3
    assert len(np.unique(np.rint(final))) > 20
    assert np.abs(returns.margin).max() > 20


@pytest.mark.parametrize(("epsilon", "share"), [(0.0, (1, 1)), (0.3, (0.6, 0.95)), (1.0, (0.05, 0.6))])
def test_the_best_is_played_but_for_some_at_random(epsilon: float, share: tuple[float, float]):
    network = actor()
    returns = EpsilonCollector(CONFIG, 24, CPU).collect(network, DEALS, epsilon, 50.0)
    mask = unpack_mask(returns.legal).astype(bool)
    assert mask[np.arange(len(returns)), returns.action].all()
    best = network.choose(SparseInputs.of(returns.view, returns.legal), None)[0]
    assert share[0] <= (best == returns.action).mean() <= share[1]


def test_what_is_random_is_uniform_over_legal_actions(decisions):
    row = int(np.flatnonzero(decisions.mask.sum(axis=1) == 6)[0])
    drawn = uniform(np.tile(decisions.legal[row], (6000, 1)), np.random.default_rng(1).random(6000))
    found, counts = np.unique(drawn, return_counts=True)
    assert np.array_equal(found, np.flatnonzero(decisions.mask[row]))
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5  # chi-square, 5 degrees of freedom, p = 0.001


@pytest.mark.parametrize("form", [SparseInputs, DenseInputs])
def test_values_are_the_logits_that_play_ranks(form, decisions):
    network, view, legal = actor(), decisions.view[:100, :SIZE].copy(), decisions.legal[:100]
    taken = decisions.mask[:100].argmax(axis=1)
    logits = network.last(network.trunk(DenseInputs.of(view, legal)))
    expected = logits[torch.arange(100), torch.from_numpy(taken)]
    assert torch.allclose(network.action_logits(form.of(view, legal), taken), expected, atol=1e-4)
    best = torch.where(torch.from_numpy(decisions.mask[:100]), logits, -1e9).argmax(-1)
    assert np.array_equal(network.choose(form.of(view, legal), None)[0], best.numpy())


def test_values_are_learnt():
    learner = ValueLearner.of_actor(with_settings(CONFIG, {"optim.lr": (3e-3, 3e-3)}), CPU, Shards(2))
    returns = EpsilonCollector(CONFIG, 24, CPU).collect(learner.actor, DEALS, 1.0, 50.0)
    losses = [learner.update(returns, 0.0)["q_loss"] for _ in range(15)]
    assert losses[-1] < 0.6 * losses[0]


def test_schedules_reach_play_and_optimiser():
    trainer = DeepMonteCarlo(with_settings(CONFIG, {"dmc.epsilon": (0.4, 0.2), "optim.lr": (2e-3, 1e-3)}))
    table = [trainer.update(progress).row for progress in (0.0, 0.5)]
    assert [row["epsilon"] for row in table] == pytest.approx([0.4, 0.3])
    assert [row["lr"] for row in table] == pytest.approx([2e-3, 1.5e-3])
    trainer.close()


def test_stopped_and_resumed_is_the_same_run_bit_for_bit(tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert main([*SMALL, "--updates", "6", "--out", str(one)]) == 0
    assert main([*SMALL, "--updates", "6", "--pause-after", "3", "--out", str(two)]) == 0
    assert main(["--resume", str(two)]) == 0
    (ours, says), (theirs, expected) = (contents(out / "checkpoint.safetensors") for out in (two, one))
    assert {name.split(".")[0] for name in ours} == {"actor", "adam"}
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert says["streams"] == expected["streams"]
    tables = [log.read(out / log.FILE) for out in (one, two)]
    kept = [[{k: v for k, v in row.items() if k not in log.TIMED} for row in table] for table in tables]
    assert kept[0] == kept[1]
    assert (one / "curve.png").exists()
    assert (one / "results.json").exists()


def test_it_learns_and_leaves_a_player(tmp_path: Path):
    out = tmp_path / "learns"
    words = [
        "--deals",
        "96",
        "--network.width",
        "64",
        "--optim.minibatch",
        "512",
        "--optim.lr",
        "2e-3",
        "5e-4",
        "--dmc.epsilon",
        "0.2",
        "0.05",
    ]
    assert (
        main([*SMALL, *words, "--updates", "16", "--eval.pairs", "150", "--eval.every", "16", "--out", str(out)]) == 0
    )
    assert float(log.read(out / log.FILE)[-1]["low_random"]) > 40
    assert (out / "policy.safetensors").exists()


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_starts(name: str):
    assert PRESETS[name].preset == name
    assert DmcConfig.from_dict(PRESETS[name].as_dict()) == PRESETS[name]
    DeepMonteCarlo(PRESETS[name]).close()


@pytest.mark.parametrize(
    "wrong", [{"dmc.epsilon": (0.5, 1.5)}, {"dmc.epsilon": (-0.1, 0.0)}, {"dmc.reward_scale": 0.0}]
)
def test_nonsense_is_refused_by_name(wrong: dict):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        with_settings(CONFIG, wrong)


def test_a_setting_of_ppo_is_unknown_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as refused:
        main(["--clip", "0.1", "--out", str(tmp_path)])
    assert refused.value.code != 0
    assert "clip" in capsys.readouterr().err
