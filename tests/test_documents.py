"""The pages: their code runs, their commands are those of the programs, and their links lead to files and headings."""

from __future__ import annotations

import json
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

from tests.commands import CommandError, check, lines_of, reading  # noqa: F401
from tests.documents import PAGES, ROOT, Block, all_blocks, blocks, prose
from tests.recipes import PAGE as RECIPES
from tests.recipes import STEP

BLOCKS = all_blocks()
IN_RECIPES = {code for *_, code in STEP.findall(RECIPES.read_text(encoding="utf-8"))}
"""Blocks that ``tests/test_extending.py`` carries out."""
LANGUAGES = ("python", "bash", "text", "json", "toml", "yaml")
PYTHON = [block for block in BLOCKS if block.language == "python" and not block.needs and block.code not in IN_RECIPES]
SHOWN = [block for block in BLOCKS if block.language == "bash" and block.page != RECIPES]  # they use what recipes make
COMMANDS = [(block, words) for block in SHOWN for words in lines_of(block.code)]
README = ROOT / "README.md"


def name(block: Block) -> str:
    return block.name


# Code -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", PYTHON, ids=name)
def test_a_block_of_python_runs_as_it_stands(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    exec(compile(block.code, block.name, "exec"), {"__name__": "__main__"})
    if block.page == README:
        assert capsys.readouterr().out.strip(), "a block of the README shows what it did"


@pytest.mark.parametrize(("block", "words"), COMMANDS, ids=[f"{block.name} {words[0]}" for block, words in COMMANDS])
@pytest.mark.usefixtures("reading")
def test_a_command_is_read_by_its_program(block: Block, words: list[str]) -> None:
    check(words)


@pytest.mark.parametrize(
    "line",
    [
        "persian-rummy match champion expert --pair 2000x",
        "persian-rummy matches champion expert",
        "python -m train.selfplay --preset nothing",
        "python -m train.selfplay --learning-rate 1",
        "python -m experiments.tournament --policy champion",
        "python -m experiments.nothing",
        "python examples/nothing.py",
        "make nothing",
        "make train HOURS=1",
        "nox -s nothing",
        "pip install '.[nothing]'",
        "persian_rummy match",
        "torchrun --standalone -m train.selfplay --nothing 1",
    ],
)
@pytest.mark.usefixtures("reading")
def test_a_command_that_does_not_exist_is_refused(line: str) -> None:
    [words] = lines_of(line)
    with pytest.raises(CommandError):
        check(words)


def test_every_block_says_its_language() -> None:
    assert [block.name for block in BLOCKS if block.language not in LANGUAGES] == []


def test_data_in_blocks_can_be_read() -> None:
    for block in BLOCKS:
        if block.language == "json":
            json.loads(block.code)
        if block.language == "toml":
            tomllib.loads(block.code)


def test_no_code_hides_in_an_indented_block() -> None:
    """A block without a fence has no language, so no test would run it."""
    for page in PAGES:
        assert re.search(r"\n\n    \S(?!.*\n?.*</)", prose(page)) is None, page


def test_a_library_that_a_block_needs_has_a_session() -> None:
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    assert "tests/adapters/test_pages.py" in noxfile
    for block in BLOCKS:
        if block.needs:
            assert (ROOT / "requirements" / f"{block.needs.partition('.')[0]}-newest.txt").exists(), block.name


def test_the_readme_has_an_example_of_each_environment() -> None:
    sources = [block.code for block in blocks(README) if block.language == "python"]
    assert any("persian_rummy_env.env(" in source for source in sources)
    assert any("PersianRummyVecEnv(" in source for source in sources)


def test_the_two_commands_come_first() -> None:
    text = README.read_text(encoding="utf-8")
    first = text[: text.index("## ")]
    assert "make train" in first
    assert "make test" in first


# Links ----------------------------------------------------------------------------------------------------------------


def links() -> list[tuple[Path, str]]:
    """Each relative link of a page, with the page."""
    found = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
    every = [(page, one or other) for page in PAGES for one, other in found.findall(prose(page))]
    return [(page, link) for page, link in every if not link.startswith(("http:", "https:"))]


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def missing(found: list[tuple[Path, str]]) -> list[str]:
    lost = []
    for page, link in found:
        file, _, heading = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists() or (heading and heading not in anchors(target)):
            lost.append(f"{page.relative_to(ROOT)}: {link}")
    return lost


def test_links_lead_to_files_and_headings() -> None:
    assert len(links()) > 100
    assert missing(links()) == []


@pytest.mark.parametrize("link", ["docs/nothing.md", "docs/rules.md#nothing", "#nothing"])
def test_a_lost_link_is_found(link: str) -> None:
    assert missing([(README, link)]) == [f"README.md: {link}"]


def test_a_list_has_an_empty_line_before_it() -> None:
    """Code hosts show it as a list without one, the documentation site as running text."""
    for page in PAGES:
        found = re.search(r"^(?![-*|#<]|\d+\. |\s|\*\*).+\n(?:[-*] |1\. )", prose(page), re.MULTILINE)
        assert found is None, f"{page}: {found[0] if found else ''}"


def test_the_site_has_every_page() -> None:
    """``nox -s docs`` refuses a page that the navigation leaves out; here it is noticed at once."""
    navigation = re.findall(r"([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {*navigation} == set(), "name it in mkdocs.yml"
    assert len(navigation) == len({*navigation})


def test_how_to_train_is_short() -> None:
    """What a newcomer reads first; ``docs/training.md`` has the rest."""
    assert len((ROOT / "docs" / "train.md").read_text(encoding="utf-8").splitlines()) <= 60


def test_the_api_pages_name_things_of_today() -> None:
    """The site leaves out a member that is gone, without a word."""
    named = 0
    for path in sorted((ROOT / "docs" / "api").glob("*.md")):
        for name, members in re.findall(r"^::: (\S+)\n((?:    .*\n)*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            owner = pkgutil.resolve_name(name)
            for member in re.findall(r"^        - (\w+)$", members, re.MULTILINE):
                named += hasattr(owner, member)
                assert hasattr(owner, member), f"{path.name}: {name}.{member}"
    assert named > 50
