"""Search with a trained policy as its prior: how much that counts, and what it spares."""

from __future__ import annotations

import numpy as np
import pytest

from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch
from persian_rummy_env.players.priors import MIN_PRIOR, NAT, PolicyPrior
from persian_rummy_env.players.search import SearchPolicy
from persian_rummy_env.rules import RuleSet
from tests.agents.positions import positions, shown


class BiasedPolicy(BasePolicy):
    """Thinks the legal actions from the highest id down ``odds`` times less likely each than the one before."""

    name = "biased"
    rules = RuleSet(quad_bonus="jacks")

    def __init__(self, odds: float) -> None:
        self.odds = odds

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return self.probabilities(batch).argmax(axis=1)

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        place = np.cumsum(batch.action_mask, axis=1) - 1
        weight = np.where(batch.action_mask > 0, self.odds ** (place - place.max(axis=1, keepdims=True)), 0.0)
        return weight / weight.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def batch() -> DecisionBatch:
    return shown(positions(60))


@pytest.mark.parametrize("method", ["halving", "flat"])
def test_a_prior_without_weight_changes_nothing(batch: DecisionBatch, method: str) -> None:
    plain = SearchPolicy("deepest", worlds=4, method=method)
    leaning = SearchPolicy("deepest", worlds=4, method=method, prior=PolicyPrior(BiasedPolicy(1.5)), prior_worlds=0)
    assert (leaning.act(batch) == plain.act(batch)).all()
    assert leaning.playouts == plain.playouts > 0


def test_log_probabilities_count_in_points_and_as_worlds_do(batch: DecisionBatch) -> None:
    assert batch.views is not None
    policy = BiasedPolicy(1.5)
    leaning = SearchPolicy("deepest", worlds=4, method="flat", prior=PolicyPrior(policy), prior_worlds=2)
    rows = batch.action_mask.sum(axis=1) > 1
    means = SearchPolicy("deepest", worlds=4, method="flat").values(batch.views, batch.action_mask)[rows]
    with np.errstate(divide="ignore"):
        expected = means + 2 * NAT * np.log(policy.probabilities(batch))[rows] / 4
    found = leaning.values(batch.views, batch.action_mask)[rows]
    legal = batch.action_mask[rows].astype(bool)
    assert found[legal] == pytest.approx(expected[legal], abs=0.01)
    assert (found[~legal] == -np.inf).all()


def test_what_is_hopeless_is_not_searched(batch: DecisionBatch) -> None:
    """With odds just beyond the bound only the likeliest action is left, and nothing is to be compared."""
    for least, odds, searched in (
        *((None, 2 / MIN_PRIOR, False), (None, 0.5 / MIN_PRIOR, True)),
        *((0.01, 200.0, False), (0.01, 50.0, True)),
    ):
        policy = BiasedPolicy(odds)
        search = SearchPolicy("deepest", worlds=2, prior=PolicyPrior(policy, min_prior=least), prior_worlds=0)
        chosen = search.act(batch)
        assert (search.playouts > 0) is searched
        assert batch.action_mask[np.arange(len(chosen)), chosen].all()
        if not searched:
            assert (chosen == policy.act(batch)).all()


def test_only_so_many_of_the_likeliest_are_searched(batch: DecisionBatch) -> None:
    """Of equally likely ones those with the lowest ids."""
    assert batch.views is not None
    legal = batch.action_mask.astype(bool)
    for odds, most in ((1.5, 3), (1.5, 1), (1.0, 3), (1.0, 600)):
        worth = PolicyPrior(BiasedPolicy(odds), candidates=most).worth_of(batch.views, legal)
        whole = PolicyPrior(BiasedPolicy(odds)).worth_of(batch.views, legal)
        for row in range(len(batch)):
            actions = np.flatnonzero(legal[row])
            kept = actions[-most:] if odds > 1 else actions[:most]
            assert np.flatnonzero(legal[row] & (worth[row] > -np.inf)).tolist() == kept.tolist()
            assert (worth[row, kept] == whole[row, kept]).all()
        assert (worth[~legal] == 0).all()


def test_a_planted_truth_changes_no_choice() -> None:
    """The network, too, is asked of what the seat sees."""
    games = positions(60)
    search = load("search(deepest, worlds=3, prior=champion)")
    before = search.act(shown(games))
    other = games.copy()
    for seat in range(4):
        mine = games["seat"] == seat
        other[mine] = exchange_hidden(games[mine], seat, np.random.default_rng(3))
    assert (other["hand"] != games["hand"]).any(axis=1).mean() > 0.5
    assert (search.act(shown(other)) == before).all()


def test_it_plays_by_the_rules_of_its_prior_and_says_so() -> None:
    search = SearchPolicy("greedy", worlds=2, prior=PolicyPrior(BiasedPolicy(2.0)))
    assert search.rules == BiasedPolicy.rules
    assert search.name == "search(greedy, worlds=2, prior=biased)"
    assert load("search(deepest, worlds=2, prior=champion)").rules == load("champion").rules
