"""Train a player by self-play: ``python -m train.selfplay --preset quick --minutes 5 --seed 1 --out runs/a``.

The folder then holds ``config.json``, ``metrics.csv``, ``tensorboard/``, ``curve.png``, ``results.json``, the player
``policy.safetensors`` (``load("file:…")``) and ``checkpoint.safetensors`` (``--resume runs/a``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from agents.learned import LearnedPolicy
from persian_rummy_env.evaluation.ray_pool import number_of_workers

from .algorithms.base import Algorithm, StartError, Step, play_and_learn, split_evenly
from .algorithms.cloning import collect_and_clone
from .algorithms.learner import scheduled
from .algorithms.ppo import Learner
from .config.ppo import Config
from .config.presets import PRESETS
from .data.labels import EPSILON, LabelCollector, Teacher, by_policy, teacher_of
from .data.rollout import BOTH, Rollout
from .run.course import command
from .scale.ranks import ALONE, Ranks
from .scale.shards import Shards
from .scale.workers import LocalWorkers, Workers, jobs_of

CLONING, PLAYING, DISTILLING = "cloning", "playing", "distilling"
STAGES = ("", CLONING, PLAYING, DISTILLING)
"""The stages of a run in their order, none of which is entered again; first, that of a run that has not begun."""


class SelfPlay(Algorithm[Config, Learner]):
    """PPO self-play; before it the actor may clone a bot, and after it itself.

    Args:
        config: the settings.
        ranks: the processes that train together.
        workers_of: makes those who play the deals of PPO.

    Attributes:
        collectors: of labels for cloning and distillation. The deals of PPO begin and end within an update.

    Raises:
        StartError: there are more ranks than parts to play, or no such device. RayError: Ray's workers do not start.
    """

    columns = (
        *("policy_loss", "kl", "clipped", "entropy", "value_loss", "explained", "ratio_error", "rested"),
        *("entropy_weight", "critic_norm", "magnet_kl", "pool", "pool_margin", "bc_loss", "agreement"),
    )
    shown = {
        "entropy": "entropy {:.3f}",
        "kl": "KL {:.4f}",
        "bc_loss": "loss {:.3f}",
        "agreement": "agreement {:.1%}",
    }
    runs_in_ranks = True

    def __init__(
        self,
        config: Config,
        ranks: Ranks = ALONE,
        workers_of: Callable[[Config, torch.device, Shards], Workers] | None = None,
    ) -> None:
        super().__init__(config, ranks)
        if config.part_count < ranks.count:
            raise StartError(f"parts={config.part_count}, and {ranks.count} ranks: every rank must have a part to play")
        self.workers = (workers_of or workers_by_name)(config, self.device, self.shards)
        self.learner = Learner(config, self.device, self.shards, ranks)
        labels = self._learns_labels()
        self.label_collectors = label_collectors(config, self.device, self.shards) if labels else []
        self.collectors = self.label_collectors

    def _learns_labels(self) -> bool:
        """Whether some stage learns from labels."""
        return self.config.bc.fraction > 0 or self.config.distill.fraction > 0

    def update(self, progress: float) -> Step:
        """One update of the stage that the budget has come to.

        A stage that was left is not entered again. A longer budget may put ``progress`` back before the end of an
        earlier stage; then the present stage goes on, at the beginning of its schedule until ``progress`` reaches it.
        """
        cloning, distilling = self.config.bc.fraction, self.config.distill.fraction
        playing = 1 - cloning - distilling
        due = CLONING if progress < cloning else PLAYING if progress < cloning + playing else DISTILLING
        before, self.stage = self.stage, max(due, self.stage, key=STAGES.index)
        if self.stage == CLONING:
            return self.clone_step(progress / cloning)
        if before == CLONING:
            self.learner.begin_self_play()
        if self.stage == PLAYING:
            return self.ppo_step(max(0.0, progress - cloning) / playing)
        if before != DISTILLING:
            self.learner.begin_distillation()
        return self.distill_step(max(0.0, progress - cloning - playing) / distilling)

    def rehearse(self) -> None:
        if self.config.bc.fraction:
            self.clone_step(0.0)
        if self.config.distill.fraction:
            self.learner.begin_distillation()
            self.distill_step(0.0)
        self.ppo_step(0.0)

    def clone_step(self, progress: float) -> Step:
        """Learn what the teacher would do; ``progress`` in [0, 1] sets the schedule."""
        return self.clone(teacher_of(self.config.bc.teacher), scheduled(self.config.bc.lr, progress))

    def distill_step(self, progress: float) -> Step:
        """Learn what the player would have done when this stage began; ``progress`` in [0, 1] sets the schedule."""
        config, earlier = self.config, self.learner.earlier
        assert earlier is not None
        teacher, lr = by_policy(LearnedPolicy(earlier, config.device)), scheduled(config.distill.lr, progress)
        return self.clone(teacher, lr, temperature=config.distill.temperature)

    def clone(self, teacher: Teacher, lr: float, passes: int = 1, temperature: float = 1.0) -> Step:
        """Learn what a teacher would do."""
        size = self.config.bc.batch_size
        return collect_and_clone(
            self.learner, self.label_collectors, teacher, size, lr, passes, temperature=temperature
        )

    def ppo_step(self, progress: float) -> Step:
        """Play, and learn from it; ``progress`` in [0, 1] sets the schedules."""

        def learn(rollout: Rollout) -> dict[str, float]:
            return self.learner.update(rollout, progress) | self._pool_margin(rollout)

        return play_and_learn(self.collect, learn, self.config.episode_deals)

    def collect(self) -> Rollout:
        """Play the next deals: those of this rank, with the episodes of all."""
        return collect(self.workers, self.learner)

    def _pool_margin(self, rollout: Rollout) -> dict[str, float]:
        """The learner's margin against its opponents, in points a deal; nothing if there were none."""
        opposed = rollout.side != BOTH
        if not opposed.any():
            return {}
        margin = np.where(rollout.side == 0, rollout.margin, -rollout.margin)[opposed]
        return {"pool_margin": float(margin.mean()) / self.config.episode_deals}

    def close(self) -> None:
        self.workers.close()
        super().close()


def label_collectors(config: Config, device: torch.device, shards: Shards) -> list[LabelCollector]:
    """The games in which labels are collected, a part for each thread."""
    lanes = split_evenly(config.deals, shards.count)
    return [LabelCollector(config, part, count, device, EPSILON) for part, count in enumerate(lanes)]


def workers_by_name(config: Config, device: torch.device, shards: Shards) -> Workers:
    """Whoever the settings say plays.

    Raises:
        RayError: Ray is not installed, or its cluster has no room.
    """
    count = number_of_workers(config.workers)
    if not count:
        return LocalWorkers(config, device, shards)
    from .scale.ray_workers import RayWorkers

    return RayWorkers(config, count)


def collect(workers: Workers, learner: Learner) -> Rollout:
    """Play the next deals: those of the learner's rank, with the episodes of all."""
    players, ranks = learner.players, learner.ranks
    jobs = ranks.share(jobs_of(learner.config, learner.updates, len(players.copies)))
    return Rollout.join(workers.collect(players, jobs)).among(ranks)


def main(argv: Sequence[str] | None = None) -> int:
    return command(SelfPlay, PRESETS, argv)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.selfplay", main))
