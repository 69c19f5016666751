"""The README: its examples run, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("source", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run(source: str) -> None:
    exec(compile(source, "README.md", "exec"), {})


def test_there_is_an_example_of_each_face() -> None:
    assert any("persian_rummy_env.env(" in source for source in EXAMPLES)
    assert any("PersianRummyVecEnv(" in source for source in EXAMPLES)


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    missing = [link for link in links if not link.startswith("http") and not (ROOT / link).exists()]
    assert not missing


def test_the_two_commands_come_first() -> None:
    first = README[: README.index("## ")]
    assert "make train" in first
    assert "make test" in first
