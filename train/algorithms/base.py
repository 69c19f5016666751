"""What a learning algorithm gives to a run: the networks that learn, and one update after the other.

An algorithm is a subclass of ``Algorithm`` and its settings. The run does the rest: budget and schedules, warm-up,
counters, log, evaluation, checkpoints, resumption, the best copy and the final matches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import torch

from ..config.base import C, RunConfig
from ..scale.ranks import ALONE, Ranks
from ..scale.shards import Shards
from .learner import NetworkLearner

L = TypeVar("L", bound=NetworkLearner)


class StartError(ValueError):
    """A run cannot start with these settings on this machine; the message names the setting."""


class Step(NamedTuple):
    """One update.

    Attributes:
        row: numbers for the log, by column.
        decisions: played, forced ones and those of opponents included.
        deals: played to their end.
        collect_seconds, learn_seconds: what playing and learning took.
    """

    row: dict[str, float]
    decisions: int
    deals: int
    collect_seconds: float
    learn_seconds: float


class Resumable(Protocol):
    """Games that continue from one update to the next, and a stream of draws. Checkpoints store both."""

    def state(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Games (n,) STATE with their generators, and the state of the stream."""
        ...

    def restore(self, games: np.ndarray, rng: dict[str, Any]) -> None:
        """The inverse of ``state``."""
        ...


class Algorithm(Generic[C, L]):
    """A way of learning, with settings ``C`` and a learner ``L``. A subclass sets ``learner`` and defines ``update``.

    Args:
        config: the settings.
        ranks: the processes that train together; one that ``runs_in_ranks`` uses them.

    Attributes:
        columns: names of the numbers that ``update`` adds to the log.
        shown: how the display prints some of them: ``{"entropy": "entropy {:.3f}"}``.
        runs_in_ranks: torchrun may start it in several processes.
        learner: networks and optimisers; checkpoints store them, and its ``actor`` is the player.
        collectors: those that continue from one update to the next; checkpoints store them.
        stage: the stage of the last update, for an algorithm with several; checkpoints store it.

    Raises:
        StartError: the device does not exist.
    """

    columns: ClassVar[Sequence[str]] = ()
    shown: ClassVar[Mapping[str, str]] = {}
    runs_in_ranks: ClassVar[bool] = False
    learner: L
    collectors: Sequence[Resumable] = ()
    stage: str = ""

    def __init__(self, config: C, ranks: Ranks = ALONE) -> None:
        self.config = config
        self.ranks = ranks
        self.device = device_of(config)
        self.shards = Shards(config.threads if self.device.type == "cpu" else 1)

    def update(self, progress: float) -> Step:
        """Make one update. ``progress``: the share of the budget that is spent, in [0, 1), for schedules."""
        raise NotImplementedError

    def rehearse(self) -> None:
        """Call everything that an update compiles. The run does this with the smallest settings, before it starts."""
        self.update(0.0)

    def close(self) -> None:
        """Stop threads and workers."""
        self.shards.close()


class Episodes(Protocol):
    """Whole episodes: ``margin`` (n,) float64, team 0's points less team 1's; ``out`` (n,) bool, somebody went out;
    ``length`` (n,) int64, decisions."""

    @property
    def margin(self) -> np.ndarray: ...

    @property
    def out(self) -> np.ndarray: ...

    @property
    def length(self) -> np.ndarray: ...


E = TypeVar("E", bound=Episodes)


def play_and_learn(collect: Callable[[], E], learn: Callable[[E], dict[str, float]], episode_deals: int = 1) -> Step:
    """An update that plays whole episodes and learns from them.

    Args:
        collect: plays.
        learn: learns from what was played; returns numbers for the log.
        episode_deals: deals of an episode.
    """
    start = time.perf_counter()
    played = collect()
    collected = time.perf_counter()
    row = learn(played)
    learnt = time.perf_counter()
    row |= {
        "deal_length": float(played.length.mean() / episode_deals),
        "deal_margin": float(abs(played.margin).mean()),
        "out_rate": float(played.out.mean()),
    }
    deals = len(played.length) * episode_deals
    return Step(row, int(played.length.sum()), deals, collected - start, learnt - collected)


def device_of(config: RunConfig) -> torch.device:
    """The device of a run.

    Raises:
        StartError: there is no such device.
    """
    try:
        device = torch.device(config.device)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise StartError(f"device={config.device!r}: {error}") from error
    return device


def split_evenly(total: int, count: int) -> list[int]:
    """``total`` as the sum of ``count`` whole numbers that differ by at most 1."""
    return [total * (part + 1) // count - total * part // count for part in range(count)]
