"""Search in sampled worlds: perfect-information Monte Carlo.

For each decision it deals worlds that agree with what the seat knows, plays every candidate in each of them, lets a bot
finish the deal, and takes the action with the best mean margin.

What determinising does not solve: in each world the playouts go on from cards that nobody sees in truth, so the mean may
pick an action that is good only for one who knew the world (strategy fusion), nothing is worth more because it tells
something or hides it, and worlds are dealt evenly although what the others did makes some likelier.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from persian_rummy_env.bots import bot_codes
from persian_rummy_env.core import search
from persian_rummy_env.core.notice import ensure_compiled

from .base import Batch, Policy

METHODS = ("halving", "flat")


class SearchPolicy(Policy):
    """Determinised search with playouts by a bot.

    Args:
        bot: who plays on in the playouts, at all four seats.
        worlds: budget, in worlds for every candidate: a decision with c candidates gets ``c * worlds`` playouts.
        method: ``"flat"``, the same number for each candidate; ``"halving"``, in rounds after each of which the better
            half goes on, so that playouts are spent where the choice is (Karnin and others 2013).
        seed: of the worlds.
        threads: decisions of a batch are shared among so many; by default one a core.

    Raises:
        ValueError: an unknown bot or method, or a budget below 1.
    """

    wants_views = True

    def __init__(
        self,
        bot: str = "deepest",
        worlds: int = 10,
        method: str = "flat",
        seed: int = 0,
        threads: int | None = None,
        name: str | None = None,
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"method={method!r}: expected one of {', '.join(METHODS)}")
        if not isinstance(worlds, int) or worlds < 1:
            raise ValueError(f"worlds={worlds!r}: expected a whole number of at least 1")
        self.bot = int(bot_codes(bot)[0])
        self.worlds = worlds
        self.method = method
        self.threads = threads or os.cpu_count() or 1
        self.playouts = 0
        self.name = name or f"search({bot}, worlds={worlds}" + (")" if method == "flat" else f", method={method})")
        self._rng = np.random.default_rng(seed)
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="search")

    def act(self, batch: Batch) -> np.ndarray:
        assert batch.views is not None
        return self.values(batch.views, batch.action_mask).argmax(axis=1)

    def values(self, views: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """The mean margin, for the team of the seat to move, of every action: (k, 547) float64.

        Illegal actions are ``-inf``. With one legal action there is nothing to compare: it has the value 0. Under
        ``"halving"``, an action that dropped out keeps the mean of the rounds that it saw, less a gap that keeps it below
        the ones that went on.

        Args:
            views: (k,) STATE, as the seat to move knows it (``belief.views_of``).
            action_mask: (k, 547) int8.
        """
        seeds = self._rng.integers(0, 2**64, size=len(views), dtype=np.uint64)
        legal = action_mask.astype(bool)
        if self.method == "flat":
            total, count = self._play(views, seeds, legal, 0, self.worlds)
            return np.where(legal, total / count, -np.inf)
        return self._halving(views, seeds, legal)

    def _halving(self, views: np.ndarray, seeds: np.ndarray, legal: np.ndarray) -> np.ndarray:
        values = np.where(legal, 0.0, -np.inf)
        candidates = legal.sum(axis=1)
        rounds = np.maximum(np.ceil(np.log2(np.maximum(candidates, 2))), 1).astype(int)
        # Decisions with equally many candidates take the same path.
        for number in np.unique(candidates[candidates > 1]):
            rows = np.flatnonzero(candidates == number)
            values[rows] = self._halve(views[rows], seeds[rows], legal[rows], int(number), int(rounds[rows[0]]))
        return values

    def _halve(self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, number: int, rounds: int) -> np.ndarray:
        budget = number * self.worlds / rounds
        total = np.zeros(alive.shape)
        played = 0
        left = number
        values = np.where(alive, 0.0, -np.inf)
        drop = 1e6
        for _ in range(rounds):
            worlds = max(1, round(budget / left))
            total += self._play(views, seeds, alive, played, worlds)[0]
            played += worlds
            values[alive] = (total / played)[alive] + drop
            left = -(-left // 2)
            best = np.argpartition(-values, left - 1, axis=1)[:, :left]
            alive = np.zeros_like(alive)
            np.put_along_axis(alive, best, True, axis=1)
            drop += 1e6
            if left == 1:
                break
        return values - drop

    def _play(
        self, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int
    ) -> tuple[np.ndarray, int]:
        ensure_compiled("search")
        total, squares = np.zeros(alive.shape), np.zeros(alive.shape)
        several = np.flatnonzero(alive.sum(axis=1) > 1)
        self.playouts += int(alive[several].sum()) * worlds
        edges = np.linspace(0, len(views), min(4 * self.threads, len(views)) + 1).astype(int)
        parts = [
            self._pool.submit(search.evaluate, views, seeds, first, worlds, self.bot, alive, total, squares, start, stop)
            for start, stop in zip(edges[:-1], edges[1:], strict=True)
        ]
        for part in parts:
            part.result()
        return total, worlds
