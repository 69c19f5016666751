"""Pages of docs/ whose tables are made from results: rewritten, or with ``--check`` only compared."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env.system.files import write_whole

from ..result_file import RESULTS, ROOT, ResultError, fail, read_result
from ..speeds.page import with_tables


def result(name: str) -> dict[str, Any] | None:
    """A committed result by its path under ``experiments/results``; None if there is none yet. One that cannot be
    believed ends the command with a line."""
    path = RESULTS / name
    try:
        return read_result(path) if path.exists() else None
    except ResultError as error:
        fail(str(error))


def keep(page: Path, tables: Mapping[str, str], prog: str, given: Sequence[str] | None) -> None:
    """Put tables, by name, into a page between ``<!-- NAME -->`` and ``<!-- end NAME -->``."""
    parser = argparse.ArgumentParser(prog=f"python -m {prog}", description=f"make the tables of docs/{page.name}")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if the page is behind")
    check = parser.parse_args(given).check
    before = page.read_text()
    after = with_tables(before, tables)
    if check and before != after:
        sys.exit(f"{page.relative_to(ROOT)} is behind what it is made from: python -m {prog}")
    if not check:
        write_whole(page, after)
