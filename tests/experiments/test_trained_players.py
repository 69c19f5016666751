"""Trained players in matches: by file, masked wherever they play, and by the rules of their training alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from agents.learned import LearnedPolicy, policy_bytes
from agents.network import Actor
from experiments import cross_play, tournament
from persian_rummy_env.actions import DISCARD, DRAW
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import load
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.rules import RuleSet


def player(path: Path, rules: RuleSet | None = None, seed: int = 0) -> str:
    """A file of an untrained player that would rather draw and discard a joker than do anything else; its name."""
    torch.manual_seed(seed)
    actor = Actor(Shape(16, 1))
    with torch.no_grad():
        actor.last.bias[DRAW.start] = 1e4
        actor.last.bias[DISCARD.stop - 1] = 1e4
    path.write_bytes(policy_bytes(actor, {} if rules is None else {"rules": json.dumps(rules.as_dict())}))
    return f"file:{path}"


def test_1000_deals_of_a_tournament_without_an_illegal_action(tmp_path: Path) -> None:
    """An illegal one would end the match with an error: see ``tests/train/test_match.py``."""
    name = player(tmp_path / "a")
    assert tournament.main(["--policies", f"random,{name}", "--pairs", "500", "--out", str(tmp_path / "out")]) == 0
    result = json.loads((tmp_path / "out" / "results.json").read_text())
    assert result["matches"][0]["pairs"] == 500
    assert result["policies"] == ["random", name]
    drawing = LearnedPolicy(tmp_path / "a", greedy=False)
    assert play_match(drawing, load("greedy"), 100, 1).pairs == 100


def test_partners_from_different_files(tmp_path: Path) -> None:
    names = [player(tmp_path / letter, seed=seed) for seed, letter in enumerate("ab")]
    given = ["--policies", ",".join(names), "--pairs", "20", "--out", str(tmp_path / "out")]
    assert cross_play.main(given) == 0
    [table] = json.loads((tmp_path / "out" / "results.json").read_text())["tables"]
    assert len({cell["margin"] for cell in table["cells"]}) == 4


def test_other_rules_than_those_of_the_training_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = player(tmp_path / "a", RuleSet(deals=1, quad_bonus="jacks"))
    assert load(name).rules == RuleSet(deals=1, quad_bonus="jacks")
    given = ["--policies", f"random,{name}", "--pairs", "2", "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit):
        tournament.main(given)
    report = capsys.readouterr().err
    assert "quad_bonus=jacks" in report
    assert "quad_bonus=any" in report
    assert tournament.main([*given, "--rules", "quad_bonus=jacks"]) == 0


def test_rules_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    actor = Actor(Shape(16, 1))
    (tmp_path / "a").write_bytes(policy_bytes(actor, {"rules": '{"aces": "low"}'}))
    with pytest.raises(ValueError, match="the rules"):
        load(f"file:{tmp_path / 'a'}")
