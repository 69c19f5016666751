"""Plays games between policies, many games at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arguments import flag, whole_number
from ..arrays import integers, plain, shown, whole_numbers
from ..core import batch_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..players.policy import Policy, as_policy, loop_codes
from ..players.policy_io import play_asking, show
from ..rules import MAX_DEALS, NUM_SEATS, RuleSet, as_rules
from ..seeds import seed_array
from ..state import STATE, write_rules
from ..state_check import checked_states, state_records

__all__ = ["new_games", "play", "show"]


def new_games(
    seeds: np.ndarray,
    dealers: np.ndarray,
    rules: RuleSet | None = None,
    deals: int | None = None,
    split_stock: bool = False,
) -> np.ndarray:
    """Make games at their first decision.

    Args:
        seeds: (n,) integers from 0 to 2**64 - 1.
        dealers: (n,) seats, the first dealer of each game; -1 draws it from the seed.
        deals: deals per game, if not the number of the rules.
        split_stock: give each seat its own part of the shuffled stock to draw from, so that one different draw does not
            shift the later draws of the others. The order of the stock is uniform, so the distribution of games is the
            same.

    Returns:
        (n,) STATE.

    Raises:
        ValueError, TypeError: an argument of another type, shape or range.
    """
    seeds = seed_array(seeds)
    lanes = len(seeds)
    expected = f"{lanes} seats 0..{NUM_SEATS - 1}, or -1, one a seed"
    dealers = whole_numbers("dealers", dealers, lanes, expected)
    if ((dealers < -1) | (dealers >= NUM_SEATS)).any():
        raise ValueError(f"dealers={shown(dealers)}: expected {expected}")
    rules = as_rules(rules)
    deals = None if deals is None else whole_number("deals", deals, 1, MAX_DEALS)
    split_stock = flag("split_stock", split_stock)
    games = np.zeros(lanes, dtype=STATE)
    write_rules(games, rules, deals)
    games["split_stock"] = split_stock
    ensure_compiled("match loop")
    batch_kernels.reset(games, np.ones(lanes, dtype=bool), seeds, True, dealers.astype(np.int8), 0, lanes)
    return games


def play(games: np.ndarray, policies: Sequence[Policy], who: np.ndarray) -> np.ndarray:
    """Play games to their end.

    Args:
        games: (n,) STATE. They are written once, at the end, so an exception or an interrupt leaves them unchanged.
        policies: the players; any object with ``act(batch)``.
        who: (n, 4) integers, the index in ``policies`` of the player at each seat of each game.

    Returns:
        The number of decisions of each game, (n,) int64.

    Raises:
        ValueError, TypeError: records that are not games or are read-only, an index out of range, an object that is not
            a policy, or a policy that answers with an illegal action or another shape. The message names it.
    """
    games = state_records(games, change=True)
    checked_states(games, len(games))
    return play_new(games, policies, who)


def play_new(games: np.ndarray, policies: Sequence[Policy], who: np.ndarray) -> np.ndarray:
    """``play`` for records that ``new_games`` made, which need no check.

    Raises:
        ValueError, TypeError: as ``play``, for policies and seats.
    """
    ensure_compiled("match loop")
    policies = [as_policy(policy) for policy in policies]
    who = _seated(who, len(games), len(policies))
    codes = loop_codes(policies)[who]
    decisions = np.zeros(len(games), dtype=np.int64)
    playing = np.array(games)
    play_asking(playing, policies, who, codes, decisions)
    games[...] = playing
    return decisions


def _seated(who: Any, games: int, policies: int) -> np.ndarray:
    expected = f"({games}, {NUM_SEATS}) places in a list of {policies} policies"
    indices = integers("who", who, expected)
    if indices.shape != (games, NUM_SEATS):
        raise ValueError(f"who of shape {indices.shape}: expected {expected}")
    if ((indices < 0) | (indices >= policies)).any():
        raise ValueError(f"who={shown(indices)}: expected {expected}")
    return plain(indices, np.int64)
