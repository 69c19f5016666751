"""The budget of a run, in seconds of training or in updates, and what is due by it."""

from __future__ import annotations

from ..config.base import RunConfig
from .counters import Counters


def spent(config: RunConfig, counters: Counters) -> float:
    """The budget that is spent, in seconds or updates."""
    return counters.seconds if config.minutes is not None else counters.update


def progress_of(config: RunConfig, counters: Counters) -> float:
    """The share of the budget that is spent, in [0, 1]."""
    budget = 60 * config.minutes if config.minutes is not None else config.updates
    assert budget is not None
    return min(1.0, spent(config, counters) / budget)


def left(config: RunConfig, counters: Counters) -> str:
    """The budget that is left, for people: ``4:59``."""
    if config.minutes is None:
        return f"{config.updates} - {counters.update} updates"
    seconds = max(0, round(60 * config.minutes - counters.seconds))
    return f"{seconds // 60}:{seconds % 60:02d}"


def paused(config: RunConfig, counters: Counters) -> bool:
    return config.pause_after is not None and counters.update >= config.pause_after


def due(config: RunConfig, counters: Counters, every: float, done: int) -> bool:
    """Whether something is due that was done ``done`` times and is done ``every`` so many seconds or updates, and at
    the end."""
    return spent(config, counters) >= every * (done + 1) or progress_of(config, counters) >= 1
