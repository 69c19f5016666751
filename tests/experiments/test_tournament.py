"""The tournament: every pair of policies on the same deals, kept as it goes, ratings with intervals."""

from __future__ import annotations

import json
import re
import signal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from experiments import tournament
from experiments.matches.page import cross_table, turned
from persian_rummy_env.evaluation import match_cache, rating, workers
from persian_rummy_env.evaluation.match import Pairs, play_match, play_teams
from persian_rummy_env.evaluation.match_cache import MatchCache, MatchCacheError, MatchSettings, deal_set
from persian_rummy_env.players.load import load
from tests.experiments.results import alike

BOTS = "greedy, deepest,expert"
FIRST = "python:tests.agents.strangers:First"


def run(out: Path, policies: str = BOTS, pairs: int = 40, *more: str) -> dict[str, Any]:
    assert tournament.main(["--policies", policies, "--pairs", str(pairs), "--out", str(out), *more]) == 0
    return json.loads((out / "results.json").read_text())


# Results --------------------------------------------------------------------------------------------------------------


def test_every_pair_of_policies_is_played_as_a_match_is(tmp_path: Path) -> None:
    search = "search(deepest, worlds=2)"
    result = run(tmp_path, f"{BOTS},{search},{FIRST}", 30, "--seed", "5")
    names = ["greedy", "deepest", "expert", search, FIRST]
    assert [(match["a"], match["b"]) for match in result["matches"]] == list(combinations(names, 2))
    for match in result["matches"]:
        wanted = play_match(load(match["a"]), load(match["b"]), 30, seed=5)
        for name in ("pairs", "margin", "low", "high", "win_rate", "win_low", "win_high", "pair_sd", "out_rate"):
            assert match[name] == pytest.approx(getattr(wanted, name)), name
        assert match["complete"]
    assert result["complete"]
    assert result["command"].startswith("python -m experiments.tournament --policies")
    assert f'"{BOTS},{search},{FIRST}"' in result["command"]
    assert {row["policy"] for row in result["ratings"]} == set(names)
    assert result["commit"] is None or re.fullmatch(r"[0-9a-f]{12}\+?", result["commit"])


def test_searching_policies_and_others_may_get_fewer_pairs(tmp_path: Path) -> None:
    search = "search(deepest,worlds=1)"
    result = run(tmp_path, f"greedy,deepest,{search},{FIRST}", 24, "--pairs-search", "6", "--cap", f"{FIRST}=10")
    pairs = {(match["a"], match["b"]): match["pairs"] for match in result["matches"]}
    assert pairs == {
        ("greedy", "deepest"): 24,
        ("greedy", search): 6,
        ("greedy", FIRST): 10,
        ("deepest", search): 6,
        ("deepest", FIRST): 10,
        (search, FIRST): 6,
    }
    assert all(match["complete"] for match in result["matches"])
    assert [each["name"] for each in result["deal sets"]] == [f"{n}-pairs-of-seed-1" for n in (24, 10, 6)]
    assert "| 10 |" in (tmp_path / "table.md").read_text()
    assert run(tmp_path / "b", f"greedy,{search}", 4, "--cap", f"{search}=3")["matches"][0]["pairs"] == 3


def test_the_page_and_the_picture_show_the_matches(tmp_path: Path) -> None:
    result = run(tmp_path, BOTS, 60)
    page = (tmp_path / "table.md").read_text()
    for match in result["matches"]:
        half = (match["high"] - match["low"]) / 2
        assert f"{match['margin']:+.1f} ± {half:.1f}" in page
        assert f"{-match['margin']:+.1f} ± {half:.1f}" in page, "and from the other side"
    assert "cut short" not in page
    assert "60-pairs-of-seed-1" in page
    with Image.open(tmp_path / "table.png") as picture:
        assert picture.format == "PNG"
        assert min(picture.size) > 400
        assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 50
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == [], "nothing half written is left"
    assert (tmp_path / "played" / ".gitignore").read_text() == "*\n"


