"""The README's examples run; the links of all pages lead to files and headings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "experiments/README.md")),
    ROOT / "persian_rummy_env" / "players" / "weights" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("source", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run(source: str) -> None:
    exec(compile(source, "README.md", "exec"), {})


def test_there_is_an_example_of_each_environment() -> None:
    assert any("persian_rummy_env.env(" in source for source in EXAMPLES)
    assert any("PersianRummyVecEnv(" in source for source in EXAMPLES)


def links() -> list[tuple[Path, str]]:
    """Each relative link of a page, with the page."""
    found = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
    texts = [
        (page, re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)) for page in PAGES
    ]
    every = [(page, one or other) for page, text in texts for one, other in found.findall(text)]
    return [(page, link) for page, link in every if not link.startswith(("http:", "https:"))]


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_to_files_and_headings() -> None:
    assert links()
    missing = []
    for page, link in links():
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (heading and heading not in anchors(target)):
            missing.append(f"{page.relative_to(ROOT)}: {link}")
    assert not missing


def test_the_two_commands_come_first() -> None:
    first = README[: README.index("## ")]
    assert "make train" in first
    assert "make test" in first
