"""The tables of docs/bots.md, made from the weights and the results: ``python -m experiments.bots.page``. With
``--check`` it only says whether they are as these have them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env.core.expert import WEIGHTS

from ..matches.page import plus_minus, table
from ..speeds.page import with_tables
from ..speeds.timing import write_whole
from .features import DESCRIPTIONS, GROUPS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "bots.md"
ABLATION = ROOT / "experiments" / "results" / "ablation_expert.json"

Result = Mapping[str, Any]


def features_table(result: Result | None) -> str:
    """Every feature with its weight, and what it is worth by the ablation."""
    if set(DESCRIPTIONS) != set(WEIGHTS):
        raise ValueError(f"features.py and the weights differ: {', '.join(sorted(set(DESCRIPTIONS) ^ set(WEIGHTS)))}")
    lost = {} if result is None else {row["name"]: row for row in (*result["features"], *result["groups"])}
    rows = []
    for group, features in GROUPS.items():
        rows.append([f"**{group}**", "", "", worth(lost.get(group))])
        for feature, text in features.items():
            rows.append([f"`{feature}`", text, f"{WEIGHTS[feature]:+.2f}", worth(lost.get(feature))])
    return table(["feature", "what a unit of it is", "weight", "points lost without it"], rows, words=2)


def worth(row: Result | None) -> str:
    return "not measured" if row is None else plus_minus(row["lost"], row["low"], row["high"], digits=2)


def run_line(result: Result | None) -> str:
    """What the figures were measured by, and whether they are of the weights of today."""
    if result is None:
        return "Not measured yet: `python -m experiments.ablation_expert`."
    base = result["baseline"]
    stale = "" if result["weights"] == WEIGHTS else " **The weights have changed since.**"
    return (
        f"`{result['command']}`, {result['date']}, commit `{result['commit']}`: {result['pairs']:,} duplicate pairs "
        f"against `{result['against']}` for each row, all on the deals of seed {result['seed']}, which no other result "
        f"uses. With all features: {plus_minus(base['margin'], base['low'], base['high'], 2)} points a deal.{stale}"
    )


def tables() -> dict[str, str]:
    result = json.loads(ABLATION.read_text()) if ABLATION.exists() else None
    return {"bots: ablation run": run_line(result), "bots: features": features_table(result)}


def from_results(text: str) -> str:
    return with_tables(text, tables())


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.bots.page", description="make the tables of docs/bots.md"
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if the page is behind")
    check = parser.parse_args(given).check
    before = PAGE.read_text()
    after = from_results(before)
    if check and before != after:
        sys.exit(f"{PAGE.relative_to(ROOT)} is behind the weights or results: python -m experiments.bots.page")
    if not check:
        write_whole(PAGE, after)


if __name__ == "__main__":
    main()
