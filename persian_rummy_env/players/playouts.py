"""Playouts of search: who plays a sampled world to its end after a candidate."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..bots import BOTS
from ..core import arena_kernels, belief_kernels, search_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.rng import GOLDEN, mixed
from ..rules import NUM_SEATS, NUM_TEAMS, RuleSet
from ..state import STATE
from .networks import NetworkPolicy
from .policy import BasePolicy, Policy, as_policy, loop_codes
from .policy_io import play_asking

mixed_many: Any = getattr(mixed, "py_func", mixed)
"""``rng.mixed`` of every element of an array of uint64, without the compiler."""


class Playouts(Protocol):
    """Plays candidates out in sampled worlds.

    Attributes:
        name: the player of all four seats, within the name of a search.
        rules: the only rules that it is for; None: any.
        first_worlds: worlds that are timed first under a budget in milliseconds, for each thread.
        most: playouts that are played together at most; None: any number.
        in_threads: several threads may play at once.
    """

    name: str
    rules: RuleSet | None
    first_worlds: int
    most: int | None
    in_threads: bool

    def sums(self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int) -> np.ndarray:
        """The sums of margins over worlds, (k, 547) float64; 0 where ``alive`` is False.

        Args:
            views: (k,) STATE, as the seat to move knows it.
            seeds: (k,) uint64; world ``j`` of a decision depends on its seed and ``j`` alone.
            alive: (k, 547) bool, the candidates.
            first, worlds: worlds ``first`` to ``first + worlds`` are played.
        """
        ...


class BotPlayouts:
    """Playouts by a bot, in one compiled loop."""

    rules: RuleSet | None = None
    first_worlds = 1
    most: int | None = None
    in_threads = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._code = BOTS[name]

    def sums(self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int) -> np.ndarray:
        total, squares = np.zeros(alive.shape), np.zeros(alive.shape)
        search_kernels.evaluate(views, seeds, first, worlds, self._code, alive, total, squares, 0, len(views))
        return total


class PolicyPlayouts:
    """Playouts by a policy outside the compiled loop: the playouts of a batch advance together, so that a network
    computes many decisions at once.

    Each seat decides by what it sees of the sampled world. The margins do not depend on the batch if the choices of
    the policy do not.
    """

    first_worlds = 4
    most: int | None = 4096

    def __init__(self, policy: Policy) -> None:
        self._policy: BasePolicy = as_policy(policy)
        self.name = self._policy.name
        self.rules = self._policy.rules
        self.in_threads = isinstance(self._policy, NetworkPolicy)  # others may keep something between calls
        self._code = loop_codes([self._policy])[0]

    def sums(self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int) -> np.ndarray:
        ensure_compiled("match loop")
        numbers = np.arange(first, first + worlds, dtype=np.uint64)
        dealt = np.empty((len(views), worlds), dtype=STATE)
        seeds = mixed_many(seeds[:, None] ^ mixed_many(numbers + GOLDEN))  # as search_kernels.evaluate
        belief_kernels.sample_worlds(views, views["seat"].astype(np.int64), seeds, dealt)
        rows, actions = np.nonzero(alive)
        games = dealt[rows].reshape(-1)
        games["deals"] = games["deal"] + 1  # the game ends with this deal
        arena_kernels.play_lanes(games, np.arange(len(games)), np.repeat(actions, worlds))
        seats = (len(games), NUM_SEATS)
        who, codes = np.zeros(seats, dtype=np.int64), np.full(seats, self._code, dtype=np.int8)
        play_asking(games, [self._policy], who, codes, np.zeros(len(games), dtype=np.int64))
        score = games["last_score"].astype(np.int64).reshape(len(rows), worlds, NUM_TEAMS).sum(axis=1)
        total = np.zeros(alive.shape)
        total[rows, actions] = np.where(views["seat"][rows] % NUM_TEAMS == 0, 1, -1) * (score[:, 0] - score[:, 1])
        return total
