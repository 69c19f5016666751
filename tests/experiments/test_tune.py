"""Tuning the expert: what fitness measures, and that a search for weights finds better ones and goes on from a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments import tune
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, FEATURES
from persian_rummy_env.system.run_folder import FolderError

SMALL = tune.TuneConfig(population=8, elite=2, pairs=32, threads=2, minutes=1e-6)


def test_the_expert_against_itself_is_worth_nothing() -> None:
    assert not tune.fitness(EXPERT_WEIGHTS, ["expert"], 64, 5).any()


def test_fitness_is_the_margin_of_these_weights() -> None:
    good, bad = (tune.fitness(sign * EXPERT_WEIGHTS, ["greedy"], 128, 5).mean() for sign in (1, -1))
    assert good > 30
    assert bad < -30


def test_every_feature_has_a_scale() -> None:
    scale = tune.feature_scale(1, deals=20)
    assert scale.shape == EXPERT_WEIGHTS.shape
    assert (scale > 0).all()


def test_better_weights_are_found_and_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "EXPERT_WEIGHTS", np.zeros_like(EXPERT_WEIGHTS))
    config = replace(SMALL, out=tmp_path, against=("greedy",), spread=8.0)
    before = tune.fitness(np.zeros_like(EXPERT_WEIGHTS), ["greedy"], 256, 5).mean()
    tune.run(config, generations=3)
    first = json.loads((tmp_path / "weights.json").read_text())
    weights = np.array([first["weights"][name] for name in FEATURES])
    assert tune.fitness(weights, ["greedy"], 256, 5).mean() > before + 20
    tune.run(config, generations=4)
    assert json.loads((tmp_path / "weights.json").read_text())["generation"] == 4


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"against": ("nobody",)}, "nobody"),
        ({"elite": 8}, "elite=8"),
        ({"pairs": 0}, "pairs=0"),
        ({"keep": 1.0}, "keep"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 2**64}, "seed=18446744073709551616"),
        ({"minutes": float("inf")}, "minutes"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(change: dict, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        replace(SMALL, **change)


def test_a_run_that_was_stopped_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    one, two = (replace(SMALL, out=tmp_path / name, against=("greedy",)) for name in ("one", "two"))
    tune.run(one, generations=3)
    tune.run(two, generations=1)
    tune.run(two, generations=3)
    assert (tmp_path / "one" / "weights.json").read_bytes() == (tmp_path / "two" / "weights.json").read_bytes()


@pytest.mark.parametrize("change", [{"seed": 2}, {"against": ("deepest",)}, {"spread": 1.0}, {"elite": 3}])
def test_weights_of_another_run_are_not_gone_on_from(tmp_path: Path, change: dict) -> None:
    config = replace(SMALL, out=tmp_path, against=("greedy",))
    tune.write_weights(tmp_path, config, 1, EXPERT_WEIGHTS, np.ones_like(EXPERT_WEIGHTS))
    assert tune.start(config)[0] == 1
    with pytest.raises(FolderError, match=rf"{next(iter(change))}=.* there"):
        tune.start(replace(config, **change))


def test_weights_from_before_they_had_digests_are_gone_on_from(tmp_path: Path) -> None:
    numbers = dict(zip(FEATURES, EXPERT_WEIGHTS.tolist(), strict=True))
    printed = {"generation": 4, "seed": 1, "against": list(SMALL.against), "weights": numbers, "spread": numbers}
    (tmp_path / "weights.json").write_text(json.dumps({**printed, "spread": dict.fromkeys(FEATURES, 1.0)}))
    generation, mean, _ = tune.start(replace(SMALL, out=tmp_path))
    assert generation == 4
    assert np.array_equal(mean, EXPERT_WEIGHTS)


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text("update\n")
    with pytest.raises(FolderError, match=r"metrics\.csv"):
        tune.run(replace(SMALL, out=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.csv"]


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.json").write_text(json.dumps({"generation": 1, "weights": {"x": 1}, "spread": {"x": 1}}))
    with pytest.raises(FolderError, match="other features"):
        tune.start(replace(SMALL, out=tmp_path))
