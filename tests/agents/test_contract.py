"""One contract for policies: an object with ``act`` plays everywhere, and its answer is checked by one function."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyGymEnv, RuleSet
from persian_rummy_env.apps.analyst import PolicyAnalyst
from persian_rummy_env.bots import BOTS
from persian_rummy_env.evaluation.arena import new_games, play, show
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import Policy, as_policy
from persian_rummy_env.players.policy_io import AnswerError, PolicyError, answer_of, choose, decide
from persian_rummy_env.players.scripted import ScriptedPolicy
from tests.agents import strangers
from tests.agents.positions import choices_of, positions, shown

RULES = RuleSet()


def in_a_match(policy: Any) -> Any:
    return play_match(policy, load("random"), 2, 1)


def in_the_arena(policy: Any) -> Any:
    seeds = np.arange(3, dtype=np.uint64)
    return play(new_games(seeds, np.zeros(3, dtype=np.int8), deals=1), [policy], np.zeros((3, 4), dtype=np.int64))


def at_a_table(policy: Any) -> Any:
    return choose(positions(20), policy)


def on_a_replay_page(policy: Any) -> Any:
    return PolicyAnalyst(policy, worlds=2)(positions(3), RULES)


def against_a_learner(policy: Any) -> Any:
    env = PersianRummyGymEnv(opponents=policy, partner=policy)
    _, info = env.reset(seed=1)
    for _ in range(20):
        _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        if terminated:
            break


DOORS: list[Callable[[Any], Any]] = [in_a_match, in_the_arena, at_a_table, on_a_replay_page, against_a_learner]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_an_object_with_act_is_enough(door: Callable[[Any], Any]) -> None:
    door(strangers.Bare())


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize(
    ("player", "words"),
    [
        (strangers.Unmasked, ["unmasked", "'draw'", "not legal"]),
        (strangers.Scribbler, ["scribbler", "not legal"]),
        (strangers.Beyond, ["beyond", "547", "outside 0..546"]),
        (strangers.Floats, ["floats", "float64", "integers"]),
        (strangers.Yes, ["yes", "bool", "integers"]),
        (strangers.TooFew, ["too few", "expected integers"]),
        (strangers.Ragged, ["ragged", "expected integers"]),
    ],
)
def test_a_wrong_answer_is_refused_by_name(door: Callable[[Any], Any], player: Any, words: list[str]) -> None:
    with pytest.raises((AnswerError, PolicyError)) as refused:
        door(player())
    for word in words:
        assert word in str(refused.value)


def test_what_a_player_raises_is_not_swallowed_in_a_match() -> None:
    class Broken:
        def act(self, batch: Any) -> Any:
            return batch.no_such_thing

    for door in (in_a_match, in_the_arena, against_a_learner):
        with pytest.raises(AttributeError, match="no_such_thing"):
            door(Broken())


def test_a_refused_answer_leaves_every_game_as_it_was() -> None:
    class LastOneWrong:
        def act(self, batch: Any) -> np.ndarray:
            actions = batch.action_mask.argmax(axis=1)
            actions[-1] = batch.action_mask[-1].argmin()
            return actions

    games = positions(10)
    before = games.copy()
    with pytest.raises(AnswerError, match="LastOneWrong"):
        decide(games, np.arange(10), LastOneWrong())
    assert (games == before).all()


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.uint64, list])
def test_integers_of_any_type_will_do(kind: Any) -> None:
    class Typed:
        def act(self, batch: Any) -> Any:
            first = batch.action_mask.argmax(axis=1)
            first[first > 100] = 0  # what an int8 can say
            return first.tolist() if kind is list else first.astype(kind)

    games = positions(60)
    few = games[show(games, np.arange(60)).action_mask.argmax(axis=1) <= 100]
    assert answer_of(Typed(), few, np.arange(len(few))).dtype == np.int64


def test_a_stranger_gets_what_it_lacks_and_keeps_what_it_has() -> None:
    policy = as_policy(strangers.Bare())
    assert isinstance(policy, Policy)
    assert (policy.name, policy.wants_views, policy.code, policy.rules) == ("Bare", False, -1, None)
    assert as_policy(policy) is policy
    assert not hasattr(policy, "probabilities")

    class Sure:
        name = "sure"
        wants_views = True
        rules = RuleSet(deals=1)

        def act(self, batch: Any) -> np.ndarray:
            return batch.action_mask.argmax(axis=1)

        def probabilities(self, batch: Any) -> np.ndarray:
            return batch.action_mask / batch.action_mask.sum(axis=1, keepdims=True)

    sure = Sure()
    assert as_policy(sure) == as_policy(sure)
    assert as_policy(sure).probabilities is not None  # type: ignore[attr-defined]
    assert as_policy(sure).wants_views
    assert PolicyAnalyst(sure, worlds=0)(positions(3), RULES).probabilities is not None
    for again in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert again.name == "Bare"


@pytest.mark.parametrize("thing", [None, 7, object(), strangers.Bare])
def test_what_cannot_act_is_refused(thing: Any) -> None:
    for door in (in_a_match, in_the_arena, at_a_table):
        with pytest.raises(TypeError, match=r"act\(batch\)"):
            door(thing)


# Bots -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in BOTS if name != "random"])
def test_a_bot_acts_as_it_plays_in_the_loop(name: str) -> None:
    games = positions(200)
    policy = load(name)
    assert policy.wants_views
    assert (policy.act(shown(games)) == choices_of(name, games)).all()


def test_the_random_bot_acts_by_its_seed() -> None:
    batch = shown(positions(200))
    one, same, other = (ScriptedPolicy("random", seed=seed).act(batch) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    assert batch.action_mask[np.arange(200), one].all()


def test_a_bot_without_views_says_what_it_needs() -> None:
    games = positions(2)
    with pytest.raises(ValueError, match=r"greedy.*views"):
        load("greedy").act(show(games, np.arange(2)))
