"""``persian-rummy cross-play``: the strength of teams of two different policies."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..system.command_line import say, say_on_error
from .command import OK, load_policies, table_lines
from .series import add_series, policies_in, series, write_figures

if TYPE_CHECKING:
    import numpy as np

DESCRIPTION = """\
Play teams of two different policies on duplicate deals against a fixed team. Prints the margin of each team in points
per deal with half of the 95% interval: the row's policy sits at the lower seat of the team, the column's opposite. The
gap is the mean of the diagonal minus the mean of the other cells: a positive gap means that policies play better with
a copy of themselves."""
EXAMPLES = """\
examples:
  persian-rummy cross-play greedy,deepest,expert --against deepest --pairs 1000
"""


def add_to(subparsers: Any) -> None:
    about = "play teams of different policies"
    parser = add_series(subparsers, "cross-play", about, run, description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument("--against", default="deepest", metavar="POLICY", help="both opponents (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    from ..evaluation.cross_play import bounds, cross_figures, play_cross

    policies = policies_in(args)
    [opponent] = load_policies([args.against], args.rules)

    def plus_minus(row: dict[str, float]) -> str:
        return f"{row['margin']:+.1f} ± {(row['high'] - row['low']) / 2:.1f}"

    def ended(name: str, margins: np.ndarray) -> None:
        say_on_error(f"{name}: {plus_minus(bounds(margins))} a deal, {args.pairs} pairs")

    with series(args) as cache:
        found, seconds = play_cross(cache, policies, {args.against: opponent}, args.pairs, ended)
        figures = cross_figures(cache, list(policies), args.pairs, found, seconds)
        write_figures(args.out, figures)
    [table] = figures["tables"]
    cells = {(cell["first"], cell["second"]): plus_minus(cell) for cell in table["cells"]}
    for line in table_lines(["", *policies], [[a, *(cells[a, b] for b in policies)] for a in policies]):
        say(line)
    say(f"gap: {plus_minus(table['gap'])}")
    return OK
