"""Train a player by self-play: ``python -m train.selfplay --preset quick --minutes 5 --seed 1 --out runs/a``.

The folder then holds ``config.json``, ``metrics.csv``, ``tensorboard/``, ``curve.png``, ``results.json``, the player
``policy.safetensors`` (``agents.load.load("file:…")``) and ``checkpoint.safetensors`` (``--resume runs/a``).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .checkpoint import Counters
from .command import parse
from .config import PRESETS, Config
from .ppo import Learner
from .rollout import BOTH, Collector, Rollout
from .run import against_rungs, deal_facts, device_of, parts_of, progress, run, time_facts
from .shards import Shards


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.selfplay", PRESETS)
    return run(config, saved, "train.selfplay", SelfPlay.of, warm_up)


@dataclass(frozen=True)
class SelfPlay:
    """The threads, their tables, and the networks."""

    config: Config
    shards: Shards
    tables: list[Collector]
    learner: Learner

    @classmethod
    def of(cls, config: Config) -> SelfPlay:
        shards, tables, learner = setup(config)
        return cls(config, shards, tables, learner)

    def update(self, counters: Counters) -> dict[str, float]:
        """Play, and learn from it."""
        start = time.perf_counter()
        rollout = collect(self.shards, self.tables, self.learner)
        collected = time.perf_counter()
        row = self.learner.update(rollout, progress(self.config, counters))
        learnt = time.perf_counter()
        counters.update += 1
        counters.decisions += int(rollout.length.sum())
        counters.deals += len(rollout.length) * self.config.episode_deals
        counters.seconds += learnt - start
        return row | facts(self.config, counters, rollout, collected - start, learnt - collected)


def setup(config: Config) -> tuple[Shards, list[Collector], Learner]:
    """The threads, their tables, and the networks."""
    device = device_of(config)
    shards = Shards(config.threads if device.type == "cpu" else 1)
    lanes = parts_of(config.deals // config.episode_deals, shards.count)
    tables = [Collector(config, part, count, device) for part, count in enumerate(lanes)]
    return shards, tables, Learner(config, device, shards)


def collect(shards: Shards, tables: Sequence[Collector], learner: Learner) -> Rollout:
    """Play an episode in every lane of all tables."""
    opponents = learner.opponents
    return Rollout.join(shards.map(lambda part: part.collect(learner.actor, learner.critic, opponents), tables))


def warm_up(config: Config) -> None:
    """One small update, apart from the run."""
    deals = config.episode_deals * config.threads
    small = SelfPlay.of(replace(config, deals=deals, minibatch=64 * config.threads, updates=1, minutes=None))
    small.update(Counters())
    against_rungs(config, small.learner, 0, 1)
    small.shards.close()


def facts(config: Config, counters: Counters, rollout: Rollout, collect: float, learn: float) -> dict[str, float]:
    """What the log holds besides the learner's numbers."""
    row = {
        **time_facts(config, counters, int(rollout.length.sum()), collect, learn),
        "kept": len(rollout),
        **deal_facts(rollout.length / config.episode_deals, rollout.margin, rollout.out),
    }
    against = rollout.side != BOTH
    if against.any():
        ours = np.where(rollout.side == 0, rollout.margin, -rollout.margin)[against]
        row["pool_margin"] = float(ours.mean()) / config.episode_deals
    return row


if __name__ == "__main__":
    raise SystemExit(main())
