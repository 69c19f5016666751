"""What policies think of decisions: probabilities, values that see no more than the seat, what they would choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import RuleSet
from persian_rummy_env.apps import analyst as module
from persian_rummy_env.apps.analyst import PolicyAnalyst, played_out, worth_of
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.evaluation.arena import show
from persian_rummy_env.evaluation.statistics import t_quantile
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy_io import PolicyError, choose
from persian_rummy_env.players.search import SearchPolicy
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.records.replay import replay
from tests.agents.positions import positions

RULES = RuleSet()


def test_a_trained_policy_says_how_likely_each_action_is() -> None:
    pytest.importorskip("torch")
    games = positions(40)
    champion = load("champion")
    analysis = PolicyAnalyst(champion, worlds=0)(games, RULES)
    assert analysis.policy == "champion"
    assert analysis.value is None
    assert analysis.worth is None
    assert analysis.probabilities is not None
    mask = show(games, np.arange(len(games))).action_mask.astype(bool)
    assert (analysis.probabilities[~mask] == 0).all()
    assert (analysis.probabilities[mask] > 0).all()
    np.testing.assert_allclose(analysis.probabilities.sum(axis=1), 1, atol=1e-5)
    assert (analysis.probabilities.argmax(axis=1) == analysis.chosen).all()
    assert (analysis.chosen == choose(games, champion)).all()


def test_probabilities_are_the_dense_networks() -> None:
    torch = pytest.importorskip("torch")
    from agents.inputs import DenseInputs
    from agents.learned import LearnedPolicy
    from agents.network import Actor
    from persian_rummy_env.players.network_shape import Shape

    torch.manual_seed(1)
    actor = Actor(Shape(32, 1))
    torch.nn.init.normal_(actor.last.weight, std=0.3)
    batch = show(positions(30), np.arange(30))
    with torch.no_grad():
        dense = actor.log_p(DenseInputs.of(batch.observation, batch.legal)).exp().numpy()
    found = LearnedPolicy(actor).probabilities(batch)
    np.testing.assert_allclose(found, np.where(batch.action_mask, dense, 0), atol=1e-5)


@pytest.mark.parametrize("bot", ["greedy", "deepest"])
def test_the_value_is_what_the_policy_makes_of_the_deal(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the true world, with the policy that played the game, it is the score of the deal."""
    monkeypatch.setattr(module, "views_of", lambda games, *_: games)
    monkeypatch.setattr(module, "sample_worlds", lambda games, *_: games[:, None].copy())
    [record] = simulate(1, 4, bot)
    again = replay(record)
    games = again.states[: again.played]
    values, error = played_out(games, load(bot), 1)
    assert error is None
    expected = []
    for number, deal in enumerate(record["deals"]):
        margin = deal["score"][0] - deal["score"][1]
        expected += [margin if seat % 2 == 0 else -margin for seat in games["seat"][games["deal"] == number].tolist()]
    assert values.tolist() == expected


@pytest.mark.parametrize("name", ["greedy", "search(deepest, worlds=4)"])
def test_an_analysis_sees_no_more_than_the_seat(name: str) -> None:
    games = positions(24)
    rng = np.random.default_rng(3)
    changed = np.concatenate([exchange_hidden(games[[lane]], int(games["seat"][lane]), rng) for lane in range(24)])
    assert (changed["hand"] != games["hand"]).any(axis=1).sum() > 12
    analyst = PolicyAnalyst(name, worlds=6)
    before, after = analyst(games, RULES), analyst(changed, RULES)
    assert (before.chosen == after.chosen).all()
    assert before.value is not None
    np.testing.assert_array_equal(before.value, after.value)


def test_half_of_the_interval_is_how_much_a_value_differs_with_other_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    games = positions(120)
    found = []
    for seed in range(6):
        monkeypatch.setattr(
            module.np.random, "default_rng", lambda _, seed=seed: np.random.Generator(np.random.PCG64(seed))
        )
        found.append(played_out(games, load("deepest"), 16))
    between = np.var([values for values, _ in found], axis=0, ddof=1).mean()
    within = np.mean([(half / t_quantile(0.975, 15)) ** 2 for _, half in found if half is not None])
    assert 0.8 < between / within < 1.25


def test_analyses_change_nothing_and_repeat() -> None:
    games = positions(12)
    kept = games.copy()
    analyst = PolicyAnalyst("expert", worlds=5)
    first, second = analyst(games, RULES), analyst(games, RULES)
    assert (games == kept).all()
    np.testing.assert_array_equal(first.value, second.value)


@pytest.mark.parametrize(("method", "player"), [("flat", "greedy"), ("halving", "greedy"), ("flat", load("champion"))])
def test_a_search_says_what_each_action_is_worth(method: str, player: Any) -> None:
    games = positions(24)
    search = SearchPolicy(player, worlds=4, method=method)
    worth, _ = worth_of(games, search)
    mask = show(games, np.arange(len(games))).action_mask.astype(bool)
    assert np.isfinite(worth[mask]).all()
    assert (worth[~mask] == -np.inf).all()
    assert abs(worth[mask]).max() < 2000
    analysis = PolicyAnalyst(search)(games, RULES)
    assert analysis.probabilities is None
    assert (analysis.chosen == choose(games, search)).all()
    assert analysis.value is not None
    alone = mask.sum(axis=1) == 1
    assert (np.isnan(analysis.value) == alone).all()


def test_a_policy_of_other_rules_and_one_that_cheats_are_named() -> None:
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"champion .*stock_out=pass,.*stock_out=end$"):
        PolicyAnalyst("champion")(positions(2), RuleSet(stock_out="end"))
    with pytest.raises(PolicyError, match="not legal"):
        PolicyAnalyst("python:tests.agents.strangers:Unmasked", worlds=0)(positions(8), RULES)
    with pytest.raises(ValueError, match="unknown policy 'exprt': did you mean 'expert'"):
        PolicyAnalyst("exprt")
