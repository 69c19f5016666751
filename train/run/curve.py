"""The learning curve of a run as a picture."""

from __future__ import annotations

from pathlib import Path

from . import log

FILE = "curve.png"


def draw(folder: Path) -> Path:
    """Draw ``curve.png`` from the run's ``metrics.csv``: margins against each evaluation bot, with their intervals."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    rows = log.read(folder / log.FILE)
    for bot in log.EVALUATION_BOTS:
        words = [f"{word}_{bot}" for word in ("margin", "low", "high")]
        measured = [row for row in rows if all(row[word] for word in words)]
        decisions = [float(row["decisions"]) / 1e6 for row in measured]
        middle, low, high = ([float(row[word]) for row in measured] for word in words)
        (line,) = axes.plot(decisions, middle, marker=".", label=f"against {bot}")
        axes.fill_between(decisions, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("decisions (millions)")
    axes.set_ylabel("points a deal, duplicate deals, 95% interval")
    axes.set_title(folder.name)
    axes.grid(alpha=0.3)
    if rows:
        axes.legend()
    FigureCanvasAgg(figure).print_png(str(folder / FILE))
    return folder / FILE
