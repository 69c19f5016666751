"""Workers that play the deals of an update: threads of this process, or processes of a Ray cluster.

The deals of an update are divided into parts, and a run keeps their number. A part is a ``Job``. Its rollout is a
function of the players and the job, so any worker can play any job, in any order. The parts are fixed because a network
rounds differently for other batch sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import torch

from ..algorithms.pool import assign_opponents, bot_numbers
from ..config.ppo import Config
from ..data.rollout import Collector, Job, Players, Rollout
from .shards import Shards

SEATING = 0x5EA7
"""Constant that separates the stream that draws opponents from the other streams of the seed."""


class Workers(Protocol):
    """Plays jobs."""

    def collect(self, players: Players, jobs: Sequence[Job]) -> list[Rollout]:
        """The rollouts of jobs, in their order."""
        ...

    def close(self) -> None: ...


def jobs_of(config: Config, update: int, copies: int) -> list[Job]:
    """The jobs of an update.

    Args:
        update: updates before it.
        copies: earlier copies of the actor that can be opponents.
    """
    episodes = config.deals // config.episode_deals
    edges = [update * episodes + episodes * part // config.part_count for part in range(config.part_count + 1)]
    return [_job(config, np.arange(start, stop), copies) for start, stop in pairwise(edges)]


def _job(config: Config, deals: np.ndarray, copies: int) -> Job:
    teams = min(config.pool.teams, copies)
    rng = np.random.default_rng([config.seed, SEATING, int(deals[0])])
    drawn = rng.choice(copies, size=teams, replace=False) if teams else np.empty(0, dtype=np.int64)
    bots = bot_numbers(config.bots.names)
    opponents = [(config.pool.share, drawn), (config.bots.share, bots)]
    return Job(deals, assign_opponents(len(deals), opponents))


class LocalWorkers:
    """The threads of this process.

    Args:
        config: the settings of the run.
        device: device of the networks.
        shards: the threads.
        collectors: makes a collector from the settings, the number of lanes and the device.
    """

    def __init__(
        self,
        config: Config,
        device: torch.device,
        shards: Shards,
        collectors: Callable[[Config, int, torch.device], Collector] = Collector,
    ) -> None:
        self.shards = shards
        self._make = lambda lanes: collectors(config, lanes, device)
        self._collectors: dict[tuple[int, int], Collector] = {}

    def collect(self, players: Players, jobs: Sequence[Job]) -> list[Rollout]:
        collectors = [self._at(place, len(job.deals)) for place, job in enumerate(jobs)]
        return self.shards.map(lambda collector, job: collector.collect(players, job), collectors, jobs)

    def _at(self, place: int, lanes: int) -> Collector:
        """The collector of a place in the list of jobs. Jobs that are played at once have different collectors."""
        if (place, lanes) not in self._collectors:
            self._collectors[place, lanes] = self._make(lanes)
        return self._collectors[place, lanes]

    def close(self) -> None:
        """Nothing to close: the threads belong to the run."""
