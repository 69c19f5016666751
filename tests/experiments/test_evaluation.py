"""Spreads, coverage and the stop rule, and their tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import evaluation
from experiments.evaluation import covered, pairs_for, played, spread, stop_rule
from experiments.shared.result_file import RESULTS, read_result
from experiments.tables import evaluation as tables
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.load import load


def test_pairs_for_a_width_give_that_width() -> None:
    values = np.random.default_rng(1).normal(0, 69, 50_000)
    for half in (1, 2, 5):
        pairs = pairs_for(half, 69)
        mean, _, high = mean_interval(values[:pairs])
        assert high - mean == pytest.approx(half, rel=0.03)
    assert pairs_for(2, 69) == 4573


@pytest.mark.parametrize("split", [False, True])
def test_pairs_are_those_of_a_match(split: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "CHUNK", 17)
    pairs = played("deepest", "greedy", 60, 3, split_stock=split)
    wanted = play_match(load("deepest"), load("greedy"), 60, 3, split_stock=split)
    assert mean_interval(pairs.margin.mean(axis=1)) == pytest.approx((wanted.margin, wanted.low, wanted.high))


def test_a_spread_is_what_the_pairs_say() -> None:
    found = spread("deepest", "greedy", 400)
    one, split = found["one stock"], found["split stock"]
    pairs = played("deepest", "greedy", 400, evaluation.SEEDS["one stock"])
    assert one["deal_sd"] == pytest.approx(pairs.margin.std())
    assert one["pair_sd"] == pytest.approx(pairs.margin.mean(axis=1).std(ddof=1))
    # The variance of a pair is that of two deals with such a correlation.
    expected = pairs.margin.var(axis=0, ddof=1).mean() * (1 + one["correlation"]) / 2
    assert one["pair_sd"] ** 2 == pytest.approx(expected, rel=0.02)
    assert one["margin"] != split["margin"]
    assert set(found["same distribution, p"]) == {"margin", "decisions"}


def test_coverage_is_of_intervals_that_hold_the_truth() -> None:
    units = np.random.default_rng(2).normal(3, 10, (1000, 20))
    assert 0.93 < covered(units, 3) < 0.97
    assert covered(units, 30) == 0


def test_the_stop_rule_is_that_of_matches() -> None:
    """Looks at the same numbers of pairs as ``play_match``, and the last is the last."""
    unit = np.random.default_rng(3).normal(0, 70, 4000)
    assert evaluation.LOOKS == (1024, 2048, 4096, 8192)
    found = stop_rule(unit, 100, 20, np.random.default_rng(1))
    assert found["stopped_at"] == {"1024": 20}
    assert stop_rule(unit, 0.01, 20, np.random.default_rng(1))["stopped_at"] == {"8192": 20}
    first, *_ = evaluation.widths(unit)
    assert set(stop_rule(unit, first, 200, np.random.default_rng(1))["stopped_at"]) >= {"1024", "2048"}
    between = stop_rule(unit, 4.29, 200, np.random.default_rng(1))
    assert set(between["stopped_at"]) == {"1024", "2048"}
    assert between["covered"] > 0.9


def test_a_small_run_and_its_tables(tmp_path: Path) -> None:
    evaluation.main(["--pairs", "60", "--repeats", "20", "--out", str(tmp_path / "result.json")])
    result = json.loads((tmp_path / "result.json").read_text())
    assert [row["b"] for row in result["spread"]] == ["random", "random", "greedy", "greedy", "deepest", "deepest"]
    text = "\n".join(tables.figures(result).values())
    for row in result["spread"]:
        for stock in ("one stock", "split stock"):
            assert f"| {row[stock]['pair_sd']:.1f} |" in text
    assert f"**{result['coverage'][0]['covered']:.1%}**" in text


# The page -------------------------------------------------------------------------------------------------------------


def ladder() -> dict[str, Any]:
    match = {"low": -21.0, "high": -29.0, "pairs": 10, "win_rate": 0.4, "win_low": 0.3, "win_high": 0.5}
    return {
        "command": "c", "date": "d", "commit": "x", "minutes": 1.0,
        "ratings": [{"policy": name, "rating": 0.0} for name in ("expert", "deepest")],
        "matches": [{"a": "deepest", "b": "expert", "margin": -25.0, **match}],
    }  # fmt: skip


def test_goals_are_read_from_either_side() -> None:
    [row] = [line for line in tables.goals_table(ladder()).splitlines() if "`expert`" in line]
    assert "+20" in row
    assert "+25.0" in row
    assert "yes" in row
    weak = ladder()
    weak["matches"][0]["margin"] = -19.0
    assert "**no**" in tables.goals_table(weak)


def test_committed_coverage_is_what_it_should_be() -> None:
    result = read_result(RESULTS / "evaluation.json")
    random = result["coverage"][0]
    assert (random["a"], random["b"], random["repeats"]) == ("random", "random", 2000)
    assert 0.93 <= random["covered"] <= 0.97
    for row in result["spread"]:
        assert min(row["same distribution, p"].values()) > 1e-4, row["a"]
