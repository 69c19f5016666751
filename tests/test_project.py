"""The files of a public project name commands, versions and actions that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.commands import SESSIONS, check, lines_of, reading  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OWN = ("make", "nox", "persian-rummy", "python", ".ci/run")


def text(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    """The commands of this project in a workflow."""
    found = [command.removeprefix(".venv/bin/") for command in re.findall(r"- run: (.*)$", page, re.MULTILINE)]
    return [command for command in found if command.split()[0] in OWN]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_pins_its_actions_and_asks_for_little(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", page)
    for action, comment in used:
        assert action.startswith("$/") or re.search(r"@[0-9a-f]{40}$", action), action
        assert action.startswith("$/") or re.search(r"# v\d+\.\d+\.\d+$", comment), action
    assert re.search(r"^permissions: \{\}$", page, re.MULTILINE), "nothing is allowed but what a job names"
    assert page.count("actions/checkout@") == page.count("persist-credentials: false")
    assert page.count("runs-on:") == page.count("timeout-minutes:")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
@pytest.mark.usefixtures("reading")
def test_the_commands_of_a_workflow_exist(path: Path) -> None:
    for command in commands(path.read_text(encoding="utf-8")):
        if command == ".ci/run":
            continue
        for words in lines_of(command):
            check(words)


def test_workflows_run_every_check() -> None:
    run = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    for command in (".ci/run", "make check", "nox -s docs", "nox -s notebooks", "nox -s pipelines", "nox -s ray"):
        assert f"- run: {command}\n" in run, command


def test_the_table_of_checks_has_them_all() -> None:
    table = text("CONTRIBUTING.md").partition("## What runs when")[2].partition("\n## ")[0]
    rows = {row.split("|")[1].strip().split("`")[1]: row for row in table.splitlines() if row.startswith("| `")}
    for target in re.findall(r'^section "[^"]+" (make [\w-]+)', text(".ci", "run"), re.MULTILINE):
        assert "yes" in rows[target].split("|")[2], target
    for session in SESSIONS:
        if session != "table":
            assert "yes" in rows[f"nox -s {session}"].split("|")[3], session


def test_pre_commit_has_the_ruff_of_the_constraints() -> None:
    [version] = re.findall(r"^ruff==(\S+)$", text("constraints.txt"), re.MULTILINE)
    assert {*re.findall(r"ruff==([^\"]+)", text(".pre-commit-config.yaml"))} == {version}


def test_the_container_copies_what_it_builds_from() -> None:
    """What is copied is there, and not left out by ``.dockerignore``."""
    allowed = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    for line in re.findall(r"^COPY (.*)$", text("Dockerfile"), re.MULTILINE):
        *sources, _ = shlex.split(line)
        for source in sources:
            assert (ROOT / source).exists()
            assert source in allowed


@pytest.mark.usefixtures("reading")
def test_the_commands_of_the_container_exist() -> None:
    page = text("Dockerfile")
    assert "RUN persian-rummy warm-up\n" in page
    shown = re.findall(r"^# +docker run .*? persian-rummy (.*)$", page, re.MULTILINE)
    assert len(shown) == 2
    for arguments in ["warm-up", *shown]:
        check(["persian-rummy", *shlex.split(arguments)])


def test_versions_agree() -> None:
    [version] = re.findall(r'^version = "(.+)"$', text("pyproject.toml"), re.MULTILINE)
    assert f'__version__ = "{version}"' in text("persian_rummy_env", "version.py")
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    assert f"## [{version}]" in text("CHANGELOG.md")
