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
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.evaluation.cross_play import cross_figures, play_cross
from persian_rummy_env.evaluation.match_cache import MatchCache, MatchCacheError
from persian_rummy_env.system.files import write_whole

from .matches import page
from .matches.run import (
    add_match_options,
    folder_for,
    players_of,
    policies_of,
    settings_of,
    stopped_politely,
)
from .shared import markdown
from .shared.result_file import STRENGTH, about, fail, write_result


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

    def ended(name: str, margins: np.ndarray) -> None:
        print(f"{name}: {margins.mean():+.1f}", flush=True)

    try:
        with players_of(options) as cache.players, stopped_politely():
            found, seconds = play_cross(cache, policies, opponents, options.pairs, ended)
    except (MatchCacheError, ValueError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        print("interrupted: what was played is kept; the same command goes on with it", file=sys.stderr)
        return 130
    names = list(policies)
    figures = cross_figures(cache, names, options.pairs, found, seconds)
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
