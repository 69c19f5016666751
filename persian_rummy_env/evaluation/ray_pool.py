"""A pool of worker processes in a Ray cluster that replaces lost workers.

A job must depend only on its input, so that it can be repeated. A job whose worker was lost before it answered is given
to another worker, and each result is used once.
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
"""Timeout for the start of a worker, which imports torch and may have to compile the engine."""
NEXT_SECONDS = 10.0
"""Time that a new pool waits for one more worker, before it begins with the workers that have started."""
MOST_LOST = 3
"""How often a job may lose its worker."""
MOST_FAILED = 3
"""How often in a row a worker may be lost during its start."""
STORE_BYTES = 512 * 2**20
"""Size of Ray's object store if the pool starts the cluster."""


class RayError(RuntimeError):
    """Ray is not installed, the cluster cannot be reached, or no worker is left."""


class Worker:
    """The actor in a worker process. ``make`` is called there once and returns the function that does the jobs."""

    def __init__(self, make: Callable[[], Callable[..., Any]]) -> None:
        self._make = make

    def ready(self) -> None:
        """Returns when the worker can work."""
        self._do = self._make()

    def do(self, job: Any, *common: Any) -> Any:
        return self._do(job, *common)


class RayPool(Generic[J, R]):
    """``count`` workers, with one CPU each.

    The cluster is the one that ``RAY_ADDRESS`` names, else one that runs on this machine. If there is none, the pool
    starts one and closes it at the end.

    Args:
        make: called in each worker; returns the function of a job and the common arguments. It is pickled.

    Attributes:
        lost: number of workers that were lost during a job. A worker that is lost during its start does not count.

    Raises:
        RayError: Ray is not installed, the cluster cannot be reached, or no worker can be started.
    """

    def __init__(self, count: int, make: Callable[[], Callable[..., R]]) -> None:
        self.ray, self._started_here = _connected(count)
        self.count = count
        self.lost = 0
        self._failed = 0
        self._make = self.ray.put(make)
        self._class = self.ray.remote(Worker)
        self._starting: dict[Any, Any] = {}  # by the reference that ``ready`` returned
        self._free: list[Any] = []
        for _ in range(count):
            self._start()
        while self._starting and (reference := self._next(list(self._starting), NEXT_SECONDS)) is not None:
            self._started(reference)

    def _start(self) -> None:
        worker = self._class.options(num_cpus=1, max_restarts=0).remote(self._make)
        self._starting[worker.ready.remote()] = worker

    def put(self, what: Any) -> Any:
        """Store a common argument in the cluster once; pass the returned reference to ``map``."""
        return self.ray.put(what)

    def map(self, jobs: Sequence[J], *common: Any) -> list[R]:
        """Do the jobs and return their results in order. Every job gets the ``common`` arguments.

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
            for worker, _ in running.values():  # after an error or an interrupt nobody needs their work
                self._replace(worker)
        return [results[number] for number in range(len(jobs))]

    def _replace(self, worker: Any) -> None:
        self.ray.kill(worker)  # a lost worker may still be alive, only its answer gone
        self._start()

    def _next(self, references: list[Any], seconds: float | None) -> Any:
        """Wait for the first of the references that is answered.

        Returns None after ``seconds`` (None: no limit) if there are free workers. Without a free worker it waits up to
        ``START_SECONDS`` for one to start, and then raises.
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
        """The errors by which Ray reports a lost worker or a lost answer. An error in a job is none of them."""
        errors = self.ray.exceptions
        return errors.RayActorError, errors.ObjectLostError, errors.WorkerCrashedError, errors.NodeDiedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the workers, and close the cluster if the pool started it."""
        for worker in (*self._free, *self._starting.values()):
            self.ray.kill(worker)
        self._free, self._starting = [], {}
        if self._started_here:
            self.ray.shutdown()


def _connected(count: int) -> tuple[Any, bool]:
    """The module ``ray`` with a connected cluster, and whether the cluster was started here."""
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise RayError(f"workers='ray:{count}': Ray is not installed; pip install 'ray[default]'") from error
    if ray.is_initialized():
        return ray, False
    quiet = {"log_to_driver": False, "logging_level": "error"}  # log lines would break the live display of a run
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
        ValueError: it is neither of the two.
    """
    kind, colon, number = workers.partition(":")
    if workers == "local":
        return 0
    if kind != "ray" or not colon or not number.isdecimal() or int(number) < 1:
        raise ValueError(f"workers={workers!r}: expected 'local', or 'ray:N' with a number of at least 1, as ray:8")
    return int(number)
