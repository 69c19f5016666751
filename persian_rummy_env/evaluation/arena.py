"""Playing games between policies, many tables at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import plain
from ..core import arena_kernels, batch_kernels
from ..core.compile_on_demand import ensure_compiled
from ..players.policy import Policy, as_policy
from ..players.policy_io import decide, show
from ..rules import RuleSet
from ..state import OVER, STATE, write_rules

__all__ = ["new_games", "play", "show"]


def new_games(
    seeds: np.ndarray,
    dealers: np.ndarray,
    rules: RuleSet | None = None,
    deals: int | None = None,
    split_stock: bool = False,
) -> np.ndarray:
    """Games at their first decision.

    Args:
        seeds: (n,) uint64.
        dealers: (n,) int8, the first dealer of each; -1 to draw it from the seed.
        deals: deals a game, if not those of the rules.
        split_stock: the shuffled stock is dealt out as a stock for each seat to draw from, so that one different draw
            does not shift everybody's later cards. The order of a stock is uniform, so the game is the same game.

    Returns:
        (n,) STATE.
    """
    lanes = len(seeds)
    games = np.zeros(lanes, dtype=STATE)
    write_rules(games, rules or RuleSet(), deals)
    games["split_stock"] = split_stock
    ensure_compiled("game engine")
    batch_kernels.reset(
        games, np.ones(lanes, dtype=bool), plain(seeds, np.uint64), True, plain(dealers, np.int8), 0, lanes
    )
    return games


def play(games: np.ndarray, policies: Sequence[Policy], who: np.ndarray) -> np.ndarray:
    """Play games to their end.

    Args:
        games: (n,) STATE, changed in place.
        policies: the players; anything with ``act(batch)``.
        who: (n, 4) integers, which of them sits at each seat of each game.

    Returns:
        The decisions that each game took, (n,) int64.

    Raises:
        ValueError: a policy chose an illegal action, or answered in another shape; the message names it.
    """
    ensure_compiled("scripted players")
    who = np.asarray(who)
    policies = [as_policy(policy) for policy in policies]
    codes = plain(np.array([policy.code for policy in policies], dtype=np.int8)[who], np.int8)
    decisions = np.zeros(len(games), dtype=np.int64)
    if (codes != arena_kernels.OUTSIDE).all():
        arena_kernels.play_games(games, codes, decisions, 0, len(games))
        return decisions
    while True:
        arena_kernels.advance(games, codes, decisions, 0, len(games))
        waiting = np.flatnonzero(games["phase"] != OVER)
        if not len(waiting):
            return decisions
        player = who[waiting, games["seat"][waiting]]
        for index in np.unique(player):
            lanes = waiting[player == index]
            decide(games, lanes, policies[index])
        decisions[waiting] += 1
