"""All tables that are printed from results, and the pages of docs/ with their marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .. import ablation, train_profile
from ..shared.markdown import has_place
from ..shared.result_file import RESULTS, ROOT, STRENGTH, TIMING, Kind
from . import evaluation, expert, networks, performance, profile, scaling

CARD = ROOT / "persian_rummy_env" / "players" / "weights" / "README.md"
"""Of the bundled policies."""
PRINTER = "tools.result_pages"
"""The command that prints all tables into their pages."""
MAKERS: tuple[tuple[Kind, str, Callable[[Any], Mapping[str, str]]], ...] = (
    (STRENGTH, "evaluation.json", evaluation.figures),
    (STRENGTH, evaluation.LADDER, evaluation.ladder),
    (STRENGTH, "ablation_expert.json", expert.tables_of),
    (STRENGTH, "bundled.json", networks.bundled_tables),
    (STRENGTH, "calibration.json", networks.calibration_tables),
    (STRENGTH, "ablation/results.json", ablation.tables),
    (TIMING, "train_profile.json", train_profile.tables),
    (TIMING, "scaling.json", scaling.tables),
    (TIMING, "speed.json", performance.speed_tables),
    (TIMING, "profile.json", profile.profile_tables),
    (TIMING, "network_speed.json", networks.speed_tables),
)


class Printed(NamedTuple):
    """A table, its result, and the page with its marks (None if no page has them)."""

    about: Kind
    source: Path
    page: Path | None
    name: str
    body: str


def pages() -> list[Path]:
    return [*sorted((ROOT / "docs").rglob("*.md")), CARD]


def printed(results: Mapping[Path, Mapping[str, Any]]) -> Iterator[Printed]:
    """Every table of the given results, which are given by path."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages()}
    for about, name, tables in MAKERS:
        path = RESULTS / name
        if path in results:
            for title, body in tables(results[path]).items():
                page = next((page for page, text in texts.items() if has_place(text, title)), None)
                yield Printed(about, path, page, title, body)
