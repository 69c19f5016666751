"""Tables of trained networks: the strength of the bundled policies, their values, and their speed."""

from __future__ import annotations

from persian_rummy_env.bots import BOTS

from ..shared.markdown import Result, plus_minus, run_line, spread, table


def bundled_tables(result: Result) -> dict[str, str]:
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


def calibration_tables(result: Result) -> dict[str, str]:
    """A line for each tenth of the positions, by their values."""
    ways = ("full record", "what the seat sees")
    rows = [
        [str(number), *(cell for row in pair for cell in (f"{row['value']:+.1f}", _measured(row)))]
        for number, pair in enumerate(zip(*(result[way]["groups"] for way in ways), strict=True), 1)
    ]
    heads = ["tenth", *(head for way in ways for head in (f"value, {way}", "margin"))]
    quality = "; ".join(
        f"{way}: largest difference {result[way]['largest difference']:.1f} points, {result[way]['explained']:.0%} of "
        "the variance explained"
        for way in ways
    )
    run = (
        f"`{result['command']}`, {result['date']}, commit `{result['commit']}`: `{result['policy']}`, critic "
        f"`{result['critic'][:16]}`, {result['positions']:,} positions, {result['worlds']} worlds. From the {quality}."
    )
    return {"bundled: calibration": table(heads, rows), "bundled: calibration run": run}


def _measured(row: Result) -> str:
    return plus_minus(row["margin"], row["low"], row["high"])


def speed_tables(result: Result) -> dict[str, str]:
    """Decisions a second of the champion by path, with and without the forced ones."""
    rows = [
        [name, spread(figure), spread(result["whole deals, choices alone"][name])]
        for name, figure in result["whole deals"].items()
    ]
    heads = ["the champion in all four seats", "decisions/s", "of them choices/s"]
    return {"networks: speed": table(heads, rows), "networks: run": run_line(result)}
