"""Playouts per second of search, and its accuracy with a budget in milliseconds: ``python -m
experiments.search_speed``.

The decisions are those of a match against ``deepest`` with more than one legal action. Writes
``results/search_speed.json``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.bots import BOTS
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import DecisionBatch, Policy
from persian_rummy_env.players.search import SearchPolicy
from train.data.deal_sets import SEARCH_SPEED

from .shared.claim import Claim
from .shared.result_file import RESULTS, TIMING, about, add_result_options, write_result
from .shared.timing import ALL_CORES, cores, figure, in_turn

CLAIM = Claim(
    text="search makes at least 80,000 playouts a second on one core, and keeps to its milliseconds",
    command="python -m experiments.search_speed",
    expected="deepest 400,000; 50 ms ± 2",
    minutes=1,
    result="search_speed.json",
)

RESULT = RESULTS / "search_speed.json"
MS = (5, 20, 50)
SPECS = (
    "search(deepest, worlds={}, method=flat, threads=1)",
    "search(deepest, worlds={}, threads=1)",
    "search(deepest, worlds={}, method=flat, threads=1, prior=champion)",
)
GOAL = 80_000
"""The goal: playouts per second on one core with ``deepest``."""


class Watched(SearchPolicy):
    """Search that stores its decisions."""

    def __init__(self) -> None:
        super().__init__("deepest", worlds=2)
        self.batches: list[DecisionBatch] = []

    def act(self, batch: DecisionBatch) -> np.ndarray:
        self.batches.append(batch)
        return super().act(batch)


def decisions(number: int) -> DecisionBatch:
    """Decisions with at least two legal actions."""
    policy = Watched()
    play_match(policy, load("deepest"), max(2, number // 20), SEARCH_SPEED)
    columns = [[getattr(batch, field.name) for batch in policy.batches] for field in fields(DecisionBatch)]
    whole = DecisionBatch(*(np.concatenate(column) for column in columns))
    rows = np.flatnonzero(whole.action_mask.sum(axis=1) > 1)
    chosen = np.random.default_rng(SEARCH_SPEED).permutation(rows)[:number]
    return whole.rows(chosen)


def playouts_per_second(policy: SearchPolicy, views: np.ndarray, masks: np.ndarray) -> float:
    before, start = policy.playouts, time.perf_counter()
    policy.values(views, masks)
    return (policy.playouts - before) / (time.perf_counter() - start)


def speeds(views: np.ndarray, masks: np.ndarray, worlds: int, runs: int) -> dict[str, Any]:
    """Playouts per second by bot, on one core and on all."""
    found: dict[str, Any] = {}
    for name, number in (("one core", 1), ("all cores", len(ALL_CORES) or 1)):
        with cores(number):  # threads stay on the cores that they start on
            policies = {bot: SearchPolicy(bot, worlds=worlds, threads=number) for bot in BOTS}
            for policy in policies.values():
                policy.values(views[:4], masks[:4])
            measures = {
                bot: lambda policy=policy: playouts_per_second(policy, views, masks) for bot, policy in policies.items()
            }
            values = in_turn(measures, runs)
        found[name] = {bot: figure(of_one, "playouts/s") for bot, of_one in values.items()}
    return found


def with_prior(batch: DecisionBatch, worlds: int, runs: int) -> dict[str, Any]:
    """Milliseconds per decision in a batch on one core, without and with a prior."""
    with cores(1):
        policies = {spec.format(worlds): load(spec.format(worlds)) for spec in SPECS}
        for policy in policies.values():
            policy.act(batch.rows(slice(4)))

        def one(policy: Policy) -> float:
            start = time.perf_counter()
            policy.act(batch)
            return 1000 * (time.perf_counter() - start) / len(batch.seat)

        values = in_turn({spec: lambda policy=policy: one(policy) for spec, policy in policies.items()}, runs)
    return {spec: figure(of_one, "ms a decision") for spec, of_one in values.items()}


def kept_milliseconds(views: np.ndarray, masks: np.ndarray) -> list[dict[str, Any]]:
    """The time of single decisions with a budget in milliseconds."""
    rows = []
    for ms in MS:
        policy = SearchPolicy("deepest", ms=ms)
        policy.values(views[:2], masks[:2])
        policy.playouts, took = 0, []
        for row in range(len(views)):
            start = time.perf_counter()
            policy.values(views[row : row + 1], masks[row : row + 1])
            took.append(1000 * (time.perf_counter() - start))
        mean, most = float(np.mean(took)), float(np.quantile(took, 0.95))
        rows.append({"ms": ms, "mean": mean, "p95": most, "playouts": policy.playouts / len(views)})
    return rows


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.search_speed", description="playouts a second")
    parser.add_argument("--decisions", type=int, default=400, help="searched in each run (default %(default)s)")
    parser.add_argument("--worlds", type=int, default=40, help="of each decision (default %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="of each figure (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    facts = about("experiments.search_speed", argv, options.out, options.allow_dirty)
    start = time.perf_counter()
    batch = decisions(options.decisions)
    views, masks = batch.views, batch.action_mask
    assert views is not None
    figures = {
        "seed": SEARCH_SPEED,
        "decisions": len(views),
        "worlds": options.worlds,
        "candidates": float(masks.sum(axis=1).mean()),
        "goal": GOAL,
        **speeds(views, masks, options.worlds, options.runs),
        "with a prior": with_prior(batch, options.worlds, options.runs),
        "milliseconds": kept_milliseconds(views[:100], masks[:100]),
    }
    figures["minutes"] = round((time.perf_counter() - start) / 60, 1)
    result = write_result(options.out, facts, figures, kind=TIMING, seeds=[SEARCH_SPEED])
    for name in ("one core", "all cores"):
        shown = ", ".join(f"{bot} {one['median']:,.0f}" for bot, one in result[name].items())
        print(f"playouts a second, {name}: {shown}")
    for spec, one in result["with a prior"].items():
        print(f"{spec}: {one['median']:.2f} ms a decision on one core")
    for row in result["milliseconds"]:
        shown = f"{row['mean']:.1f} ms a decision, 95% within {row['p95']:.1f}"
        print(f"ms={row['ms']}: {shown}; {row['playouts']:,.0f} playouts")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.search_speed", main))
