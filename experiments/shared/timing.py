"""How a figure is taken: repeated runs, cores, and what there is to say of the machine. Standard library only, since
the peers' drivers use it too, in environments that have nothing of ours."""

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
"""What a result is of: code and weights, for git."""
ALL_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@contextlib.contextmanager
def cores(count: int) -> Iterator[None]:
    """Keep the calling thread, and the threads and processes that it starts, on so many cores; where the system lets
    nobody choose, on whatever it gives."""
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
    """The runs of one figure, with their median, least and most."""
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "unit": unit,
        **facts,
        "runs": values,
    }


def in_turn(measures: Mapping[Any, Callable[[], float]], runs: int) -> dict[Any, list[float]]:
    """Each measure once, then each once more …: what disturbs the machine for a while then falls on all alike."""
    values: dict[Any, list[float]] = {name: [] for name in measures}
    for _ in range(runs):
        for name, measure in measures.items():
            values[name].append(measure())
    return values


def versions(*names: str) -> dict[str, str]:
    """The installed versions of some distributions."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in names}


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """What the figures were taken on, and how busy it was just before."""
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def commit() -> str | None:
    """The commit that is checked out, with a ``+`` if code or weights differ from it; None outside a git checkout.

    Results and the pages that are printed from them are no part of what was measured: a second command may follow a
    first whose result is not committed yet.
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
