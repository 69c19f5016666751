"""``persian-rummy tournament``: matches between all pairs of policies on the same duplicate deals."""

from __future__ import annotations

import argparse
from typing import Any

from ..system.command_line import say, say_on_error
from .command import OK, table_lines
from .series import add_series, policies_in, series, write_figures

DESCRIPTION = """\
Play every policy against every other on the same duplicate deals. Prints the ratings (Bradley-Terry strengths on the
scale of Elo, 400 points are odds of ten to one) and the margins, row against column, in points per deal with half of
the 95% interval."""
EXAMPLES = """\
examples:
  persian-rummy tournament random,greedy,deepest,expert --pairs 2000
  persian-rummy tournament "champion,expert,search(deepest, worlds=10)" --pairs 100 --out runs/table
"""


def add_to(subparsers: Any) -> None:
    about = "play every policy against every other"
    add_series(subparsers, "tournament", about, run, description=DESCRIPTION, epilog=EXAMPLES)


def run(args: argparse.Namespace) -> int:
    from ..evaluation.tournament import all_pairs, play_tournament, tournament_figures

    policies = policies_in(args)
    pairs: int = args.pairs
    wanted, played = all_pairs(dict.fromkeys(policies, pairs)), {}
    with series(args) as cache:
        play_tournament(cache, policies, wanted, played, lambda result: say_on_error(str(result)))
        figures = tournament_figures(cache, wanted, played)
        write_figures(args.out, figures)
    cells = {(name, name): "" for name in policies}
    for match in figures["matches"]:
        half = (match["high"] - match["low"]) / 2
        cells[match["a"], match["b"]] = f"{match['margin']:+.1f} ± {half:.1f}"
        cells[match["b"], match["a"]] = f"{0.0 - match['margin']:+.1f} ± {half:.1f}"
    table = figures["ratings"]
    rows = [[row["policy"], f"{row['rating']:+.0f}", f"{row['low']:+.0f} to {row['high']:+.0f}"] for row in table]
    order = [row["policy"] for row in table]
    margins = [[a, *(cells[a, b] for b in order)] for a in order]
    for line in (
        *table_lines(["policy", "rating", "95% interval"], rows),
        "",
        *table_lines(["row v column", *order], margins),
    ):
        say(line)
    return OK
