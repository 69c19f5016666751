"""Cross-play: teams of every two policies on the same deals, and what strangers lose."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from experiments import cross_play
from persian_rummy_env.evaluation import workers
from persian_rummy_env.evaluation.cross_play import summed_up
from persian_rummy_env.evaluation.match import deal_seeds, play_teams
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.load import load
from persian_rummy_env.rules import RuleSet


def run(out: Path, policies: str, pairs: int, *more: str) -> dict[str, Any]:
    given = ["--policies", policies, "--pairs", str(pairs), "--out", str(out), *more]
    assert cross_play.main(given) == 0
    return json.loads((out / "results.json").read_text())


def test_every_team_of_two_plays_the_same_deals(tmp_path: Path) -> None:
    names = ["greedy", "expert", "search(deepest,worlds=1)"]
    result = run(tmp_path, ",".join(names), 12, "--against", "deepest,greedy", "--seed", "4")
    assert [table["against"] for table in result["tables"]] == ["deepest", "greedy"]
    for table in result["tables"]:
        assert [(cell["first"], cell["second"]) for cell in table["cells"]] == [(a, b) for a in names for b in names]
        them = load(table["against"])
        for cell in table["cells"]:
            us = (load(cell["first"]), load(cell["second"]))
            pairs = play_teams(us, (them, them), deal_seeds(4, 12), 0, RuleSet(), "deal")
            wanted = mean_interval(pairs.margin.mean(axis=1))
            assert (cell["margin"], cell["low"], cell["high"]) == pytest.approx(wanted)
    page = (tmp_path / "table.md").read_text()
    assert page.count("## Against") == 2
    with Image.open(tmp_path / "table-2.png") as picture:
        assert picture.format == "PNG"


def test_one_who_meets_itself_under_another_name_has_no_gap(tmp_path: Path) -> None:
    same = "search(deepest,worlds=2),search(deepest,worlds=2,threads=1)"
    [table] = run(tmp_path, same, 10)["tables"]
    assert table["gap"] == {"margin": 0, "low": 0, "high": 0}
    assert len({cell["margin"] for cell in table["cells"]}) == 1


def test_strength_makes_no_gap_and_understanding_does() -> None:
    """Margins made up of what each is worth, and of 7 points for a team that is one."""
    names = ["x", "y", "z"]
    noise = np.random.default_rng(1).normal(0, 50, 4000)
    worth = {"x": 30.0, "y": 0.0, "z": -20.0}
    strength = {(a, b): noise + worth[a] + worth[b] for a in names for b in names}
    found = summed_up(names, strength)
    assert found["gap"]["margin"] == pytest.approx(0, abs=1e-9)
    assert found["gap"]["high"] - found["gap"]["low"] == pytest.approx(0, abs=1e-9), "deal by deal it cancels"
    assert found["diagonal"]["margin"] == pytest.approx(noise.mean() + 20 / 3)
    own = {pair: margin + 7 * (pair[0] == pair[1]) for pair, margin in strength.items()}
    assert summed_up(names, own)["gap"]["margin"] == pytest.approx(7)
    lonely = {pair: margin - 5 * (("x" in pair) and pair != ("x", "x")) for pair, margin in strength.items()}
    gaps = {name: gap["margin"] for name, gap in summed_up(names, lonely)["policies"].items()}
    assert gaps == pytest.approx({"x": 5, "y": 2.5, "z": 2.5})


def test_what_was_played_is_kept_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks: list[int] = []

    def interrupted(*given: Any) -> Any:
        chunks.append(1)
        if len(chunks) == 3:
            signal.raise_signal(signal.SIGINT)
        return play_teams(*given)

    monkeypatch.setattr(workers, "play_teams", interrupted)
    given = ["--policies", "greedy,expert", "--pairs", "20", "--out", str(tmp_path)]
    assert cross_play.main(given) == 130
    assert cross_play.main(given) == 0
    assert len(chunks) == 5, "four cells, one of them begun twice"


@pytest.mark.parametrize(
    ("policies", "more", "report"),
    [
        ("greedy", (), "expected at least 2"),
        ("greedy,expert", ("--against", "deepst"), "did you mean 'deepest'"),
        ("greedy,expert", ("--pairs", "1"), "expected at least 2"),
    ],
)
def test_nonsense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policies: str, more: tuple[str, ...], report: str
) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path, policies, 5, *more)
    assert report in capsys.readouterr().err
