"""Results of matches as Markdown and as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from persian_rummy_env.system.escaping import for_plot

from ..shared.markdown import plus_minus, table

Result = Mapping[str, Any]
MATCH_HEADS = ("A", "B", "pairs", "A's points a deal", "A wins", "sd of pairs", "decisions a deal", "minutes")


def cross_table(policies: Sequence[str], matches: Sequence[Result]) -> list[list[Result | None]]:
    """The match of each row against each column from the row's side; None for a match that was not played."""
    found: list[list[Result | None]] = [[None] * len(policies) for _ in policies]
    for match in matches:
        a, b = policies.index(match["a"]), policies.index(match["b"])
        found[a][b], found[b][a] = match, turned(match)
    return found


def turned(match: Result) -> dict[str, Any]:
    """A match with its sides exchanged."""
    other = dict(match)
    for name, sign in (("margin", -1), ("win_rate", 1)):
        low, high = ("low", "high") if name == "margin" else ("win_low", "win_high")
        base = 0 if sign == -1 else 1
        other[name] = base - match[name]
        other[low] = None if match[high] is None else base - match[high]
        other[high] = None if match[low] is None else base - match[low]
    return {**other, "a": match["b"], "b": match["a"]}


def tournament_page(result: Result) -> str:
    """The Markdown of a tournament."""
    policies = [row["policy"] for row in result["ratings"]]
    named = [f"`{name}`" for name in policies]
    grid = cross_table(policies, result["matches"])
    cells = [[_margin(match) for match in row] for row in grid]
    terms = result["terms"]
    first = result["seat effects"]["plays first"]
    by_dealer = result["seat effects"]["team 0 by dealer"]
    rules = ", ".join(f"{key} {value}" for key, value in terms["rules"].items())
    cut = "" if result["complete"] else "; **cut short: not all of it was played**"
    sets = "; ".join(f"{each['name']} (sha256 {each['sha256'][:12]}…)" for each in result["deal sets"])
    dealers = ", ".join(
        f"seat {seat}: {plus_minus(one['mean'], one['low'], one['high'])}" for seat, one in enumerate(by_dealer)
    )
    return f"""\
# Tournament

`{result["command"]}`

{result["date"]}, commit `{result["commit"]}`, {result["minutes"]:.1f} minutes of play{cut}.
Rules: {rules}; episode: {terms["episode"]}{"; split stock" if terms["split_stock"] else ""}.

## Points a deal, row against column

Duplicate deals: each deal is played twice with the sides exchanged, and a pair of games is one observation.
± is half of the 95% interval from pairs.

{table(["", *named], [[name, *row] for name, row in zip(named, cells, strict=True)])}

## Rating

Bradley and Terry's model fitted to games won, in Elo's points: 400 are odds of ten to one;
`{result["rating zero"]}` is 0 by definition. Bounds of 95% from resampling deals.

{table(["policy", "rating", "95%"], [_rating(row) for row in result["ratings"]])}

## Matches

Deals: {sets}. A larger set begins with the smaller ones of its seed.

{table(MATCH_HEADS, [_match(match) for match in result["matches"]], words=2)}

## Seat and dealer

The team that plays first gains {plus_minus(first["mean"], first["low"], first["high"])} points a deal on the other,
over all matches, whoever sits there. Team 0 less team 1, by dealer: {dealers}.
"""


def _margin(match: Result | None) -> str:
    return "" if match is None else plus_minus(match["margin"], match["low"], match["high"])


def _rating(row: Result) -> list[str]:
    return [f"`{row['policy']}`", f"{row['rating']:+.0f}", f"{row['low']:+.0f} … {row['high']:+.0f}"]


def _match(match: Result) -> list[str]:
    wins = f"{100 * match['win_rate']:.1f}%"
    return [
        f"`{match['a']}`",
        f"`{match['b']}`",
        f"{match['pairs']:,}" + ("" if match["complete"] else " (cut short)"),
        _margin(match),
        wins,
        f"{match['pair_sd']:.0f}",
        f"{match['decisions']:.0f}",
        f"{match['seconds'] / 60:.1f}",
    ]


def cross_picture(policies: Sequence[str], matches: Sequence[Result], title: str) -> bytes:
    """The cross table as a PNG: the margin of the row's policy over the column's, with its interval."""
    return grid_picture(policies, cross_table(policies, matches), title)


def grid_picture(policies: Sequence[str], grid: Sequence[Sequence[Result | None]], title: str) -> bytes:
    """Margins by row and column as a PNG, coloured by sign and size; None leaves a cell empty."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    size = len(policies)
    figure = Figure(figsize=(3.2 + 1.25 * size, 1.6 + 0.85 * size), dpi=150, layout="constrained")
    axes = figure.subplots()
    values = np.array([[np.nan if match is None else match["margin"] for match in row] for row in grid], dtype=float)
    most = max(1.0, np.nanmax(np.abs(values)) if np.isfinite(values).any() else 1.0)
    colours = colormaps["RdBu"].with_extremes(bad="#eeeeee")
    axes.imshow(values, cmap=colours, vmin=-most, vmax=most, aspect="auto")
    for row, column in np.ndindex(size, size):
        match = grid[row][column]
        if match is not None:
            half = "?" if match["low"] is None else f"{(match['high'] - match['low']) / 2:.1f}"
            strong = abs(match["margin"]) > 0.6 * most
            text = f"{match['margin']:+.1f}\n± {half}"
            axes.text(column, row, text, ha="center", va="center", fontsize=10, color="white" if strong else "black")
    labels = [wrapped(name) for name in policies]
    axes.set_xticks(range(size), labels, fontsize=9)
    axes.set_yticks(range(size), labels, fontsize=9)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=11)
    for side in axes.spines.values():
        side.set_visible(False)
    content = io.BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()


def wrapped(name: str, width: int = 16) -> str:
    """A name wrapped into lines of about ``width`` characters, after brackets, commas and slashes."""
    lines, line = [], ""
    for letter in for_plot(name):
        line += letter
        if letter in "(,/:" and len(line) >= width // 2:
            lines.append(line.strip())
            line = ""
    return "\n".join([*lines, line.strip()])
