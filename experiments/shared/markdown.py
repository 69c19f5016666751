"""Numbers, intervals and tables as Markdown, and tables put into pages.

In a page, a table is between ``<!-- NAME -->`` and ``<!-- end NAME -->``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from persian_rummy_env.system.escaping import visible

SCALES = ((1e6, " M"), (1e3, " k"))

Result = Mapping[str, Any]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A Markdown table; the first ``words`` columns are text, the others numbers. Cells are escaped, so that a name
    cannot end a cell or a line."""
    ruler = ["---"] * words + ["---:"] * (len(heads) - words)
    cells = [[re.sub(r"(?<!\\)\|", r"\\|", visible(cell)) for cell in row] for row in [heads, ruler, *rows]]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def number(value: float) -> str:
    """Three significant digits, with k or M: 4.81 M."""
    for scale, letter in SCALES:
        if abs(value) >= scale:
            return f"{shortened(value / scale)}{letter}"
    return shortened(value)


def shortened(value: float) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else shortened(ratio)


def spread(figure: Result) -> str:
    """Median (minimum–maximum)."""
    return f"{number(figure['median'])} ({number(figure['min'])}–{number(figure['max'])})"


def plus_minus(mean: float | None, low: float | None, high: float | None, digits: int = 1, sign: str = "+") -> str:
    """``+36.1 ± 0.9``; without bounds ``+36.1 ± ?``; without a mean ``?``."""
    if mean is None:
        return "?"
    half = "?" if low is None or high is None else f"{(high - low) / 2:.{digits}f}"
    return f"{mean:{sign}.{digits}f} ± {half}"


def run_line(result: Result) -> str:
    """The command of a timing, its date, commit, machine and versions."""
    at, on = result["machine"], ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return (
        f"`{result['command']}`, {result['date']}, commit `{result['commit']}`; {at['cpu']}, {at['cores']} cores, "
        f"load before it {at['load_before']}; {on}."
    )


def _place(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end {re.escape(name)} -->)", re.DOTALL)


def has_place(text: str, name: str) -> bool:
    return _place(name).search(text) is not None


def with_tables(text: str, tables: Mapping[str, str]) -> str:
    """The page with each table in its place.

    Raises:
        ValueError: the page lacks the marks of a table.
    """
    for name, body in tables.items():
        if not has_place(text, name):
            raise ValueError(f"no place for the table {name!r}")
        text = _place(name).sub(lambda found, body=body: f"{found[1]}{body}\n{found[2]}", text)
    return text
