"""How soon the program answers."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest


@pytest.mark.perf
@pytest.mark.parametrize("words", [["--help"], ["simulate", "--help"]], ids=" ".join)
def test_help_is_there_within_five_seconds(words: list[str]) -> None:
    """By the clock, as whoever asks waits for it; the fastest of three, since a neighbour spoils some, not all."""
    took = []
    for _ in range(3):
        start = time.perf_counter()
        ran = subprocess.run([sys.executable, "-m", "persian_rummy_env", *words], capture_output=True, check=True)
        took.append(time.perf_counter() - start)
        assert b"usage: persian-rummy" in ran.stdout
    assert min(took) < 5
