"""What the tests of training runs share: small settings, what a run has written, and waiting for one."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors import safe_open

from train.run import log

SMALL = [
    *(
        "--preset",
        "scratch",
        "--deals",
        "8",
        "--network.width",
        "16",
        "--optim.minibatch",
        "128",
        "--threads",
        "2",
        "--seed",
        "3",
    ),
    *("--eval.pairs", "4", "--eval.final-pairs", "8", "--eval.every", "2", "--save-every", "1"),
]


def contents(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    with safe_open(path, framework="numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118


def rows(out: Path) -> list[dict[str, str]]:
    return [{k: v for k, v in row.items() if k not in log.TIMED} for row in log.read(out / log.FILE)]


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes], what: str, seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, f"it ended before {what}"
        assert time.monotonic() < until, what
        time.sleep(0.02)


def logged(out: Path) -> int:
    path = out / log.FILE
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0
