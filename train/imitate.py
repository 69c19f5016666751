"""Teach a network to play as a bot does: ``python -m train.imitate --imitate.teacher expert --seed 1 --out runs/warm``.

A warm start: what this leaves goes on with ``python -m train.selfplay --init-from runs/warm/policy.safetensors``. The
network plays, the bot says at each decision what it would do, and the network learns that by cross-entropy; so it
learns what to do where its own play leads, not where the bot's would. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence

from .algorithms.base import Algorithm, Step, split_evenly
from .algorithms.cloning import collect_and_clone
from .algorithms.learner import NetworkLearner, scheduled
from .config.imitate import PRESETS, ImitateConfig
from .data.labels import LabelCollector, teacher_of
from .run.course import command
from .scale.ranks import ALONE, Ranks


class Imitation(Algorithm[ImitateConfig, NetworkLearner]):
    """Behaviour cloning of a policy, alone."""

    columns = ("bc_loss", "agreement")
    shown = {"bc_loss": "loss {:.3f}", "agreement": "agreement {:.1%}"}

    def __init__(self, config: ImitateConfig, ranks: Ranks = ALONE) -> None:
        super().__init__(config, ranks)
        self.learner = NetworkLearner.of_actor(config, self.device, self.shards)
        lanes = split_evenly(config.deals, self.shards.count)
        self.collectors = self.label_collectors = [
            LabelCollector(config, part, count, self.device, config.imitate.epsilon) for part, count in enumerate(lanes)
        ]

    def update(self, progress: float) -> Step:
        """Play, ask the teacher, and learn what it says."""
        config = self.config
        return collect_and_clone(
            self.learner,
            self.label_collectors,
            teacher_of(config.imitate.teacher),
            config.imitate.batch_size,
            scheduled(config.optim.lr, progress),
            config.optim.epochs,
            config.imitate.permute_suits,
        )


def main(argv: Sequence[str] | None = None) -> int:
    return command(Imitation, PRESETS, argv)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.imitate", main))
