"""Processes of a Ray cluster that do jobs, and are replaced where they are lost.

A job must be a function of what it is given, so that it may be done again. A result is taken once: a job whose worker
was lost before it answered is given to another, and what the lost one may have done is forgotten.
"""

from __future__ import annotations

import importlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar

J = TypeVar("J")
R = TypeVar("R")

START_SECONDS = 300.0
"""Until a worker can work: it imports torch, and on a machine that never did, it compiles."""
NEXT_SECONDS = 10.0
"""How long a pool waits at first for one more worker to start, before it begins with those that did."""
MOST_LOST = 3
"""Times that a job may lose its worker."""
MOST_FAILED = 3
"""Times in a row that a worker may be lost as it starts."""
STORE_BYTES = 512 * 2**20
"""Ray's object store, where the cluster is started here."""


class RayError(RuntimeError):
    """There is no Ray, no cluster, or no worker left."""


class Worker:
    """What runs in a process of its own; ``make`` is called there, once, and makes what does the jobs."""

    def __init__(self, make: Callable[[], Callable[..., Any]]) -> None:
        self._make = make

    def ready(self) -> None:
        """Answered as soon as it can work."""
        self._do = self._make()

    def do(self, job: Any, *common: Any) -> Any:
        return self._do(job, *common)


class RayPool(Generic[J, R]):
    """``count`` workers, with one CPU each.

    The cluster is the one that ``RAY_ADDRESS`` names, else one that runs on this machine, else it is started here and
    ends with the pool.

    Args:
        make: makes, in each worker, what is then called with a job and what is common to all of them. It is pickled.

    Attributes:
        lost: workers that were lost at a job so far. One that is lost as it starts, on a node that is going down or a
            machine that is too busy, has lost nothing, and does not count.

    Raises:
        RayError: Ray is not installed, the cluster cannot be reached, or no worker can be started in it.
    """

    def __init__(self, count: int, make: Callable[[], Callable[..., R]]) -> None:
        self.ray, self._ours = _connected(count)
        self.count = count
        self.lost = 0
        self._failed = 0
        self._make = self.ray.put(make)
        self._class = self.ray.remote(Worker)
        self._starting: dict[Any, Any] = {}  # by the reference that is answered when it can work
        self._free: list[Any] = []
        for _ in range(count):
            self._start()
        while self._starting and (reference := self._next(list(self._starting), NEXT_SECONDS)) is not None:
            self._started(reference)

    def _start(self) -> None:
        worker = self._class.options(num_cpus=1, max_restarts=0).remote(self._make)
        self._starting[worker.ready.remote()] = worker

    def put(self, what: Any) -> Any:
        """Put something where all workers can read it; it is given to them in place of itself."""
        return self.ray.put(what)

    def map(self, jobs: Sequence[J], *common: Any) -> list[R]:
        """What the jobs bring, in their order. ``common`` is given to each of them.

        Raises:
            RayError: workers are lost again and again, or none can be started.
        """
        waiting = deque(range(len(jobs)))
        running: dict[Any, tuple[Any, int]] = {}
        results: dict[int, R] = {}
        lost = [0] * len(jobs)
        try:
            while len(results) < len(jobs):
                while waiting and self._free:
                    worker, number = self._free.pop(), waiting.popleft()
                    running[worker.do.remote(jobs[number], *common)] = worker, number
                reference = self._next([*running, *self._starting], None if running else 0.0)
                assert reference is not None
                if reference in self._starting:
                    self._started(reference)
                    continue
                worker, number = running.pop(reference)
                try:
                    results[number] = self.ray.get(reference)
                    self._free.append(worker)
                except self.ray.exceptions.RayTaskError as error:
                    self._free.append(worker)
                    raise error.cause from error
                except self._losses() as error:
                    self.lost += 1
                    self._replace(worker)
                    lost[number] += 1
                    if lost[number] > MOST_LOST:
                        raise RayError(
                            f"job {number} lost its worker {lost[number]} times; the last: {error}"
                        ) from error
                    waiting.appendleft(number)
        finally:
            for worker, _ in running.values():  # an error or an interrupt: they must not work on for nobody
                self._replace(worker)
        return [results[number] for number in range(len(jobs))]

    def _replace(self, worker: Any) -> None:
        self.ray.kill(worker)  # one that was lost may live on where its answer was not
        self._start()

    def _next(self, references: list[Any], seconds: float | None) -> Any:
        """The next of the references that is answered; None: none was within ``seconds``, though there are workers.
        Where there are none, the first may take ``START_SECONDS``. ``seconds`` None: however long it takes.
        """
        limit = seconds if self._free or seconds is None else START_SECONDS
        done, _ = self.ray.wait(references, num_returns=1, timeout=limit)
        if done:
            return done[0]
        if self._free:
            return None
        free = self.ray.available_resources().get("CPU", 0)
        raise RayError(
            f"no worker could start within {START_SECONDS:.0f} s: the cluster has {free:g} CPUs free, and each of "
            f"{self.count} workers needs one"
        )

    def _started(self, reference: Any) -> None:
        worker = self._starting.pop(reference)
        try:
            self.ray.get(reference)
            self._free.append(worker)
            self._failed = 0
        except self._losses() as error:
            self._failed += 1
            if self._failed > MOST_FAILED:
                raise RayError(f"workers are lost as they start; the last: {error}") from error
            self._start()

    def _losses(self) -> tuple[type[Exception], ...]:
        """How it is told that a worker, or what it answered, is gone. An error in a job is none of these."""
        errors = self.ray.exceptions
        return errors.RayActorError, errors.ObjectLostError, errors.WorkerCrashedError, errors.NodeDiedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the workers go, and the cluster if it was started here."""
        for worker in (*self._free, *self._starting.values()):
            self.ray.kill(worker)
        self._free, self._starting = [], {}
        if self._ours:
            self.ray.shutdown()


def _connected(count: int) -> tuple[Any, bool]:
    """The module ``ray``, with a cluster; and whether it was started here."""
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise RayError(f"workers='ray:{count}': Ray is not installed; pip install 'ray[default]'") from error
    if ray.is_initialized():
        return ray, False
    quiet = {"log_to_driver": False, "logging_level": "error"}  # the display of a run is drawn in place
    try:
        ray.init(address="auto", **quiet)
        return ray, True
    except ConnectionError as error:
        if "RAY_ADDRESS" in os.environ:
            raise RayError(f"RAY_ADDRESS={os.environ['RAY_ADDRESS']}: {error}") from error
    ray.init(
        address="local", num_cpus=count, include_dashboard=False, object_store_memory=STORE_BYTES,
        **quiet,
    )  # fmt: skip
    return ray, True


def number_of_workers(workers: str) -> int:
    """N of ``ray:N``, and 0 for ``local``.

    Raises:
        ValueError: it is neither.
    """
    kind, colon, number = workers.partition(":")
    if workers == "local":
        return 0
    if kind != "ray" or not colon or not number.isdecimal() or int(number) < 1:
        raise ValueError(f"workers={workers!r}: expected 'local', or 'ray:N' with a number of at least 1, as ray:8")
    return int(number)
