"""``persian-rummy match``: a match of two policies on duplicate deals."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from ..system.command_line import say, say_on_error
from .command import OK, add_deal_options, load_policies, policy_faults, positive_number, whole_number

if TYPE_CHECKING:
    from ..evaluation.match import MatchResult

REPORT_EVERY = 5.0
"""Seconds between two progress reports."""

DESCRIPTION = """\
Play two policies against each other on duplicate deals: each deal is played twice, with the seats exchanged. Prints the
mean margin in points per deal with a 95% interval, and the share of deals that A wins."""
EXAMPLES = """\
examples:
  persian-rummy match champion expert --pairs 2000
  persian-rummy match "search(deepest, worlds=20)" expert --pairs 200 --seed 7
  persian-rummy match file:runs/a/policy.safetensors champion --within 1.0 --pairs 100000
  persian-rummy match expert greedy --json
"""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "match",
        help="play two policies on duplicate deals",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("a", metavar="A", help="a policy, by name")
    parser.add_argument("b", metavar="B", help="its opponent")
    parser.add_argument(
        "--pairs", type=whole_number(1), default=1000, metavar="N", help="duplicate pairs (default %(default)s)"
    )
    parser.add_argument(
        "--within",
        type=positive_number,
        metavar="POINTS",
        help="stop when the half-width of the 95%% interval is at most this",
    )
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    add_deal_options(parser)


def run(args: argparse.Namespace) -> int:
    from ..evaluation.match import play_match

    a, b = load_policies([args.a, args.b], args.rules)
    reported = time.monotonic()

    def progress(result: MatchResult) -> None:
        nonlocal reported
        if result.pairs < args.pairs and time.monotonic() - reported > REPORT_EVERY:
            reported = time.monotonic()
            say_on_error(f"{result} of {args.pairs}")

    with policy_faults():
        result = play_match(
            a,
            b,
            args.pairs,
            args.seed,
            rules=args.rules,
            episode=args.episode,
            split_stock=args.split_stock,
            within=args.within,
            progress=progress,
        )
    if args.json:
        sys.stdout.write(json.dumps(result.as_json()) + "\n")
    else:
        say(str(result))
    return OK
