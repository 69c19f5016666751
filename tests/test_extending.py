"""Every recipe of docs/extending.md is carried out in a copy of the packages, and the result plays or trains there."""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.recipes import PAGE, ROOT, STEP, copy_packages, recipe

MOST_FILES = {"A rule variant": 5, "A bot in Python": 1, "A compiled bot": 3, "A network": 2, "A learning algorithm": 2}
"""The recipes, and how many files they may touch."""


def carried_out(heading: str, folder: Path, *more: str) -> Path:
    copy_packages(folder, *more)
    for step in recipe(heading):
        step.carry_out(folder)
    return folder


def run_in(folder: Path, code: str) -> str:
    """What a program prints in the copy, with the compiler off."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


@pytest.mark.parametrize("heading", MOST_FILES)
def test_a_recipe_touches_few_files(heading: str) -> None:
    files = {step.file for step in recipe(heading)}
    assert 1 <= len(files) <= MOST_FILES[heading]


def test_every_step_of_the_page_belongs_to_a_recipe_that_is_tried() -> None:
    steps = len(STEP.findall(PAGE.read_text(encoding="utf-8")))
    assert steps == sum(len(recipe(heading)) for heading in MOST_FILES)


def test_a_rule_is_played_alike_by_the_engine_and_its_twin(tmp_path: Path) -> None:
    """What else a rule reaches is in ``tests/env/test_planted_rule.py``, which carries out the same recipe."""
    folder = carried_out("A rule variant", tmp_path, "tests/oracle.py", "experiments/__init__.py", "experiments/shared")
    code = """
import dataclasses
from experiments.shared.lockstep import compare, plan_of
from persian_rummy_env import RuleSet
from tests import oracle

plans = [dataclasses.replace(plan_of(2, number), rules=RuleSet(deals=2, ace_out="yes")) for number in range(3)]
deals = [compare(plan, oracle) for plan in plans]
print(sum(deal.decisions for deal in deals))
"""
    assert int(run_in(folder, code)) > 0


MATCH = """
import numpy as np
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import load

print(play_match(load({name!r}), load("random"), pairs=2, seed=1).pairs)
"""


@pytest.mark.parametrize(
    ("heading", "name"), [("A bot in Python", "python:cautious:Cautious"), ("A compiled bot", "drawer")]
)
def test_a_bot_plays_a_match(tmp_path: Path, heading: str, name: str) -> None:
    more = ("docs/bots.md",) if heading == "A compiled bot" else ()
    folder = carried_out(heading, tmp_path, *more)
    assert run_in(folder, MATCH.format(name=name)).split() == ["2"]
    assert ROOT not in folder.parents


SMALL = shlex.split(
    "--threads 1 --minutes None --deals 8 --optim.minibatch 128 --network.width 16 --network.blocks 1 --eval.every 4 "
    "--eval.pairs 2 --eval.final-pairs 2 --save-every 1 --seed 3"
)
TIMED = ("seconds", "progress", "decisions_per_second", "collect_seconds", "learn_seconds", "run")


def rows(folder: Path) -> list[dict[str, str]]:
    """The log of a run, but for what depends on the clock."""
    with (folder / "metrics.csv").open(newline="") as file:
        return [{name: cell for name, cell in row.items() if name not in TIMED} for row in csv.DictReader(file)]


def command_in(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """A command of the copy, with the compiler on."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.Popen([sys.executable, "-m", *words], cwd=folder, env=environment, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen[bytes]) -> None:
    _, printed = process.communicate(timeout=600)
    assert process.returncode == 0, printed.decode()[-3000:]


@pytest.fixture(scope="module")
def reinforce(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The algorithm of the page, in a copy."""
    pytest.importorskip("torch")
    return carried_out("A learning algorithm", tmp_path_factory.mktemp("algorithm"))


def test_an_algorithm_that_is_killed_resumes_exactly_and_its_player_plays(reinforce: Path) -> None:
    ended(command_in(reinforce, "train.reinforce", *SMALL, "--updates", "8", "--out", "whole"))
    process = command_in(reinforce, "train.reinforce", *SMALL, "--updates", "8", "--out", "killed")
    log = reinforce / "killed" / "metrics.csv"
    while process.poll() is None and not (log.exists() and len(rows(log.parent)) >= 3):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert not (reinforce / "killed" / "results.json").exists(), "it was killed on its way"
    ended(command_in(reinforce, "train.reinforce", "--resume", "killed"))
    assert rows(reinforce / "killed") == rows(reinforce / "whole")
    weights = [load_file(reinforce / name / "policy.safetensors") for name in ("killed", "whole")]
    assert weights[0].keys() == weights[1].keys()
    assert all(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0])
    ended(
        command_in(reinforce, "persian_rummy_env", "match", "file:killed/policy.safetensors", "random", "--pairs", "2")
    )


def test_the_algorithm_learns(reinforce: Path) -> None:
    """Some 30,000 decisions: from worse than random to better, measured on 150 pairs."""
    words = shlex.split("--deals 48 --network.width 64 --optim.minibatch 512 --optim.lr 3e-3 1e-3 --updates 12")
    more = ["--eval.pairs", "150", "--eval.every", "12", "--out", "learns"]
    ended(command_in(reinforce, "train.reinforce", *SMALL, *words, *more))
    assert float(rows(reinforce / "learns")[-1]["low_random"]) > 20


def test_a_network_trains(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = carried_out("A network", tmp_path)
    words = shlex.split(
        "--threads 1 --minutes None --updates 1 --deals 8 --imitate.batch-size 32 --optim.minibatch 32 "
        "--network.kind plain --network.width 16 --eval.pairs 2 --eval.final-pairs 2 --imitate.teacher deepest --out r"
    )
    run_in(folder, f"from train.imitate import main\n\nmain({words})")
    assert (folder / "r" / "policy.safetensors").exists()
