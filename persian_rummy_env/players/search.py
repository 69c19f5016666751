"""Search in sampled worlds: perfect-information Monte Carlo.

For each decision it deals worlds that agree with what the seat knows, plays candidates in each of them, lets a bot or
a trained policy finish the deal, and takes the action with the best mean margin.

Known limits of determinization: playouts use cards that no player sees, so the mean may prefer an action that is good
only for a player who knows the world (strategy fusion); information that an action reveals or hides has no value; and
worlds are sampled uniformly although the actions of the others make some more likely.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise, product

import numpy as np

from ..arguments import finite_number, positive
from ..arrays import plain, shown
from ..bots import BOTS
from ..core import search_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..rules import RuleSet
from ..seeds import game_seed
from ..state import STATE
from ..system.threads import Threads
from .playouts import BotPlayouts, Playouts, PolicyPlayouts
from .policy import BasePolicy, DecisionBatch, Policy, RulesError, as_policy, check_rules, unknown_name
from .priors import Prior

METHODS = ("halving", "flat")
DEFAULT_WORLDS = 10
FEW_PLAYOUTS = 256
"""Up to this many playouts, another thread does not pay."""
GAP = 1e6
"""Offset between the values of one round and the next; larger than any margin and any prior."""
MOST_PRIOR = 1000
NEXT_SLICE = 0.7
"""Share of the remaining time that the next slice may take: the cost of a world is known only from those played."""
MOST_GROWTH = 8
"""A slice is at most this many times as large as the slice that was timed before it."""


class SearchPolicy(BasePolicy):
    """Determinised search with playouts by a bot or a policy.

    Its choice depends only on what the seat sees, on ``seed`` and on the budget, not on earlier searches or on the rest
    of the batch. With a budget in milliseconds it also depends on the load of the machine.

    Args:
        player: who finishes the deal in playouts, at all four seats: the name of a bot, or a policy that does not
            search. Each seat decides by what it sees of the sampled world.
        worlds: budget in worlds for each candidate: a decision with c candidates gets ``c * worlds`` playouts. Give at
            most one of the three budgets; the default is 10 worlds.
        playouts: budget in playouts for a decision; every candidate gets at least one.
        ms: budget in milliseconds of wall-clock time for a decision, with all threads. The decisions of a batch are
            searched one after the other.
        method: ``"halving"``: sequential halving (Karnin and others 2013), rounds of equal budget after each of which
            the better half of the candidates stays. ``"flat"``: the same number of playouts for each candidate.
        prior: values of the actions before search (``persian_rummy_env.players.priors``); None: no prior.
        prior_worlds: pseudo-count of the prior: it weighs as much as this many sampled worlds. Default:
            ``prior.worlds``.
        seed: seed of the worlds.
        threads: number of threads, by default one per core. Results do not depend on it. A policy other than a bot or
            a compiled network plays in one.

    Raises:
        ValueError, TypeError: an unknown bot or method, a player that searches, a player and a prior of different
            rules, two budgets, or an invalid budget or prior.
    """

    wants_views = True
    skips_forced = True

    def __init__(
        self,
        player: str | Policy = "deepest",
        *,
        worlds: int | None = None,
        playouts: int | None = None,
        ms: float | None = None,
        method: str = "halving",
        prior: Prior | None = None,
        prior_worlds: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(method, str) or method not in METHODS:
            raise ValueError(unknown_name("method", method, METHODS))
        budgets = {"worlds": worlds, "playouts": playouts, "ms": ms}
        given = {word: value for word, value in budgets.items() if value is not None} or {"worlds": DEFAULT_WORLDS}
        if len(given) > 1:
            several = ", ".join(f"{word}={shown(value)}" for word, value in given.items())
            raise ValueError(f"{several}: expected one budget")
        [(self.unit, budget)] = given.items()
        self.budget = finite_number("ms", budget, 0, above=True) if self.unit == "ms" else positive(self.unit, budget)
        threads = None if threads is None else positive("threads", threads)
        if prior_worlds is not None:
            if prior is None:
                raise ValueError(f"prior_worlds={shown(prior_worlds)}, and no prior: give prior=expert, or a policy")
            expected = f"a number of worlds from 0 to {MOST_PRIOR}"
            prior_worlds = finite_number("prior_worlds", prior_worlds, 0, MOST_PRIOR, expected)
        if prior is not None and not callable(getattr(prior, "worth_of", None)):
            raise TypeError(f"prior={shown(prior)}: expected values of actions, such as priors.ExpertPrior()")
        self.player = _playouts(player)
        self.method = method
        self.prior = prior
        self.rules = self.player.rules
        if prior is not None and prior.rules is not None:
            if self.rules is not None:
                _check_same_rules(self.player, self.rules, prior)
            self.rules = prior.rules
        self.prior_worlds = prior_worlds if prior is None or prior_worlds is not None else prior.worlds
        self.seed = int(game_seed(seed))
        self.threads = threads or os.cpu_count() or 1
        self.playouts = 0
        options = f", method={method}" if method != METHODS[0] else ""
        if prior is not None:
            options += f", prior={prior.name}"
        if prior_worlds is not None:
            options += f", prior_worlds={prior_worlds}"
        self.name = name or f"search({self.player.name}, {self.unit}={self.budget}{options})"
        self._threads = Threads(self.threads, "search")

    def act(self, batch: DecisionBatch) -> np.ndarray:
        assert batch.views is not None
        return self.values(batch.views, batch.action_mask).argmax(axis=1)

    def values(self, views: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """The mean margin, for the team of the seat to move, of every action: (k, 547) float64.

        Illegal actions and actions that the prior excludes are ``-inf``. An only legal action has the value 0. Under
        ``"halving"`` an eliminated action has the mean of its rounds, minus an offset that keeps it below the actions
        of later rounds. The prior is part of the value.

        Args:
            views: (k,) STATE, as the seat to move knows it (``policy_io.views_of``).
            action_mask: (k, 547) int8.
        """
        ensure_compiled("search")
        views = plain(views, STATE)
        seeds = np.empty(len(views), dtype=np.uint64)
        search_kernels.world_seeds(views, np.uint64(self.seed), seeds)
        legal = action_mask.astype(bool, order="C")
        values = np.where(legal, 0.0, -np.inf)
        worth = np.zeros(legal.shape) if self.prior is None else self.prior.worth_of(views, legal)
        legal &= worth > -np.inf
        values[~legal] = -np.inf
        candidates = legal.sum(axis=1)
        for number in np.unique(candidates[candidates > 1]):  # rows with equally many candidates are searched together
            rows = np.flatnonzero(candidates == number)
            for chunk in rows[:, None] if self.unit == "ms" else [rows]:
                values[chunk] = self._compare(views[chunk], seeds[chunk], legal[chunk], worth[chunk], int(number))
        return values

    def _compare(
        self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, worth: np.ndarray, number: int
    ) -> np.ndarray:
        """The values of decisions with ``number`` candidates each, where ``alive`` is True."""
        rounds = 1 if self.method == "flat" else int(np.ceil(np.log2(number)))
        start = time.perf_counter()
        playouts = self.budget * number if self.unit == "worlds" else self.budget
        total = np.zeros(alive.shape)
        values = np.where(alive, 0.0, -np.inf)
        played, left, gaps = 0, number, 0.0
        for done in range(rounds):
            if self.unit == "ms":
                until = start + self.budget / 1000 * (done + 1) / rounds
                played = self._play_until(until, views, seeds, alive, total, played)
            else:
                worlds = max(1, int(playouts / (rounds - done) / left))
                if done > 0 and worlds * left > playouts:
                    break
                total += self._play(views, seeds, alive, played, worlds)
                played += worlds
                playouts -= worlds * left
            gaps = GAP * done
            values[alive] = (total[alive] + (self.prior_worlds or 0.0) * worth[alive]) / played + gaps
            left = -(-left // 2)
            alive = _best(values, number, left)
        return values - gaps

    def _play_until(
        self, until: float, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, total: np.ndarray, played: int
    ) -> int:
        """Add worlds to ``total`` while there is time, at least one; returns the number played."""
        worlds = self.player.first_worlds * (self.threads if self.player.in_threads else 1)
        while worlds >= 1:
            start = time.perf_counter()
            total += self._play(views, seeds, alive, played, worlds)
            played += worlds
            now = time.perf_counter()
            worlds = min(MOST_GROWTH * worlds, int(NEXT_SLICE * max(0.0, until - now) * worlds / (now - start)))
        return played

    def _play(self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int) -> np.ndarray:
        """The sums of margins (k, 547) over worlds ``first`` to ``first + worlds`` of every decision."""
        self.playouts += int(alive.sum()) * worlds
        jobs = list(product(*self._edges(len(views), int(alive.sum()) * worlds, worlds)))

        def sums(job: tuple[Edge, Edge]) -> np.ndarray:
            (start, stop), (low, high) = job
            rows = slice(start, stop)
            return self.player.sums(views[rows], seeds[rows], alive[rows], first + low, high - low)

        threaded = self.threads > 1 and self.player.in_threads and len(jobs) > 1
        total = np.zeros(alive.shape)
        for ((start, stop), _), found in zip(
            jobs, (self._threads.pool.map if threaded else map)(sums, jobs), strict=True
        ):
            total[start:stop] += found  # sums of integers do not depend on the order
        return total

    def _edges(self, rows: int, playouts: int, worlds: int) -> tuple[list[Edge], list[Edge]]:
        """Ranges of rows and of worlds, such that threads share the playouts and no job has too many of them."""
        threads = self.threads if self.player.in_threads and playouts > FEW_PLAYOUTS else 1
        many = rows >= 2 * threads
        jobs = max(4 * threads if many and threads > 1 else threads, -(-playouts // (self.player.most or playouts)))
        row_ranges = min(rows, jobs) if many else 1
        return _ranges(rows, row_ranges), _ranges(worlds, min(worlds, -(-jobs // row_ranges)))


Edge = tuple[int, int]


def _ranges(count: int, number: int) -> list[Edge]:
    """The numbers below ``count`` as ``number`` ranges of about equal length."""
    return list(pairwise(np.linspace(0, count, number + 1).astype(int).tolist()))


def _check_same_rules(player: Playouts, rules: RuleSet, prior: Prior) -> None:
    try:
        check_rules(prior, rules)
    except RulesError as error:
        raise ValueError(
            f"playouts by {player.name} and prior={prior.name}: trained with different rules; expected the same"
        ) from error


def _playouts(player: str | Policy) -> Playouts:
    if isinstance(player, str):
        if player not in BOTS:
            raise ValueError(
                f"player: {unknown_name('bot', player, BOTS)}; expected one of these, or a policy as an object"
            )
        return BotPlayouts(player)
    try:
        policy = as_policy(player)
    except TypeError as error:
        raise TypeError(f"player={shown(player)}: expected the name of a bot, or a policy") from error
    if isinstance(policy, SearchPolicy):
        raise ValueError(f"playouts by {policy.name}: expected a bot, or a policy that does not search")
    names = [name for name, code in BOTS.items() if code == policy.code]
    return BotPlayouts(names[0]) if names else PolicyPlayouts(policy)


def _best(values: np.ndarray, number: int, left: int) -> np.ndarray:
    """A mask of the ``left`` highest values of each row, lower ids first; ``number`` values of each row are finite."""
    actions = np.nonzero(values > -np.inf)[1].reshape(-1, number)
    order = np.argsort(-np.take_along_axis(values, actions, axis=1), axis=1, kind="stable")[:, :left]
    alive = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(alive, np.take_along_axis(actions, order, axis=1), True, axis=1)
    return alive
