"""The statistics of matches, compared with scipy and choix."""

from __future__ import annotations

import numpy as np
import pytest

from persian_rummy_env.evaluation.statistics import bradley_terry, mean_interval, t_quantile


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 30, 199, 1023, 100_000])
def test_the_t_quantile_is_scipys(freedom: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    for probability in (0.5, 0.6, 0.9, 0.975, 0.995, 0.9999):
        assert t_quantile(probability, freedom) == pytest.approx(stats.t.ppf(probability, freedom), rel=1e-9, abs=1e-12)


def test_an_interval_is_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).normal(3, 40, 500)
    expected = stats.t.interval(0.95, 499, loc=values.mean(), scale=stats.sem(values))
    assert mean_interval(values) == pytest.approx((values.mean(), *expected))
    assert mean_interval(values[:1])[1:] == (-np.inf, np.inf)


@pytest.mark.parametrize("seed", range(5))
def test_strengths_are_choixs(seed: int) -> None:
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 1000, (6, 6)) * rng.choice([0.01, 1], (6, 6)) + 0.5
    np.fill_diagonal(wins, 0)
    expected = choix.opt_pairwise_dense if False else choix.ilsr_pairwise_dense
    found = expected(wins.astype(np.float64))
    np.testing.assert_allclose(bradley_terry(wins), found - found.mean(), atol=1e-5)


def test_players_without_a_path_of_wins_have_no_strengths() -> None:
    with pytest.raises(ValueError, match="never met"):
        bradley_terry(np.array([[0.0, 3.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="never met"):
        bradley_terry(np.zeros((3, 3)))


@pytest.mark.parametrize(("probability", "freedom"), [(0.4, 3), (1.0, 3), (0.9, 0), (float("nan"), 3)])
def test_quantiles_that_are_none_are_refused(probability: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="freedom"):
        t_quantile(probability, freedom)
