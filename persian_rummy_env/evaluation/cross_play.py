"""Cross-play: teams of two from all policies play the same duplicate deals against a fixed team.

The gap is the mean of the diagonal minus the mean of the other cells: what a team loses if its members are different
policies. A ``MatchCache`` with a folder stores the pairs, and the same call continues after an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..players.policy import BasePolicy
from .match_cache import MatchCache, deal_set
from .progress import Reporter
from .statistics import mean_interval

Cells = dict[tuple[str, str], np.ndarray]
"""Margins (pairs,) by team: the policy at the lower seat, the policy at the higher seat."""


def play_cross(
    cache: MatchCache,
    policies: Mapping[str, BasePolicy],
    opponents: Mapping[str, BasePolicy],
    pairs: int,
    ended: Callable[[str, np.ndarray], None],
) -> tuple[dict[str, Cells], float]:
    """Play all cells; returns them by opponent, and the seconds of play.

    Args:
        policies, opponents: by name; both opponents of a team are the same policy.
        pairs: of each cell.
        ended: is called with the name and the margins (pairs,) of each cell as it ends.

    Raises:
        MatchCacheError: the cache holds a cell as other code, weights or settings played it.
    """
    pairings = {opponent: list(product(policies, repeat=2)) for opponent in opponents}
    names = [f"{a} & {b} v {opponent}" for opponent, cells in pairings.items() for a, b in cells]
    report = Reporter(dict.fromkeys(names, pairs))
    found: dict[str, Cells] = {}
    seconds = 0.0
    for opponent, cells in pairings.items():
        found[opponent] = {}
        for a, b in cells:
            name = f"{a} & {b} v {opponent}"
            them = (opponents[opponent], opponents[opponent])
            played = cache.play((policies[a], policies[b]), them, pairs, partial(report, name))
            found[opponent][a, b] = played.pairs.margin.mean(axis=1)
            seconds += played.seconds
            ended(name, found[opponent][a, b])
    return found, seconds


def bounds(values: np.ndarray) -> dict[str, float]:
    """The mean of values and its 95% interval."""
    mean, low, high = mean_interval(values)
    return {"margin": mean, "low": low, "high": high}


def summed_up(names: Sequence[str], cells: Cells) -> dict[str, Any]:
    """Means of the diagonal and of the other cells, and their gap, over all policies and for each policy.

    All cells use the same deals, so the gap is computed deal by deal, and its interval is over deals.
    """
    of = {name: _split(name, names, cells) for name in names}
    own, others = (np.mean([means[which] for means in of.values()], axis=0) for which in (0, 1))
    return {
        "diagonal": bounds(own),
        "off_diagonal": bounds(others),
        "gap": bounds(own - others),
        "policies": {name: bounds(mine - rest) for name, (mine, rest) in of.items()},
    }


def _split(name: str, names: Sequence[str], cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """By deal: the mean of the unmixed teams (of a policy and of its partners), and the mean of the mixed teams with
    it."""
    others = [other for other in names if other != name]
    own = np.mean([(cells[name, name] + cells[other, other]) / 2 for other in others], axis=0)
    mixed = np.mean([(cells[name, other] + cells[other, name]) / 2 for other in others], axis=0)
    return own, mixed


def cross_figures(
    cache: MatchCache, names: Sequence[str], pairs: int, found: Mapping[str, Cells], seconds: float
) -> dict[str, Any]:
    """The result of cross-play, as JSON has it: terms, deal set, and a table for each opponent."""
    settings = cache.settings
    return {
        "terms": settings.as_dict(),
        "code": cache.code,
        "policies": list(names),
        "pairs": pairs,
        "deal set": deal_set(settings.seed, pairs, settings.rules),
        "minutes": round(seconds / 60, 2),
        "tables": [
            {
                "against": opponent,
                "cells": [{"first": a, "second": b, **bounds(margin)} for (a, b), margin in cells.items()],
                **summed_up(names, cells),
            }
            for opponent, cells in found.items()
        ],
    }
