"""Data parallelism in threads: each thread works on a shard of its own.

The networks are small for a CPU. Threads inside an operation would mostly wait for each other, and spin where cores are
shared. So each thread computes a whole shard with one thread to an operation, and the threads join once a minibatch.
Shards and their order are fixed, so results do not depend on timing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import torch

from persian_rummy_env.system.threads import Threads

T = TypeVar("T")


class Shards:
    """``count`` threads; torch uses one thread to an operation in each of them and in the caller."""

    def __init__(self, count: int) -> None:
        torch.set_num_threads(1)
        self.count = count
        self._threads = Threads(count, "shard", partial(torch.set_num_threads, 1))

    def map(self, function: Callable[..., T], *parts: Iterable[Any]) -> list[T]:
        """``function`` of each part, in parallel; results in the order of the parts."""
        if self.count == 1:
            return [function(*part) for part in zip(*parts, strict=True)]
        return list(self._threads.pool.map(function, *parts))

    def close(self) -> None:
        self._threads.close()
