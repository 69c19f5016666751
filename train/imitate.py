"""Teach a network to play as a bot does: ``python -m train.imitate --bot expert --seed 1 --out runs/warm``.

A warm start: what this leaves goes on with ``python -m train.selfplay --start runs/warm/policy.safetensors``. The
network plays, the bot says at each decision what it would do, and the network learns that by cross-entropy; so it
learns what to do where its own play leads, not where the bot's would. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

import torch

from agents.network import Actor
from persian_rummy_env.players.load import load

from .algorithms.learner import NetworkLearner
from .algorithms.teach import lesson
from .checkpoint import Counters
from .command import parse
from .config.settings import RunConfig, at_least
from .data.labels import STRAYS, ChoiceCollector, teacher_of
from .log import MATCH_COLUMNS, RUN_COLUMNS
from .run import against_rungs, device_of, parts_of, progress, run, time_facts
from .scale.shards import Shards

COLUMNS = (*RUN_COLUMNS, "teaching_loss", "agreement", *MATCH_COLUMNS)


@dataclass(frozen=True)
class ImitateConfig(RunConfig):
    """Teach a network to play as a bot does.

    Attributes:
        preset: there is one, ``quick``: a minute on 2 cores.
        deals: deals that are played at once.
        epochs: passes over the decisions of an update.
        bot: whom to imitate: a bot, or any policy by its name, ``search(deepest, worlds=10, prior=champion)`` for one.
        lessons: decisions that the bot speaks to for an update.
        random_share: of the decisions played, at random.
        reorder: teach the suits of every decision in an order of chance.
    """

    algorithm: ClassVar[str] = "imitate"
    preset: Literal["quick"] = "quick"  # type: ignore[assignment]
    out: Path = Path("runs/imitate")
    minutes: float | None = 1.0
    deals: int = 1024
    epochs: int = 1
    lr: tuple[float, float] = (2e-3, 3e-5)
    bot: str = "expert"
    lessons: int = 16384
    random_share: float = STRAYS
    reorder: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, "lessons", 1)
        try:
            load(self.bot)
        except FileNotFoundError as error:
            raise ValueError(f"bot={self.bot!r}: {error}") from error
        if not 0 <= self.random_share <= 1:
            raise ValueError(f"random_share={self.random_share}: expected a number from 0 to 1")


PRESETS: dict[str, ImitateConfig] = {"quick": ImitateConfig()}


class Imitator(NetworkLearner):
    """An actor that learns choices."""

    def __init__(self, config: ImitateConfig, device: torch.device, shards: Shards) -> None:
        torch.manual_seed(config.seed)
        super().__init__(config, device, shards, {"actor": Actor(config.shape)})


@dataclass(frozen=True)
class Imitation:
    """The threads, their tables, and the network."""

    config: ImitateConfig
    shards: Shards
    tables: list[ChoiceCollector]
    learner: Imitator

    @classmethod
    def of(cls, config: ImitateConfig) -> Imitation:
        device = device_of(config)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        lanes = parts_of(config.deals, shards.count)
        tables = [ChoiceCollector(config, part, n, device, config.random_share) for part, n in enumerate(lanes)]
        return cls(config, shards, tables, Imitator(config, device, shards))

    def update(self, counters: Counters) -> dict[str, float]:
        """Play, ask the bot, and learn what it says."""
        config = self.config
        lr, teacher = self.learner.scheduled("lr", progress(config, counters)), teacher_of(config.bot)
        row, took = lesson(self.learner, self.tables, teacher, config.lessons, lr, config.epochs, config.reorder)
        counters.update += 1
        counters.decisions += took.decisions
        counters.deals += took.deals
        counters.seconds += took.collect + took.learn
        return row | time_facts(config, counters, took.decisions, took.collect, took.learn)

    def close(self) -> None:
        self.shards.close()


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.imitate", PRESETS)
    return run(config, saved, "train.imitate", Imitation.of, warm_up, COLUMNS)


def warm_up(config: ImitateConfig) -> None:
    """One small update, apart from the run."""
    small = Imitation.of(replace(config, deals=64 * config.threads, lessons=128, minibatch=64 * config.threads))
    small.update(Counters())
    against_rungs(config, small.learner.actor, 0, 1)
    small.close()


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.imitate", main))
