"""The set-up: import order, version ranges, and the environment that the Makefile keeps."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import persian_rummy_env

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]

# ---------------------------------------------------------------------------------------------------------------------
# Import order (docs/design.md): a room imports from those before it, never from those after it
# ---------------------------------------------------------------------------------------------------------------------

PACKAGES = ("persian_rummy_env", "agents", "train", "experiments", "tools")
NOUNS = {  # modules at the root of the package; data that core compiles in stands below core
    **dict.fromkeys(
        (
            "version",
            "arguments",
            "arrays",
            "seeds",
            "cards",
            "actions",
            "rules",
            "state",
            "observation",
            "observation_bits",
        ),
        "data",
    ),
    **dict.fromkeys(("bots", "partners", "state_check", "stored_rules"), "nouns"),
}
ROOMS = (
    *("system", "data", "core", "nouns", "players", "drawing", "text", "envs", "records", "evaluation", "apps"),
    *("adapters", "persian_rummy_env", "cli", "agents", "train", "experiments", "tools"),
)
ADAPTERS = "persian_rummy_env.adapters"
TORCH_HOMES = ("agents", "train", ADAPTERS)

IMPORT_NAME = {
    "pillow": "PIL",
    "resvg-py": "resvg_py",
    "mistral-common": "mistral_common",
}  # where the distribution's name is not the module's


def import_names(requirements: list[str]) -> set[str]:
    names = {Requirement(line).name for line in requirements}
    return {IMPORT_NAME.get(name, name) for name in names}


CORE_LIBRARIES = {"numpy", "numba"}
ENV_LIBRARIES = import_names(PROJECT["dependencies"])
EXTRAS, GROUPS = PROJECT["optional-dependencies"], PYPROJECT["dependency-groups"]
TRAIN_LIBRARIES = ENV_LIBRARIES.union(*(import_names(GROUPS[name]) for name in ("train", "wandb", "export", "ray")))
PLAY_LIBRARIES = ENV_LIBRARIES | import_names(EXTRAS["play"])
PLOT_LIBRARIES = ENV_LIBRARIES | import_names(EXTRAS["plot"])
ALL_LIBRARIES = TRAIN_LIBRARIES | PLAY_LIBRARIES
LIBRARIES = {
    "system": set(),
    "data": CORE_LIBRARIES,
    "core": CORE_LIBRARIES | {"llvmlite"},  # a part of numba: its intrinsics are written in llvmlite's terms
    "records": PLOT_LIBRARIES,
    "evaluation": PLOT_LIBRARIES | {"ray"},
    "apps": PLAY_LIBRARIES | import_names(EXTRAS["mcp"]),
    "agents": TRAIN_LIBRARIES,
    "train": TRAIN_LIBRARIES,
    "experiments": ALL_LIBRARIES | import_names(GROUPS["text"]) | {"playwright"},  # pages in a browser
    "tools": ALL_LIBRARIES | {"playwright"},
}
"""By room; those that are not named may use what the package depends on."""


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def room(module: str) -> str:
    top, _, rest = module.partition(".")
    if rest == "__main__":
        return "cli"
    if top != "persian_rummy_env" or not rest:
        return top
    name = rest.split(".", maxsplit=1)[0]
    return NOUNS.get(name, name)


def modules_of(root: Path) -> dict[str, Path]:
    """Every module of the four packages under `root`, by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(module: str, path: Path, modules: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """(line, module imported), wherever in the file; `from package import module` names the module."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                yield node.lineno, name if name in modules else base
        elif isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func)
            target = node.args[0]
            if called in ("importlib.import_module", "import_module", "__import__") and isinstance(
                target, ast.Constant
            ):
                yield node.lineno, target.value


def objection(module: str, imported: str) -> str | None:
    """Why `module` may not import `imported`, or None."""
    own, top = room(module), imported.split(".", maxsplit=1)[0]
    if top == "tests":
        return "nothing imports tests"
    if top == "torch" and not any(within(module, home) for home in TORCH_HOMES):
        return "torch belongs to " + ", ".join(TORCH_HOMES)
    if within(imported, ADAPTERS) and not within(module, ADAPTERS) and own != "cli":
        return "adapters are imported by nobody else"
    if top in PACKAGES:
        above = ROOMS.index(room(imported)) > ROOMS.index(own)
        return f"{own} stands below {room(imported)}" if above else None
    driver = within(module, "experiments.peers")  # each runs in an environment of its peer's own
    allowed = LIBRARIES.get(own, ENV_LIBRARIES)
    if driver or top in sys.stdlib_module_names or top in allowed or within(module, ADAPTERS):
        return None
    return f"{own} may use " + ", ".join(sorted(allowed, key=str.lower))


def import_violations(root: Path) -> list[str]:
    modules = modules_of(root)
    return [
        f"{path.relative_to(root)}:{line} imports {imported}: {why}"
        for module, path in modules.items()
        for line, imported in imports_of(module, path, modules)
        if (why := objection(module, imported))
    ]


def test_test_modules_do_not_import_each_other() -> None:
    """What they share lies in modules of its own, so that each runs alone, and in any order."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            sources = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
            tests = [part for name in {*sources, *names} for part in name.split(".") if part.startswith("test_")]
            assert [name for name in tests if list((ROOT / "tests").rglob(f"{name}.py"))] == [], path


def test_import_order() -> None:
    modules = modules_of(ROOT)
    assert {room(module) for module in modules} == set(ROOMS), "a room is new or gone: say so in ROOMS"
    assert import_violations(ROOT) == []


ALLOWED = {
    "persian_rummy_env/__init__.py": "from .rules import RuleSet\nfrom .envs import vector",
    "persian_rummy_env/cards.py": "import numpy as np",
    "persian_rummy_env/rules.py": "from persian_rummy_env.cards import CARDS",
    "persian_rummy_env/core/__init__.py": "",
    "persian_rummy_env/core/deal.py": "import functools, numba\nfrom persian_rummy_env import cards\nfrom . import rng",
    "persian_rummy_env/core/rng.py": "",
    "persian_rummy_env/envs/vector.py": "from ..players import policy",
    "persian_rummy_env/envs/aec.py": "from persian_rummy_env.core import deal\ndef draw():\n    import PIL, pettingzoo",
    "persian_rummy_env/players/policy.py": "",
    "persian_rummy_env/adapters/__init__.py": "",
    "persian_rummy_env/adapters/rllib.py": "import ray, torch\nfrom persian_rummy_env.adapters import shared",
    "persian_rummy_env/adapters/shared.py": "import gymnasium",
    "persian_rummy_env/records/stats_plot.py": "def draw():\n    from matplotlib.figure import Figure",
    "persian_rummy_env/cli/show.py": "from .. import __version__\nfrom ..envs import vector",
    "agents/__init__.py": "",
    "agents/network.py": "import torch\nimport persian_rummy_env",
    "train/__init__.py": "",
    "train/ppo.py": "import torch.nn\nfrom agents.network import Network",
    "experiments/__init__.py": "",
    "experiments/speed.py": "import train.ppo",
}

PLANTED = [
    ("persian_rummy_env/cards.py", "from persian_rummy_env.core import rng", "data stands below core"),
    ("persian_rummy_env/cards.py", "import gymnasium", "data may use numba, numpy"),
    ("persian_rummy_env/cards.py", "import persian_rummy_env", "data stands below persian_rummy_env"),
    ("persian_rummy_env/core/rng.py", "from persian_rummy_env.envs import aec", "core stands below envs"),
    ("persian_rummy_env/core/rng.py", "from persian_rummy_env import RuleSet", "core stands below persian_rummy_env"),
    ("persian_rummy_env/core/rng.py", "from ..envs import aec", "core stands below envs"),
    ("persian_rummy_env/core/rng.py", "from ..envs.aec import env", "core stands below envs"),
    ("persian_rummy_env/core/__init__.py", "from ..envs.aec import env", "core stands below envs"),
    ("persian_rummy_env/core/rng.py", "import scipy", "core may use llvmlite, numba, numpy"),
    ("persian_rummy_env/core/rng.py", "import agents", "core stands below agents"),
    ("persian_rummy_env/players/policy.py", "from ..envs import vector", "players stands below envs"),
    ("persian_rummy_env/envs/aec.py", "def f():\n    from agents import network", "envs stands below agents"),
    ("persian_rummy_env/envs/aec.py", "from ..records import recorder", "envs stands below records"),
    ("persian_rummy_env/envs/aec.py", "import ray", "envs may use"),
    ("persian_rummy_env/cli/show.py", "from agents import network", "cli stands below agents"),
    ("persian_rummy_env/envs/aec.py", "import torch", "torch belongs to"),
    ("persian_rummy_env/envs/aec.py", "import matplotlib", "envs may use"),
    (
        "persian_rummy_env/envs/aec.py",
        "from persian_rummy_env.adapters import rllib",
        "adapters are imported by nobody",
    ),
    ("persian_rummy_env/envs/aec.py", "from tests import oracle", "nothing imports tests"),
    ("persian_rummy_env/envs/aec.py", "import importlib\nimportlib.import_module('train.ppo')", "stands below train"),
    ("agents/network.py", "from train import ppo", "agents stands below train"),
    ("persian_rummy_env/evaluation/search.py", "import torch", "torch belongs to"),
    ("agents/network.py", "import persian_rummy_env.adapters.rllib", "adapters are imported by nobody"),
    ("train/ppo.py", "import experiments.speed", "train stands below experiments"),
    ("train/ppo.py", "import pandas", "train may use"),
    ("experiments/speed.py", "from torch import nn", "torch belongs to"),
]


def plant(root: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source + "\n")


def test_import_checker_accepts_what_is_allowed(tmp_path: Path) -> None:
    plant(tmp_path, ALLOWED)
    assert import_violations(tmp_path) == []


@pytest.mark.parametrize(("name", "source", "why"), PLANTED)
def test_import_checker_sees_a_planted_violation(tmp_path: Path, name: str, source: str, why: str) -> None:
    plant(tmp_path, {**ALLOWED, name: source})
    [violation] = import_violations(tmp_path)
    assert violation.startswith(f"{name}:{len(source.splitlines())} ")
    assert why in violation


# ---------------------------------------------------------------------------------------------------------------------
# Versions
# ---------------------------------------------------------------------------------------------------------------------


def pins(name: str) -> dict[str, str]:
    """{distribution: exact version} of a constraints file; anything but `name==version` is refused."""
    lines = [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith("#")]
    found = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([0-9][0-9a-z.]*)", line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


PIPELINES = {  # the extras of learning libraries, whose pins conflict: each has a file of its own versions
    extra: ROOT / "requirements" / f"{extra}-newest.txt"
    for extra in EXTRAS
    if (ROOT / "requirements" / f"{extra}-newest.txt").exists()
}
EVERY_REQUIREMENT = [
    *PROJECT["dependencies"],
    *(line for extra, lines in EXTRAS.items() if extra not in PIPELINES for line in lines),
    *(
        line
        for group in ("dev", "test", "train", "wandb", "export", "ray")
        for line in GROUPS[group]
        if isinstance(line, str)
    ),
]


def test_one_version_everywhere() -> None:
    [cited] = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert PROJECT["version"] == cited == persian_rummy_env.__version__
    assert f"## [{PROJECT['version']}]" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("line", EVERY_REQUIREMENT)
def test_constraints_pin_every_requirement_within_its_range(line: str) -> None:
    requirement = Requirement(line)
    assert pins("constraints.txt")[requirement.name] in requirement.specifier


def specifiers(lines: list[str]) -> dict[str, SpecifierSet]:
    return {canonicalize_name(Requirement(line).name): Requirement(line).specifier for line in lines}


@pytest.mark.parametrize("extra", PIPELINES)
def test_a_pipeline_is_run_with_versions_within_the_ranges(extra: str) -> None:
    """Of the environment and of its own extra; torch is the session's affair, one version for all."""
    lines = [line for line in PIPELINES[extra].read_text().splitlines() if not line.startswith("#")]
    run_with, ranges = specifiers(lines), specifiers([*PROJECT["dependencies"], *EXTRAS[extra]])
    assert run_with.keys() >= specifiers(EXTRAS[extra]).keys() - {"torch"}
    for name in run_with.keys() & ranges.keys():
        [pin] = run_with[name]
        assert pin.operator == "=="
        assert pin.version in ranges[name], name


def test_constraints_pull_in_no_cuda_package() -> None:
    assert [name for name in pins("constraints.txt") if name.startswith(("nvidia", "cuda", "triton"))] == []
    assert pins("constraints.txt")["torch"] == "2.13.0"


@pytest.mark.parametrize("line", PROJECT["dependencies"])
def test_lowest_constraints_are_the_lower_end_of_each_range(line: str) -> None:
    requirement = Requirement(line)
    [low] = [Version(part.version) for part in requirement.specifier if part.operator == ">="]
    assert Version(pins("constraints-lowest.txt")[requirement.name]) == low


# ---------------------------------------------------------------------------------------------------------------------
# The environment that the Makefile keeps
# ---------------------------------------------------------------------------------------------------------------------

# Stands for python: makes a folder for `-m venv`, writes down each `-m pip install`, fails it while `broken` exists.
FAKE_PYTHON = """#!/bin/sh
case "$*" in
  "-m venv --clear "*) rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; echo venv >> log ;;
  "-m pip install "*"pip>="*) echo pip >> log ;;
  "-m pip install "*)  echo install >> log; if [ -e broken ]; then exit 1; fi ;;
esac
"""


class FakeMachine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            (folder / name).write_bytes((ROOT / name).read_bytes())
        python = folder / "python"
        python.write_text(FAKE_PYTHON)
        python.chmod(0o755)

    def make_env(self) -> tuple[int, list[str]]:
        """The exit status of `make env`, and what it did."""
        log = self.folder / "log"
        log.write_text("")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        run = subprocess.run(
            ["make", "env", f"PYTHON={self.folder}/python"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return run.returncode, log.read_text().split()

    def touch(self, name: str) -> None:
        """Make `name` newer than everything else."""
        newest = max(path.stat().st_mtime for path in self.folder.rglob("*"))
        os.utime(self.folder / name, (newest + 1, newest + 1))


def test_make_env_again_does_nothing_until_a_version_changes(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path)
    assert machine.make_env() == (0, ["venv", "pip", "install"])
    assert machine.make_env() == (0, [])
    machine.touch("constraints.txt")
    assert machine.make_env() == (0, ["pip", "install"])


def test_make_env_cut_short_starts_over(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path)
    (tmp_path / "broken").touch()
    status, done = machine.make_env()
    assert status != 0
    assert done == ["venv", "pip", "install"]
    (tmp_path / "broken").unlink()
    assert machine.make_env() == (0, ["venv", "pip", "install"])
    assert machine.make_env() == (0, [])


def test_make_env_cut_short_while_a_version_changes_starts_over(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path)
    machine.make_env()
    machine.touch("constraints.txt")
    (tmp_path / "broken").touch()
    status, done = machine.make_env()
    assert status != 0
    assert done == ["pip", "install"]
    (tmp_path / "broken").unlink()
    assert machine.make_env() == (0, ["venv", "pip", "install"])
