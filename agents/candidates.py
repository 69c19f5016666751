"""What search compares: the legal actions of decisions, or plans for the rest of the turn."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from persian_rummy_env.core import search
from persian_rummy_env.core.notice import ensure_compiled

from . import plan_kernels

MOST_PLANS = 32
"""Plans of a decision that are compared, at most; where there are more, those that the expert's weights like best."""
NOT_COMPARED = -1e9
"""The value of a legal action that no plan compared begins with: below that of any other legal action."""


class Candidates(Protocol):
    """The candidates of k decisions, at most c each.

    Attributes:
        alive: (k, c) bool, which columns hold a candidate.
        bonus: (k, c) float64, points that count for a candidate beside its mean margin.
    """

    @property
    def alive(self) -> np.ndarray: ...

    @property
    def bonus(self) -> np.ndarray: ...

    def some(self, rows: Any) -> Candidates:
        """Those of some of the decisions, by slice or index array."""
        ...

    def play(self, alive: np.ndarray, first: int, worlds: int, bot: int) -> np.ndarray:
        """The sums of margins, (k, c) float64, over worlds ``first`` to ``first + worlds`` of each candidate alive."""
        ...

    def of_actions(self, values: np.ndarray) -> np.ndarray:
        """The values (k, 547) of actions, -inf where illegal, from those (k, c) of candidates."""
        ...


class Actions(NamedTuple):
    """The legal actions, by id: ``alive`` is (k, 547)."""

    views: np.ndarray
    seeds: np.ndarray
    alive: np.ndarray
    bonus: np.ndarray

    @classmethod
    def of(cls, views: np.ndarray, seeds: np.ndarray, legal: np.ndarray, bonus: np.ndarray | None = None) -> Actions:
        """Of decisions (k,) STATE, seeds (k,) uint64 of their worlds, and legal actions (k, 547) bool; without a
        ``bonus`` (k, 547) there is none."""
        ensure_compiled("search")
        return cls(views, seeds, legal, np.zeros(legal.shape) if bonus is None else bonus)

    def some(self, rows: Any) -> Actions:
        return Actions(*(part[rows] for part in self))

    def play(self, alive: np.ndarray, first: int, worlds: int, bot: int) -> np.ndarray:
        total = np.zeros(alive.shape)
        search.evaluate(self.views, self.seeds, first, worlds, bot, alive, total, total.copy(), 0, len(alive))
        return total

    def of_actions(self, values: np.ndarray) -> np.ndarray:
        return values


class Plans(NamedTuple):
    """All the ways to play the rest of the turn (``plan_kernels``): ``alive`` is (k, ``MOST_PLANS``).

    In the draw phase these are the legal actions.
    """

    views: np.ndarray
    seeds: np.ndarray
    alive: np.ndarray
    legal: np.ndarray
    paths: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, views: np.ndarray, seeds: np.ndarray, legal: np.ndarray) -> Plans:
        """As ``Actions.of``."""
        ensure_compiled(plan_kernels.PART)
        paths = np.zeros((len(views), MOST_PLANS, plan_kernels.MAX_LENGTH), dtype=np.int16)
        lengths, counts = np.zeros(paths.shape[:2], dtype=np.int64), np.zeros(len(views), dtype=np.int64)
        plan_kernels.turn_plans(views, paths, lengths, counts)
        return cls(views, seeds, np.arange(MOST_PLANS) < counts[:, None], legal, paths, lengths)

    @property
    def bonus(self) -> np.ndarray:
        return np.zeros(self.alive.shape)

    def some(self, rows: Any) -> Plans:
        return Plans(*(part[rows] for part in self))

    def play(self, alive: np.ndarray, first: int, worlds: int, bot: int) -> np.ndarray:
        total = np.zeros(alive.shape)
        plan_kernels.evaluate_plans(
            self.views, self.seeds, first, worlds, bot, self.paths, self.lengths, alive, total, 0, len(alive)
        )
        return total

    def of_actions(self, values: np.ndarray) -> np.ndarray:
        found = np.where(self.legal, NOT_COMPARED, -np.inf)
        rows, columns = np.nonzero(self.alive)
        np.maximum.at(found, (rows, self.paths[rows, columns, 0]), values[rows, columns])
        return found
