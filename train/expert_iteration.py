"""Train a player by expert iteration: ``python -m train.expert_iteration --preset quick --seed 1 --out runs/x``.

Decisions of its own play are labelled with what search makes of their actions, and the network learns the labels; then
PPO, from where that has led. The folder is that of ``train.selfplay``, and so are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import torch

from . import curve
from .checkpoint import CheckpointError, Counters, Tables, config_text, save_run, write_whole
from .command import fail, parse
from .expert_config import PRESETS, STAGES, ExpertConfig
from .labels import LabelCollector, Labeller, Labels, by_expert, by_search
from .log import COLUMNS as PPO_COLUMNS
from .log import Log, LogError
from .match import MatchResult
from .regress import LabelLearner
from .rollout import Collector
from .run import (
    CURVE_DEALS,
    FINAL_DEALS,
    StopAsked,
    about,
    against_rungs,
    describe,
    due,
    free_folder,
    left,
    paused,
    progress,
)
from .run import match_columns as columns
from .screen import Screen, result_table
from .selfplay import collect, facts
from .shards import Shards

COLUMNS = (*PPO_COLUMNS, "stage", "labels", "labels_per_second", "label_loss")


@dataclass(frozen=True)
class Parts:
    """What learns, and where it plays: tables for labels, tables for whole deals; one of each for every thread."""

    shards: Shards
    learner: LabelLearner
    tables: list[LabelCollector]
    deals: list[Collector]

    @classmethod
    def of(cls, config: ExpertConfig) -> Parts:
        try:
            device = torch.device(config.device)
            torch.empty(0, device=device)
        except (RuntimeError, AssertionError) as error:
            fail(f"device={config.device!r}: {error}", status=2)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        tables, deals = (
            [stop - start for start, stop in pairwise(lanes * part // shards.count for part in range(shards.count + 1))]
            for lanes in (config.tables, config.deals)
        )
        return cls(
            shards,
            LabelLearner(config, device, shards),
            [LabelCollector(config, part, lanes, device, config.random_share) for part, lanes in enumerate(tables)],
            [Collector(config, part, lanes, device) for part, lanes in enumerate(deals)],
        )

    @property
    def collectors(self) -> list[Tables]:
        return [*self.tables, *self.deals]


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.expert_iteration", PRESETS)
    counters = Counters() if saved is None else saved.counters
    if saved is None:
        config = replace(config, out=free_folder(config))
    parts = Parts.of(config)
    config.out.mkdir(parents=True, exist_ok=True)
    try:
        if saved is not None:
            saved.restore(parts.learner, parts.collectors)
        log = Log(config.out, counters.update, counters.decisions, COLUMNS)
    except (CheckpointError, LogError) as error:
        fail(str(error))
    write_whole(config.out / "config.json", config_text(config, about()).encode())
    matches: list[MatchResult] = []

    with StopAsked() as stop, Screen(str(config.out)) as screen:
        screen.say(f"{config.out}: {describe(config)}")
        warm_up(config, screen)
        while not stop.asked and progress(config, counters) < 1 and not paused(config, counters):
            stage = config.stage(progress(config, counters))
            if stage != counters.stage:
                screen.say(f"stage: {stage}")
                if STAGES.index(stage) >= STAGES.index("critic") > STAGES.index(counters.stage or STAGES[0]):
                    parts.learner.forget_steps()
                counters.stage = stage
            row = update(config, counters, parts)
            measure = due(config, counters, config.eval_every, counters.evaluations)
            if measure:
                counters.evaluations += 1
                matches = against_rungs(config, parts.learner, CURVE_DEALS, config.eval_pairs)
                row |= columns(matches)
            log.write(row)
            screen.show(row, left(config, counters), matches, measure)
            if due(config, counters, config.save_every, counters.saves):
                counters.saves += 1
                save_run(config.out, config, counters, parts.learner, parts.collectors)

        save_run(config.out, config, counters, parts.learner, parts.collectors)
        log.close()
        curve.draw(config.out, COLUMNS)

    if progress(config, counters) < 1:
        go_on = f"python -m train.expert_iteration --resume {config.out}"
        screen.say(f"paused after update {counters.update}; go on with: {go_on}")
    else:
        screen.say(f"playing {config.final_pairs:,} pairs of fresh deals against each bot …")
        matches = against_rungs(config, parts.learner, FINAL_DEALS, config.final_pairs)
        results = {"counters": vars(counters), "deals": FINAL_DEALS, "matches": [match.as_dict() for match in matches]}
        write_whole(config.out / "results.json", (json.dumps(results, indent=2) + "\n").encode())
        screen.console.print(result_table(matches))
        screen.say(
            f"{counters.decisions / 1e6:.2f} M decisions in {counters.seconds:.0f} s of training; "
            f"the player: {config.out / 'policy.safetensors'}"
        )
    parts.shards.close()
    return 0


def update(config: ExpertConfig, counters: Counters, parts: Parts) -> dict[str, float]:
    """One update of the stage that the run is in; counts it, and returns what there is to log."""
    if counters.stage in ("imitate", "search"):
        return taught(config, counters, parts)
    return played(config, counters, parts)


def taught(config: ExpertConfig, counters: Counters, parts: Parts) -> dict[str, float]:
    """Label decisions and learn the labels."""
    at = config.way(progress(config, counters))
    label, actor = labeller(config, counters.stage), parts.learner.actor
    wanted = -(-config.labels // parts.shards.count)
    start = time.perf_counter()
    labels = Labels.join(parts.shards.map(lambda tables: tables.collect(actor, wanted, label), parts.tables))
    collected = time.perf_counter()
    lr = config.label_lr[0] + (config.label_lr[1] - config.label_lr[0]) * at
    row = parts.learner.teach(labels, lr, config.passes, config.temperature, config.reorder)
    learnt = time.perf_counter()

    decisions, deals = (sum(getattr(tables, what) for tables in parts.tables) for what in ("decisions", "deals"))
    counters.update += 1
    counters.decisions += decisions
    counters.deals += deals
    counters.seconds += learnt - start
    return row | {
        "update": counters.update,
        "decisions": counters.decisions,
        "deals": counters.deals,
        "seconds": counters.seconds,
        "progress": progress(config, counters),
        "decisions_per_second": decisions / (learnt - start),
        "collect_seconds": collected - start,
        "learn_seconds": learnt - collected,
        "kept": len(labels),
        "stage": STAGES.index(counters.stage),
        "labels": len(labels),
        "labels_per_second": len(labels) / (learnt - start),
    }


def labeller(config: ExpertConfig, stage: str) -> Labeller:
    return by_expert if stage == "imitate" else by_search(config.worlds, config.near, config.plies, config.far)


def played(config: ExpertConfig, counters: Counters, parts: Parts) -> dict[str, float]:
    """Play whole deals and learn from them by PPO; in the stage ``critic``, the critic alone."""
    learner = parts.learner
    at = config.way(progress(config, counters))
    start = time.perf_counter()
    rollout = collect(parts.shards, parts.deals, learner)
    collected = time.perf_counter()
    row = learner.update(rollout, at, rests=counters.stage == "critic")
    learnt = time.perf_counter()

    counters.update += 1
    counters.decisions += int(rollout.length.sum())
    counters.deals += len(rollout.length)
    counters.seconds += learnt - start
    row |= facts(config, counters, rollout, collected - start, learnt - collected)
    return row | {"stage": STAGES.index(counters.stage)}


def warm_up(config: ExpertConfig, screen: Screen) -> None:
    """One small update of each kind apart from the run, so that compiling is not counted."""
    start = time.perf_counter()
    small = replace(config, deals=config.threads, tables=64 * config.threads, labels=128, minibatch=64 * config.threads)
    parts = Parts.of(small)
    for stage in STAGES:
        update(small, Counters(stage=stage), parts)
    against_rungs(config, parts.learner, 0, 1)
    parts.shards.close()
    if time.perf_counter() - start > 5:
        screen.say(f"compiled in {time.perf_counter() - start:.0f} s (kept for the next time)")


if __name__ == "__main__":
    raise SystemExit(main())
