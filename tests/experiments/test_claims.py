"""Claims: their table, their commands, and the commands that pages and results name."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from importlib.util import find_spec

import pytest

from experiments.claims import PAGE, all_claims, main, tables
from experiments.shared.claim import Claim
from experiments.shared.markdown import with_tables
from experiments.shared.result_file import RESULTS, ROOT, read_result
from persian_rummy_env.players.load import load, split_specs
from train.run.command import parse

MODULE = re.compile(r"-m ((?:persian_rummy_env|agents|train|experiments|tools|tests)[\w.]*\w)")
MOST_FILES = 20
"""Python files in one folder."""


def modules_in(text: str) -> set[str]:
    """The modules of this project that commands in a text run."""
    return set(MODULE.findall(text.replace("\\\n", " ").replace("\n", " ")))


def missing(text: str) -> list[str]:
    return sorted(module for module in modules_in(text) if find_spec(module) is None)


def test_the_table_is_as_the_files_have_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text, {"claims": tables()}) == text, "run python -m experiments.claims"


def test_every_result_has_a_claim_and_every_claim_its_files() -> None:
    claims = all_claims()
    for claim in claims.values():
        assert not claim.result or (RESULTS / claim.result).is_file()
        assert not claim.page or (ROOT / claim.page).is_file()
    commands = "\n".join(claim.command for claim in claims.values())
    for path in [*RESULTS.glob("*.json"), *RESULTS.glob("*/results.json")]:
        named = path.name if path.parent == RESULTS else path.parent.name
        assert any(claim.result.startswith(named) for claim in claims.values()) or f"results/{named}" in commands, path


def test_every_command_of_a_claim_is_there() -> None:
    for file, claim in all_claims().items():
        assert missing(claim.command) == [], file
        for line in claim.command.splitlines():
            assert line.startswith(("python -m ", "make ")), file


@pytest.mark.parametrize("file", all_claims())
def test_settings_of_a_training_command_are_those_of_today(file: str) -> None:
    for line in all_claims()[file].command.splitlines():
        words = shlex.split(line)
        if words[:2] == ["python", "-m"] and words[2].startswith("train."):
            presets = import_module("train.config.presets" if words[2] == "train.selfplay" else words[2]).PRESETS
            words = [word for word in words if word != "--init-from" and not word.startswith("runs/m10-1/")]
            assert parse(words[3:], presets)[0].minutes > 0


def test_players_of_a_match_are_there() -> None:
    """Every policy of a claim's match can be loaded, but for those that its training makes first."""
    for file, claim in all_claims().items():
        for words in map(shlex.split, claim.command.splitlines()):
            for option in ("--policies", "--against"):
                if option in words:
                    names = split_specs(words[words.index(option) + 1])
                    assert all(load(name) for name in names if not name.startswith("file:")), file


def texts() -> dict[str, str]:
    """The texts of today that name commands, by file."""
    patterns = ("README.md", "Makefile", "noxfile.py", "docs/**/*.md", "experiments/README.md", "examples/**/*")
    patterns += ("persian_rummy_env/players/weights/README.md", "experiments/history.json")
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.is_file()]
    paths.remove(ROOT / "docs" / "extending.md")  # its recipes make modules, and a test of their own runs them
    found = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths if path.suffix != ".pyc"}
    for path in [*RESULTS.glob("*.json"), *RESULTS.glob("*/results.json")]:
        found[str(path.relative_to(ROOT))] = read_result(path)["command"]
    return found


@pytest.mark.parametrize("name", texts())
def test_commands_name_modules_of_today(name: str) -> None:
    assert missing(texts()[name]) == []


def test_a_module_that_is_gone_is_seen() -> None:
    assert missing("python -m experiments.gone --games 3, and python -m experiments.agree") == ["experiments.gone"]


def test_a_claim_has_its_parts() -> None:
    with pytest.raises(ValueError, match="expected"):
        Claim(text="a", command="b", expected=" ", minutes=1)
    with pytest.raises(ValueError, match="minutes"):
        Claim(text="a", command="b", expected="c", minutes=0)


def test_the_command_of_a_claim_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ladder"]) == 0
    assert capsys.readouterr().out.startswith("python -m experiments.tournament --seed 1 ")
    with pytest.raises(SystemExit) as refused:
        main(["nothing"])
    assert refused.value.code == 2


@pytest.mark.parametrize("top", ["experiments", "tools", "tests/experiments"])
def test_folders_are_small(top: str) -> None:
    folders = {path.parent for path in (ROOT / top).rglob("*.py")}
    crowded = {str(folder.relative_to(ROOT)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: number for folder, number in crowded.items() if number > MOST_FILES} == {}
