"""A pool of worker threads that is created again in a copy and after a fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Threads:
    """A pool of threads that starts on first use.

    A forked child has none of its parent's threads and would wait for them forever, so it creates its own pool. A
    changed process id shows the fork.

    Args:
        count: maximum number of threads.
        name: prefix of their names.
        start: called first in each thread.
    """

    def __init__(self, count: int, name: str, start: Callable[[], Any] | None = None) -> None:
        self.count = count
        self._name = name
        self._start = start
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    @property
    def pool(self) -> ThreadPoolExecutor:
        """The pool of this process."""
        if self._pool is None or self._process != os.getpid():
            self._process = os.getpid()
            self._pool = ThreadPoolExecutor(self.count, thread_name_prefix=self._name, initializer=self._start)
        return self._pool

    def close(self, *, wait: bool = True) -> None:
        """End the threads, and wait for their work unless ``wait`` is False. The next use starts new threads."""
        pool, self._pool = self._pool, None
        if pool is not None and self._process == os.getpid():
            pool.shutdown(wait=wait, cancel_futures=True)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}  # threads cannot be copied
