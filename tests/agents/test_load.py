"""Policies by name, and what a wrong name is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from persian_rummy_env.bots import BOTS
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.players.load import load, split_specs
from persian_rummy_env.players.policy_io import PolicyError
from persian_rummy_env.players.scripted import ScriptedPolicy
from persian_rummy_env.players.search import SearchPolicy
from tests.agents import strangers
from tests.agents.positions import positions, shown

STRANGERS = "python:tests.agents.strangers"


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_by_name(name: str) -> None:
    policy = load(f" {name} ")
    assert isinstance(policy, ScriptedPolicy)
    assert (policy.name, policy.code) == (name, BOTS[name])


@pytest.mark.parametrize(
    ("spec", "unit", "budget", "method"),
    [
        ("search(deepest)", "worlds", 10, "halving"),
        ("search(deepest,worlds=40)", "worlds", 40, "halving"),
        (" search ( deepest , worlds = 40 , method = flat ) ", "worlds", 40, "flat"),
        ("search(worlds=40, player=deepest)", "worlds", 40, "halving"),
        ("search(greedy, playouts=2000)", "playouts", 2000, "halving"),
        ("search(expert, ms=12.5, seed=3, threads=1)", "ms", 12.5, "halving"),
    ],
)
def test_a_search_by_name(spec: str, unit: str, budget: float, method: str) -> None:
    policy = load(spec)
    assert isinstance(policy, SearchPolicy)
    assert (policy.unit, policy.budget, policy.method) == (unit, budget, method)
    assert policy.name == spec.strip()


@pytest.mark.parametrize("options", ["prior=expert", "prior=champion", "method=flat, prior=champion, prior_worlds=2.5"])
def test_a_search_that_leans_on_a_prior(options: str) -> None:
    policy = load(f"search(deepest, worlds=40, {options})")
    assert isinstance(policy, SearchPolicy)
    assert policy.prior is not None
    made = SearchPolicy(
        "deepest",
        worlds=40,
        method=policy.method,
        prior=policy.prior,
        prior_worlds=2.5 if "2.5" in options else None,
    )
    assert made.name == policy.name
    assert made.prior_worlds == policy.prior_worlds == (2.5 if "2.5" in options else policy.prior.worlds)


def test_a_stranger_by_name() -> None:
    policy = load(f"{STRANGERS}:First")
    games = positions(50)
    assert (policy.act(shown(games)) == shown(games).action_mask.argmax(axis=1)).all()
    assert policy.name == f"{STRANGERS}:First"
    assert policy.wants_views is False
    fresh = new_games(games["sample_rng"], games["dealer"].astype("int8"))
    assert play(fresh, [policy], games["known"] * 0).min() > 20


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            "",
            "expected a bot (random, greedy, deepest, expert), a bundled trained policy (champion, minutes-1",
        ),
        ("experd", "did you mean 'expert'? expected a bot (random, greedy, deepest, expert)"),
        ("Expert", "did you mean 'expert'?"),
        ("serch(deepest)", "did you mean 'search'?"),
        ("search(deepest", "did you mean 'search'?"),
        ("search", "'search(PLAYER, worlds=10)'"),
        ("flie:runs/a/policy.safetensors", "did you mean 'file'?"),
        ("search()", "'' is no argument"),
        ("search(deepest,)", "'' is no argument"),
        ("search(deepest, worlds=)", "'worlds=' is no argument"),
        ("search(deepst)", "unknown policy 'deepst': did you mean 'deepest'? expected a bot (random, greedy"),
        ("search(champoin)", "did you mean 'champion'?"),
        ("search(search(deepest))", "playouts by search(deepest): expected a bot, or a policy that does not search"),
        ("search(search(champion, worlds=4), worlds=2)", "playouts by search(champion, worlds=4)"),
        ("search(champion, min_prior=0.1)", "min_prior without a prior: expected also prior=champion"),
        ("search(deepest, prior=expert, candidates=3)", "candidates with prior=expert: expected a trained policy"),
        ("search(deepest, prior=champion, candidates=0)", "candidates=0: expected a whole number of at least 1"),
        ("search(deepest, prior=champion, candidates=few)", "candidates='few': expected"),
        ("search(deepest, prior=champion, min_prior=0)", "min_prior=0: expected a share of the favourite's"),
        ("search(deepest, prior=champion, min_prior=2)", "min_prior=2: expected"),
        ("search(deepest, wrlds=4)", "unknown option 'wrlds': did you mean 'worlds'? known are player, worlds"),
        ("search(deepest, name=4)", "unknown option 'name'"),
        ("search(deepest, greedy)", "player is given twice"),
        ("search(deepest, worlds=4, worlds=5)", "worlds is given twice"),
        ("search(deepest, method=half)", "unknown method 'half': known are halving, flat"),
        ("search(deepest, method=flt)", "did you mean 'flat'?"),
        ("search(deepest, worlds=10, ms=5)", "worlds=10, ms=5: expected one budget"),
        ("search(deepest, playouts=10, worlds=5)", "worlds=5, playouts=10: expected one budget"),
        ("search(deepest, worlds=0)", "worlds=0: expected a whole number of at least 1"),
        ("search(deepest, worlds=many)", "worlds='many'"),
        ("search(deepest, playouts=2.5)", "playouts=2.5: expected a whole number"),
        ("search(deepest, ms=-1)", "ms=-1: expected a number above 0"),
        ("search(deepest, ms=nan)", "ms=nan"),
        ("search(deepest, ms=fast)", "ms='fast'"),
        (
            "search(deepest, prior=expert, prior_worlds=-1)",
            "prior_worlds=-1: expected a number of worlds from 0",
        ),
        ("search(deepest, prior=expert, prior_worlds=1001)", "prior_worlds=1001"),
        ("search(deepest, prior=expert, prior_worlds=inf)", "prior_worlds=inf"),
        ("search(deepest, prior=expert, prior_worlds=few)", "prior_worlds='few'"),
        ("search(deepest, prior_worlds=3)", "no prior"),
        ("search(deepest, prior=greedy)", "no probabilities"),
        ("search(deepest, prior=champoin)", "did you mean 'champion'"),
        ("search(deepest, threads=0)", "threads=0: expected a whole number"),
        ("search(deepest, seed=-1)", "seed=-1: expected a whole number from 0"),
        ("python:", "expected 'python:package.module:Class'"),
        ("python:os", "expected 'python:package.module:Class'"),
        ("python:no.such.module:Class", "No module named 'no'"),
        (f"{STRANGERS}:Nobody", "no attribute 'Nobody'"),
        (f"{STRANGERS}:NoAct", "NoAct has no method act(batch)"),
        (f"{STRANGERS}:NeedsMore", "missing a required argument: 'path'"),
    ],
)
def test_a_wrong_name_is_told_the_right_ones(spec: str, told: str) -> None:
    with pytest.raises(ValueError) as refused:
        load(spec)
    assert told in str(refused.value)
    assert repr(spec) in str(refused.value)


@pytest.mark.parametrize("spec", ["python:os:name", "python:os.path:sep"])
def test_what_is_no_class_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="is not a callable object"):
        load(spec)


@pytest.mark.parametrize("error", [AttributeError, TypeError, ValueError, ImportError, FileNotFoundError, KeyError])
def test_an_error_in_a_constructor_is_seen_as_one(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the cause of what is raised, so that a traceback shows the line where it happened."""

    def planted(self: object) -> None:
        raise error("planted")

    monkeypatch.setattr(strangers.First, "__init__", planted)
    with pytest.raises(PolicyError, match="planted") as raised:
        load(f"{STRANGERS}:First")
    assert type(raised.value.__cause__) is error
    assert raised.value.__cause__.__traceback__.tb_next.tb_frame.f_code is planted.__code__  # type: ignore[union-attr]
    assert not raised.value.is_answer


@pytest.mark.parametrize("line", ["import no_such_library", "len(3)", "None.name", "from os import no_such_name"])
def test_an_error_in_a_module_is_seen_as_one(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted_module.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("planted_module", None)
    with pytest.raises((ImportError, TypeError, AttributeError)) as raised:
        load("python:planted_module:Class")
    assert "planted_module.py" in str(raised.traceback[-1].path)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match="no/such: no such policy file"):
        load("file:no/such")


def test_commas_inside_brackets_do_not_divide() -> None:
    text = "random, greedy,search(deepest, worlds=10),file:runs/x/policy.safetensors"
    assert split_specs(text) == ["random", "greedy", "search(deepest, worlds=10)", "file:runs/x/policy.safetensors"]


@pytest.mark.parametrize("text", ["random,,greedy", "", "random,", "search(deepest,worlds=3", "random)", ")("])
def test_a_list_with_a_hole_or_half_a_bracket_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="policies"):
        split_specs(text)
