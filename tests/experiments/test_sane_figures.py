"""The figures of measuring commands lie in the ranges of a machine that is not busy.

The ranges are wide. A wrong unit, a part that is not measured or a slow-down of ten times leaves them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments import render_speed, replay_size, search_speed, train_profile
from experiments.text import prompts

pytestmark = pytest.mark.perf


@pytest.fixture
def result_of(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The result that a command writes."""

    def result(main: Callable[[list[str]], Any], *words: str) -> dict[str, Any]:
        assert not main([*words, "--out", str(tmp_path / "result.json")])
        return json.loads((tmp_path / "result.json").read_text())

    return result


def test_figures_of_drawing_are_sane(result_of: Callable[..., dict[str, Any]]) -> None:
    result = result_of(render_speed.main, "--pictures", "6", "--runs", "2")
    for viewer in render_speed.VIEWERS:
        one = result[viewer]
        assert 5 < one["own"]["min"] <= one["own"]["max"] < 1000, "pictures a second"
        assert one["clock"]["median"] < 1.1 * one["own"]["max"], "the clock is no faster than the process's own time"
        assert one["svg"]["min"] > one["own"]["max"], "an SVG is drawn sooner than its pixels"
        assert one["svg"]["max"] < 50_000
        assert 2 * 1000 / one["own"]["max"] < one["first"]["min"] <= one["first"]["max"] < 3000, "milliseconds"
        assert one["slowest"]["max"] < 500


def test_figures_of_search_are_sane(result_of: Callable[..., dict[str, Any]]) -> None:
    result = result_of(search_speed.main, "--decisions", "12", "--worlds", "2", "--runs", "1")
    for cores in ("one core", "all cores"):
        assert all(1000 < one["median"] < 10_000_000 for one in result[cores].values()), "playouts a second"
    assert all(0.01 < one["median"] < 100 for one in result["with a prior"].values()), "milliseconds a decision"
    for row in result["milliseconds"]:
        assert 0.9 * row["ms"] <= row["mean"] <= row["p95"] * 1.1 < 3 * row["ms"] + 20
        assert 50 < row["playouts"] / row["ms"] < 20_000, "playouts a millisecond"


@pytest.mark.skipif(shutil.which("chromium") is None, reason="the page is opened in chromium")
def test_figures_of_replay_pages_are_sane(result_of: Callable[..., dict[str, Any]]) -> None:
    pytest.importorskip("playwright")
    result = result_of(replay_size.main, "--actions", "1")
    assert 10 < result["kb_without_games"] < 1000
    assert 1 < result["heap_mb"] < 200
    assert 0 <= result["make_cpu_s"] < 20
    if result["open_s"] is not None:  # the machine was not busy before
        assert 0 < result["open_s"] < 20
        assert 0 < result["step_ms"] < 200


def test_figures_of_text_are_sane(result_of: Callable[..., dict[str, Any]]) -> None:
    result = result_of(prompts.main, "--games", "1")
    assert 100 < result["prompts_a_second"] < 1_000_000
    assert 100 < result["answers_a_second"] < 10_000_000


def test_figures_of_a_training_profile_are_sane(result_of: Callable[..., dict[str, Any]]) -> None:
    result = result_of(train_profile.main, "--updates", "1", "--deals", "16", "--preset", "scratch")
    for precision in ("fp32", "bf16"):
        parts = result[precision]["microseconds"]
        assert 1 < sum(parts.values()) < 2000, "microseconds a decision"
        assert parts["the environment"] < 100
        assert max(parts, key=lambda part: parts[part]) != "collecting: advantages"
