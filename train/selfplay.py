"""Train a player by self-play: ``python -m train.selfplay --preset quick --minutes 5 --seed 1 --out runs/a``.

The folder then holds ``config.json``, ``metrics.csv``, ``tensorboard/``, ``curve.png``, ``results.json``, the player
``policy.safetensors`` (``agents.load.load("file:…")``) and ``checkpoint.safetensors`` (``--resume runs/a``).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from .checkpoint import Counters, Tables
from .command import fail, parse
from .config import PRESETS, Config, number_of_workers
from .ppo import Learner
from .ranks import ALONE, Ranks
from .rollout import BOTH, Rollout
from .run import against_rungs, deal_facts, device_of, progress, run, time_facts
from .shards import Shards
from .workers import LocalWorkers, Workers, jobs_of


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.selfplay", PRESETS)
    ranks = Ranks.join()
    if config.parts is None:
        config = replace(config, parts=config.part_count * ranks.count)
    return run(config, saved, "train.selfplay", lambda config: SelfPlay.of(config, ranks), warm_up, ranks=ranks)


@dataclass(frozen=True)
class SelfPlay:
    """The threads, the workers, and the networks."""

    config: Config
    shards: Shards
    workers: Workers
    learner: Learner
    tables: Sequence[Tables] = ()  # every deal begins and ends within an update

    @classmethod
    def of(cls, config: Config, ranks: Ranks = ALONE) -> SelfPlay:
        return cls(config, *setup(config, ranks))

    def update(self, counters: Counters) -> dict[str, float]:
        """Play, and learn from it."""
        start = time.perf_counter()
        rollout = collect(self.workers, self.learner)
        collected = time.perf_counter()
        row = self.learner.update(rollout, progress(self.config, counters))
        learnt = time.perf_counter()
        counters.update += 1
        counters.decisions += int(rollout.length.sum())
        counters.deals += len(rollout.length) * self.config.episode_deals
        counters.seconds += self.learner.ranks.first_says(learnt - start)
        return row | facts(self.config, counters, rollout, collected - start, learnt - collected)

    def close(self) -> None:
        self.workers.close()
        self.shards.close()


def setup(config: Config, ranks: Ranks = ALONE) -> tuple[Shards, Workers, Learner]:
    """The threads, the workers, and the networks."""
    if config.part_count < ranks.count:
        fail(f"parts={config.part_count}, and {ranks.count} ranks: every rank must have a part to play", status=2)
    device = device_of(config)
    shards = Shards(config.threads if device.type == "cpu" else 1)
    return shards, workers_of(config, device, shards), Learner(config, device, shards, ranks)


def workers_of(config: Config, device: torch.device, shards: Shards) -> Workers:
    """Whoever plays."""
    count = number_of_workers(config.workers)
    if not count:
        return LocalWorkers(config, device, shards)
    from .ray_pool import RayError
    from .ray_workers import RayWorkers

    try:
        return RayWorkers(config, count)
    except RayError as error:
        fail(str(error))


def collect(workers: Workers, learner: Learner) -> Rollout:
    """Play the next deals: all of this rank's."""
    players, ranks = learner.players, learner.ranks
    jobs = ranks.share(jobs_of(learner.config, learner.updates, len(players.copies)))
    return Rollout.join(workers.collect(players, jobs)).among(ranks)


def warm_up(config: Config) -> None:
    """One small update, apart from the run and from other processes."""
    sizes = {"deals": config.episode_deals * config.threads, "minibatch": 64 * config.threads, "parts": None}
    small = SelfPlay.of(replace(config, **sizes, workers="local", updates=1, minutes=None, pause_after=None))
    small.update(Counters())
    against_rungs(config, small.learner, 0, 1)
    small.close()


def facts(config: Config, counters: Counters, rollout: Rollout, collect: float, learn: float) -> dict[str, float]:
    """What the log holds besides the learner's numbers."""
    row = {
        **time_facts(config, counters, int(rollout.length.sum()), collect, learn),
        **deal_facts(rollout.length / config.episode_deals, rollout.margin, rollout.out),
    }
    against = rollout.side != BOTH
    if against.any():
        ours = np.where(rollout.side == 0, rollout.margin, -rollout.margin)[against]
        row["pool_margin"] = float(ours.mean()) / config.episode_deals
    return row


if __name__ == "__main__":
    raise SystemExit(main())
