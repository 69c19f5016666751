"""The package as its users have it: the wheel in an environment of its own, run in a folder of somebody else's.

``PERSIAN_RUMMY_INSTALLED`` names the interpreter of an environment that holds it already (``nox -s wheel``). Else the
wheel is built and installed here, beside links to the dependencies that it declares.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import persian_rummy_env
from tests.building import build, environment_with

DECOY = "raise RuntimeError('this module is the reader’s own')\n"
OTHERS = ("agents", "train", "experiments", "tools", "tests")
PAIRS = "2"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of the environment."""
    given = os.environ.get("PERSIAN_RUMMY_INSTALLED")
    if given:
        return Path(given)
    folder = tmp_path_factory.mktemp("installed")
    return environment_with(build("wheel", folder), folder / "venv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with modules that are named as the packages of a checkout are."""
    folder = tmp_path_factory.mktemp("somebody")
    for name in OTHERS:
        (folder / f"{name}.py").write_text(DECOY, encoding="utf-8")
    return folder


def call(words: list[str | Path], folder: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=1800, check=False
    )
    assert ran.returncode == status, ran.stderr
    assert "Traceback" not in ran.stderr
    return ran


def command(python: Path, folder: Path, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run ``persian-rummy``, as it was installed beside the interpreter."""
    return call([python.parent / "persian-rummy", *words], folder, status)


def program(python: Path, folder: Path, source: str) -> list[str]:
    """The lines that a program in the folder prints."""
    (folder / "program.py").write_text(source, encoding="utf-8")
    return call([python, "-W", "error", "program.py"], folder).stdout.splitlines()


@pytest.fixture(scope="module")
def games(python: Path, folder: Path) -> str:
    """The name of a file of records in the folder."""
    words = ("--players", "champion,expert,greedy,random", "--games", "3", "--seed", "7", "--rules", "deals=1")
    command(python, folder, "simulate", *words, "--out", "games.jsonl")
    return "games.jsonl"


def test_it_is_imported_from_its_environment_and_alone(python: Path, folder: Path) -> None:
    where, version, loaded, there = program(
        python,
        folder,
        "import sys\n"
        "from importlib.util import find_spec\n"
        "import persian_rummy_env\n"
        "print(persian_rummy_env.__file__)\n"
        "print(persian_rummy_env.__version__)\n"
        f"heavy = {{'torch', 'matplotlib', 'rich', 'numba', 'PIL', 'resvg_py', *{OTHERS}}}\n"
        "print(*sorted(heavy & set(sys.modules)))\n"
        "print(*(name for name in ('torch', 'scipy', 'rich', 'starlette') if find_spec(name)))",
    )
    assert Path(where).is_relative_to(python.parent.parent)
    assert version == persian_rummy_env.__version__
    assert loaded == ""
    assert there == "", "the environment is not empty, so it shows nothing"


def test_the_public_names_are_there(python: Path, folder: Path) -> None:
    source = "import persian_rummy_env as env\nprint(*dir(env))\nprint(len([getattr(env, name) for name in dir(env)]))"
    listed, count = program(python, folder, source)
    assert listed.split() == persian_rummy_env.__all__
    assert int(count) == len(persian_rummy_env.__all__)


def test_gymnasium_makes_it_by_name(python: Path, folder: Path) -> None:
    made = program(
        python,
        folder,
        "import gymnasium as gym\n"
        "env = gym.make('persian_rummy_env:PersianRummy-v0', opponents='expert')\n"
        "print(env.reset(seed=7)[1]['action_mask'].shape)\n"
        "print(gym.make('PersianRummy-v0').reset(seed=7)[1]['action_mask'].shape)\n"  # imported by now
        "print(gym.make('PersianRummy-v0', opponents='champion').reset(seed=7)[1]['action_mask'].shape)\n"
        "print(gym.make_vec('PersianRummy-v0', num_envs=3).reset(seed=7)[1]['action_mask'].shape)",
    )
    assert made == ["(547,)", "(547,)", "(547,)", "(3, 547)"]


def test_the_calls_of_one_line(python: Path, folder: Path) -> None:
    name, result, count, verdict = program(
        python,
        folder,
        "import persian_rummy_env\n"
        "from persian_rummy_env.records.record import read\n"
        "from persian_rummy_env.records.replay import verify\n"
        "print(persian_rummy_env.load('champion').name)\n"
        f"print(persian_rummy_env.match('champion', 'greedy', pairs={PAIRS}))\n"
        "records = persian_rummy_env.record('champion,expert', 2, seed=7, out='own.jsonl')\n"
        "print(len(records))\n"
        "print([verify(one) for one in read('own.jsonl')])",
    )
    assert name == "champion"
    assert re.fullmatch(rf"champion v greedy: \S+ ± \S+ a deal, \S+ won, {PAIRS} pairs", result)
    assert (count, verdict) == ("2", "[None, None]")


MEASURED = {
    "match": (("champion", "expert", "--pairs", PAIRS), rf"champion v expert: \S+ ± \S+ a deal, .*, {PAIRS} pairs\n"),
    "tournament": (
        ("champion,expert,greedy", "--pairs", PAIRS),
        r"policy +rating +95% interval\n(.*\n){4}row v",
    ),
    "cross-play": (("champion,expert", "--against", "greedy", "--pairs", PAIRS), r"(.*\n)+gap: \S+ ± \S+\n"),
    "info": ((), r"versions\n  persian-rummy-rl .*\n(.*\n)+default rules"),
    "warm-up": ((), r"compiled: .*match loop"),
}


@pytest.mark.parametrize("name", MEASURED)
def test_what_measures_prints_its_result(python: Path, folder: Path, name: str) -> None:
    words, expected = MEASURED[name]
    assert re.match(expected, command(python, folder, name, *words).stdout)


def test_games_are_recorded_checked_counted_and_shown(python: Path, folder: Path, games: str) -> None:
    first = json.loads((folder / games).read_text(encoding="utf-8").splitlines()[0])
    assert first["players"] == ["champion", "expert", "greedy", "random"]
    assert command(python, folder, "verify", games).stdout == f"{games}: 3 games, no difference\n"
    assert command(python, folder, "stats", games).stdout.count("\n") > 10
    assert command(python, folder, "show", games, "--game", "2").stdout.startswith("Game 2\n")


def test_a_page_of_games_is_written_and_says_so(python: Path, folder: Path, games: str) -> None:
    words = ("--game", "1", "--html", "page.html", "--policy", "champion", "--worlds", "2")
    printed = command(python, folder, "show", games, *words).stderr.splitlines()
    assert printed[-1] == "wrote page.html"
    assert any("asking champion" in line for line in printed), "nothing tells that it is at work"
    assert "<svg" in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "library"), [("play", "rich"), ("serve", "starlette")])
def test_what_people_play_names_the_extra_it_needs(python: Path, folder: Path, name: str, library: str) -> None:
    [line] = command(python, folder, name, status=2).stderr.splitlines()
    assert library in line
    assert "pip install 'persian-rummy-rl[play]'" in line
