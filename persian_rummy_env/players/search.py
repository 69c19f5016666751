"""Search in sampled worlds: perfect-information Monte Carlo.

For each decision it deals worlds that agree with what the seat knows, plays candidates in each of them, lets a bot
finish the deal, and takes the action with the best mean margin.

Known limits of determinization: playouts use cards that no player sees, so the mean may prefer an action that is good
only for a player who knows the world (strategy fusion); information that an action reveals or hides has no value; and
worlds are sampled uniformly although the actions of the others make some more likely.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise

import numpy as np

from ..arguments import finite_number, positive
from ..arrays import plain, shown
from ..bots import BOTS
from ..core import search_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..seeds import game_seed
from ..state import STATE
from ..system.threads import Threads
from .policy import BasePolicy, DecisionBatch, unknown_name
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
    """Determinised search with playouts by a bot.

    Its choice depends only on what the seat sees, on ``seed`` and on the budget, not on earlier searches or on the rest
    of the batch. With a budget in milliseconds it also depends on the load of the machine.

    Args:
        bot: the bot of the playouts, at all four seats.
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
        threads: number of threads, by default one per core. Results do not depend on it.

    Raises:
        ValueError, TypeError: an unknown bot or method, two budgets, or an invalid budget or prior.
    """

    wants_views = True
    skips_forced = True

    def __init__(
        self,
        bot: str = "deepest",
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
        for kind, word, known in (("bot", bot, BOTS), ("method", method, METHODS)):
            if not isinstance(word, str) or word not in known:
                raise ValueError(unknown_name(kind, word, known))
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
        self.bot = BOTS[bot]
        self.method = method
        self.prior = prior
        self.rules = None if prior is None else prior.rules
        self.prior_worlds = prior_worlds if prior is None or prior_worlds is not None else prior.worlds
        self.seed = int(game_seed(seed))
        self.threads = threads or os.cpu_count() or 1
        self.playouts = 0
        options = f", method={method}" if method != METHODS[0] else ""
        if prior is not None:
            options += f", prior={prior.name}"
        if prior_worlds is not None:
            options += f", prior_worlds={prior_worlds}"
        self.name = name or f"search({bot}, {self.unit}={self.budget}{options})"
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
        worlds = self.threads
        while worlds >= 1:
            start = time.perf_counter()
            total += self._play(views, seeds, alive, played, worlds)
            played += worlds
            now = time.perf_counter()
            worlds = min(MOST_GROWTH * worlds, int(NEXT_SLICE * max(0.0, until - now) * worlds / (now - start)))
        return played

    def _play(self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int) -> np.ndarray:
        """The sums of margins (k, 547) over worlds ``first`` to ``first + worlds`` of every decision."""
        playouts = int(alive.sum()) * worlds
        self.playouts += playouts
        rows, numbers = [0, len(views)], [first, first + worlds]
        if self.threads > 1 and playouts > FEW_PLAYOUTS:
            if len(views) >= 2 * self.threads:
                rows = np.linspace(0, len(views), min(4 * self.threads, len(views)) + 1).astype(int).tolist()
            else:
                numbers = np.linspace(first, first + worlds, min(self.threads, worlds) + 1).astype(int).tolist()

        def chunk(edges: tuple[tuple[int, int], tuple[int, int]]) -> np.ndarray:
            (start, stop), (low, high) = edges
            lanes = slice(start, stop)
            total, squares = np.zeros((2, stop - start, alive.shape[1]))
            search_kernels.evaluate(
                views[lanes], seeds[lanes], low, high - low, self.bot, alive[lanes], total, squares, 0, stop - start
            )
            return total

        if len(rows) > 2:
            return np.concatenate(
                list(self._threads.pool.map(chunk, [(edge, (first, first + worlds)) for edge in pairwise(rows)]))
            )
        if len(numbers) > 2:  # sums of integers do not depend on the order
            return np.sum(
                list(self._threads.pool.map(chunk, [((0, len(views)), edge) for edge in pairwise(numbers)])), axis=0
            )
        return chunk(((0, len(views)), (first, first + worlds)))


def _best(values: np.ndarray, number: int, left: int) -> np.ndarray:
    """A mask of the ``left`` highest values of each row, lower ids first; ``number`` values of each row are finite."""
    actions = np.nonzero(values > -np.inf)[1].reshape(-1, number)
    order = np.argsort(-np.take_along_axis(values, actions, axis=1), axis=1, kind="stable")[:, :left]
    alive = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(alive, np.take_along_axis(actions, order, axis=1), True, axis=1)
    return alive
