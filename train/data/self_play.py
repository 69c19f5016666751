"""Positions of deals that a finished policy plays against itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from persian_rummy_env.core import arena_kernels
from persian_rummy_env.core.masks import first_legal
from persian_rummy_env.evaluation.arena import new_games
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.players.policy_io import show
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.state import OVER, STATE


class Positions(NamedTuple):
    """k positions and the results of their deals.

    Attributes:
        games: (k,) STATE.
        margin: (k,) float64, the final margin of the deal: points of the team of the seat to move, minus those of the
            other.
    """

    games: np.ndarray
    margin: np.ndarray


def play_out(policy: BasePolicy, games: np.ndarray) -> Iterator[np.ndarray]:
    """Let a policy play all four seats of some games to their end. Forced decisions are played without asking it.

    Args:
        games: (n,) STATE, changed in place.

    Yields:
        The indices of the games that are not over, before a decision is played in each of them.
    """
    while len(lanes := np.flatnonzero(games["phase"] != OVER)):
        yield lanes
        batch = show(games, lanes, views=policy.wants_views)
        legal = np.array(batch.legal)
        actions, free = first_legal(legal), np.flatnonzero(np.bitwise_count(legal).sum(axis=1) > 1)
        if len(free):
            actions[free] = policy.act(batch.rows(free))
        refused = arena_kernels.play_lanes(games, lanes, actions)
        assert refused < 0, f"{policy.name} chose an illegal action"


def new_deals(policy: BasePolicy, seeds: np.ndarray) -> np.ndarray:
    """Single deals by the rules of a policy, at their first decision; the seeds (n,) uint64 draw dealers and decks."""
    return new_games(seeds, np.full(len(seeds), -1), policy.rules or RuleSet(), deals=1)


def of_teams_to_move(games: np.ndarray, final: np.ndarray) -> np.ndarray:
    """The final margins (k,) float64 of single deals ``final`` to the teams of the seats to move in ``games``."""
    score = final["score"].astype(np.float64)
    return np.where(games["seat"] % 2 == 0, 1, -1) * (score[:, 0] - score[:, 1])


def share_of_positions(policy: BasePolicy, seeds: np.ndarray, share: float, rng: np.random.Generator) -> Positions:
    """Each position of deals of self-play with probability ``share``, in order of time."""
    games, kept, lane = new_deals(policy, seeds), [], []
    for lanes in play_out(policy, games):
        chosen = lanes[rng.random(len(lanes)) < share]
        kept.append(games[chosen])
        lane.append(chosen)
    positions = np.concatenate(kept)
    return Positions(positions, of_teams_to_move(positions, games[np.concatenate(lane)]))


def one_position_each(policy: BasePolicy, seeds: np.ndarray, rng: np.random.Generator) -> Positions:
    """One position of each deal of self-play; every position of a deal is equally likely."""
    games = new_deals(policy, seeds)
    positions = np.empty(len(games), dtype=STATE)
    for step, lanes in enumerate(play_out(policy, games), 1):
        chosen = lanes[rng.random(len(lanes)) < 1 / step]
        positions[chosen] = games[chosen]
    return Positions(positions, of_teams_to_move(positions, games))
