"""The tables of docs/evaluation.md: spread, coverage, the bot ladder, and the table of deal sets."""

from __future__ import annotations

from collections.abc import Sequence

from train.data.deal_sets import DEAL_SETS

from ..matches.page import cross_table
from ..shared.markdown import Result, plus_minus, table

LADDER = "ladder/results.json"
GOALS = (
    ("greedy", "random", 110),
    ("expert", "deepest", 20),
    ("search(deepest, worlds=10)", "deepest", 15),
    ("search(deepest, worlds=40)", "deepest", 45),
    ("search(deepest, worlds=160)", "deepest", 75),
)


def figures(result: Result) -> dict[str, str]:
    """The tables of a result of ``experiments.evaluation``, by their names in the page."""
    return {
        "evaluation: run": run_line(result),
        "evaluation: spread": spread_table(result["spread"]),
        "evaluation: coverage": coverage_table(result["coverage"]),
        "evaluation: stop rule": stop_table(result["stop rule"]),
    }


def run_line(result: Result) -> str:
    return f"`{result['command']}`, {result['date']}, commit `{result['commit']}`, {result['minutes']} minutes."


def spread_table(rows: Sequence[Result]) -> str:
    halves = list(rows[0]["one stock"]["pairs_for"])
    heads = ["A v B", "stock", "pairs", "A's points a deal", "sd of a deal", "correlation", "sd of a pair"]
    body = []
    for row in rows:
        for stock in ("one stock", "split stock"):
            one = row[stock]
            numbers = [f"{one['deal_sd']:.1f}", f"{one['correlation']:+.2f}", f"{one['pair_sd']:.1f}"]
            needed = [f"{one['pairs_for'][half]:,}" for half in halves]
            margin = plus_minus(one["margin"], one["low"], one["high"])
            name = f"`{row['a']}` v `{row['b']}`"
            body.append([name, stock.split()[0], f"{row['pairs']:,}", margin, *numbers, *needed])
    return table([*heads, *(f"pairs for ±{half}" for half in halves)], body, words=2)


def coverage_table(rows: Sequence[Result]) -> str:
    body = [
        [
            f"`{row['a']}` v `{row['b']}`",
            f"{row['repeats']:,}",
            str(row["pairs"]),
            f"{row['truth']:.1f}",
            f"**{row['covered']:.1%}** ({row['low']:.1%}–{row['high']:.1%})",
        ]
        for row in rows
    ]
    return table(["match", "repeats", "pairs each", "truth", "intervals that cover it"], body)


def stop_table(rows: Sequence[Result]) -> str:
    body = [
        [
            f"±{row['within']:g}",
            ", ".join(f"{int(look):,} ({count / row['repeats']:.0%})" for look, count in row["stopped_at"].items()),
            f"**{row['covered']:.1%}** ({row['low']:.1%}–{row['high']:.1%})",
        ]
        for row in rows
    ]
    return table(["until", "stopped at pairs", "intervals that cover the truth"], body)


def ladder_table(result: Result | None) -> str:
    if result is None:
        return "Not played yet: see experiments/README.md for the command."
    order = [row["policy"] for row in result["ratings"]]
    rating = {row["policy"]: f"{row['rating']:+.0f}" for row in result["ratings"]}
    rows = [
        [f"`{name}`", *("" if one is None else plus_minus(one["margin"], one["low"], one["high"]) for one in row)]
        for name, row in zip(order, cross_table(order, result["matches"]), strict=True)
    ]
    pairs = sorted({match["pairs"] for match in result["matches"]})
    head = (
        f"`{result['command']}`, {result['date']}, commit `{result['commit']}`, {result['minutes']} minutes of play; "
    )
    head += f"{pairs[0]:,} to {pairs[-1]:,} pairs a match" if len(pairs) > 1 else f"{pairs[0]:,} pairs a match"
    heads = ["", *(f"`{name}`" for name in order), "rating"]
    return head + ".\n\n" + table(heads, [[*row, rating[name]] for name, row in zip(order, rows, strict=True)])


def goals_table(result: Result | None) -> str:
    """The goals of the ladder and the measured margins."""
    if result is None:
        return "Not played yet."
    matches = {(match["a"], match["b"]): (match, 1) for match in result["matches"]}
    matches |= {(b, a): (match, -1) for (a, b), (match, _) in matches.items()}
    rows = []
    for a, b, goal in GOALS:
        if (a, b) not in matches:
            continue
        match, sign = matches[a, b]
        margin = sign * match["margin"]
        reached = "yes" if margin >= goal else "**no**"
        rows.append([f"`{a}` v `{b}`", f"+{goal}", plus_minus(margin, match["low"], match["high"]), reached])
    return table(["match", "goal", "measured", "reached"], rows)


def deals_table() -> str:
    """The seeds of all deal sets with their use."""
    rows = []
    for one in DEAL_SETS:
        seeds = {1: f"{one.first}", 2: f"{one.first}, {one.last}"}.get(one.last - one.first + 1)
        rows.append([one.purpose, one.use, seeds or f"{one.first} to {one.last}"])
    return table(["deals of", "use", "seeds"], rows, words=2)


def ladder(result: Result | None) -> dict[str, str]:
    """The tables of the tournament of the bot ladder, by their names in the page."""
    return {"evaluation: ladder": ladder_table(result), "evaluation: goals": goals_table(result)}
