"""The table of the bundled policies, from a result of ``experiments.networks.bundled``."""

from __future__ import annotations

from persian_rummy_env.bots import BOTS

from ..shared.markdown import Result, plus_minus, table


def tables_of(result: Result) -> dict[str, str]:
    """A line for each policy: how it was made, and its margin against each bot."""
    margins = {
        (match["a"], match["b"]): plus_minus(match["margin"], match["low"], match["high"])
        for match in result["matches"]
    }
    rows = [
        [
            f"`{one['policy']}`",
            f"`{one['made by']}`, commit `{one['commit']}`",
            one["experience"],
            *(margins[one["policy"], bot] for bot in BOTS),
        ]
        for one in result["policies"]
    ]
    heads = ["policy", "made by", "experience", *(f"`{bot}`" for bot in BOTS)]
    run = f"`{result['command']}`, {result['date']}, commit `{result['commit']}`: {result['pairs']:,} pairs a match."
    return {"bundled: policies": table(heads, rows, words=3), "bundled: run": run}
