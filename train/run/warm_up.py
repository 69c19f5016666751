"""Compiling what a run needs before its clock starts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..algorithms.base import Algorithm
from ..config.base import C
from .matches import evaluation_matches

NOTICED = 5.0
"""Seconds of compiling that are reported."""


def warm_up(algorithm: type[Algorithm[C, Any]], config: C, say: Callable[[str], None]) -> None:
    """Make the smallest update and the smallest matches with objects of their own, so that neither the time nor the
    random streams of the run change."""
    start = time.perf_counter()
    small = algorithm(config.small())
    small.rehearse()
    evaluation_matches(config, small.learner.actor, 0, 1)
    small.close()
    if time.perf_counter() - start > NOTICED:
        say(f"compiled in {time.perf_counter() - start:.0f} s (kept for the next time)")
