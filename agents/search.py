"""Search in sampled worlds: perfect-information Monte Carlo.

For each decision it deals worlds that agree with what the seat knows, plays candidates in each of them, lets a bot
finish the deal, and takes the action with the best mean margin. Candidates are the legal actions, or plans for the rest
of the turn.

What determinising does not solve: in each world the playouts go on from cards that nobody sees in truth, so the mean
may pick an action that is good only for one who knew the world (strategy fusion), nothing is worth more because it
tells something or hides it, and worlds are dealt evenly although what the others did makes some likelier.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from persian_rummy_env.bots import BOTS
from persian_rummy_env.core import search
from persian_rummy_env.core.notice import ensure_compiled

from . import tree_kernels
from .base import Batch, Policy, unknown
from .candidates import Actions, Candidates, Plans

METHODS = ("halving", "flat", "plans", "tree")
DEFAULT_WORLDS = 10
FEW_PLAYOUTS = 256
"""Not worth another thread."""
GAP = 1e6
"""Between the values of one round and of the next: more than any margin."""
NEXT_SLICE = 0.7
"""Of the time that is left, how much is given away at once: what worlds cost is only known from those played."""
MOST_GROWTH = 8
"""How many times as much work as was timed is given away on the strength of it."""


class SearchPolicy(Policy):
    """Determinised search with playouts by a bot.

    Its choice is a function of what the seat sees, of ``seed`` and of the budget, whatever it searched before and
    whatever else is in the batch; with a budget in milliseconds also of how busy the machine is.

    Args:
        bot: who plays on in the playouts, at all four seats.
        worlds: budget, in worlds for every legal action: a decision with c of them gets ``c * worlds`` playouts,
            whatever the method. One of the three budgets may be given; without any it is 10 worlds.
        playouts: budget, in playouts for a decision; every candidate gets at least one.
        ms: budget, in milliseconds of wall clock for a decision, with all threads at work on it. The decisions of a
            batch are taken one after the other.
        method: ``"halving"``, in rounds of equal budget after each of which the better half goes on, so that playouts
            are spent where the choice is (sequential halving, Karnin and others 2013); ``"flat"``, plain search: the
            same number for each candidate; ``"plans"``, halving among whole ways to play the rest of the turn, of the
            best of which the first action is played, and at the next decision it searches again. So a discard is
            compared with what the seat could lay before it, not with what the bot would; but of the turns that follow,
            one's own and the others', it is the bot that decides all as before; ``"tree"``, information-set Monte
            Carlo tree search (Cowling and others 2012): one tree over what the seat knows, a world for each playout. It
            mixes the worlds at each node, where strategy fusion is less, but the others' replies in the tree are those
            of players who know the world.
        seed: of the worlds.
        threads: how many share the work; by default one a core. Results do not hang on it.

    Raises:
        ValueError: an unknown bot or method, two budgets, or one that is none.
    """

    wants_views = True

    def __init__(
        self,
        bot: str = "deepest",
        *,
        worlds: int | None = None,
        playouts: int | None = None,
        ms: float | None = None,
        method: str = "halving",
        seed: int = 0,
        threads: int | None = None,
        name: str | None = None,
    ) -> None:
        if bot not in BOTS:
            raise ValueError(unknown("bot", bot, BOTS))
        if method not in METHODS:
            raise ValueError(unknown("method", method, METHODS))
        budgets = {"worlds": worlds, "playouts": playouts, "ms": ms}
        given = {word: value for word, value in budgets.items() if value is not None} or {"worlds": DEFAULT_WORLDS}
        if len(given) > 1:
            raise ValueError(f"{', '.join(f'{word}={value!r}' for word, value in given.items())}: expected one budget")
        for word, value in {**given, "threads": 1 if threads is None else threads}.items():
            _refuse_nonsense(word, value)
        if method == "tree" and "ms" in given:
            raise ValueError(f"ms={ms!r} with method='tree': expected a budget in worlds or playouts")
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise ValueError(f"seed={seed!r}: expected a whole number from 0 to 2**64 - 1")
        [(self.unit, self.budget)] = given.items()
        self.bot = BOTS[bot]
        self.method = method
        self.seed = seed
        self.threads = threads or os.cpu_count() or 1
        self.playouts = 0
        plain = f", method={method}" if method != METHODS[0] else ""
        self.name = name or f"search({bot}, {self.unit}={self.budget}{plain})"
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="search")

    def act(self, batch: Batch) -> np.ndarray:
        assert batch.views is not None
        return self.values(batch.views, batch.action_mask).argmax(axis=1)

    def values(self, views: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """The mean margin, for the team of the seat to move, of every action: (k, 547) float64.

        Illegal actions are ``-inf``. With one legal action there is nothing to compare: it has the value 0. Under
        ``"halving"``, an action that dropped out keeps the mean of the rounds that it saw, less a gap that keeps it
        below the ones that went on. Under ``"plans"``, an action has the value of the best plan that begins with it;
        one that begins none (it only leads where another leads as well) has ``candidates.NOT_COMPARED``.

        Args:
            views: (k,) STATE, as the seat to move knows it (``belief.views_of``).
            action_mask: (k, 547) int8.
        """
        ensure_compiled("search")
        legal = action_mask.astype(bool)
        values = np.where(legal, 0.0, -np.inf)
        choices = legal.sum(axis=1)
        several = np.flatnonzero(choices > 1)
        if not len(several):
            return values
        seeds = np.empty(len(several), dtype=np.uint64)
        search.world_seeds(views[several], np.uint64(self.seed), seeds)
        if self.method == "tree":
            values[several] = self._values_of_tree(views[several], seeds, legal[several])
            return values
        kind = Plans if self.method == "plans" else Actions
        candidates: Candidates = kind.of(views[several], seeds, legal[several])
        budgets = choices[several] * self.budget if self.unit == "worlds" else np.full(len(several), self.budget)
        values[several] = candidates.of_actions(self._values_of(candidates, budgets))
        return values

    def _values_of_tree(self, views: np.ndarray, seeds: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """The mean margin of each action at the root; each is tried at least once."""
        ensure_compiled(tree_kernels.PART)
        choices = legal.sum(axis=1)
        budgets = choices * self.budget if self.unit == "worlds" else np.full(len(views), self.budget)
        budgets = np.maximum(budgets, choices)
        self.playouts += int(budgets.sum())
        total, visits = np.zeros(legal.shape), np.zeros(legal.shape)
        edges = np.linspace(0, len(views), min(4 * self.threads, len(views)) + 1).astype(int).tolist()
        tree_search = tree_kernels.tree_search
        list(
            self._pool.map(
                lambda edge: tree_search(views, seeds, budgets, self.bot, total, visits, *edge), pairwise(edges)
            )
        )
        return np.where(legal, total / np.maximum(visits, 1), -np.inf)

    def _values_of(self, candidates: Candidates, budgets: np.ndarray) -> np.ndarray:
        """The values of candidates (k, c), where alive, of decisions with budgets (k,) in playouts or milliseconds."""
        values = np.where(candidates.alive, 0.0, -np.inf)
        numbers = candidates.alive.sum(axis=1)
        for number, budget in sorted(
            {*zip(numbers.tolist(), budgets.tolist(), strict=True)}
        ):  # they take the same path
            rows = np.flatnonzero((numbers == number) & (budgets == budget))
            for part in rows[:, None] if self.unit == "ms" else [rows]:
                if number > 1:
                    values[part] = self._compare(candidates.some(part), number, budget)
        return values

    def _compare(self, candidates: Candidates, number: int, budget: float) -> np.ndarray:
        """The values of ``number`` candidates of each decision."""
        rounds = 1 if self.method == "flat" else int(np.ceil(np.log2(number)))
        start = time.perf_counter()
        playouts, alive = budget, candidates.alive
        total = np.zeros(alive.shape)
        values = np.where(alive, 0.0, -np.inf)
        played, left, gaps = 0, number, 0.0
        for done in range(rounds):
            if self.unit == "ms":
                until = start + budget / 1000 * (done + 1) / rounds
                played = self._play_until(until, candidates, alive, total, played)
            else:
                worlds = max(1, int(playouts / (rounds - done) / left))
                if done > 0 and worlds * left > playouts:
                    break
                total += self._play(candidates, alive, played, worlds)
                played += worlds
                playouts -= worlds * left
            gaps = GAP * done
            values[alive] = (total / played)[alive] + gaps
            left = -(-left // 2)
            alive = _best(values, number, left)
        return values - gaps

    def _play_until(
        self, until: float, candidates: Candidates, alive: np.ndarray, total: np.ndarray, played: int
    ) -> int:
        """Add to ``total`` as many worlds as there is time for, at least one; returns the number now played."""
        worlds = self.threads
        while worlds >= 1:
            start = time.perf_counter()
            total += self._play(candidates, alive, played, worlds)
            played += worlds
            now = time.perf_counter()
            worlds = min(MOST_GROWTH * worlds, int(NEXT_SLICE * max(0.0, until - now) * worlds / (now - start)))
        return played

    def _play(self, candidates: Candidates, alive: np.ndarray, first: int, worlds: int) -> np.ndarray:
        """The sums of margins (k, c) over worlds ``first`` to ``first + worlds`` of every decision."""
        playouts = int(alive.sum()) * worlds
        self.playouts += playouts
        number = len(alive)
        rows, numbers = [0, number], [first, first + worlds]
        if self.threads > 1 and playouts > FEW_PLAYOUTS:
            if number >= 2 * self.threads:
                rows = np.linspace(0, number, min(4 * self.threads, number) + 1).astype(int).tolist()
            else:
                numbers = np.linspace(first, first + worlds, min(self.threads, worlds) + 1).astype(int).tolist()

        def part(edges: tuple[tuple[int, int], tuple[int, int]]) -> np.ndarray:
            (start, stop), (low, high) = edges
            return candidates.some(slice(start, stop)).play(alive[start:stop], low, high - low, self.bot)

        if len(rows) > 2:
            return np.concatenate(
                list(self._pool.map(part, [(edge, (first, first + worlds)) for edge in pairwise(rows)]))
            )
        if len(numbers) > 2:  # sums of whole numbers: in whatever order, the same
            return np.sum(list(self._pool.map(part, [((0, number), edge) for edge in pairwise(numbers)])), axis=0)
        return part(((0, number), (first, first + worlds)))


def _refuse_nonsense(word: str, value: Any) -> None:
    """A budget, or the number of threads, is a positive number; only milliseconds may be broken ones."""
    kinds = int | float if word == "ms" else int
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < np.inf:
        wanted = "a number above 0" if word == "ms" else "a whole number of at least 1"
        raise ValueError(f"{word}={value!r}: expected {wanted}")


def _best(values: np.ndarray, number: int, left: int) -> np.ndarray:
    """Where the ``left`` highest values of each row lie, the first of equals; ``number`` of each row are finite."""
    columns = np.nonzero(values > -np.inf)[1].reshape(-1, number)
    order = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")[:, :left]
    alive = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(alive, np.take_along_axis(columns, order, axis=1), True, axis=1)
    return alive
