"""Result files: what they say, from which code they may be written, and what is made of damaged ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiments.shared import result_file
from experiments.shared.result_file import (
    HEAD,
    STRENGTH,
    TIMING,
    ResultError,
    about,
    is_clean,
    read_result,
    write_result,
)
from persian_rummy_env.evaluation.match_cache import MatchCache, MatchCacheError, MatchSettings, PlayedPairs
from tests.damage import BYTES, JSON, damages

COMMIT = "0123456789ab"
FIGURES = {"rows": [{"name": "x", "margin": -1.5, "low": -2.0, "high": None}], "minutes": 0.25}


def facts(monkeypatch: pytest.MonkeyPatch, commit: str | None = COMMIT, **more: Any) -> dict[str, Any]:
    monkeypatch.setattr(result_file, "commit", lambda: commit)
    return about("experiments.some", ["--policies", "a, b"], **more)


def written(path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return write_result(path, facts(monkeypatch), FIGURES, kind=TIMING, seeds=[3, 4])


# Writing --------------------------------------------------------------------------------------------------------------


def test_a_result_says_how_it_came_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = written(tmp_path / "a.json", monkeypatch)
    assert result == read_result(tmp_path / "a.json") == json.loads((tmp_path / "a.json").read_text())
    assert set(result) == {*HEAD, *FIGURES}
    assert result["command"] == 'python -m experiments.some --policies "a, b"'
    assert (result["commit"], result["seeds"], result["kind"]) == (COMMIT, [3, 4], "timing")
    assert result["seconds"] >= 0
    assert {name: result[name] for name in FIGURES} == FIGURES


def test_a_strength_says_how_its_players_choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = facts(monkeypatch)
    players = ["greedy", "greedy", "deepest"]
    result = write_result(tmp_path / "a.json", given, FIGURES, kind=STRENGTH, players=players)
    assert set(result["behaviour"]["players"]) == {"greedy", "deepest"}
    assert result["behaviour"]["players"]["greedy"]["decisions"] == 2000
    assert result["behaviour"]["players"]["greedy"] != result["behaviour"]["players"]["deepest"]


@pytest.mark.parametrize("commit", [f"{COMMIT}+", None])
def test_a_result_that_pages_quote_is_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], commit: str | None
) -> None:
    monkeypatch.setattr(result_file, "RESULTS", tmp_path / "results")
    for out in (tmp_path / "results" / "a.json", tmp_path / "results" / "b" / "results.json"):
        with pytest.raises(SystemExit) as refused:
            facts(monkeypatch, commit, out=out)
        assert refused.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1
        assert not out.exists()
        printed = facts(monkeypatch, commit, out=out, allow_dirty=True)
        assert write_result(out, printed, {}, kind=TIMING)["commit"] == commit
        facts(monkeypatch, COMMIT, out=out)
    facts(monkeypatch, commit, out=tmp_path / "elsewhere.json")
    assert not is_clean(commit)
    assert is_clean(COMMIT)


def test_figures_do_not_hide_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="commit"):
        write_result(tmp_path / "a.json", facts(monkeypatch), {"commit": "x"}, kind=TIMING)
    with pytest.raises(ValueError, match="JSON"):
        write_result(tmp_path / "a.json", facts(monkeypatch), {"x": float("nan")}, kind=TIMING)
    assert not (tmp_path / "a.json").exists()


# Reading --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"minutes": 0.5}, "sha256"),
        ({"commit": "0123456789ac"}, "sha256"),
        ({"command": None}, "command"),
        ({"seeds": "3"}, "seeds"),
        ({"sha256": 7}, "sha256"),
    ],
)
def test_what_was_changed_by_hand_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], place: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(written(path, monkeypatch) | change))
    with pytest.raises(ResultError) as refused:
        read_result(path)
    assert str(refused.value).startswith(f"{path}: {place}: ")


@pytest.mark.parametrize("name", HEAD)
def test_a_field_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = tmp_path / "a.json"
    result = written(path, monkeypatch)
    path.write_text(json.dumps({key: value for key, value in result.items() if key != name}))
    with pytest.raises(ResultError, match=f"{name}: missing"):
        read_result(path)


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(ResultError) as refused:
            read_result(path)
        assert str(refused.value).startswith(f"{path}: cannot be read")


def fault_of(path: Path) -> str | None:
    """What is wrong with a result, in a line."""
    try:
        read_result(path)
    except ResultError as error:
        return str(error)
    return None


def hurt_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    path = tmp_path / "a.json"
    whole = written(path, monkeypatch)
    content = path.read_bytes()
    refused = 0
    for damage in damages(content, count, kinds={**BYTES, **JSON}):
        path.write_bytes(damage.content)
        report = fault_of(path)
        if report is None:
            assert read_result(path) == whole, damage.name
            continue
        refused += 1
        assert report.startswith(f"{path}: "), damage.name
        assert "\n" not in report, damage.name
    assert refused > 0.8 * count


def hurt_books(tmp_path: Path, count: int) -> None:
    from persian_rummy_env.players.load import load

    cache = MatchCache(tmp_path, MatchSettings(1))
    team, names = (load("greedy"),) * 2, ("greedy",) * 2
    whole = cache.play(team, (load("deepest"),) * 2, 20)
    [path] = tmp_path.glob("*.pairs")
    for damage in damages(path.read_bytes(), count):
        path.write_bytes(damage.content)
        with pytest.raises(MatchCacheError) as refused:
            cache.read(names, ("deepest",) * 2)
        assert str(refused.value).startswith(f"{path}: byte "), damage.name
        assert "\n" not in str(refused.value), damage.name
    cache.anew = True
    assert cache.read(names, ("deepest",) * 2) is None
    again: PlayedPairs = cache.play(team, (load("deepest"),) * 2, 20)
    assert (again.pairs.margin == whole.pairs.margin).all()


def test_damaged_results_are_refused_by_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurt_results(tmp_path, monkeypatch, 40)


def test_damaged_pairs_are_refused_by_a_line(tmp_path: Path) -> None:
    hurt_books(tmp_path, 40)


@pytest.mark.slow
def test_200_damaged_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurt_results(tmp_path, monkeypatch, 200)


@pytest.mark.slow
def test_200_damaged_matches(tmp_path: Path) -> None:
    hurt_books(tmp_path, 200)
