"""Ablation of the features of the expert: ``python -m experiments.ablation_expert``.

Each group of features, and each single feature, is switched off (its weights are 0; nothing is tuned again). The rest
of the expert plays the same deals against the same opponent. The loss is the mean difference to the whole expert on
these deals, pair by pair. Writes ``results/ablation_expert.json`` and the tables of docs/bots.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.bots import BOTS
from persian_rummy_env.core.expert import FEATURES, WEIGHTS
from persian_rummy_env.evaluation.arena import new_games
from persian_rummy_env.evaluation.match import deal_seeds
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.policy import unknown_name
from persian_rummy_env.rules import NUM_SEATS, RuleSet
from train.data.deal_sets import EXPERT_ABLATION

from .shared import weighted
from .shared.claim import Claim
from .shared.expert_features import GROUPS
from .shared.result_file import RESULTS, STRENGTH, about, add_result_options, fail, write_result

CLAIM = Claim(
    text="each feature of the expert is worth what docs/bots.md says",
    command="python -m experiments.ablation_expert",
    expected="the table of docs/bots.md",
    minutes=5,
    result="ablation_expert.json",
    page="docs/bots.md",
)

RESULT = RESULTS / "ablation_expert.json"
CHUNK = 2048
TOGETHER = ("take_load", "held", "cards")
"""Features without a measurable effect, switched off at once."""


def margins(weights: np.ndarray, bot: str, pairs: int, seed: int, threads: int = 2) -> np.ndarray:
    """Margins of experts against a bot in duplicate pairs: (pairs,) points a deal, means of the two games."""

    def chunk(first: int) -> np.ndarray:
        seeds = deal_seeds(seed, min(CHUNK, pairs - first), first)
        lanes = len(seeds)
        dealers = ((first + np.arange(lanes)) % NUM_SEATS).astype(np.int8)
        games = new_games(np.tile(seeds, 2), np.tile(dealers, 2), RuleSet(), 1)
        team = np.repeat(np.arange(2), lanes)
        weighted.play_weighted(games, team, weights, BOTS[bot], 0, len(games))
        score = games["score"].astype(np.int64)
        return ((score[:, 0] - score[:, 1]) * np.where(team == 0, 1, -1)).reshape(2, lanes).mean(axis=0)

    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(chunk, range(0, pairs, CHUNK))))


def without(names: Sequence[str]) -> np.ndarray:
    """The expert's weights, with those of some features at 0."""
    return np.array([0.0 if name in names else WEIGHTS[name] for name in FEATURES])


def interval(values: np.ndarray, name: str) -> dict[str, float]:
    mean, low, high = mean_interval(values)
    return {name: round(mean, 3), "low": round(low, 3), "high": round(high, 3)}


def ablate(pairs: int, bot: str, seed: int) -> dict[str, Any]:
    """The margin of the whole expert, and the loss without each group and each feature."""
    whole = margins(without(()), bot, pairs, seed)
    found: dict[str, Any] = {"baseline": interval(whole, "margin")}
    grouped = {group: list(features) for group, features in GROUPS.items()}
    for kind, rows in (("groups", grouped), ("features", {name: [name] for name in FEATURES})):
        found[kind] = []
        for name, features in rows.items():
            lost = interval(whole - margins(without(features), bot, pairs, seed), "lost")
            found[kind].append({"name": name, "features": features, **lost})
            print(
                f"without {name}: {lost['lost']:+.2f} points lost ({lost['low']:+.2f} … {lost['high']:+.2f})",
                flush=True,
            )
    return found


def together(names: Sequence[str], pairs: int, seed: int) -> list[dict[str, Any]]:
    """The loss without some features at once, against every bot; against ``expert`` it is the margin to the whole
    expert."""
    return [
        {
            "against": bot,
            **interval(margins(without(()), bot, pairs, seed) - margins(without(names), bot, pairs, seed), "lost"),
        }
        for bot in BOTS
    ]


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ablation_expert", description="what each feature of the expert is worth"
    )
    parser.add_argument("--pairs", type=int, default=40_000, help="duplicate pairs of each match (default %(default)s)")
    parser.add_argument("--against", default="deepest", help="the opponent, a bot (default %(default)s)")
    parser.add_argument("--seed", type=int, default=EXPERT_ABLATION, help="of the deals (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result (default %(default)s)")
    add_result_options(parser)
    options = parser.parse_args(argv)
    if options.against not in BOTS:
        fail(unknown_name("bot", options.against, BOTS))
    if options.pairs < 2:
        fail(f"--pairs {options.pairs}: expected at least 2")
    facts = about("experiments.ablation_expert", argv, options.out, options.allow_dirty)
    start = time.perf_counter()
    figures = {
        "seed": options.seed,
        "pairs": options.pairs,
        "against": options.against,
        "weights": WEIGHTS,
        **ablate(options.pairs, options.against, options.seed),
    }
    figures["together"] = {"features": TOGETHER, "lost": together(TOGETHER, options.pairs, options.seed)}
    figures["minutes"] = round((time.perf_counter() - start) / 60, 1)
    players = ("expert", *BOTS)
    result = write_result(options.out, facts, figures, kind=STRENGTH, seeds=[options.seed], players=players)
    helpless = [row["name"] for kind in ("groups", "features") for row in result[kind] if row["low"] <= 0]
    print(f"no measurable help: {', '.join(helpless) or 'none'}; {result['minutes']} minutes; {options.out}")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.ablation_expert", main))
