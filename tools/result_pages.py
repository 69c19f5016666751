"""Print the tables of results into docs/: ``python -m tools.result_pages [--check]``.

A table goes between ``<!-- NAME -->`` and ``<!-- end NAME -->``, in the page that has these marks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiments.shared.markdown import with_tables
from experiments.shared.result_file import RESULTS, ROOT, ResultError, fail, read_result
from experiments.tables import all as tables
from experiments.tables.evaluation import deals_table
from persian_rummy_env.system.files import write_whole


def changed_pages() -> dict[str, str]:
    """The pages that differ from their results: the new text by path from the root.

    Raises:
        ResultError: a result cannot be read.
    """
    results = {path: read_result(path) for _, name, _ in tables.MAKERS if (path := RESULTS / name).exists()}
    texts = {page: page.read_text(encoding="utf-8") for page in tables.pages()}
    before = dict(texts)
    found = [(one.page, one.name, one.body) for one in tables.printed(results)]
    found += [(page, "evaluation: deals", deals_table()) for page, text in texts.items() if "evaluation: deals" in text]
    for page, name, body in found:
        if page is None:
            raise ResultError(f"docs: no page has the marks of the table {name!r}")
        texts[page] = with_tables(texts[page], {name: body})
    return {str(page.relative_to(ROOT)): text for page, text in texts.items() if text != before[page]}


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.result_pages", description="print results into docs/")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is behind")
    check = parser.parse_args(given).check
    try:
        changed = changed_pages()
    except ResultError as error:
        fail(str(error))
    for name, text in changed.items():
        if check:
            sys.stderr.write(f"{name} is behind its results: python -m tools.result_pages\n")
        else:
            write_whole(ROOT / name, text)
            print(f"wrote {name}")
    return int(check and bool(changed))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.result_pages", main))
