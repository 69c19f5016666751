"""A tournament: every policy against every other on the same duplicate deals.

A ``MatchCache`` with a folder stores the pairs, and the same call continues after an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

from ..players.policy import BasePolicy
from .match import MatchResult, summary
from .match_cache import MatchCache, PlayedPairs, deal_set
from .progress import Reporter
from .rating import BASELINE, ratings, seat_effects

Names = tuple[str, str]


def play_tournament(
    cache: MatchCache,
    policies: Mapping[str, BasePolicy],
    wanted: Mapping[Names, int],
    played: dict[Names, PlayedPairs],
    ended: Callable[[MatchResult], None],
) -> None:
    """Play all matches in order.

    Args:
        policies: by name.
        wanted: how many pairs each match gets.
        played: receives each match as it ends.
        ended: is called with the result of each match as it ends.

    Raises:
        MatchCacheError: the cache holds one of the matches as other code, weights or settings played it. It is raised
            before anything is played.
    """
    for a, b in wanted:
        cache.read((a, a), (b, b))
    report = Reporter({f"{a} v {b}": pairs for (a, b), pairs in wanted.items()})
    for (a, b), pairs in wanted.items():
        teams = (policies[a], policies[a]), (policies[b], policies[b])
        played[a, b] = cache.play(*teams, pairs, partial(report, f"{a} v {b}"))
        ended(summary(a, b, played[a, b].pairs, 0))


def kept_matches(cache: MatchCache, wanted: Mapping[Names, int]) -> dict[Names, PlayedPairs]:
    """What the cache holds of the matches, at most as many pairs as are wanted."""
    kept = {(a, b): cache.read((a, a), (b, b)) for a, b in wanted}
    return {names: one.head(wanted[names]) for names, one in kept.items() if one is not None}


def all_pairs(names: Mapping[str, int]) -> dict[Names, int]:
    """Every match between these policies; it gets the lower of both numbers of pairs."""
    return {(a, b): min(names[a], names[b]) for a, b in combinations(names, 2)}


def tournament_figures(
    cache: MatchCache, wanted: Mapping[Names, int], played: Mapping[Names, PlayedPairs]
) -> dict[str, Any]:
    """The result of a tournament, as JSON has it: terms, matches, ratings, seat effects, deal sets."""
    matches = [
        summary(a, b, one.pairs, one.seconds).as_json() | {"complete": len(one.pairs) == wanted[a, b]}
        for (a, b), one in played.items()
    ]
    names = list(dict.fromkeys(name for pair in wanted for name in pair))
    met = [name for name in names if any(name in pair for pair in played)]
    by_number = {(met.index(a), met.index(b)): one.pairs for (a, b), one in played.items()}
    sizes = sorted({len(one.pairs) for one in played.values()}, reverse=True)
    return {
        "terms": cache.settings.as_dict(),
        "code": cache.code,
        "policies": names,
        "complete": len(matches) == len(wanted) and all(match["complete"] for match in matches),
        "minutes": round(sum(one.seconds for one in played.values()) / 60, 2),
        "matches": matches,
        "rating zero": BASELINE if BASELINE in met else met[0],
        "ratings": ratings(met, by_number),
        "seat effects": seat_effects(by_number),
        "deal sets": [deal_set(cache.settings.seed, pairs, cache.settings.rules) for pairs in sizes],
    }
