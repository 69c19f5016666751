"""The tables of docs/scaling.md, from a result of ``experiments.scaling``."""

from __future__ import annotations

from collections.abc import Sequence

from ..shared.markdown import Result, number, run_line, shortened, spread, table

LINK = 10e9 / 8
"""Bytes per second of a 10 Gbit/s network at most."""


def tables(result: Result) -> dict[str, str]:
    """Every table of a result of ``experiments.scaling``, by its name in the page."""
    return {
        "scaling: run": run_line(result),
        "scaling: collecting": collecting_table(result),
        "scaling: learning": learning_table(result["learning"]),
        "scaling: costs": costs_table(result["costs"]),
        "scaling: limits": limits_table(result["costs"]),
    }


def ratio(figures: Result, kind: str, count: int, least: int) -> str:
    """The speed relative to the smallest count."""
    return f"{figures[f'{kind}:{count}']['median'] / figures[f'{kind}:{least}']['median']:.2f} ×"


def collecting_table(result: Result) -> str:
    figures = result["collecting"]
    counts = sorted({int(name.partition(":")[2]) for name in figures})
    rows = [
        [str(count), *(cell for kind in ("threads", "ray") for cell in _cells(figures, kind, count, counts[0]))]
        for count in counts
    ]
    heads = ["workers and cores", "threads of one process", "against the first", "Ray's workers", "against the first"]
    return table(heads, rows)


def _cells(figures: Result, kind: str, count: int, least: int) -> Sequence[str]:
    return spread(figures[f"{kind}:{count}"]), ratio(figures, kind, count, least)


def learning_table(figures: Result) -> str:
    rows = []
    counts = sorted(int(name.partition(":")[2]) for name in figures)
    for count in counts:
        row = figures[f"ranks:{count}"]
        gain = row["both"]["median"] / figures[f"ranks:{counts[0]}"]["both"]["median"]
        rows.append([str(count), *(spread(row[name]) for name in ("collect", "learn", "both")), f"{gain:.2f} ×"])
    return table(["ranks and cores", "collecting", "learning", "both", "against the first"], rows)


def costs_table(costs: Result) -> str:
    micro = {name: one["median"] for name, one in costs["microseconds"].items()}
    weights = sum(costs["weight bytes"].values())
    rows = [
        ["decisions with a choice, of all", f"{costs['kept share']:.0%}"],
        ["playing one, with those beside it that leave none", f"{shortened(micro['collect'])} µs"],
        ["packing it, by its worker", f"{shortened(micro['pack'])} µs"],
        ["unpacking it, by the learner", f"{shortened(micro['unpack'])} µs"],
        ["learning from it, all epochs", f"{shortened(micro['learn'])} µs"],
        ["its bytes packed (plain)", f"{costs['packed bytes']:.0f} ({costs['plain bytes']:,.0f})"],
        ["weights of actor and critic", f"{weights / 1e6:.1f} MB"],
    ]
    return table(["of a decision with a choice, on one core", "measured"], rows)


def limits_table(costs: Result) -> str:
    """The number of workers that saturates each resource, by the calculation of the page."""
    micro = {name: one["median"] for name, one in costs["microseconds"].items()}
    worker = 1e6 / (micro["collect"] + micro["pack"])
    weights = sum(costs["weight bytes"].values())
    each_batch = micro["learn"] * costs["kept of an update"] / costs["minibatches"] / 1e6
    exchange = 2 * weights / LINK
    limits = [
        ("one worker", worker),
        ("a learner of one core, as it learns", 1e6 / micro["learn"]),
        ("a learner of one core, as it unpacks", 1e6 / micro["unpack"]),
        ("10 Gbit/s into the learner", LINK / costs["packed bytes"]),
    ]
    rows = [[what, f"{number(rate)}/s", shortened(rate / worker)] for what, rate in limits]
    ranks = (
        f"Ranks: a minibatch is {1000 * each_batch:.0f} ms of one core, and {2 * weights / 1e6:.1f} MB go out of and "
        f"into each rank to add its gradients, {1000 * exchange:.1f} ms at 10 Gbit/s. The exchange takes as long as "
        f"the learning at {each_batch / exchange:.0f} ranks of one core, and at more where `minibatch` is larger."
    )
    return table(["limit", "decisions with a choice", "workers that reach it"], rows) + "\n\n" + ranks
