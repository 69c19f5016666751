"""Expert iteration as a whole, on a small scale: its stages, whom search leans on, that it goes on exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open

import train.expert_iteration
import train.selfplay
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import load
from train.config.base import with_settings
from train.config.expert_iteration import PRESETS, ExpertConfig
from train.data.labels import teacher_of
from train.expert_iteration import ExpertIteration, main, round_at
from train.run import log

STAGED = [
    *(
        "--bc.batch-size",
        "256",
        "--deals",
        "16",
        "--network.width",
        "16",
        "--optim.minibatch",
        "128",
        "--threads",
        "2",
        "--search.worlds",
        "2",
    ),
    *(
        "--bc.fraction",
        "0.5",
        "--search.fraction",
        "0.5",
        "--search.rounds",
        "2",
        "--updates",
        "8",
        "--ppo.critic-warmup-updates",
        "1",
    ),
    *("--seed", "3", "--eval.pairs", "4", "--eval.final-pairs", "4", "--eval.every", "3", "--save-every", "1"),
]
"""Two updates of each stage: teaching, playing, the first round, the second."""
CONFIG = with_settings(
    PRESETS["quick"],
    {
        "deals": 32,
        "bc.batch_size": 512,
        "network.width": 16,
        "optim.minibatch": 128,
        "search.worlds": 4,
        "seed": 3,
        "minutes": None,
        "updates": 8,
    },
)


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions are compiled by the tests themselves."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


def contents(out: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    with safe_open(out / "checkpoint.safetensors", framework="numpy") as file:
        its_own = ("config", "counters", "run", "log", "digest")
        says = {name: text for name, text in (file.metadata() or {}).items() if name not in its_own}
        return {name: file.get_tensor(name) for name in file.keys()}, says  # noqa: SIM118 (it is no mapping)


def rows(out: Path) -> list[dict[str, str]]:
    timed = (*log.TIMED, "searched_per_second")
    return [{k: v for k, v in row.items() if k not in timed} for row in log.read(out / log.FILE)]


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "straight"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train.run.main_process.warm_up", lambda *_: None)
        assert main([*STAGED, "--out", str(out)]) == 0
    return out


def test_the_stages_follow_each_other(straight: Path) -> None:
    table = log.read(straight / log.FILE)
    assert [row["round"] for row in table] == ["", "", "", "", "1", "1", "2", "2"]
    assert [row["bc_loss"] != "" for row in table] == [True] * 2 + [False] * 2 + [True] * 4
    assert [row["policy_loss"] != "" for row in table] == [False] * 2 + [True] * 2 + [False] * 4
    assert [row["searched_per_second"] != "" for row in table] == [False] * 4 + [True] * 4
    taught, searched = (2e-3, (2e-3 + 3e-5) / 2), (2e-4, (2e-4 + 1e-5) / 2)
    played = (PRESETS["quick"].optim.lr[0], sum(PRESETS["quick"].optim.lr) / 2)
    assert [float(row["lr"]) for row in table] == pytest.approx([*taught, *played, *searched, *searched])


@pytest.mark.parametrize("after", [1, 3, 4, 5, 6, 7])
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


def test_it_leaves_a_player(straight: Path) -> None:
    for name in ("config.json", "metrics.csv", "curve.png", "results.json"):
        assert (straight / name).stat().st_size > 0, name
    assert play_match(load(f"file:{straight / 'policy.safetensors'}"), load("random"), 2, 5).pairs == 2


def test_search_leans_on_the_player_as_it_was() -> None:
    """It is the player as the round began, and stays while the player learns."""
    trainer = ExpertIteration(CONFIG)
    learner = trainer.learner
    torch.nn.init.normal_(learner.actor.last.weight, std=0.3)
    for _ in range(2):
        before = {name: tensor.clone() for name, tensor in learner.actor.state_dict().items()}
        learner.begin_distillation()
        trainer.search_step(0.0)
        assert learner.earlier is not None
        assert all(torch.equal(tensor, before[name]) for name, tensor in learner.earlier.state_dict().items())
        assert not torch.equal(learner.actor.last.weight, before["last.weight"])
    trainer.close()


def test_the_teacher_is_the_search_of_the_settings(straight: Path) -> None:
    """By its name, leaning on the policy's file, it chooses the same."""
    policy = straight / "policy.safetensors"
    trainer = ExpertIteration(with_settings(CONFIG, {"search.prior_worlds": 50.0, "bc.logit_scale": 1.0}))
    trainer.learner.begin_as(policy)
    trainer.learner.begin_distillation()
    tables, actor = trainer.label_collectors[0], trainer.learner.actor
    before = tables.state()
    chosen = tables.collect(actor, 200, trainer.search())
    tables.restore(*before)
    named = f"search(deepest, worlds=4, method=flat, prior=file:{policy}, prior_worlds=50.0, threads=1)"
    assert np.array_equal(tables.collect(actor, 200, teacher_of(named)).action, chosen.action)
    tables.restore(*before)
    assert (tables.collect(actor, 200, teacher_of(f"file:{policy}")).action != chosen.action).mean() > 0.2
    trainer.close()


def test_shares_of_the_rounds() -> None:
    assert [round_at(2, way) for way in (0.0, 0.25, 0.5, 0.75, 1.0)] == [
        (1, 0.0),
        (1, 0.5),
        (2, 0.0),
        (2, 0.5),
        (2, 1.0),
    ]
    assert round_at(1, 1.0) == (1, 1.0)


def test_every_preset_is_that_of_self_play_with_rounds() -> None:
    for name, preset in PRESETS.items():
        assert isinstance(preset, ExpertConfig)
        assert (preset.preset, preset.deals, preset.bc.logit_scale) == (name, train.selfplay.PRESETS[name].deals, 3.0)
        assert ExpertConfig.from_dict(preset.as_dict()) == preset


def test_a_run_of_self_play_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "other")
    small = ["--deals", "4", "--network.width", "16", "--updates", "1", "--eval.pairs", "1", "--eval.final-pairs", "1"]
    assert train.selfplay.main([*small, "--out", out]) == 0
    with pytest.raises(SystemExit) as refused:
        main(["--resume", out])
    assert refused.value.code == 1
    assert f"train.selfplay --resume {out}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"search.fraction": 0.0}, "search.fraction=0.0"),
        ({"search.fraction": 1.5}, "search.fraction=1.5"),
        ({"search.rounds": 0}, "search.rounds=0"),
        ({"search.worlds": 0}, "search.worlds=0"),
        ({"search.playouts": "experd"}, "unknown bot 'experd'"),
        ({"reward.kind": "win"}, "reward.kind='win'"),
        ({"search.prior_worlds": -1.0}, "search.prior_worlds=-1.0"),
        ({"distill.fraction": 0.1}, "distill.fraction=0.1"),
        ({"search.lr": (1e-3, -1.0)}, "search.lr"),
    ],
)
def test_nonsense_is_refused_by_name(settings: dict, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        with_settings(PRESETS["quick"], settings)
