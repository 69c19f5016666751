"""A rule that is added as docs/extending.md says, one row and what it does, arrives everywhere.

The packages are copied, the rule of that page is planted in the copy, and ``planted_doors`` is run there with the
compiler off.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env.records.record import read
from persian_rummy_env.records.replay import replay
from tests.recipes import copy_packages, recipe

ROOT = Path(__file__).parents[2]
DOORS = Path(__file__).parent / "planted_doors.py"
GOLDEN_GAMES = "tests/env/test_golden.py"
"""A new rule is not to turn these red."""


def plant(folder: Path) -> None:
    """Copy the packages into a folder, with the rule of docs/extending.md."""
    copy_packages(folder, "tests/golden", "tests/oracle.py", GOLDEN_GAMES)
    for step in recipe("A rule variant"):
        step.carry_out(folder)
    shutil.copy(DOORS, folder / DOORS.name)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    plant(folder)
    return folder


def run_in(copy: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    report = {**os.environ, "PYTHONPATH": str(copy), "REPOSITORY": str(ROOT), **environment}
    for name in ("NUMBA_BOUNDSCHECK", "PYTEST_ADDOPTS"):
        report.pop(name, None)
    return subprocess.run(
        [sys.executable, *command], cwd=copy, env=report, capture_output=True, text=True, timeout=600, check=False
    )


def test_a_rule_of_one_row_arrives_everywhere(copy: Path) -> None:
    pytest.importorskip("torch")
    from persian_rummy_env.evaluation.arena import show
    from persian_rummy_env.players.load import load

    [record] = read(ROOT / "tests" / "golden" / "whole_game.jsonl")
    actions = load("champion").act(show(replay(record).states[:60], np.arange(60)))
    assert len(set(actions.tolist())) > 10
    command = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--rootdir", str(copy), DOORS.name, GOLDEN_GAMES]
    ran = run_in(copy, *command, NUMBA_DISABLE_JIT="1", CHAMPION_ACTIONS=json.dumps(actions.tolist()))
    assert ran.returncode == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    assert " passed" in ran.stdout
    assert "skipped" not in ran.stdout


@pytest.mark.slow
def test_the_compiled_engine_shows_it_too(copy: Path, tmp_path: Path) -> None:
    code = (
        "from persian_rummy_env import PersianRummyVecEnv\n"
        "from persian_rummy_env.observation import BLOCK\n"
        "env = PersianRummyVecEnv(2, rules={'ace_out': 'yes'})\n"
        "seen = env.reset(seed=1).observation\n"
        "print(seen[:, BLOCK['rule_ace_out'].offset].tolist(), seen[:, BLOCK['spare'].slice].any())\n"
    )
    ran = run_in(copy, "-c", code, PERSIAN_RUMMY_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="0")
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout.strip() == "[1, 1] False"
