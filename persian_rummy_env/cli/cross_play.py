"""``persian-rummy cross-play``: the strength of teams of two different policies."""

from __future__ import annotations

import argparse
from itertools import product
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
Play teams of two different policies on duplicate deals against a fixed team. Prints the margin of each team in points
per deal with half of the 95% interval: the row's policy sits at the lower seat of the team, the column's opposite. The
gap is the mean of the diagonal minus the mean of the other cells: a positive gap means that policies play better with
a copy of themselves."""
EXAMPLES = """\
examples:
  persian-rummy cross-play greedy,deepest,expert --against deepest --pairs 1000
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "cross-play",
        help="play teams of different policies",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("policies", metavar="POLICIES", help="two or more names, separated by commas")
    parser.add_argument("--against", default="deepest", metavar="POLICY", help="both opponents (default %(default)s)")
    parser.add_argument(
        "--pairs",
        type=whole_number(2),
        default=1000,
        metavar="N",
        help="duplicate pairs per team (default %(default)s)",
    )
    add_deal_options(parser)


def run(args: argparse.Namespace) -> int:
    import numpy as np

    from ..evaluation.match import deal_seeds, play_teams
    from ..evaluation.statistics import mean_interval

    specs = specs_of(args.policies)
    if len(specs) < 2:
        raise CommandError(f"{args.policies}: expected at least two policies")
    *policies, opponent = load_policies([*specs, args.against], args.rules)
    by_name, seeds = dict(zip(specs, policies, strict=True)), deal_seeds(args.seed, args.pairs)

    def plus_minus(values: np.ndarray) -> str:
        mean, low, high = mean_interval(values)
        return f"{mean:+.1f} ± {(high - low) / 2:.1f}"

    margins: dict[tuple[str, str], np.ndarray] = {}
    for a, b in product(specs, repeat=2):
        team = (by_name[a], by_name[b])
        with policy_faults():
            pairs = play_teams(team, (opponent, opponent), seeds, 0, args.rules, args.episode, args.split_stock)
        margins[a, b] = pairs.margin.mean(axis=1)
        say_on_error(f"{a} & {b} v {args.against}: {plus_minus(margins[a, b])} a deal, {args.pairs} pairs")
    for line in table_lines(["", *specs], [[a, *(plus_minus(margins[a, b]) for b in specs)] for a in specs]):
        say(line)
    own = np.mean([margins[name, name] for name in specs], axis=0)
    mixed = np.mean([margin for (a, b), margin in margins.items() if a != b], axis=0)
    say(f"gap: {plus_minus(own - mixed)}")
    return OK
