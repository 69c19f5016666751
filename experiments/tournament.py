"""A tournament: every policy against every other on the same duplicate deals.

    python -m experiments.tournament --policies "random,greedy,deepest,expert" --pairs 20000 --seed 1 --out DIR

Writes ``DIR/results.json``, ``DIR/table.md`` and ``DIR/table.png``. Ctrl-C keeps the pairs played so far; the same
command continues, also with more ``--pairs``. Policies have the names of ``persian_rummy_env.load``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from persian_rummy_env.core.arena_kernels import OUTSIDE
from persian_rummy_env.evaluation.match_cache import MatchCache, MatchCacheError, PlayedPairs
from persian_rummy_env.evaluation.tournament import (
    Names,
    all_pairs,
    kept_matches,
    play_tournament,
    tournament_figures,
)
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.system.files import write_whole

from .matches import page
from .matches.run import (
    add_match_options,
    folder_for,
    players_of,
    policies_of,
    settings_of,
    stopped_politely,
)
from .shared.result_file import STRENGTH, about, fail, write_result


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.tournament",
        description="Every policy against every other on the same duplicate deals.",
    )
    parser.add_argument(
        "--policies", required=True, help="names with commas between them; those in brackets do not count"
    )
    parser.add_argument("--pairs", type=int, default=1000, help="duplicate pairs of each match (default %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the result")
    parser.add_argument("--pairs-search", type=int, help="pairs of the matches in which a policy searches")
    parser.add_argument(
        "--cap",
        action="append",
        default=[],
        metavar="POLICY=N",
        help="at most so many pairs for a policy; may be repeated",
    )
    add_match_options(parser)
    return parser.parse_args(argv)


def pairs_of(options: argparse.Namespace, policies: Mapping[str, BasePolicy]) -> dict[Names, int]:
    """The number of pairs of each match."""
    caps: dict[str, int] = dict.fromkeys(policies, int(options.pairs))
    if options.pairs_search is not None:
        searching = [name for name, one in policies.items() if one.wants_views and one.code == OUTSIDE]
        caps |= dict.fromkeys(searching, int(min(options.pairs, options.pairs_search)))
    for cap in options.cap:
        name, _, number = (part.strip() for part in cap.rpartition("="))
        if name not in policies or not number.isdecimal():
            fail(f"--cap {cap!r}: expected POLICY=N with a policy of {', '.join(policies)}")
        caps[name] = min(caps[name], int(number))
    if min(caps.values()) < 1:
        fail("pairs: expected at least 1 for every match")
    return all_pairs(caps)


def write(out: Path, facts: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
    result = write_result(
        out / "results.json",
        facts,
        figures,
        kind=STRENGTH,
        seeds=[figures["terms"]["seed"]],
        players=figures["policies"],
    )
    write_whole(out / "table.md", page.tournament_page(result))
    order = [row["policy"] for row in result["ratings"]]
    title = "points a deal, row against column (± 95%)"
    write_whole(out / "table.png", page.cross_picture(order, result["matches"], title))


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    options = arguments(argv)
    with folder_for(options.out, "results.json", "curve.png"):
        return experiment(argv, options)


def experiment(argv: Sequence[str], options: argparse.Namespace) -> int:
    """Play, and write the result."""
    settings = settings_of(options)
    policies = policies_of(options.policies, settings, options.device)
    wanted = pairs_of(options, policies)
    facts = about("experiments.tournament", argv, options.out / "results.json", options.allow_dirty)
    cache = MatchCache(options.out / "played", settings, options.anew)
    played: dict[Names, PlayedPairs] = {}
    cut = False
    try:
        with players_of(options) as cache.players, stopped_politely():
            play_tournament(cache, policies, wanted, played, partial(print, flush=True))
    except (MatchCacheError, ValueError) as error:  # a ValueError: a policy chose what is not legal
        fail(str(error))
    except KeyboardInterrupt:
        cut = True
        played = kept_matches(cache, wanted)
    if not played:
        print("interrupted before anything was played", file=sys.stderr)
        return 130
    figures = tournament_figures(cache, wanted, played)
    write(options.out, facts, figures)
    print(f"{options.out / 'table.md'}, table.png and results.json: {figures['minutes']:.1f} minutes of play")
    if cut:
        print("interrupted: what was played is kept; the same command goes on with it", file=sys.stderr)
    return 130 if cut else 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.tournament", main))
