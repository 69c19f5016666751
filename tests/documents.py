"""The pages of the project, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = (
    "*.md",
    "docs/**/*.md",
    ".github/**/*.md",
    "experiments/README.md",
    "persian_rummy_env/players/weights/README.md",
    "tests/golden/README.md",
)
PAGES = sorted({path for pattern in PATTERNS for path in ROOT.glob(pattern)})
FENCE = re.compile(
    r"(?:<!-- needs: (?P<needs>[\w.]+) -->\n)?^(?P<fence>```+)(?P<language>[^\n]*)\n(?P<code>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A fenced block of code.

    Attributes:
        line: where it starts, from 1.
        needs: a library that the project does not install (``<!-- needs: torchrl -->`` before the block), or "".
    """

    page: Path
    line: int
    language: str
    code: str
    needs: str

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("fence")) + 1
        yield Block(page, line, found["language"], found["code"], found["needs"] or "")


def all_blocks() -> list[Block]:
    return [block for page in PAGES for block in blocks(page)]


def prose(page: Path) -> str:
    """A page without its blocks and its code in the line."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
