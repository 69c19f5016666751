"""Train a player by self-play: ``python -m train.selfplay --preset quick --minutes 5 --seed 1 --out runs/a``.

The folder then holds ``config.json``, ``metrics.csv``, ``tensorboard/``, ``curve.png``, ``results.json``, the player
``policy.safetensors`` (``agents.load.load("file:…")``) and ``checkpoint.safetensors`` (``--resume runs/a``).
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import torch

import persian_rummy_env
from agents.learned import LearnedPolicy
from agents.load import load

from . import curve
from .checkpoint import FILE, CheckpointError, Counters, config_text, save_run, write_whole
from .command import fail, parse
from .config import PRESETS, Config
from .log import RUNGS, Log, LogError
from .match import MatchResult, play_match
from .ppo import Learner
from .rollout import Collector, Rollout
from .screen import Screen, result_table
from .shards import Shards

CURVE_DEALS, FINAL_DEALS = 20_001, 20_002
"""Seeds of the deal sets: one for the curve, another for the result."""


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.selfplay", PRESETS)
    counters = Counters() if saved is None else saved.counters
    if saved is None:
        config = replace(config, out=free_folder(config))
    torch.set_num_threads(1)
    shards, collectors, learner = setup(config)
    config.out.mkdir(parents=True, exist_ok=True)
    try:
        if saved is not None:
            saved.restore(learner, collectors)
        log = Log(config.out, counters.update, counters.decisions)
    except (CheckpointError, LogError) as error:
        fail(str(error))
    write_whole(config.out / "config.json", config_text(config, about()).encode())
    matches: list[MatchResult] = []

    with StopAsked() as stop, Screen(str(config.out)) as screen:
        screen.say(f"{config.out}: {describe(config)}")
        warm_up(config, screen)
        while not stop.asked and progress(config, counters) < 1 and not paused(config, counters):
            start = time.perf_counter()
            rollout = Rollout.join(shards.map(lambda c: c.collect(learner.actor, learner.critic), collectors))
            collected = time.perf_counter()
            row = learner.update(rollout, progress(config, counters))
            learnt = time.perf_counter()

            counters.update += 1
            counters.decisions += int(rollout.length.sum())
            counters.deals += len(rollout.length)
            counters.seconds += learnt - start
            row |= facts(config, counters, rollout, collected - start, learnt - collected)
            measure = due(config, counters, config.eval_every, counters.evaluations)
            if measure:
                counters.evaluations += 1
                matches = against_rungs(config, learner, CURVE_DEALS, config.eval_pairs)
                row |= columns(matches)
            log.write(row)
            screen.show(row, left(config, counters), matches, measure)
            if due(config, counters, config.save_every, counters.saves):
                counters.saves += 1
                save_run(config.out, config, counters, learner, collectors)

        save_run(config.out, config, counters, learner, collectors)
        log.close()
        curve.draw(config.out)

    if progress(config, counters) < 1:
        screen.say(f"paused after update {counters.update}; go on with: python -m train.selfplay --resume {config.out}")
    else:
        screen.say(f"playing {config.final_pairs:,} pairs of fresh deals against each bot …")
        matches = against_rungs(config, learner, FINAL_DEALS, config.final_pairs)
        results = {"counters": vars(counters), "deals": FINAL_DEALS, "matches": [match.as_dict() for match in matches]}
        write_whole(config.out / "results.json", (json.dumps(results, indent=2) + "\n").encode())
        screen.console.print(result_table(matches))
        screen.say(
            f"{counters.decisions / 1e6:.2f} M decisions in {counters.seconds:.0f} s of training "
            f"({counters.decisions / counters.seconds:,.0f} a second); the player: {config.out / 'policy.safetensors'}"
        )
    shards.close()
    return 0


def free_folder(config: Config) -> Path:
    """Where a new run goes: no folder that holds one already."""
    if not (config.out / FILE).exists():
        return config.out
    if config.exists == "refuse":
        fail(f"{config.out / FILE}: there is a run already; --resume {config.out} goes on with it")
    numbered = (config.out.with_name(f"{config.out.name}-{number}") for number in count(2))
    return next(folder for folder in numbered if not (folder / FILE).exists())


def setup(config: Config) -> tuple[Shards, list[Collector], Learner]:
    """The threads, their tables, and the networks."""
    try:
        device = torch.device(config.device)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        fail(f"device={config.device!r}: {error}", status=2)
    shards = Shards(config.threads if device.type == "cpu" else 1)
    edges = [config.deals * part // shards.count for part in range(shards.count + 1)]
    collectors = [Collector(config, part, stop - start, device) for part, (start, stop) in enumerate(pairwise(edges))]
    return shards, collectors, Learner(config, device, shards)


def warm_up(config: Config, screen: Screen) -> None:
    """One small update apart from the run, so that compiling is neither counted nor mistaken for standing still."""
    start = time.perf_counter()
    shards, collectors, learner = setup(replace(config, deals=config.threads, minibatch=64 * config.threads))
    rollout = Rollout.join([collector.collect(learner.actor, learner.critic) for collector in collectors])
    learner.update(rollout, 0.0)
    against_rungs(config, learner, 0, 1)
    shards.close()
    if time.perf_counter() - start > 5:
        screen.say(f"compiled in {time.perf_counter() - start:.0f} s (kept for the next time)")


class StopAsked:
    """Within it, Ctrl-C or a polite kill lets the update under way be finished and saved; a second stops at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopAsked:
        self._before = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, *_: object) -> None:
        self.asked = True
        self.__exit__()


