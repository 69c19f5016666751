"""Cross-play: how well policies play with partners that are not copies of themselves.

    python -m experiments.cross_play --policies "greedy,deepest,expert" --against deepest --pairs 1000 --out DIR

Teams of two policies, the row's at the lower seat and the column's at the higher, play the same duplicate deals against
a fixed team. The gap is the mean of the diagonal minus the mean of the other cells: what a team loses if its members
are different policies. Each policy occurs equally often in both means, so differences in strength cancel if strengths
add up. The gap is negative if a second good player adds less than the first.

Writes ``DIR/results.json``, ``DIR/table.md`` and a picture for each opponent. Ctrl-C keeps the pairs played so far; the
same command continues. Several training runs: ``--policies "file:runs/a/policy.safetensors,file:runs/b/…"``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.evaluation.match_cache import MatchCache, MatchCacheError, deal_set
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.system.files import write_whole

from .matches import page
from .matches.run import (
    Reporter,
    add_match_options,
    folder_for,
    players_of,
    policies_of,
    settings_of,
    stopped_politely,
)
from .shared import markdown
from .shared.result_file import STRENGTH, about, fail, write_result

Cells = dict[tuple[str, str], np.ndarray]
"""Margins (pairs,) by team: the policy at the lower seat, the policy at the higher seat."""


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.cross_play", description="Partners from different policies in one team."
    )
    parser.add_argument("--policies", required=True, help="two or more names with commas between them")
    parser.add_argument("--against", default="deepest", help="the opponents, a team each (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=1000, help="duplicate pairs of each cell (default %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the result")
    add_match_options(parser)
    options = parser.parse_args(argv)
    if options.pairs < 2:
        fail(f"--pairs {options.pairs}: expected at least 2")
    return options


def play(
    cache: MatchCache, policies: Mapping[str, BasePolicy], opponents: Mapping[str, BasePolicy], pairs: int
) -> tuple[dict[str, Cells], float]:
    """Play all cells; returns them by opponent, and the seconds of play."""
    tables = {opponent: list(product(policies, repeat=2)) for opponent in opponents}
    names = [f"{a} & {b} v {opponent}" for opponent, cells in tables.items() for a, b in cells]
    report = Reporter(dict.fromkeys(names, pairs))
    found: dict[str, Cells] = {}
    seconds = 0.0
    for opponent, cells in tables.items():
        found[opponent] = {}
        for a, b in cells:
            them = (opponents[opponent], opponents[opponent])
            played = cache.play((policies[a], policies[b]), them, pairs, partial(report, f"{a} & {b} v {opponent}"))
            found[opponent][a, b] = played.pairs.margin.mean(axis=1)
            seconds += played.seconds
            print(f"{a} & {b} v {opponent}: {found[opponent][a, b].mean():+.1f}", flush=True)
    return found, seconds


def bounds(values: np.ndarray) -> dict[str, float]:
    mean, low, high = mean_interval(values)
    return {"margin": mean, "low": low, "high": high}


def summed_up(names: Sequence[str], cells: Cells) -> dict[str, Any]:
    """Means of the diagonal and of the other cells, and their gap, over all policies and for each policy.

    All cells use the same deals, so the gap is computed deal by deal, and its interval is over deals.
    """
    of = {name: _split(name, names, cells) for name in names}
    own, others = (np.mean([part[which] for part in of.values()], axis=0) for which in (0, 1))
    return {
        "diagonal": bounds(own),
        "off_diagonal": bounds(others),
        "gap": bounds(own - others),
        "policies": {name: bounds(mine - rest) for name, (mine, rest) in of.items()},
    }


def _split(name: str, names: Sequence[str], cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """By deal: the mean of the unmixed teams (of a policy and of its partners), and the mean of the mixed teams with
    it."""
    others = [other for other in names if other != name]
    own = np.mean([(cells[name, name] + cells[other, other]) / 2 for other in others], axis=0)
    mixed = np.mean([(cells[name, other] + cells[other, name]) / 2 for other in others], axis=0)
    return own, mixed


def page_of(result: Mapping[str, Any]) -> str:
    """A result as Markdown."""
    parts = [f"# Cross-play\n\n`{result['command']}`\n\n{result['date']}, commit `{result['commit']}`, "]
    parts[0] += f"{result['pairs']:,} duplicate pairs a cell, {result['minutes']:.1f} minutes of play.\n"
    parts[0] += f"Deals: {result['deal set']['name']} (sha256 {result['deal set']['sha256'][:12]}…).\n"
    names = result["policies"]
    for table in result["tables"]:
        cells = {(cell["first"], cell["second"]): cell for cell in table["cells"]}
        rows = [
            [
                f"`{a}`",
                *(markdown.plus_minus(cells[a, b]["margin"], cells[a, b]["low"], cells[a, b]["high"]) for b in names),
            ]
            for a in names
        ]
        words = {word: _interval(table[word]) for word in ("diagonal", "off_diagonal", "gap")}
        each = "; ".join(f"`{name}` {_interval(gap)}" for name, gap in table["policies"].items())
        parts.append(
            f"## Against `{table['against']}`\n\n"
            "Points a deal; the row's policy sits at the lower seat of the team, the column's opposite.\n\n"
            + markdown.table(["", *(f"`{name}`" for name in names)], rows)
            + f"\n\nWith themselves {words['diagonal']}, with others {words['off_diagonal']}: a gap of "
            f"**{words['gap']}**. By policy, of the teams that it may be in: {each}.\n"
        )
    return "\n".join(parts)


def _interval(row: Mapping[str, float]) -> str:
    return markdown.plus_minus(row["margin"], row["low"], row["high"])


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    options = arguments(argv)
    with folder_for(options.out, "results.json", "curve.png"):
        return experiment(argv, options)


def experiment(argv: Sequence[str], options: argparse.Namespace) -> int:
    """Play, and write the result."""
    settings = settings_of(options)
    policies = policies_of(options.policies, settings, options.device)
    opponents = policies_of(options.against, settings, options.device, least=1)
    facts = about("experiments.cross_play", argv, options.out / "results.json", options.allow_dirty)
    cache = MatchCache(options.out / "played", settings, options.anew)
    try:
        with players_of(options) as cache.players, stopped_politely():
            found, seconds = play(cache, policies, opponents, options.pairs)
    except (MatchCacheError, ValueError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        print("interrupted: what was played is kept; the same command goes on with it", file=sys.stderr)
        return 130
    names = list(policies)
    figures = {
        "terms": settings.as_dict(),
        "code": cache.code,
        "policies": names,
        "pairs": options.pairs,
        "deal set": deal_set(settings.seed, options.pairs, settings.rules),
        "minutes": round(seconds / 60, 2),
        "tables": [
            {
                "against": opponent,
                "cells": [{"first": a, "second": b, **bounds(margin)} for (a, b), margin in cells.items()],
                **summed_up(names, cells),
            }
            for opponent, cells in found.items()
        ],
    }
    result = write_result(
        options.out / "results.json",
        facts,
        figures,
        kind=STRENGTH,
        seeds=[settings.seed],
        players=[*names, *opponents],
    )
    write_whole(options.out / "table.md", page_of(result))
    for number, table in enumerate(result["tables"], 1):
        title = f"points a deal against {table['against']} (± 95%)\nrow: lower seat; column: opposite"
        cells = {(cell["first"], cell["second"]): cell for cell in table["cells"]}
        grid = [[cells[a, b] for b in names] for a in names]
        write_whole(options.out / f"table-{number}.png", page.grid_picture(names, grid, title))
    for table in result["tables"]:
        print(f"gap against {table['against']}: {_interval(table['gap'])}")
    print(f"{options.out / 'table.md'}: {result['minutes']:.1f} minutes of play")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.cross_play", main))
