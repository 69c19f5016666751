"""The figures of measuring commands lie in ranges of a machine that is not busy: wide ranges, which a wrong unit, a part
that is not measured, or a slow-down of ten times leaves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from experiments import render_speed, replay_size, search_speed, text_speed, train_profile

pytestmark = pytest.mark.perf
Figures = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@pytest.fixture(scope="module")
def drawing(folder: Path) -> Figures:
    render_speed.main(["--pictures", "6", "--runs", "2", "--out", str(folder / "render.json")])
    return json.loads((folder / "render.json").read_text())


@pytest.fixture(scope="module")
def searching(folder: Path) -> Figures:
    search_speed.main(["--decisions", "12", "--worlds", "2", "--runs", "1", "--out", str(folder / "search.json")])
    return json.loads((folder / "search.json").read_text())


@pytest.fixture(scope="module")
def replaying(folder: Path) -> Figures:
    if shutil.which("chromium") is None:
        pytest.skip("the page is opened in chromium")
    pytest.importorskip("playwright")
    out = folder / "replay.json"
    assert replay_size.main(["--actions", "1", "--out", str(out)]) == 0
    return json.loads(out.read_text())


@pytest.fixture(scope="module")
def writing(folder: Path) -> Figures:
    assert text_speed.main(["--games", "1", "--out", str(folder / "text.json")]) == 0
    return json.loads((folder / "text.json").read_text())


def test_figures_of_drawing_are_sane(drawing: Figures) -> None:
    for view in render_speed.VIEWS:
        one = drawing[view]
        assert 5 < one["own"]["min"] <= one["own"]["max"] < 1000, "pictures a second"
        assert one["clock"]["median"] < 1.1 * one["own"]["max"], "the clock is no faster than the process's own time"
        assert one["svg"]["min"] > one["own"]["max"], "an SVG is drawn sooner than its pixels"
        assert one["svg"]["max"] < 50_000
        assert 2 * 1000 / one["own"]["max"] < one["first"]["min"] <= one["first"]["max"] < 3000, "milliseconds"
        assert one["slowest"]["max"] < 500


def test_figures_of_search_are_sane(searching: Figures) -> None:
    for cores in ("one core", "all cores"):
        assert all(1000 < one["median"] < 10_000_000 for one in searching[cores].values()), "playouts a second"
    assert all(0.01 < one["median"] < 100 for one in searching["with a prior"].values()), "milliseconds a decision"
    for row in searching["milliseconds"]:
        assert 0.9 * row["ms"] <= row["mean"] <= row["p95"] * 1.1 < 3 * row["ms"] + 20
    playouts = [row["playouts"] / row["ms"] for row in searching["milliseconds"]]
    assert all(50 < one < 20_000 for one in playouts), "playouts a millisecond"


def test_figures_of_replay_pages_are_sane(replaying: Figures) -> None:
    assert 10 < replaying["kb_without_games"] < 1000
    assert 1 < replaying["heap_mb"] < 200
    assert 0 <= replaying["make_cpu_s"] < 20
    if replaying["open_s"] is not None:  # the machine was not busy before
        assert 0 < replaying["open_s"] < 20
        assert 0 < replaying["step_ms"] < 200


def test_figures_of_text_are_sane(writing: Figures) -> None:
    assert 100 < writing["prompts_a_second"] < 1_000_000
    assert 100 < writing["answers_a_second"] < 10_000_000


def test_figures_of_a_training_profile_are_sane(folder: Path) -> None:
    out = folder / "train.json"
    train_profile.main(["--updates", "1", "--deals", "16", "--preset", "scratch", "--out", str(out)])
    result = json.loads(out.read_text())
    for precision in ("fp32", "bf16"):
        parts = result[precision]["microseconds"]
        assert 1 < sum(parts.values()) < 2000, "microseconds a decision"
        assert parts["the environment"] < 100
        assert max(parts, key=lambda part: parts[part]) != "collecting: advantages"
