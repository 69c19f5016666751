"""Threads that each work on a part of their own.

On a CPU the networks are small: split inside every operation, threads would mostly wait for each other, and where cores
are shared they wait spinning. So each thread computes whole parts alone, with one thread to an operation, and meets
the others once a minibatch. Parts and their order are fixed, so results do not depend on timing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import torch

from persian_rummy_env.system.threads import Threads

T = TypeVar("T")


class Shards:
    """``count`` threads; torch is held to one thread an operation in each and in the caller."""

    def __init__(self, count: int) -> None:
        torch.set_num_threads(1)
        self.count = count
        self._threads = Threads(count, "shard", partial(torch.set_num_threads, 1))

    def map(self, function: Callable[..., T], *parts: Iterable[Any]) -> list[T]:
        """``function`` of each part, in order; at once, a thread each."""
        if self.count == 1:
            return [function(*part) for part in zip(*parts, strict=True)]
        return list(self._threads.pool.map(function, *parts))

    def close(self) -> None:
        self._threads.close()