def test_a_match_seen_from_the_other_side() -> None:
    match = {
        "a": "x",
        "b": "y",
        "margin": 5.0,
        "low": 3.0,
        "high": 8.0,
        "win_rate": 0.6,
        "win_low": 0.5,
        "win_high": 0.8,
    }
    other = turned(match)
    assert (other["a"], other["b"]) == ("y", "x")
    assert (other["margin"], other["low"], other["high"]) == (-5, -8, -3)
    assert (other["win_rate"], other["win_low"], other["win_high"]) == pytest.approx((0.4, 0.2, 0.5))
    assert cross_table(["y", "x"], [match]) == [[None, other], [match, None]]
    assert turned({**match, "low": None, "high": None})["low"] is None


def test_a_match_of_a_single_pair_is_valid_json(tmp_path: Path) -> None:
    result = run(tmp_path, "greedy,deepest", 1)
    assert result["matches"][0]["low"] is None
    json.loads((tmp_path / "results.json").read_text(), parse_constant=pytest.fail)
    assert "± ?" in (tmp_path / "table.md").read_text()


# Cut short and gone on with -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_what_was_played_is_kept_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], by: int
) -> None:
    whole = run(tmp_path / "whole", BOTS, 200)
    chunks: list[int] = []

    def interrupted_in_the_fifth_chunk(*given: Any) -> Pairs:
        chunks.append(given[3])
        if len(chunks) == 5:
            signal.raise_signal(by)
        return play_teams(*given)

    monkeypatch.setattr(workers, "play_teams", interrupted_in_the_fifth_chunk)
    given = ["--policies", BOTS, "--pairs", "200", "--out", str(tmp_path / "cut")]
    assert tournament.main(given) == 130
    assert "the same command goes on with it" in capsys.readouterr().err
    part = json.loads((tmp_path / "cut" / "results.json").read_text())
    assert not part["complete"]
    assert [match["complete"] for match in part["matches"]] == [True, False]
    assert [match["pairs"] for match in part["matches"]] == [200, 32]
    assert "cut short" in (tmp_path / "cut" / "table.md").read_text()
    assert tournament.main(given) == 0
    assert alike(json.loads((tmp_path / "cut" / "results.json").read_text()), whole)
    assert chunks[5] == 32, "what was played before is not played again"
    number = len(chunks)
    assert tournament.main(given) == 0
    assert len(chunks) == number


def test_an_interruption_before_anything_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "play_teams", lambda *_: signal.raise_signal(signal.SIGINT))
    assert tournament.main(["--policies", BOTS, "--out", str(tmp_path)]) == 130
    assert not (tmp_path / "results.json").exists()


def test_more_pairs_are_added_and_fewer_are_the_first(tmp_path: Path) -> None:
    run(tmp_path / "grown", BOTS, 25)
    assert alike(run(tmp_path / "grown", BOTS, 90), run(tmp_path / "whole", BOTS, 90))
    assert alike(run(tmp_path / "grown", BOTS, 25), run(tmp_path / "small", BOTS, 25))


def test_what_other_code_or_other_terms_played_is_not_mixed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, BOTS, 20)
    for more, report in (
        (("--seed", "2"), "seed 1 instead of 2"),
        (("--episode", "game"), "episode deal instead of game"),
    ):
        with pytest.raises(SystemExit) as refused:
            run(tmp_path, BOTS, 20, *more)
        assert refused.value.code == 2
        assert report in capsys.readouterr().err
    monkeypatch.setattr(match_cache, "playing_code", lambda: "other")
    with pytest.raises(SystemExit):
        run(tmp_path, BOTS, 20)
    assert "--anew to play it again" in capsys.readouterr().err
    assert run(tmp_path, BOTS, 20, "--anew")["code"] == "other"


def test_a_damaged_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = run(tmp_path, BOTS, 20)
    [first, *_] = sorted((tmp_path / "played").glob("*.pairs"))
    first.write_bytes(first.read_bytes()[:200])
    with pytest.raises(SystemExit):
        run(tmp_path, BOTS, 20)
    assert f"{first.name}: byte 22: damaged" in capsys.readouterr().err
    assert alike(run(tmp_path, BOTS, 20, "--anew"), whole)


