"""Training itself: one update after the other, in every process of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from persian_rummy_env.players.tensor_file import NotFiniteError

from ..algorithms.base import Algorithm
from ..config.base import RunConfig
from .budget import paused, progress_of
from .counters import Counters
from .screen import GracefulStop


@dataclass
class Training:
    """A run under way in this process: its settings, what learns, how far it is, and whether it is to stop."""

    config: RunConfig
    algorithm: Algorithm[Any, Any]
    counters: Counters
    stop: GracefulStop

    def updates(self) -> Iterator[dict[str, float]]:
        """Make updates until the budget is spent or somebody stops the run. Yields the row of the log of each.

        Raises:
            NotFiniteError: an update diverged; the message names the update and what was not finite. Nothing of it is
                saved.
        """
        config, counters, ranks = self.config, self.counters, self.algorithm.ranks
        while (
            not ranks.largest(self.stop.requested)
            and progress_of(config, counters) < 1
            and not paused(config, counters)
        ):
            number = counters.update + 1
            try:
                row = self.update()
                self.algorithm.learner.refuse_divergence(row)
            except NotFiniteError as error:
                raise NotFiniteError(
                    f"{config.out}: update {number} diverged: {error}. It is not saved; the last checkpoint and the "
                    "player in the folder, if there are any, are of before. A smaller --optim.lr may help, in a new run"
                ) from error
            yield row

    def update(self) -> dict[str, float]:
        """Make one update and count it. Returns its row of the log."""
        counters = self.counters
        step = self.algorithm.update(progress_of(self.config, counters))
        seconds = step.collect_seconds + step.learn_seconds
        counters.count(step, self.algorithm.ranks.broadcast_from_first(seconds))
        counters.stage = self.algorithm.stage
        return step.row | {
            "update": counters.update,
            "decisions": counters.decisions,
            "deals": counters.deals,
            "seconds": counters.seconds,
            "progress": progress_of(self.config, counters),
            "decisions_per_second": step.decisions / seconds,
            "collect_seconds": step.collect_seconds,
            "learn_seconds": step.learn_seconds,
        }
