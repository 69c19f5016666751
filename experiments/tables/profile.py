"""The tables of docs/performance.md on parts of a step, from a result of ``experiments.profile``."""

from __future__ import annotations

from ..shared.markdown import Result, run_line, shortened, table

APART = "sampling"
"""The part that belongs to the draws of actions and not to the step."""


def profile_tables(result: Result) -> dict[str, str]:
    """Every table of a profile, by its name in the page."""
    return {
        "profile: parts": parts_table(result),
        "profile: floor": floor_table(result),
        "profile: run": run_line(result),
    }


def average_costs(result: Result) -> dict[str, float]:
    """Nanoseconds of each part in an average decision of random play."""
    shares, parts = result["shares"], result["parts"]
    costs: dict[str, float] = {
        name: sum(share * parts[phase][name]["median"] for phase, share in shares.items())
        for name in parts[next(iter(shares))]
    }
    return costs | {name: part["median"] / result["decisions_per_deal"] for name, part in parts["deal"].items()}


def parts_table(result: Result) -> str:
    """Nanoseconds by part and phase. Costs per deal are divided by its decisions."""
    shares, parts = result["shares"], result["parts"]
    costs = average_costs(result)
    rows = [
        [name, *(shortened(parts[phase][name]["median"]) for phase in shares), shortened(costs[name])]
        for name in parts[next(iter(shares))]
    ]
    blank = [""] * len(shares)
    for name, part in parts["deal"].items():
        rows.append([f"{name} ({shortened(part['median'])} ns each)", *blank, shortened(costs[name])])
    together = sum(cost for name, cost in costs.items() if name != APART)
    step = result["step"][str(result["lanes"])]["median"]
    rows.append([f"**all but {APART}**", *blank, shortened(together)])
    rows.append([f"**whole step, n = {result['lanes']:,}, measured**", *blank, shortened(step)])
    heads = [f"{phase} ({share:.0%})" for phase, share in shares.items()]
    return table(["part, ns a decision", *heads, "average"], rows)


def floor_table(result: Result) -> str:
    """The time of only writing a row, and the ratio of a whole step to it."""
    rows = []
    for lanes, step in result["step"].items():
        bandwidth = result["write_speed"][lanes]["median"]
        floor = result["bytes_written"] / bandwidth * 1e9
        rows.append(
            [
                f"{int(lanes):,}",
                f"{result['bytes_written']:,}",
                shortened(bandwidth / 1e9),
                shortened(floor),
                shortened(step["median"]),
                shortened(step["median"] / floor),
            ]
        )
    heads = ["n", "bytes a decision", "write speed, GB/s", "floor, ns", "step, ns", "step ÷ floor"]
    return table(heads, rows)
