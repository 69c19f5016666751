"""Train a player by expert iteration: ``python -m train.expert_iteration --preset quick --seed 1 --out runs/x``.

Decisions of its own play are labelled with what search makes of their actions, and the network learns the labels; then
PPO, from where that has led. The folder is that of ``train.selfplay``, and so are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .checkpoint import Counters, Tables
from .command import parse
from .expert_config import PRESETS, STAGES, ExpertConfig
from .labels import LabelCollector, Labeller, Labels, by_expert, by_search
from .log import COLUMNS as PPO_COLUMNS
from .regress import LabelLearner
from .run import against_rungs, device_of, parts_of, progress, run, time_facts
from .selfplay import collect, facts
from .shards import Shards
from .workers import LocalWorkers

COLUMNS = (*PPO_COLUMNS, "stage", "labels", "labels_per_second")


@dataclass(frozen=True)
class ExpertIteration:
    """What learns, and where it plays: tables for labels, one for every thread, and whoever plays whole deals."""

    config: ExpertConfig
    shards: Shards
    learner: LabelLearner
    searched: list[LabelCollector]
    workers: LocalWorkers

    @classmethod
    def of(cls, config: ExpertConfig) -> ExpertIteration:
        device = device_of(config)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        lanes = parts_of(config.tables, shards.count)
        searched = [LabelCollector(config, part, n, device, config.random_share) for part, n in enumerate(lanes)]
        learner = LabelLearner(config, device, shards)
        return cls(config, shards, learner, searched, LocalWorkers(config, device, shards))

    @property
    def tables(self) -> Sequence[Tables]:
        return self.searched

    def close(self) -> None:
        self.shards.close()

    def update(self, counters: Counters) -> dict[str, float]:
        """One update of the stage that the budget has come to; counts it, and returns what there is to log."""
        stage = self.config.stage(progress(self.config, counters))
        if stage != counters.stage:
            if STAGES.index(stage) >= STAGES.index("critic") > STAGES.index(counters.stage or STAGES[0]):
                self.learner.forget_steps()
            counters.stage = stage
        row = self.taught(counters) if stage in ("imitate", "search") else self.played(counters)
        return row | {"stage": STAGES.index(stage)}

    def taught(self, counters: Counters) -> dict[str, float]:
        """Label decisions and learn the labels."""
        config, learner, label = self.config, self.learner, labeller(self.config, counters.stage)
        at = config.way(progress(config, counters))
        wanted = -(-config.labels // self.shards.count)
        start = time.perf_counter()
        labels = Labels.join(self.shards.map(lambda t: t.collect(learner.actor, wanted, label), self.searched))
        collected = time.perf_counter()
        lr = config.label_lr[0] + (config.label_lr[1] - config.label_lr[0]) * at
        row = learner.teach(labels, lr, config.passes, config.temperature, config.reorder)
        learnt = time.perf_counter()

        decisions, deals = (sum(getattr(part, what) for part in self.searched) for what in ("decisions", "deals"))
        counters.update += 1
        counters.decisions += decisions
        counters.deals += deals
        counters.seconds += learnt - start
        return row | {
            **time_facts(config, counters, decisions, collected - start, learnt - collected),
            "kept": len(labels),
            "labels": len(labels),
            "labels_per_second": len(labels) / (learnt - start),
        }

    def played(self, counters: Counters) -> dict[str, float]:
        """Play whole deals and learn from them by PPO; in the stage ``critic``, the critic alone."""
        at = self.config.way(progress(self.config, counters))
        start = time.perf_counter()
        rollout = collect(self.workers, self.learner)
        collected = time.perf_counter()
        row = self.learner.update(rollout, at, rests=counters.stage == "critic")
        learnt = time.perf_counter()

        counters.update += 1
        counters.decisions += int(rollout.length.sum())
        counters.deals += len(rollout.length)
        counters.seconds += learnt - start
        return row | facts(self.config, counters, rollout, collected - start, learnt - collected)


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.expert_iteration", PRESETS)
    return run(config, saved, "train.expert_iteration", ExpertIteration.of, warm_up, COLUMNS)


def labeller(config: ExpertConfig, stage: str) -> Labeller:
    return by_expert if stage == "imitate" else by_search(config.worlds, config.near, config.plies, config.far)


def warm_up(config: ExpertConfig) -> None:
    """One small update of each kind, apart from the run."""
    sizes = {"deals": config.threads, "tables": 64 * config.threads, "labels": 128, "minibatch": 64 * config.threads}
    small = ExpertIteration.of(replace(config, **sizes))
    small.taught(Counters(stage="imitate"))
    small.taught(Counters(stage="search"))
    small.played(Counters(stage="ppo"))
    against_rungs(config, small.learner, 0, 1)
    small.close()


if __name__ == "__main__":
    raise SystemExit(main())
