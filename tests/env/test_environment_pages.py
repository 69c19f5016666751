"""The pages of the environments list the options and spaces that the code has."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tools import environment_pages
from tools.environment_pages import DOCS, ENVIRONMENTS


def test_the_committed_pages_are_what_the_code_prints() -> None:
    for name, page in environment_pages.pages().items():
        assert (DOCS.parent / name).read_text("utf-8") == page, "run python -m tools.environment_pages"


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_table_has_every_option_once_and_its_meaning(name: str) -> None:
    environment = ENVIRONMENTS[name]
    rows = [line.split(" | ") for line in environment_pages.options_table(environment).splitlines()[2:]]
    expected = [f"| `{option}`" for option in inspect.signature(environment.make).parameters]
    assert [row[0] for row in rows] == expected
    assert all(len(row) >= 4 and len(row[3]) > 10 for row in rows)


def test_a_page_that_is_behind_is_named_and_printed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    for name in ENVIRONMENTS:
        page = (DOCS / f"{name}.md").read_text("utf-8").replace("`render_mode`", "`mode`").replace("Box(", "Bag(")
        (tmp_path / "docs" / f"{name}.md").write_text(page, encoding="utf-8")
    monkeypatch.setattr(environment_pages, "DOCS", tmp_path / "docs")
    assert environment_pages.main(["--check"]) == 1
    assert "docs/aec.md: out of date" in capsys.readouterr().err
    assert environment_pages.main([]) == 0
    assert environment_pages.main(["--check"]) == 0