def test_changed_weights_are_another_policy(tmp_path: Path) -> None:
    weights = tmp_path / "policy"
    weights.write_bytes(b"one")
    kept = MatchCache(tmp_path / "played", MatchSettings(1))
    teams = ((load("greedy"),) * 2, (load("deepest"),) * 2)
    teams[0][0].name = f"file:{weights}"
    kept.play(*teams, 5)
    assert kept.read((f"file:{weights}",) * 2, ("deepest",) * 2) is not None
    weights.write_bytes(b"two")
    with pytest.raises(MatchCacheError, match="weights"):
        kept.read((f"file:{weights}",) * 2, ("deepest",) * 2)


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policies", "more", "report"),
    [
        ("greedy,experd", (), "'experd'"),
        ("greedy", (), "(greedy)"),
        ("greedy,greedy", (), "greedy"),
        ("greedy,,deepest", (), "greedy,,deepest"),
        ("greedy,file:no/such", (), "no/such"),
        ("greedy,deepest", ("--pairs", "0"), "pairs"),
        ("greedy,deepest", ("--cap", "expert=4"), "expert=4"),
        ("greedy,deepest", ("--seed", "-4"), "--seed -4"),
        ("greedy,deepest", ("--rules", "quad_bonus=kings"), "quad_bonus='kings'"),
        ("greedy,python:tests.agents.strangers:Unmasked", (), "Unmasked chose action 0 ('draw')"),
    ],
)
def test_nonsense_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policies: str, more: tuple[str, ...], report: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        run(tmp_path, policies, 5, *more)
    assert refused.value.code == 2
    assert report in capsys.readouterr().err


# Ratings, seats, deals ------------------------------------------------------------------------------------------------


def made_up(strength: list[float], deals: int, seed: int = 0) -> dict[tuple[int, int], Pairs]:
    """Games won by the odds of Bradley and Terry's model."""
    rng = np.random.default_rng(seed)
    found = {}
    for a, b in combinations(range(len(strength)), 2):
        odds = 1 / (1 + np.exp(strength[b] - strength[a]))
        won = (rng.random((deals, 2)) < odds).astype(float)
        found[a, b] = Pairs(won, won, won > 0, won)
    return found


def test_ratings_are_found_again() -> None:
    rows = rating.ratings(["x", "deepest", "y"], made_up([0.5, 0.0, -1.0], 4000))
    assert [row["policy"] for row in rows] == ["x", "deepest", "y"]
    for row, strength in zip(rows, (0.5, 0.0, -1.0), strict=True):
        assert row["low"] <= row["rating"] <= row["high"]
        assert row["rating"] == pytest.approx(rating.ELO * strength, abs=15)
    assert rows[1]["rating"] == rows[1]["low"] == rows[1]["high"] == 0


def test_bounds_of_ratings_cover_the_truth() -> None:
    inside = 0
    for seed in range(20):
        rows = {row["policy"]: row for row in rating.ratings(["deepest", "y"], made_up([0.0, 0.3], 200, seed), seed)}
        inside += rows["y"]["low"] <= rating.ELO * 0.3 <= rows["y"]["high"]
    assert inside >= 17


def test_who_never_loses_has_a_rating_too() -> None:
    won = np.ones((50, 2))
    rows = rating.ratings(["x", "y"], {(0, 1): Pairs(won, won, won > 0, won)})
    assert rows[0]["policy"] == "x"
    assert 400 < rows[0]["rating"] - rows[1]["rating"] < 1200


def test_seat_effects_are_found_and_strength_is_none() -> None:
    """Margins in which A is 30 better, the first to play gains 8, and team 0 gains 2 wherever the dealer sits."""
    dealer = np.arange(400) % 4
    gain = np.where(dealer % 2 == 1, 8 / 2, -8 / 2) * 1.0
    margin = np.stack([30 + gain + 2, 30 - gain - 2], axis=1)
    effects = rating.seat_effects({(0, 1): Pairs(margin, margin, margin > 0, margin)})
    assert effects["plays first"]["mean"] == pytest.approx(4)
    assert [one["mean"] for one in effects["team 0 by dealer"]] == pytest.approx([-2, 6, -2, 6])


def test_deal_sets_are_frozen() -> None:
    assert deal_set(1, 100) == {"name": "100-pairs-of-seed-1", "sha256": FROZEN}
    assert deal_set(2, 100)["sha256"] != FROZEN


FROZEN = "8f65da4d4ea7d938d3574a183151c7efc8c3823b3de778ecafdb94d37f04ba10"
