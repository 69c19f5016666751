"""The precision of matches: ``python -m experiments.evaluation``.

Measures the spread of single deals and duplicate pairs, with one stock and with a stock for each seat, and the number
of pairs for an interval of a given width. Measures the coverage of 95% intervals (``random`` against itself over 2,000
repeats, and a match whose true margin is known well), also with the stop rule. Writes ``results/evaluation.json``.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from persian_rummy_env.core.arena_kernels import OUTSIDE
from persian_rummy_env.evaluation.match import CHUNK, Pairs, deal_seeds, play_pairs
from persian_rummy_env.evaluation.statistics import CONFIDENCE, mean_interval
from persian_rummy_env.players.load import load
from persian_rummy_env.rules import RuleSet
from train.data import deal_sets

from .shared.claim import Claim
from .shared.result_file import RESULTS, STRENGTH, about, add_result_options, write_result
from .tables import evaluation as tables

CLAIM = Claim(
    text=(
        "95% intervals cover the truth in 93 to 97% of 2,000 repeats, also with the stop rule; a split stock does "
        "not change the distribution of margins"
    ),
    command="python -m experiments.evaluation --pairs 10000",
    expected="95% ± 1%; standard deviation of a pair 67 to 88 among bots",
    minutes=4,
    result="evaluation.json",
    page="docs/evaluation.md",
)

RESULT = RESULTS / "evaluation.json"
SEEDS = {
    "one stock": deal_sets.ONE_STOCK,
    "split stock": deal_sets.SPLIT_STOCK,  # other deals, so that both are independent samples of one distribution
    "coverage of random": deal_sets.COVERAGE_RANDOM,
    "coverage of a difference": deal_sets.COVERAGE_DIFFERENCE,
}
MATCH_UPS = (
    ("random", "random"),
    ("greedy", "random"),
    ("deepest", "greedy"),
    ("expert", "greedy"),
    ("expert", "deepest"),
    ("search(deepest, worlds=10)", "deepest"),
)
SEARCH_SHARE = 20
"""Factor by which a searching policy gets fewer pairs."""
REPEATS = 2000
REPEAT_PAIRS = 32
HALF_WIDTHS = (1, 2, 5)
LOOKS = tuple(CHUNK * 2**look for look in range(4))


def played(a: str, b: str, pairs: int, seed: int, split_stock: bool = False, threads: int = 2) -> Pairs:
    """Play pairs of a deal set, on all cores."""
    policies = load(a), load(b)
    if any(policy.wants_views and policy.code == OUTSIDE for policy in policies):
        threads = 1  # search has its own threads

    def chunk(first: int) -> Pairs:
        seeds = deal_seeds(seed, min(CHUNK, pairs - first), first)
        return play_pairs(*policies, seeds, first, RuleSet(), "deal", split_stock)

    with ThreadPoolExecutor(threads) as pool:
        return Pairs.join(list(pool.map(chunk, range(0, pairs, CHUNK))))


def pairs_for(half: float, sd: float) -> int:
    """Duplicate pairs for an interval of half-width ``half``."""
    return math.ceil((stats.norm.ppf(0.5 + CONFIDENCE / 2) * sd / half) ** 2)


def spread(a: str, b: str, pairs: int) -> dict[str, Any]:
    """The spread of one match-up with either stock: standard deviations, correlation, pairs for each width."""
    found: dict[str, Any] = {"a": a, "b": b, "pairs": pairs}
    samples = []
    for stock in ("one stock", "split stock"):
        outcome = played(a, b, pairs, SEEDS[stock], split_stock=stock == "split stock")
        samples.append(outcome)
        unit = outcome.margin.mean(axis=1)
        pair_sd = float(unit.std(ddof=1))
        mean, low, high = mean_interval(unit)
        won = outcome.won.mean()
        found[stock] = {
            "margin": mean,
            "low": low,
            "high": high,
            "win_rate": float(won),
            "deal_sd": float(outcome.margin.std()),
            "pair_sd": pair_sd,
            "correlation": float(np.corrcoef(outcome.margin.T)[0, 1]),
            "pairs_for": {str(half): pairs_for(half, pair_sd) for half in HALF_WIDTHS},
            "decisions": float(outcome.decisions.mean()),
            "out_rate": float(outcome.out.mean()),
        }
    one, split = samples
    found["same distribution, p"] = {
        name: float(np.asarray(stats.ks_2samp(getattr(one, name)[:, 0], getattr(split, name)[:, 0]))[1])
        for name in ("margin", "decisions")
    }
    return found


def covered(units: np.ndarray, truth: float) -> float:
    """The share of repeats (n, pairs) whose interval covers the truth."""
    bounds = np.array([mean_interval(unit)[1:] for unit in units])
    return float(((bounds[:, 0] <= truth) & (truth <= bounds[:, 1])).mean())


def coverage(a: str, b: str, repeats: int, seed: int, truth: float | None = None) -> tuple[dict[str, Any], np.ndarray]:
    """How often intervals of ``REPEAT_PAIRS`` pairs cover the truth (None: the mean of all repeats); and the pairs."""
    unit = played(a, b, repeats * REPEAT_PAIRS, seed).margin.mean(axis=1)
    share = covered(unit.reshape(repeats, REPEAT_PAIRS), float(unit.mean()) if truth is None else truth)
    low, high = stats.binomtest(round(share * repeats), repeats).proportion_ci(CONFIDENCE)
    found = {"a": a, "b": b, "repeats": repeats, "pairs": REPEAT_PAIRS, "covered": share, "low": low, "high": high}
    return {**found, "truth": float(unit.mean()) if truth is None else truth}, unit


def stop_rule(unit: np.ndarray, within: float, repeats: int, rng: np.random.Generator) -> dict[str, Any]:
    """The coverage of matches that stop at ± ``within``, resampled from the pairs of a real match, whose mean is the
    truth."""
    truth, held = float(unit.mean()), 0
    stopped = []
    for _ in range(repeats):
        drawn = rng.choice(unit, LOOKS[-1])
        bounds = [mean_interval(drawn[:look])[1:] for look in LOOKS]
        enough = [(high - low) / 2 <= within for low, high in bounds]
        last = enough.index(True) if any(enough) else len(LOOKS) - 1
        low, high = bounds[last]
        held += low <= truth <= high
        stopped.append(LOOKS[last])
    share = held / repeats
    low, high = stats.binomtest(held, repeats).proportion_ci(CONFIDENCE)
    counts = {str(look): stopped.count(look) for look in LOOKS if look in stopped}
    return {"within": within, "repeats": repeats, "covered": share, "low": low, "high": high, "stopped_at": counts}


def widths(unit: np.ndarray) -> list[float]:
    """A width for each check, such that the match stops there about half of the time, where stopping could do most
    harm."""
    sd = float(unit.std(ddof=1))
    return [round(float(stats.norm.ppf(0.5 + CONFIDENCE / 2)) * sd / math.sqrt(look), 2) for look in LOOKS]


def measure(pairs: int, repeats: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure all figures."""
    found: dict[str, Any] = {"spread": [], "stop rule": []}
    for a, b in MATCH_UPS:
        say(f"{a} v {b} …")
        found["spread"].append(spread(a, b, pairs // SEARCH_SHARE if "search" in a else pairs))
    say("coverage …")
    random, _ = coverage("random", "random", repeats, SEEDS["coverage of random"], truth=0.0)
    difference, unit = coverage("expert", "deepest", repeats, SEEDS["coverage of a difference"])
    found["coverage"] = [random, difference]
    say("stop rule …")
    rng = np.random.default_rng(1)
    found["stop rule"] = [stop_rule(unit, within, repeats, rng) for within in widths(unit)]
    return found


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(
        prog="python -m experiments.evaluation", description="how much results spread, and what intervals cover"
    )
    parser.add_argument("--pairs", type=int, default=20_000, help="of each match-up (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="of each coverage (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result (default %(default)s)")
    add_result_options(parser)
    options = parser.parse_args(argv)
    facts = about("experiments.evaluation", argv, options.out, options.allow_dirty)
    start = time.perf_counter()
    figures = measure(options.pairs, options.repeats, lambda text: print(text, flush=True))
    figures |= {"deal sets": SEEDS, "minutes": round((time.perf_counter() - start) / 60, 1)}
    players = [name for match_up in MATCH_UPS for name in match_up]
    seeds = list(SEEDS.values())
    result = write_result(options.out, facts, figures, kind=STRENGTH, seeds=seeds, players=players)
    for table in tables.figures(result).values():
        print(f"\n{table}")
    print(f"\n{result['minutes']} minutes; {options.out.name}")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.evaluation", main))
