"""Train a player by self-play: ``python -m train.selfplay --preset quick --minutes 5 --seed 1 --out runs/a``.

The folder then holds ``config.json``, ``metrics.csv``, ``tensorboard/``, ``curve.png``, ``results.json``, the player
``policy.safetensors`` (``load("file:…")``) and ``checkpoint.safetensors`` (``--resume runs/a``).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from agents.learned import LearnedPolicy
from persian_rummy_env.evaluation.ray_pool import number_of_workers

from .algorithms.cloning import collect_and_clone
from .algorithms.learner import scheduled
from .algorithms.ppo import Learner
from .checkpoint import Counters
from .command import fail, parse
from .config.base import with_settings
from .config.ppo import Config
from .config.presets import PRESETS
from .data.labels import EPSILON, LabelCollector, Teacher, by_policy, teacher_of
from .data.rollout import BOTH, Rollout
from .run import deal_stats, device_of, evaluation_matches, parts_of, progress_of, run, timing_stats
from .scale.ranks import ALONE, Ranks
from .scale.shards import Shards
from .scale.workers import LocalWorkers, Workers, jobs_of


def main(argv: Sequence[str] | None = None, masked_blocks: tuple[str, ...] = ()) -> int:
    """
    Args:
        masked_blocks: blocks of the observation that no network of a new run reads, for experiments.
    """
    config, saved = parse(argv, "python -m train.selfplay", PRESETS)
    if masked_blocks and saved is None:
        config = replace(config, masked_blocks=masked_blocks)
    ranks = Ranks.join()
    if config.parts is None:
        config = replace(config, parts=config.part_count * ranks.count)
    return run(config, saved, "train.selfplay", lambda config: SelfPlay.of(config, ranks), warm_up, ranks=ranks)


CLONING, PLAYING, DISTILLING = "cloning", "playing", "distilling"
STAGES = ("", CLONING, PLAYING, DISTILLING)
"""The stages of a run in their order, which is never gone back; first, that of a run that has not begun."""


@dataclass(frozen=True)
class SelfPlay:
    """The threads, the workers, and the networks; and ``collectors`` of labels, if the player is cloned or
    distilled. The deals of self-play begin and end within an update."""

    config: Config
    shards: Shards
    workers: Workers
    learner: Learner
    collectors: Sequence[LabelCollector]

    @classmethod
    def of(cls, config: Config, ranks: Ranks = ALONE) -> SelfPlay:
        shards, workers, learner = setup(config, ranks)
        return cls(
            config,
            shards,
            workers,
            learner,
            make_collectors(config, learner) if config.bc.fraction or config.distill.fraction else (),
        )

    def update(self, counters: Counters) -> dict[str, float]:
        """One update of the stage that the budget has come to; counts it, and returns what there is to log."""
        return self.update_at(counters, progress_of(self.config, counters))

    def update_at(self, counters: Counters, progress: float) -> dict[str, float]:
        """The same, where ``progress`` in [0, 1) is the share of the schedule that is done.

        A stage that was left is not entered again. A longer budget may put ``progress`` back before the end of an
        earlier stage; then the present stage goes on, at the beginning of its schedule until ``progress`` reaches it.
        """
        cloning, distilling = self.config.bc.fraction, self.config.distill.fraction
        playing = 1 - cloning - distilling
        before = counters.stage
        due = CLONING if progress < cloning else PLAYING if progress < cloning + playing else DISTILLING
        stage = max(due, before, key=STAGES.index)
        if stage == CLONING:
            counters.stage = stage
            return self.clone_step(counters, progress / cloning)
        if before == CLONING:
            self.learner.begin_self_play()
        if stage == PLAYING:
            counters.stage = stage
            return self.ppo_step(counters, max(0.0, progress - cloning) / playing)
        if before != DISTILLING:
            self.learner.begin_distillation()
        counters.stage = stage
        return self.distill_step(counters, max(0.0, progress - cloning - playing) / distilling)

    def clone_step(self, counters: Counters, progress: float) -> dict[str, float]:
        """Learn what the teacher would do; ``progress`` in [0, 1] sets the schedule."""
        return self.collect_and_clone(
            counters, teacher_of(self.config.bc.teacher), scheduled(self.config.bc.lr, progress)
        )

    def distill_step(self, counters: Counters, progress: float) -> dict[str, float]:
        """Learn what the player would have done when this stage began; ``progress`` in [0, 1] sets the schedule."""
        config, earlier = self.config, self.learner.earlier
        assert earlier is not None
        teacher, lr = by_policy(LearnedPolicy(earlier, config.device)), scheduled(config.distill.lr, progress)
        return self.collect_and_clone(counters, teacher, lr, temperature=config.distill.temperature)

    def collect_and_clone(
        self, counters: Counters, teacher: Teacher, lr: float, passes: int = 1, temperature: float = 1.0
    ) -> dict[str, float]:
        """Learn what a teacher would do."""
        row, cost = collect_and_clone(
            self.learner, self.collectors, teacher, self.config.bc.batch_size, lr, passes, temperature=temperature
        )
        self._count(counters, cost.decisions, cost.deals, cost.collect + cost.learn)
        return row | timing_stats(self.config, counters, cost.decisions, cost.collect, cost.learn)

    def ppo_step(self, counters: Counters, progress: float) -> dict[str, float]:
        """Play, and learn from it; ``progress`` in [0, 1] sets the schedules."""
        start = time.perf_counter()
        rollout = collect(self.workers, self.learner)
        after_collect = time.perf_counter()
        row = self.learner.update(rollout, progress)
        after_update = time.perf_counter()
        self._count(
            counters, int(rollout.length.sum()), len(rollout.length) * self.config.episode_deals, after_update - start
        )
        return row | rollout_stats(self.config, counters, rollout, after_collect - start, after_update - after_collect)

    def _count(self, counters: Counters, decisions: int, deals: int, seconds: float) -> None:
        counters.update += 1
        counters.decisions += decisions
        counters.deals += deals
        counters.seconds += self.learner.ranks.broadcast_from_first(seconds)

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


def make_collectors(config: Config, learner: Learner) -> list[LabelCollector]:
    """The games in which the player clones a teacher, one chunk a thread."""
    lanes = parts_of(config.deals, learner.shards.count)
    return [LabelCollector(config, part, count, learner.device, EPSILON) for part, count in enumerate(lanes)]


def workers_of(config: Config, device: torch.device, shards: Shards) -> Workers:
    """Whoever plays."""
    count = number_of_workers(config.workers)
    if not count:
        return LocalWorkers(config, device, shards)
    from persian_rummy_env.evaluation.ray_pool import RayError

    from .scale.ray_workers import RayWorkers

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
    sizes = {
        "deals": config.episode_deals * config.threads,
        "optim.minibatch": 64 * config.threads,
        "bc.batch_size": 1,
    }
    budget = {"updates": 1, "minutes": None, "pause_after": None}
    small = SelfPlay.of(with_settings(config, {**sizes, **budget, "parts": None, "workers": "local"}))
    if config.bc.fraction:
        small.clone_step(Counters(), 0.0)
    if config.distill.fraction:
        small.learner.begin_distillation()
        small.distill_step(Counters(), 0.0)
    small.ppo_step(Counters(), 0.0)
    evaluation_matches(config, small.learner.actor, 0, 1)
    small.close()


def rollout_stats(
    config: Config, counters: Counters, rollout: Rollout, collect: float, learn: float
) -> dict[str, float]:
    """What the log holds besides the learner's numbers."""
    row = {
        **timing_stats(config, counters, int(rollout.length.sum()), collect, learn),
        **deal_stats(rollout.length / config.episode_deals, rollout.margin, rollout.out),
    }
    against = rollout.side != BOTH
    if against.any():
        own_margin = np.where(rollout.side == 0, rollout.margin, -rollout.margin)[against]
        row["pool_margin"] = float(own_margin.mean()) / config.episode_deals
    return row


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.selfplay", main))
