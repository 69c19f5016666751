"""Teach a network to play as a bot does: ``python -m train.imitate --imitate.teacher expert --seed 1 --out runs/warm``.

A warm start: what this leaves goes on with ``python -m train.selfplay --init-from runs/warm/policy.safetensors``. The
network plays, the bot says at each decision what it would do, and the network learns that by cross-entropy; so it
learns what to do where its own play leads, not where the bot's would. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from agents.network import Actor

from .algorithms.cloning import collect_and_clone
from .algorithms.learner import NetworkLearner, scheduled
from .checkpoint import Counters
from .command import parse
from .config.base import with_settings
from .config.imitate import PRESETS, ImitateConfig
from .data.labels import LabelCollector, teacher_of
from .log import MATCH_COLUMNS, RUN_COLUMNS
from .run import device_of, evaluation_matches, parts_of, progress_of, run, timing_stats
from .scale.shards import Shards

COLUMNS = (*RUN_COLUMNS, "bc_loss", "agreement", *MATCH_COLUMNS)


class CloneLearner(NetworkLearner):
    """An actor that learns choices."""

    def __init__(self, config: ImitateConfig, device: torch.device, shards: Shards) -> None:
        torch.manual_seed(config.seed)
        super().__init__(config, device, shards, {"actor": Actor(config.shape)})


@dataclass(frozen=True)
class Imitation:
    """The threads, their collectors, and the network."""

    config: ImitateConfig
    shards: Shards
    collectors: list[LabelCollector]
    learner: CloneLearner

    @classmethod
    def of(cls, config: ImitateConfig) -> Imitation:
        device = device_of(config)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        lanes = parts_of(config.deals, shards.count)
        collectors = [LabelCollector(config, part, n, device, config.imitate.epsilon) for part, n in enumerate(lanes)]
        return cls(config, shards, collectors, CloneLearner(config, device, shards))

    def update(self, counters: Counters) -> dict[str, float]:
        """Play, ask the bot, and learn what it says."""
        config = self.config
        lr, teacher = scheduled(config.optim.lr, progress_of(config, counters)), teacher_of(config.imitate.teacher)
        row, cost = collect_and_clone(
            self.learner,
            self.collectors,
            teacher,
            config.imitate.batch_size,
            lr,
            config.optim.epochs,
            config.imitate.permute_suits,
        )
        counters.update += 1
        counters.decisions += cost.decisions
        counters.deals += cost.deals
        counters.seconds += cost.collect + cost.learn
        return row | timing_stats(config, counters, cost.decisions, cost.collect, cost.learn)

    def close(self) -> None:
        self.shards.close()


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.imitate", PRESETS)
    return run(config, saved, "train.imitate", Imitation.of, warm_up, COLUMNS)


def warm_up(config: ImitateConfig) -> None:
    """One small update, apart from the run."""
    sizes = {
        "deals": 64 * config.threads,
        "imitate.batch_size": 128,
        "optim.minibatch": 64 * config.threads,
    }
    small = Imitation.of(with_settings(config, sizes))
    small.update(Counters())
    evaluation_matches(config, small.learner.actor, 0, 1)
    small.close()


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.imitate", main))
