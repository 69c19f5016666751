"""The ablation of the expert."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import ablation_expert
from experiments.ablation_expert import margins, without
from experiments.shared.expert_features import DESCRIPTIONS, GROUPS
from persian_rummy_env.core.expert import FEATURES, WEIGHTS
from persian_rummy_env.evaluation.match import deal_seeds, play_pairs
from persian_rummy_env.players.load import load
from persian_rummy_env.rules import RuleSet

SOME = FEATURES[2]


def test_every_feature_is_described_in_one_group() -> None:
    listed = [feature for group in GROUPS.values() for feature in group]
    assert sorted(listed) == sorted(FEATURES)
    assert len(listed) == len(set(listed))
    assert all(DESCRIPTIONS.values())
    assert not set(GROUPS) & set(FEATURES), "rows of both kinds are told apart by name"


@pytest.mark.parametrize("bot", ["deepest", "random"])
def test_with_nothing_off_it_is_the_match_of_the_expert(bot: str) -> None:
    pairs = play_pairs(load("expert"), load(bot), deal_seeds(5, 60), 0, RuleSet(), "deal")
    found = margins(without(()), bot, 60, 5)
    if bot == "random":  # whose chance is set apart between the games of a pair there, and not here
        assert (found != pairs.margin.mean(axis=1)).any()
        assert abs(found.mean() - pairs.margin.mean()) < 40
    else:
        assert (found == pairs.margin.mean(axis=1)).all()


def test_threads_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = margins(without((SOME,)), "deepest", 100, 5)
    monkeypatch.setattr(ablation_expert, "CHUNK", 13)
    assert (margins(without((SOME,)), "deepest", 100, 5, threads=3) == whole).all()
    assert (margins(without((SOME,)), "deepest", 40, 5) == whole[:40]).all()


def test_what_is_off_is_off() -> None:
    assert without(()).tolist() == list(WEIGHTS.values())
    off = without(FEATURES[3:5])
    assert np.flatnonzero(off != without(())).tolist() == [3, 4]
    assert not off[3:5].any()
    nothing = margins(without(FEATURES), "deepest", 200, 5)
    assert nothing.mean() < -20, "without any it plays the lowest id"


def run(tmp_path: Path, *more: str) -> dict[str, Any]:
    ablation_expert.main(["--pairs", "30", "--out", str(tmp_path / "result.json"), *more])
    return json.loads((tmp_path / "result.json").read_text())


def test_the_result_is_of_differences_pair_by_pair(tmp_path: Path) -> None:
    result = run(tmp_path, "--seed", "9")
    assert [row["name"] for row in result["groups"]] == list(GROUPS)
    assert [row["name"] for row in result["features"]] == list(FEATURES)
    lost = margins(without(()), "deepest", 30, 9) - margins(without((SOME,)), "deepest", 30, 9)
    [row] = [row for row in result["features"] if row["name"] == SOME]
    assert row["lost"] == pytest.approx(lost.mean(), abs=1e-3)
    assert row["high"] - row["lost"] == pytest.approx(row["lost"] - row["low"], abs=2e-3)
    assert result["weights"] == WEIGHTS


def test_nonsense_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        run(tmp_path, "--against", "deepst")
    assert refused.value.code == 2
    assert "deepest" in capsys.readouterr().err
