"""Search with a prior: how much its opinion counts, and what it spares."""

from __future__ import annotations

import numpy as np
import pytest

from agents.base import Batch, Policy
from agents.load import load
from agents.search import HOPELESS, SearchPolicy
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.testing import exchange_hidden
from tests.agents.positions import positions, shown


class Prior(Policy):
    """Thinks the legal actions from the highest id down ``odds`` times as likely each as the one before."""

    name = "prior"
    rules = RuleSet(quad_bonus="jacks")

    def __init__(self, odds: float) -> None:
        self.odds = odds

    def act(self, batch: Batch) -> np.ndarray:
        return self.probabilities(batch).argmax(axis=1)

    def probabilities(self, batch: Batch) -> np.ndarray:
        place = np.cumsum(batch.action_mask, axis=1) - 1
        weight = np.where(batch.action_mask > 0, self.odds ** (place - place.max(axis=1, keepdims=True)), 0.0)
        return (weight / weight.sum(axis=1, keepdims=True)).astype(np.float64)


@pytest.fixture(scope="module")
def batch() -> Batch:
    return shown(positions(60))


@pytest.mark.parametrize("method", ["halving", "flat"])
def test_a_prior_that_trusts_nobody_changes_nothing(batch: Batch, method: str) -> None:
    plain, believing = (
        SearchPolicy("deepest", worlds=4, method=method, prior=prior, trust=0.0) for prior in (None, Prior(1.5))
    )
    assert (believing.act(batch) == plain.act(batch)).all()
    assert believing.playouts == plain.playouts > 0


@pytest.mark.parametrize("method", ["halving", "flat"])
def test_a_prior_that_is_trusted_blindly_chooses(batch: Batch, method: str) -> None:
    prior = Prior(1.5)
    search = SearchPolicy("deepest", worlds=4, method=method, prior=prior, trust=1e5)
    assert (search.act(batch) == prior.act(batch)).all()


def test_opinions_count_in_points(batch: Batch) -> None:
    """The values of a flat search are the means, and trust times the log of the probability."""
    assert batch.views is not None
    prior = Prior(1.5)
    search = SearchPolicy("deepest", worlds=4, method="flat", prior=prior, trust=3.0)
    rows = batch.action_mask.sum(axis=1) > 1
    means = SearchPolicy("deepest", worlds=4, method="flat").values(batch.views, batch.action_mask)
    expected = np.where(batch.action_mask > 0, means, -np.inf)
    with np.errstate(divide="ignore"):
        expected += 3.0 * np.log(prior.probabilities(batch))
    assert (search.act(batch)[rows] == expected[rows].argmax(axis=1)).all()
    assert (means.argmax(axis=1) != expected.argmax(axis=1))[rows].any()


def test_what_is_hopeless_is_not_searched(batch: Batch) -> None:
    """With odds just beyond the bound only the likeliest action is left, and nothing is to be compared."""
    for odds, searched in ((2 / HOPELESS, False), (0.5 / HOPELESS, True)):
        prior = Prior(odds)
        search = SearchPolicy("deepest", worlds=2, prior=prior, trust=0.0)
        chosen = search.act(batch)
        assert (search.playouts > 0) is searched
        assert batch.action_mask[np.arange(len(chosen)), chosen].all()
        if not searched:
            assert (chosen == prior.act(batch)).all()


def test_a_planted_truth_changes_no_choice() -> None:
    """The network is asked of what the seat sees as well."""
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
    search = SearchPolicy("greedy", worlds=2, prior=Prior(2.0))
    assert search.rules == Prior.rules
    assert search.name == "search(greedy, worlds=2, prior=prior)"
    assert load("search(deepest, worlds=2, prior=champion)").rules == load("champion").rules


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("search(deepest, prior=champion, method=plans)", "plans are compared without one"),
        ("search(deepest, prior=greedy)", "no probabilities"),
        ("search(deepest, prior=champoin)", "did you mean 'champion'"),
        ("search(deepest, prior=champion, trust=-1)", "trust=-1"),
    ],
)
def test_nonsense_is_refused(spec: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        load(spec)
