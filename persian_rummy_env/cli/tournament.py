"""``persian-rummy tournament``: matches between all pairs of policies on the same duplicate deals."""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Any

from ..system.command_line import say, say_on_error
from .command import (
    OK,
    CommandError,
    add_deal_options,
    load_policies,
    policy_faults,
    specs_of,
    table_lines,
    whole_number,
)

DESCRIPTION = """\
Play every policy against every other on the same duplicate deals. Prints the ratings (Bradley-Terry strengths on the
scale of Elo, 400 points are odds of ten to one) and the margins, row against column, in points per deal with half of
the 95% interval."""
EXAMPLES = """\
examples:
  persian-rummy tournament random,greedy,deepest,expert --pairs 2000
  persian-rummy tournament "champion,expert,search(deepest, worlds=10)" --pairs 100
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "tournament",
        help="play every policy against every other",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("policies", metavar="POLICIES", help="two or more names, separated by commas")
    parser.add_argument(
        "--pairs",
        type=whole_number(2),
        default=1000,
        metavar="N",
        help="duplicate pairs per match (default %(default)s)",
    )
    add_deal_options(parser)


def run(args: argparse.Namespace) -> int:
    from ..evaluation.match import deal_seeds, play_pairs, summary
    from ..evaluation.rating import ratings

    specs = specs_of(args.policies)
    if len(specs) < 2:
        raise CommandError(f"{args.policies}: expected at least two policies")
    policies = load_policies(specs, args.rules)
    seeds, played = deal_seeds(args.seed, args.pairs), {}
    cells = {(name, name): "" for name in specs}
    for a, b in combinations(range(len(specs)), 2):
        with policy_faults():
            played[a, b] = play_pairs(policies[a], policies[b], seeds, 0, args.rules, args.episode, args.split_stock)
        result = summary(specs[a], specs[b], played[a, b], 0)
        half = (result.high - result.low) / 2
        cells[specs[a], specs[b]] = f"{result.margin:+.1f} ± {half:.1f}"
        cells[specs[b], specs[a]] = f"{0.0 - result.margin:+.1f} ± {half:.1f}"
        say_on_error(str(result))
    table = ratings(specs, played)
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
