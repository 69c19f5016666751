"""Timing: repeated runs, cores, and facts about the machine. It needs only the standard library, because the drivers of
peers use it in environments without this package."""

from __future__ import annotations

import contextlib
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

MEASURED = (
    *("persian_rummy_env", "agents", "train", "experiments", "tests/oracle.py", "pyproject.toml", "constraints.txt"),
    *(":!experiments/results", ":!experiments/README.md", ":!persian_rummy_env/players/weights/README.md"),
)
"""The paths that a result depends on, for git: code and weights."""
ALL_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@contextlib.contextmanager
def cores(count: int) -> Iterator[None]:
    """Pin the calling thread, and the threads and processes that it starts, to a number of cores. Without effect where
    the system has no such call."""
    if not ALL_CORES:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, ALL_CORES[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def figure(values: list[float], unit: str, **facts: Any) -> dict[str, Any]:
    """The runs of one figure, with median, minimum and maximum."""
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "unit": unit,
        **facts,
        "runs": values,
    }


def in_turn(measures: Mapping[Any, Callable[[], float]], runs: int) -> dict[Any, list[float]]:
    """Run the measures in turn, ``runs`` times, so that a disturbance of the machine affects all alike."""
    values: dict[Any, list[float]] = {name: [] for name in measures}
    for _ in range(runs):
        for name, measure in measures.items():
            values[name].append(measure())
    return values


def versions(*names: str) -> dict[str, str]:
    """The installed versions of distributions."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in names}


def processor() -> str:
    """The name of the processor, if the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """Facts about the machine, and its load before the measurement."""
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def commit() -> str | None:
    """The commit that is checked out, with a ``+`` if code or weights differ from it; None outside a git checkout.

    Results and printed pages are ignored, so that a second command can follow a first one whose result is not committed
    yet.
    """

    def git(*words: str) -> str:
        root = Path(__file__).resolve().parents[2]
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=True, cwd=root)
        return done.stdout.strip()

    try:
        head = git("rev-parse", "--short=12", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=all", "--", *MEASURED)
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")
