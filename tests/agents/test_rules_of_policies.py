"""Who was trained by some rules plays by them alone, over any number of deals, and every door says so alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from persian_rummy_env import PersianRummyGymEnv, PersianRummyGymVectorEnv, RuleSet
from persian_rummy_env.apps.analyst import PolicyAnalyst
from persian_rummy_env.apps.seating import parse_seats, policies_of
from persian_rummy_env.apps.terminal.__main__ import main as play_in_terminal
from persian_rummy_env.cli import program
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import check_rules
from persian_rummy_env.players.priors import PolicyPrior
from persian_rummy_env.records.record import write
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.state import write_rules
from tests.agents.positions import positions


def in_a_match(rules: RuleSet) -> None:
    play_match(load("champion"), load("random"), 1, 1, rules=rules, episode="game")


def in_a_search(rules: RuleSet) -> None:
    play_match(load("search(greedy, worlds=1, prior=champion)"), load("random"), 1, 1, rules=rules)


def in_playouts(rules: RuleSet) -> None:
    play_match(load("search(champion, playouts=2)"), load("random"), 1, 1, rules=rules)


def at_a_table(rules: RuleSet) -> None:
    policies_of(parse_seats("human,champion,random,champion"), rules)


def on_a_replay_page(rules: RuleSet) -> None:
    games = positions(2)
    write_rules(games, rules)
    games = games[games["deal"] < rules.deals]
    PolicyAnalyst("champion", worlds=1)(games, rules)


def against_a_learner(rules: RuleSet) -> None:
    PersianRummyGymEnv(opponents=load("champion"), rules=rules).reset(seed=1)


def against_many_learners(rules: RuleSet) -> None:
    PersianRummyGymVectorEnv(2, opponents=load("champion"), rules=rules).reset(seed=1)


DOORS: list[Callable[[RuleSet], None]] = [
    in_a_match, in_a_search, in_playouts, at_a_table, on_a_replay_page, against_a_learner, against_many_learners,
]  # fmt: skip


@pytest.mark.parametrize("deals", [1, 2, 3, 4])
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_the_champion_plays_any_number_of_deals(door: Callable[[RuleSet], None], deals: int) -> None:
    door(RuleSet(deals=deals))


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_other_rules_are_refused_and_only_those_that_differ_are_named(door: Callable[[RuleSet], None]) -> None:
    with pytest.raises(ValueError) as refused:
        door(RuleSet(deals=1, stock_out="end"))
    report = str(refused.value)
    assert "champion" in report
    assert "stock_out=pass" in report
    assert "stock_out=end" in report
    assert "quad_bonus" not in report
    assert "deals" not in report
    assert "RuleSet(" not in report


def test_the_commands_play_single_deals_with_the_champion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "game.jsonl"
    given = ["--seats", "champion,random,champion,random", "--no-draw", "--seed", "1", "--out", str(out)]
    assert play_in_terminal([*given, "--rules", "deals=1"]) == 0
    assert out.exists()
    page = tmp_path / "page.html"
    assert program.main(["show", str(out), "--html", str(page), "--policy", "champion", "--worlds", "0"]) == 0
    assert page.stat().st_size > 10_000
    capsys.readouterr()
    assert play_in_terminal([*given, "--rules", "quad_bonus=jacks"]) == 2
    assert "quad_bonus=any" in capsys.readouterr().err
    write(out, simulate(1, 1, "random", rules=RuleSet(deals=1, quad_bonus="jacks")))
    assert program.main(["show", str(out), "--html", str(page), "--policy", "champion", "--worlds", "0"]) != 0
    assert "quad_bonus=any" in capsys.readouterr().err


def test_the_web_table_does_not_start_with_a_player_of_other_rules(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from persian_rummy_env.apps.web.__main__ import main

    assert main(["--policies", "champion", "--rules", "stock_out=end"]) == 2
    assert "stock_out=pass" in capsys.readouterr().err


def test_a_prior_has_the_rules_of_its_policy() -> None:
    assert PolicyPrior(load("champion")).rules == load("champion").rules


def test_who_says_nothing_of_rules_plays_by_any() -> None:
    class Anybody:
        def act(self, batch: Any) -> np.ndarray:
            return batch.action_mask.argmax(axis=1)

    for rules in (RuleSet(), RuleSet(stock_out="end", quad_bonus="jacks")):
        check_rules(Anybody(), rules)
        check_rules(load("expert"), rules)
