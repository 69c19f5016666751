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

from .algorithms.ppo import Learner
from .algorithms.teach import lesson
from .checkpoint import Counters
from .command import fail, parse
from .config.settings import PRESETS, Config
from .data.labels import STRAYS, ChoiceCollector, Teacher, by_policy, teacher_of
from .data.rollout import BOTH, Rollout
from .run import against_rungs, deal_facts, device_of, parts_of, progress, run, time_facts
from .scale.ranks import ALONE, Ranks
from .scale.shards import Shards
from .scale.workers import LocalWorkers, Workers, jobs_of


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.selfplay", PRESETS)
    ranks = Ranks.join()
    if config.parts is None:
        config = replace(config, parts=config.part_count * ranks.count)
    return run(config, saved, "train.selfplay", lambda config: SelfPlay.of(config, ranks), warm_up, ranks=ranks)


TEACHING, PLAYING, SETTLING = "teaching", "playing", "settling"
STAGES = ("", TEACHING, PLAYING, SETTLING)
"""The stages of a run in their order, which is never gone back; first, that of a run that has not begun."""


@dataclass(frozen=True)
class SelfPlay:
    """The threads, the workers, and the networks; and ``tables`` where the player is taught, if it is: deals of
    self-play begin and end within an update."""

    config: Config
    shards: Shards
    workers: Workers
    learner: Learner
    tables: Sequence[ChoiceCollector]

    @classmethod
    def of(cls, config: Config, ranks: Ranks = ALONE) -> SelfPlay:
        shards, workers, learner = setup(config, ranks)
        return cls(config, shards, workers, learner, school(config, learner) if config.taught or config.settled else ())

    def update(self, counters: Counters) -> dict[str, float]:
        """One update of the stage that the budget has come to; counts it, and returns what there is to log."""
        return self.update_at(counters, progress(self.config, counters))

    def update_at(self, counters: Counters, at: float) -> dict[str, float]:
        """The same, where ``at`` in [0, 1) is the share of the way that is gone.

        A stage that was left is not entered again, though a longer budget may put ``at`` back before its end: then the
        stage of now goes on, at the beginning of its schedule until ``at`` has come to it.
        """
        taught, settled = self.config.taught, self.config.settled
        playing = 1 - taught - settled
        before = counters.stage
        due = TEACHING if at < taught else PLAYING if at < taught + playing else SETTLING
        stage = max(due, before, key=STAGES.index)
        if stage == TEACHING:
            counters.stage = stage
            return self.taught(counters, at / taught)
        if before == TEACHING:
            self.learner.begin_self_play()
        if stage == PLAYING:
            counters.stage = stage
            return self.played(counters, max(0.0, at - taught) / playing)
        if before != SETTLING:
            self.learner.begin_lessons()
        counters.stage = stage
        return self.settled(counters, max(0.0, at - taught - playing) / settled)

    def taught(self, counters: Counters, way: float) -> dict[str, float]:
        """Learn what the teacher would do; ``way`` in [0, 1] sets the schedule."""
        return self.lesson(counters, teacher_of(self.config.teacher), self.learner.scheduled("teach_lr", way))

    def settled(self, counters: Counters, way: float) -> dict[str, float]:
        """Learn what the player would have done when this stage began; ``way`` in [0, 1] sets the schedule."""
        config, earlier = self.config, self.learner.earlier
        assert earlier is not None
        teacher, lr = by_policy(LearnedPolicy(earlier, config.device)), self.learner.scheduled("settle_lr", way)
        return self.lesson(counters, teacher, lr, temperature=config.temperature)

    def lesson(
        self, counters: Counters, teacher: Teacher, lr: float, passes: int = 1, temperature: float = 1.0
    ) -> dict[str, float]:
        """Learn what a teacher would do."""
        row, took = lesson(self.learner, self.tables, teacher, self.config.lessons, lr, passes, temperature=temperature)
        self._count(counters, took.decisions, took.deals, took.collect + took.learn)
        return row | time_facts(self.config, counters, took.decisions, took.collect, took.learn)

    def played(self, counters: Counters, way: float) -> dict[str, float]:
        """Play, and learn from it; ``way`` in [0, 1] sets the schedules."""
        start = time.perf_counter()
        rollout = collect(self.workers, self.learner)
        collected = time.perf_counter()
        row = self.learner.update(rollout, way)
        learnt = time.perf_counter()
        self._count(
            counters, int(rollout.length.sum()), len(rollout.length) * self.config.episode_deals, learnt - start
        )
        return row | facts(self.config, counters, rollout, collected - start, learnt - collected)

    def _count(self, counters: Counters, decisions: int, deals: int, seconds: float) -> None:
        counters.update += 1
        counters.decisions += decisions
        counters.deals += deals
        counters.seconds += self.learner.ranks.first_says(seconds)

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


def school(config: Config, learner: Learner) -> list[ChoiceCollector]:
    """Tables where the player is taught, one part a thread."""
    lanes = parts_of(config.deals, learner.shards.count)
    return [ChoiceCollector(config, part, count, learner.device, STRAYS) for part, count in enumerate(lanes)]


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
    sizes = {"deals": config.episode_deals * config.threads, "minibatch": 64 * config.threads, "lessons": 1}
    small = SelfPlay.of(
        replace(config, **sizes, parts=None, workers="local", updates=1, minutes=None, pause_after=None)
    )
    if config.taught:
        small.taught(Counters(), 0.0)
    if config.settled:
        small.learner.begin_lessons()
        small.settled(Counters(), 0.0)
    small.played(Counters(), 0.0)
    against_rungs(config, small.learner.actor, 0, 1)
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
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.selfplay", main))
