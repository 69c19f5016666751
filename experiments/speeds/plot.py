"""The plot of a speed result: decisions per second against the batch size, and in comparison with the peers."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ..shared.markdown import number
from ..tables.performance import PEER_NAMES

OWN, OTHERS = "#1f6f8b", "#b0a690"
MARKS = {"step": "o", "step_and_drawing": "s"}


def drawn(result: Mapping[str, Any]) -> bytes:
    """The plot as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
    draw_sizes(left, result["ours"])
    draw_peers(right, result)
    at = result["machine"]
    figure.suptitle(f"Random legal play with observation and mask, one core ({at['cpu']}): medians", fontsize=11)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=110)
    return stream.getvalue()


def draw_sizes(axes: Any, own: Mapping[str, Any]) -> None:
    """Medians with minimum and maximum, by batch size."""
    labels = {"step": "actions drawn beforehand", "step_and_drawing": "drawing counted"}
    for name, label in labels.items():
        runs = {int(lanes): figure for lanes, figure in own["vector"][name].items() if int(lanes) > 1}
        middle = [run["median"] for run in runs.values()]
        below = [run["median"] - run["min"] for run in runs.values()]
        above = [run["max"] - run["median"] for run in runs.values()]
        axes.errorbar(
            list(runs), middle, yerr=(below, above), label=label, capsize=3, marker=MARKS[name],
            color=OWN, alpha=1.0 if name == "step" else 0.55,
        )  # fmt: skip
    sizes = [int(lanes) for lanes in own["vector"]["step"] if int(lanes) > 1]
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: number(value) if value else "0")
    axes.set_xlabel("games in the batch, n")
    axes.set_ylabel("decisions per second")
    axes.set_title("the vector environment")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")


def draw_peers(axes: Any, result: Mapping[str, Any]) -> None:
    """Bars on a logarithmic axis, the slowest at the bottom."""
    own = result["ours"]
    most = own["marked"][-1]
    bars = {
        f"ours: vector environment, n = {int(most):,}": own["vector"]["step"][most]["median"],
        "ours: the same and drawing": own["vector"]["step_and_drawing"][most]["median"],
        "ours: AEC raw_env()": own["aec"]["raw_env"]["median"],
        "ours: AEC env()": own["aec"]["env"]["median"],
    }
    for name, peer in result["peers"].items():
        for figure in peer.get("figures", []):
            size = f", n = {figure['batch']:,}" if figure["batch"] > 1 else ""
            drawing = " and drawing" if figure["batch"] > 1 and figure["drawing"] else ""
            bars[f"{PEER_NAMES.get(name, name)} {figure['name']}{size}{drawing}"] = figure["median"]
    bars = dict(sorted(bars.items(), key=lambda bar: bar[1]))
    colors = [OWN if name.startswith("ours") else OTHERS for name in bars]
    axes.barh(list(bars), list(bars.values()), color=colors)
    for place, value in enumerate(bars.values()):
        axes.text(value * 1.08, place, number(value), va="center", fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(min(bars.values()) / 3, max(bars.values()) * 4)
    axes.set_xlabel("decisions per second (logarithmic)")
    axes.set_title("beside other card environments")
    axes.grid(axis="x", alpha=0.3)
