"""Compiled, with bounds checked, and as plain Python: the same games to the last bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.env.play import scaled
from tests.env.trace import ENVIRONMENTS, RULES, traces

ROOT = Path(__file__).resolve().parents[2]
SWITCHES = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
pytestmark = [
    pytest.mark.skipif(
        any(os.environ.get(name, "0") != "0" for name in SWITCHES), reason="compares the other ways with the usual one"
    ),
    pytest.mark.first,
]
GAMES = scaled(16, 4)


def traced(games: int, **switches: str) -> dict[str, list[str]]:
    environment = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    run = subprocess.run(
        [sys.executable, "-m", "tests.env.trace", str(games)],
        cwd=ROOT,
        env={**environment, **switches},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert ("compiling" in run.stderr) <= ("NUMBA_DISABLE_JIT" not in switches)
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def compiled() -> dict[str, list[str]]:
    return traces(GAMES)


def test_the_games_differ_and_span_the_options(compiled: dict[str, list[str]]) -> None:
    assert min(len(ENVIRONMENTS) * len(RULES), 4) <= GAMES
    assert len({digest for digests in compiled.values() for digest in digests}) == 2 * GAMES


def test_with_bounds_checked(compiled: dict[str, list[str]]) -> None:
    assert traced(GAMES, NUMBA_BOUNDSCHECK="1") == compiled


def test_with_the_compiler_off(compiled: dict[str, list[str]]) -> None:
    few = scaled(6, 2)
    assert traced(few, NUMBA_DISABLE_JIT="1") == {part: digests[:few] for part, digests in compiled.items()}


def test_in_another_process(compiled: dict[str, list[str]]) -> None:
    assert traced(2) == {part: digests[:2] for part, digests in compiled.items()}
