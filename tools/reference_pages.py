"""The pages of docs/ that are printed from the tables of the code: ``python -m tools.reference_pages [--check]``.

Names, lengths, ranges and meanings come from ``observation.BLOCKS``, ``actions.RANGES`` and ``state.FIELDS``; the
numbers of every example are computed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from persian_rummy_env.system.files import write_whole

from .reference.actions_page import actions_page
from .reference.form import wrapped
from .reference.observation_page import observation_page
from .reference.state_page import state_page

DOCS = Path(__file__).resolve().parent.parent / "docs"


def pages() -> dict[str, str]:
    """Every printed page: its text by file name."""
    made = {"observation.md": observation_page(), "actions.md": actions_page(), "state.md": state_page()}
    return {name: wrapped(page) for name, page in made.items()}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.reference_pages", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    args = parser.parse_args(argv)
    if not DOCS.is_dir():
        parser.error(f"{DOCS} is no folder: run this in a checkout of the repository")
    texts = pages()
    old = [
        name for name, text in texts.items() if not (DOCS / name).exists() or (DOCS / name).read_text("utf-8") != text
    ]
    for name in old:
        if not args.check:
            write_whole(DOCS / name, texts[name])
        print(f"docs/{name}: {'out of date' if args.check else 'written'}")
    return 1 if args.check and old else 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.reference_pages", main))
