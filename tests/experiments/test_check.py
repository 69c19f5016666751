"""What is out of date among results and on pages. If the first test fails: ``python -m experiments.check`` says what to
measure again, or which page to correct."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiments import check
from experiments.check import Finding, quotes
from experiments.shared import behaviour
from experiments.shared.result_file import RESULTS, ROOT, text_of
from experiments.tables import evaluation


def strengths(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.about == "strength"]


def test_no_page_quotes_a_strength_that_is_out_of_date() -> None:
    assert [str(finding) for finding in strengths(check.check())] == []


def retuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """An expert that chooses as ``greedy`` does."""
    monkeypatch.setattr(check, "player", lambda name: behaviour.player("greedy" if name == "expert" else name))


def test_a_retuned_expert_makes_results_and_pages_stale(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    retuned(monkeypatch)
    assert check.main([]) == 1
    report = capsys.readouterr().out.splitlines()
    for file in ("experiments/results/ladder/results.json", "experiments/results/evaluation.json"):
        [line, *_] = [line for line in report if line.startswith(f"strength: {file}: ")]
        assert "expert chooses otherwise" in line
        assert "python -m experiments." in line, "and how to measure it again"
    for page in (
        "docs/evaluation.md",
        "docs/notes/training.md",
        "persian_rummy_env/players/weights/README.md",
    ):
        assert any(line.startswith(f"strength: {page}") for line in report), page
    assert not any("best_response_greedy" in line for line in report if "docs/" not in line), "who has not met it stays"


def copied(tmp_path: Path, name: str, **changes: Any) -> Path:
    result = json.loads((RESULTS / name).read_text()) | changes
    path = tmp_path / "a.json"
    path.write_text(text_of({key: value for key, value in result.items() if value is not ...}))
    return path


@pytest.mark.parametrize(
    ("changes", "report"),
    [
        ({"commit": "0123456789ab+", "digest_of": ...}, "differs from its commit"),
        ({"behaviour": ...}, "behaviour: missing"),
        ({"behaviour": {"game": "x", "players": {}}}, "the game"),
        ({"date": ...}, "date: missing"),
        ({"kind": "guess"}, "kind"),
    ],
)
def test_what_a_result_lacks_is_told(tmp_path: Path, changes: dict[str, Any], report: str) -> None:
    path = copied(tmp_path, "ladder/results.json", **changes)
    results, findings = check.read_all([path])
    for result in results.values():
        findings += check.of_result(path, result)
    assert report in " ".join(finding.fault for finding in strengths(findings))


def test_other_weights_are_another_champion(tmp_path: Path) -> None:
    printed = json.loads((RESULTS / "champion" / "results.json").read_text())["behaviour"]
    printed["players"]["champion"]["weights"]["champion"] = "0" * 16
    path = copied(tmp_path, "champion/results.json", behaviour=printed)
    results, _ = check.read_all([path])
    [finding] = list(check.of_result(path, results[path]))
    assert "champion has other weights" in finding.fault


def test_a_page_that_gives_another_number_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one page once said of the same two bots both what the last expert made and what the one before it did."""
    page = tmp_path / "page.md"
    page.write_text("`expert` v `deepest`: +49.1 ± 1.2\n\n`expert` v `deepest`: +27.1 ± 1.5, or -27.1 ± 1.5\n")
    monkeypatch.setattr(check, "pages", lambda: [page])
    found = [finding for finding in strengths(check.check()) if finding.file.startswith(str(page))]
    assert [finding.file for finding in found] == [f"{page}, line 3"] * 2


def test_a_player_of_an_earlier_commit_is_named_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = json.loads((RESULTS / "ladder" / "results.json").read_text())["behaviour"]
    printed["players"]["expert"] = {"gone": "0123456789ab"}
    path, page = copied(tmp_path, "ladder/results.json", behaviour=printed), tmp_path / "page.md"
    monkeypatch.setattr(check, "pages", lambda: [page])
    page.write_text("`expert` v `deepest`: +49.1 ± 1.2\n")
    assert ["line 1" in finding.file for finding in check.check([path])] == [True]
    page.write_text("the `expert` of commit `0123456` v `deepest`: +49.1 ± 1.2\n")
    assert check.check([path]) == []


def test_what_a_quote_is() -> None:
    text = "a +1.5 ± 0.2, 20.0 ± 3, -0.1 and +3 points, 1.5, 50.3 ± 0.2%\n"
    text += "<!-- a: b -->\n+9.9 ± 1.1\n<!-- end a: b -->\n-2.5"
    assert list(quotes(text)) == [(1, "+1.5 ± 0.2"), (1, "20.0 ± 3"), (1, "-0.1"), (5, "-2.5")]


def test_a_table_behind_its_result_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "goals_table", lambda _: "another")
    report = [str(finding) for finding in strengths(check.check())]
    assert any("docs/evaluation.md" in line and "evaluation: goals" in line for line in report)


def test_timings_are_listed_and_stop_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copied(tmp_path, "search_speed.json", commit="0123456789ab")
    results, _ = check.read_all([path])
    assert [finding.about for finding in check.of_result(path, results[path])] == ["timing"]
    monkeypatch.setattr(check, "check", lambda: [Finding("timing", "a", "old")])
    assert check.main([]) == 0
    monkeypatch.setattr(check, "check", lambda: [Finding("strength", "a", "old")])
    assert check.main([]) == 1


def test_numbers_of_runs_that_are_not_kept_have_a_command_and_a_commit() -> None:
    pages = {str(path.relative_to(ROOT)): path.read_text() for path in check.pages()}
    for entry in check.read_history()["entries"]:
        report = {quote for _, quote in quotes(pages[entry["page"]])}
        assert not set(entry["quotes"]) - report, f"{entry['page']} no longer gives all that {entry['what']} has"


def test_the_code_of_a_timing_is_there() -> None:
    assert [path for paths in check.TIMED.values() for path in paths if not (ROOT / path).exists()] == []
    assert [name for name in check.TIMED if not (RESULTS / f"{name}.json").is_file()] == []
