"""The form that all printed pages have."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from persian_rummy_env.observation import Block

WIDTH = 116
NOTE = "<!-- Printed by `python -m tools.reference_pages` from the tables of the code: change those, not this page. -->"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> str:
    """A table in Markdown; the columns ``right`` are set to the right."""
    rules = ["---:" if column in right else "---" for column in range(len(heads))]
    lines = [heads, rules, *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def wrapped(page: str) -> str:
    """A page with its paragraphs and list items filled to the width; headings, tables and code stay as they are."""
    blocks = []
    fenced = False
    for block in page.split("\n\n"):
        inside, fenced = fenced, fenced ^ (block.count("```") % 2 == 1)
        if inside or fenced or block.lstrip().startswith(("#", "|", "```", "<!--")):
            blocks.append(block)
        else:
            items = re.split(r"\n(?=- )", block.strip("\n"))
            blocks.append("\n".join(map(_filled, items)))
    return "\n\n".join(blocks).rstrip("\n") + "\n"


def _filled(paragraph: str) -> str:
    """A paragraph on lines of the width, with what stands in backticks kept together."""
    glued = re.sub(r"`[^`]*`", lambda found: found[0].replace(" ", "\0"), " ".join(paragraph.split()))
    indent = "  " if paragraph.startswith("- ") else ""
    lines = textwrap.wrap(glued, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def block_table(blocks: Sequence[Block]) -> str:
    rows = [
        (code(block.name), f"{block.offset}–{block.stop - 1}" if block.length > 1 else block.offset,
         block.length, block.high, block.owner, block.meaning)
        for block in blocks
    ]  # fmt: skip
    return table(["block", "bytes", "length", "high", "about", "meaning"], rows, right=(1, 2, 3))
