"""Intervals cover what they should as often as they say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from persian_rummy_env.evaluation.match import deal_seeds, play_pairs
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.load import load
from persian_rummy_env.rules import RuleSet

PAIRS = 20
"""Of one repeat."""


def covered(unit: np.ndarray, truth: float) -> float:
    """The share of repeats (n, pairs) whose 95% interval holds the truth."""
    bounds = np.array([mean_interval(repeat)[1:] for repeat in unit])
    return float(((bounds[:, 0] <= truth) & (truth <= bounds[:, 1])).mean())


def units(a: str, b: str, repeats: int, seed: int) -> np.ndarray:
    pairs = play_pairs(load(a), load(b), deal_seeds(seed, repeats * PAIRS), 0, RuleSet(), "deal")
    return pairs.margin.mean(axis=1).reshape(repeats, PAIRS)


def test_random_against_itself_covers_0_in_2000_repeats() -> None:
    assert 0.93 <= covered(units("random", "random", 2000, seed=72), 0) <= 0.97


def test_an_interval_of_the_halves_of_pairs_would_not() -> None:
    """What the intervals are there to avoid: the two games of a pair taken for independent cover too often or too
    seldom, as their correlation goes."""
    margin = np.random.default_rng(3).normal(size=(2000, PAIRS, 1)).repeat(2, axis=2)
    assert covered(margin.reshape(2000, 2 * PAIRS), 0) < 0.9
    assert 0.93 <= covered(margin.mean(axis=2), 0) <= 0.97


def test_the_stop_rule_leaves_coverage_as_it_is() -> None:
    """Looking at 16, 32, 64 … pairs and stopping at ±k, over values of the spread and the skew that margins have."""
    rng = np.random.default_rng(4)
    held, stopped = 0, []
    for _ in range(2000):
        unit = 69 * (rng.gamma(8, size=512) - 8) / np.sqrt(8)
        for look in (16, 32, 64, 128, 256, 512):
            _, low, high = mean_interval(unit[:look])
            if (high - low) / 2 <= 12:
                break
        held += low <= 0 <= high
        stopped.append(look)
    assert len(set(stopped)) > 1
    assert 0.93 <= held / 2000 <= 0.97


def test_intervals_shrink_with_the_root_of_the_pairs() -> None:
    unit = units("random", "greedy", 256, seed=73).reshape(-1)
    halves = [np.diff(mean_interval(unit[:pairs])[1:])[0] for pairs in (320, 1280, 5120)]
    for wide, narrow in pairwise(halves):
        assert 1.7 < wide / narrow < 2.3