def spent(config: Config, counters: Counters) -> float:
    """The budget that is spent, in seconds or updates."""
    return counters.seconds if config.minutes is not None else counters.update


def progress(config: Config, counters: Counters) -> float:
    """The share of the budget that is spent."""
    budget = 60 * config.minutes if config.minutes is not None else config.updates
    assert budget is not None
    return min(1.0, spent(config, counters) / budget)


def left(config: Config, counters: Counters) -> str:
    if config.minutes is None:
        return f"{config.updates} - {counters.update} updates"
    seconds = max(0, round(60 * config.minutes - counters.seconds))
    return f"{seconds // 60}:{seconds % 60:02d}"


def paused(config: Config, counters: Counters) -> bool:
    return config.pause_after is not None and counters.update >= config.pause_after


def due(config: Config, counters: Counters, every: float, done: int) -> bool:
    """Something that is done ``every`` so many seconds or updates, and at the end, was done fewer times than that."""
    return spent(config, counters) >= every * (done + 1) or progress(config, counters) >= 1


def against_rungs(config: Config, learner: Learner, deals: int, pairs: int) -> list[MatchResult]:
    player = LearnedPolicy(learner.actor, config.device)
    return [play_match(player, load(rung), pairs, deals, rules=config.rules) for rung in RUNGS]


def columns(matches: list[MatchResult]) -> dict[str, float]:
    values = ((m.b, word, getattr(m, word)) for m in matches for word in ("margin", "low", "high"))
    return {f"{word}_{rung}": value for rung, word, value in values}


def facts(config: Config, counters: Counters, rollout: Rollout, collect: float, learn: float) -> dict[str, float]:
    """What the log holds besides the learner's numbers."""
    return {
        "update": counters.update,
        "decisions": counters.decisions,
        "deals": counters.deals,
        "seconds": counters.seconds,
        "progress": progress(config, counters),
        "decisions_per_second": int(rollout.length.sum()) / (collect + learn),
        "collect_seconds": collect,
        "learn_seconds": learn,
        "kept": len(rollout),
        "deal_length": float(rollout.length.mean()),
        "deal_margin": float(abs(rollout.margin).mean()),
        "out_rate": float(rollout.out.mean()),
    }


def describe(config: Config) -> str:
    budget = f"{config.minutes:g} minutes" if config.minutes is not None else f"{config.updates} updates"
    return f"{budget}, seed {config.seed}, {config.device}, {config.threads} threads, {config.precision}"


def about() -> dict[str, str]:
    return {
        "persian_rummy_env": persian_rummy_env.__version__,
        "torch": torch.__version__,
        "python": sys.version.split()[0],
    }


if __name__ == "__main__":
    raise SystemExit(main())
