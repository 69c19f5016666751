"""Speed of the environment and of other card environments: ``python -m experiments.speed``.

Measures this package and its peers in one run, by default on one core; each figure is the median of several runs with
minimum and maximum. Writes ``results/speed.json`` and draws ``results/speed.png``. docs/performance.md explains the
figures; ``python -m tools.result_pages`` prints its tables from the result.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env.system.files import write_whole

from .shared.claim import Claim
from .shared.result_file import TIMING, about, add_result_options, write_result
from .shared.timing import cores, versions
from .speeds import own, peers, plot, startup
from .tables.performance import speed_tables

CLAIM = Claim(
    text=(
        "the vector environment plays over 6 M decisions/s on one core, with full observation and mask; other card "
        "environments are measured in the same run"
    ),
    command="python -m experiments.speed",
    expected="the goals of docs/performance.md",
    minutes=8,
    result="speed.json",
    page="docs/performance.md",
)

RESULT = Path(__file__).parent / "results" / "speed.json"


def chosen_peers(text: str) -> tuple[str, ...]:
    """Parse ``all``, ``none``, or names separated by commas."""
    names = {"all": peers.PEERS, "none": ()}.get(text, tuple(filter(None, text.split(","))))
    unknown = [name for name in names if name not in peers.PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown peer {', '.join(unknown)}: known are {', '.join(peers.PEERS)}")
    return names


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.speed", description="decisions per second, ours and the peers'"
    )
    parser.add_argument("--out", type=Path, default=RESULT, help="the result, a .json; the plot goes beside it")
    parser.add_argument(
        "--peers", type=chosen_peers, default="all", help="all, none, or some of: " + ", ".join(peers.PEERS)
    )
    parser.add_argument(
        "--peers-dir", type=Path, default=None, help="where their environments lie (default: user cache)"
    )
    parser.add_argument("--runs", type=int, default=5, help="of each figure (default 5)")
    parser.add_argument("--quick", action="store_true", help="short runs: a look, not a result")
    add_result_options(parser)
    return parser.parse_args(given)


def our_figures(runs: int, quick: bool) -> dict[str, Any]:
    """All figures of this package, group by group."""
    found: dict[str, Any] = {}
    groups = {
        "vector environment": lambda: own.vector_figures(runs, 2**17 if quick else 2**21),
        "AEC environment": lambda: own.aec_figures(runs, 0.3 if quick else 2.0),
        "copies": lambda: own.copy_figures(runs),
        "bots": lambda: own.bot_figures(runs, 500 if quick else 5000),
    }
    with cores(1):
        for name, group in groups.items():
            print(f"{name} …", flush=True)
            found |= group()
    print("fresh processes …", flush=True)
    return found | startup.startup_figures(runs, 0 if quick else runs)


def main(given: Sequence[str] | None = None) -> None:
    options = arguments(given)
    words = sys.argv[1:] if given is None else list(given)
    facts = about("experiments.speed", words, options.out, options.allow_dirty)
    facts["versions"] = versions("persian-rummy-rl", "numpy", "numba", "gymnasium", "pettingzoo")
    figures: dict[str, Any] = {"ours": our_figures(options.runs, options.quick)}
    folder = options.peers_dir or peers.default_folder()
    figures["peers"] = peers.peer_figures(options.peers, folder, options.runs, 0.5 if options.quick else 3.0)
    result = write_result(options.out, facts, figures, kind=TIMING)
    write_whole(options.out.with_suffix(".png"), plot.drawn(result))
    for table in speed_tables(result).values():
        print(f"\n{table}")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.speed", main))
