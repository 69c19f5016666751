"""A chart of a summary of games, drawn with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import io
import warnings
from typing import IO

from ..system.escaping import for_plot
from .stats import DEPTH_NAMES, SEATS, SOURCES, Group, Summary, label, taken_by_depth

MOST_BARS = 12
"""Groups that are drawn, so that bars stay apart. The tables and the JSON have all groups."""


def draw(summary: Summary, file: IO[bytes]) -> None:
    """Write four panels as a PNG: length of deals, points by source, takes by depth, going out.

    The panels show the policies if the records name any, else the seats.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    groups = _shown(summary)[:MOST_BARS]
    figure = Figure(figsize=(12, 8), layout="constrained")
    length, points, takes, outs = figure.subplots(2, 2).flat

    length.bar(list(summary.turns.keys()), list(summary.turns.values()), width=1.0)
    length.set(xlabel="turns in a deal", ylabel="deals", title=f"{summary.games} games, {summary.deals} deals")

    for index, (name, group) in enumerate(groups):
        width = 0.8 / len(groups)
        offset = (index - (len(groups) - 1) / 2) * width
        places = [place + offset for place in range(len(SOURCES))]
        points.bar(places, group.points_a_deal, width, label=name)
        takes.bar([place + offset for place in range(len(DEPTH_NAMES))], taken_by_depth(group), width, label=name)
    points.set_xticks(range(len(SOURCES)), SOURCES)
    points.axhline(0, color="black", linewidth=0.8)
    points.set(ylabel="points of a seat in a deal", title="points by source")
    points.legend(fontsize="small")
    takes.set_xticks(range(len(DEPTH_NAMES)), DEPTH_NAMES)
    takes.set(xlabel="cards taken from the pile", ylabel="of 100 turns", title="takes by depth")

    colours = [f"C{index}" for index in range(len(groups))]  # those of the panels above
    outs.barh(range(len(groups)), [100 * group.outs / group.seat_deals for _, group in groups], color=colours)
    outs.set_yticks(range(len(groups)), [name for name, _ in groups])
    outs.invert_yaxis()
    outs.set(xlabel="% of its deals in which a seat went out", title="going out")
    picture = io.BytesIO()  # matplotlib seeks, which a pipe cannot
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # for names in scripts that the font lacks
        FigureCanvasAgg(figure).print_png(picture)
    file.write(picture.getvalue())


def _shown(summary: Summary) -> list[tuple[str, Group]]:
    if summary.policies:
        return [(for_plot(label(name)), summary.policies[name]) for name in sorted(summary.policies)]
    return list(zip(SEATS, summary.seats, strict=True))
