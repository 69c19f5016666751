"""Ratings from matches, and the effects of seat and dealer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..rules import NUM_SEATS
from .match import Pairs
from .statistics import bradley_terry, mean_interval

ELO = 400 / np.log(10)
"""Rating points per unit of Bradley-Terry strength: 400 points are odds of ten to one."""
HALF_A_WIN = 0.5
"""Wins added to both sides of each match, so that a policy that never loses has a finite rating."""
RESAMPLES = 400
BASELINE = "deepest"

Matches = Mapping[tuple[int, int], Pairs]
"""Pairs by the indices of the two policies."""


def ratings(names: Sequence[str], matches: Matches, seed: int = 0) -> list[dict[str, Any]]:
    """The rating of every policy, strongest first: ``{"policy", "rating", "low", "high"}``.

    The baseline ``deepest``, or without it the first policy, has the rating 0 by definition. The 95% bounds come from
    a bootstrap over deals (each with all matches that were played on it), so they bound the distance to the baseline.
    """
    zero = names.index(BASELINE) if BASELINE in names else 0
    deals = max(len(pairs) for pairs in matches.values())
    rng = np.random.default_rng(seed)
    weights = [np.ones(deals), *(rng.multinomial(deals, np.full(deals, 1 / deals)) for _ in range(RESAMPLES))]
    found = []
    for weight in weights:
        wins = np.zeros((len(names), len(names)))
        for (a, b), pairs in matches.items():
            won = pairs.won.sum(axis=1)
            of_deals = weight[: len(pairs)]
            wins[a, b] = won @ of_deals + HALF_A_WIN
            wins[b, a] = (2 - won) @ of_deals + HALF_A_WIN
        strength = bradley_terry(wins)
        found.append(ELO * (strength - strength[zero]))
    point, *resampled = found
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    order = sorted(range(len(names)), key=lambda policy: -point[policy])
    return [
        {
            "policy": names[policy],
            "rating": float(point[policy]),
            "low": float(low[policy]),
            "high": float(high[policy]),
        }
        for policy in order
    ]


def seat_effects(matches: Matches) -> dict[str, Any]:
    """Effects of the seats: means over all policies in both seatings, with 95% intervals over deals.

    ``plays first``: points a deal of the team that plays first, minus the other's. ``team 0 by dealer``: points a deal
    of team 0 minus team 1, by the seat that dealt first.
    """
    deals = max(len(pairs) for pairs in matches.values())
    total, count = np.zeros(deals), np.zeros(deals)
    for pairs in matches.values():
        total[: len(pairs)] += (pairs.margin[:, 0] - pairs.margin[:, 1]) / 2  # A as team 0 minus A as team 1
        count[: len(pairs)] += 1
    of_team_0 = total / count
    dealer = np.arange(deals) % NUM_SEATS
    first = np.where(dealer % 2 == 1, of_team_0, -of_team_0)  # the seat left of the dealer plays first
    return {
        "plays first": _interval(first),
        "team 0 by dealer": [_interval(of_team_0[dealer == seat]) for seat in range(NUM_SEATS)],
    }


def _interval(values: np.ndarray) -> dict[str, Any]:
    mean, low, high = mean_interval(values) if len(values) > 1 else (None, None, None)
    return {"mean": mean, "low": low, "high": high, "deals": len(values)}
