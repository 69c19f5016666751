"""Progress of a series of matches, on standard error."""

from __future__ import annotations

import time
from collections.abc import Mapping

from ..system.command_line import say_on_error
from .match_cache import PlayedPairs

REPORT_EVERY = 10.0


class Reporter:
    """Prints the progress of a series of matches on standard error every few seconds.

    Args:
        pairs: number of pairs of each match, by its name.
    """

    def __init__(self, pairs: Mapping[str, int]) -> None:
        self.pairs = dict(pairs)
        self.reported = time.perf_counter()

    def __call__(self, name: str, played: PlayedPairs) -> None:
        now = time.perf_counter()
        done = len(played.pairs)
        if now - self.reported < REPORT_EVERY or done >= self.pairs[name]:
            return
        self.reported = now
        number = list(self.pairs).index(name) + 1
        left = played.seconds / done * (self.pairs[name] - done)
        say_on_error(
            f"match {number} of {len(self.pairs)}, {name}: {done:,} of {self.pairs[name]:,} pairs, "
            f"{played.pairs.margin.mean():+.1f} points a deal, about {left / 60:.1f} min left of it"
        )
