"""Plays the pairs of a match in this process or in processes of a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ..players.load import load
from ..players.policy import BasePolicy
from ..players.search import SearchPolicy
from ..rules import RuleSet
from .match import Pairs, Team, play_teams
from .playing_code import playing_code
from .ray_pool import RayPool


class Chunk(NamedTuple):
    """Pairs to play: their seeds (n,) uint64, the index of the first in its deal set, and the settings of the match."""

    seeds: np.ndarray
    first: int
    rules: RuleSet
    episode: str
    split_stock: bool


class Players(Protocol):
    """Plays chunks of pairs."""

    @property
    def count(self) -> int:
        """The number of chunks that are played at once."""
        ...

    def play(self, a: Team, b: Team, chunks: Sequence[Chunk]) -> list[Pairs]:
        """Play the chunks and return their pairs in order. The result does not depend on who plays."""
        ...


class LocalPlayers:
    """Plays in this process."""

    count = 1

    def play(self, a: Team, b: Team, chunks: Sequence[Chunk]) -> list[Pairs]:
        return [play_teams(a, b, *chunk) for chunk in chunks]


class Job(NamedTuple):
    """A chunk of a match between two teams, given by the names of their policies."""

    a: tuple[str, str]
    b: tuple[str, str]
    chunk: Chunk


class MatchWorker:
    """Plays jobs in a worker process of Ray.

    Args:
        code: the hash of the playing code of the process that started the match.
    """

    def __init__(self, device: str, code: str) -> None:
        here = playing_code()
        if here != code:
            raise ValueError(f"the code of a worker ({here}) differs from this process ({code}): update its checkout")
        self.device = device
        self._policies: dict[str, BasePolicy] = {}

    def __call__(self, job: Job) -> Pairs:
        a, b = ((self._policy(first), self._policy(second)) for first, second in (job.a, job.b))
        return play_teams(a, b, *job.chunk)

    def _policy(self, name: str) -> BasePolicy:
        if name not in self._policies:
            policy = load(name, self.device)
            if isinstance(policy, SearchPolicy):
                policy.threads = 1  # each worker has one core
            self._policies[name] = policy
        return self._policies[name]


@dataclass(frozen=True)
class RayPlayers:
    """Plays in processes of a Ray cluster. They load policies by name, so they need the files of trained policies."""

    pool: RayPool[Job, Pairs]

    @property
    def count(self) -> int:
        return self.pool.count

    def play(self, a: Team, b: Team, chunks: Sequence[Chunk]) -> list[Pairs]:
        names = (a[0].name, a[1].name), (b[0].name, b[1].name)
        return self.pool.map([Job(*names, chunk) for chunk in chunks])
