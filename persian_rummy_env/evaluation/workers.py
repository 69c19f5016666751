"""Who plays the pairs of a match: this process, or processes of a Ray cluster."""

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
    """Pairs to be played: their seeds (n,) uint64, the number of the first in its deal set, and on what terms."""

    seeds: np.ndarray
    first: int
    rules: RuleSet
    episode: str
    split_stock: bool


class Players(Protocol):
    """Whoever plays."""

    @property
    def count(self) -> int:
        """How many play at once."""
        ...

    def play(self, a: Team, b: Team, chunks: Sequence[Chunk]) -> list[Pairs]:
        """The pairs of each chunk, in order. It makes no difference to them who plays them."""
        ...


class LocalPlayers:
    """This process."""

    count = 1

    def play(self, a: Team, b: Team, chunks: Sequence[Chunk]) -> list[Pairs]:
        return [play_teams(a, b, *chunk) for chunk in chunks]


class Job(NamedTuple):
    """A chunk of the match between teams of policies of these names."""

    a: tuple[str, str]
    b: tuple[str, str]
    chunk: Chunk


class MatchWorker:
    """One worker of Ray, in its process.

    Args:
        code: a hash of the code that plays, where the match was asked for.
    """

    def __init__(self, device: str, code: str) -> None:
        here = playing_code()
        if here != code:
            raise ValueError(f"a worker has other code ({here}) than this process ({code}): update its checkout")
        self.device = device
        self._policies: dict[str, BasePolicy] = {}

    def __call__(self, job: Job) -> Pairs:
        a, b = ((self._policy(first), self._policy(second)) for first, second in (job.a, job.b))
        return play_teams(a, b, *job.chunk)

    def _policy(self, name: str) -> BasePolicy:
        if name not in self._policies:
            policy = load(name, self.device)
            if isinstance(policy, SearchPolicy):
                policy.threads = 1  # a worker has one core
            self._policies[name] = policy
        return self._policies[name]


@dataclass(frozen=True)
class RayPlayers:
    """Processes of a Ray cluster. They load policies by name, so a trained one's file must lie there too."""

    pool: RayPool[Job, Pairs]

    @property
    def count(self) -> int:
        return self.pool.count

    def play(self, a: Team, b: Team, chunks: Sequence[Chunk]) -> list[Pairs]:
        names = (a[0].name, a[1].name), (b[0].name, b[1].name)
        return self.pool.map([Job(*names, chunk) for chunk in chunks])
