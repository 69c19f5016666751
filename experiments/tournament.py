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
from itertools import combinations
from pathlib import Path
from typing import Any

from persian_rummy_env.core.arena_kernels import OUTSIDE
from persian_rummy_env.evaluation.match import summary
from persian_rummy_env.evaluation.match_cache import MatchCache, MatchCacheError, PlayedPairs, deal_set
from persian_rummy_env.evaluation.rating import BASELINE, ratings, seat_effects
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.system.files import write_whole

from .matches import page
from .matches.run import (
    Reporter,
    add_match_options,
    as_json,
    folder_for,
    players_of,
    policies_of,
    settings_of,
    stopped_politely,
)
from .shared.result_file import STRENGTH, about, fail, write_result

Names = tuple[str, str]


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
    return {(a, b): min(caps[a], caps[b]) for a, b in combinations(policies, 2)}


def figures_of(cache: MatchCache, wanted: Mapping[Names, int], played: Mapping[Names, PlayedPairs]) -> dict[str, Any]:
    """The figures of ``results.json``."""
    matches = [
        as_json(summary(a, b, one.pairs, one.seconds)) | {"complete": len(one.pairs) == wanted[a, b]}
        for (a, b), one in played.items()
    ]
    names = list(dict.fromkeys(name for pair in wanted for name in pair))
    met = [name for name in names if any(name in pair for pair in played)]
    by_number = {(met.index(a), met.index(b)): one.pairs for (a, b), one in played.items()}
    sizes = sorted({len(one.pairs) for one in played.values()}, reverse=True)
    return {
        "terms": cache.settings.as_dict(),
        "code": cache.code,
        "policies": names,
        "complete": len(matches) == len(wanted) and all(match["complete"] for match in matches),
        "minutes": round(sum(one.seconds for one in played.values()) / 60, 2),
        "matches": matches,
        "rating zero": BASELINE if BASELINE in met else met[0],
        "ratings": ratings(met, by_number),
        "seat effects": seat_effects(by_number),
        "deal sets": [deal_set(cache.settings.seed, pairs, cache.settings.rules) for pairs in sizes],
    }


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


def play(
    cache: MatchCache, policies: Mapping[str, BasePolicy], wanted: Mapping[Names, int], played: dict[Names, PlayedPairs]
) -> None:
    """Play all matches in order and add each to ``played``."""
    report = Reporter({f"{a} v {b}": pairs for (a, b), pairs in wanted.items()})
    for (a, b), pairs in wanted.items():
        teams = (policies[a], policies[a]), (policies[b], policies[b])
        played[a, b] = cache.play(*teams, pairs, partial(report, f"{a} v {b}"))
        print(summary(a, b, played[a, b].pairs, 0), flush=True)


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
        for a, b in wanted:  # raise now, not after an hour
            cache.read((a, a), (b, b))
        with players_of(options) as cache.players, stopped_politely():
            play(cache, policies, wanted, played)
    except (MatchCacheError, ValueError) as error:  # ValueError: a policy chose an illegal action
        fail(str(error))
    except KeyboardInterrupt:
        cut = True
        before = {(a, b): cache.read((a, a), (b, b)) for a, b in wanted}
        played = {pair: one.head(wanted[pair]) for pair, one in before.items() if one is not None}
    if not played:
        print("interrupted before anything was played", file=sys.stderr)
        return 130
    figures = figures_of(cache, wanted, played)
    write(options.out, facts, figures)
    print(f"{options.out / 'table.md'}, table.png and results.json: {figures['minutes']:.1f} minutes of play")
    if cut:
        print("interrupted: what was played is kept; the same command goes on with it", file=sys.stderr)
    return 130 if cut else 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.tournament", main))
