"""Teach a network to play as a bot does: ``python -m train.imitate --bot expert --seed 1 --out runs/warm``.

A warm start: what this leaves goes on with ``python -m train.selfplay --start runs/warm/policy.safetensors``. The
network plays, the bot says at each decision what it would do, and the network learns that by cross-entropy; so it
learns what to do where its own play leads, not where the bot's would. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from agents.network import Actor, rows_on
from persian_rummy_env.bots import BOTS
from persian_rummy_env.core.bots import choose
from persian_rummy_env.core.jit import compiled
from persian_rummy_env.core.legal import WORDS, legal_actions

from .checkpoint import Counters
from .command import parse
from .config import RunConfig, at_least
from .labels import LabelCollector, Labeller, Labels
from .learner import NetworkLearner
from .log import MATCH_COLUMNS, RUN_COLUMNS
from .run import against_rungs, device_of, parts_of, progress, run, time_facts
from .shards import Shards
from .symmetry import ACTIONS, NUM_ORDERS, reorder

COLUMNS = (*RUN_COLUMNS, "label_loss", "agreement", *MATCH_COLUMNS)


@dataclass(frozen=True)
class ImitateConfig(RunConfig):
    """Teach a network to play as a bot does.

    Attributes:
        preset: there is one, ``quick``: a minute on 2 cores.
        deals: deals that are played at once.
        epochs: passes over the decisions of an update.
        bot: whom to imitate.
        labels: decisions for an update.
        random_share: of the decisions played, at random.
        reorder: teach the suits of every decision in an order of chance.
    """

    preset: Literal["quick"] = "quick"  # type: ignore[assignment]
    out: Path = Path("runs/imitate")
    minutes: float | None = 1.0
    deals: int = 1024
    epochs: int = 1
    lr: tuple[float, float] = (2e-3, 3e-5)
    bot: str = "expert"
    labels: int = 16384
    random_share: float = 0.05
    reorder: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, "labels", 1)
        if self.bot not in BOTS:
            raise ValueError(f"bot={self.bot!r}: expected one of {', '.join(BOTS)}")
        if not 0 <= self.random_share <= 1:
            raise ValueError(f"random_share={self.random_share}: expected a number from 0 to 1")


PRESETS: dict[str, ImitateConfig] = {"quick": ImitateConfig()}


@compiled
def choice_labels(views, start, action, bot, value):
    """For each of the listed actions 1 if it is what the bot chooses and 0 if not, less the decision's mean.

    Args:
        views: (k,) STATE, each decision as the seat to move knows it.
        start, action: (k + 1,) and (m,), as in ``Labels``; value: (m,) float32, gets the result.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for row in range(len(views)):
        legal_actions(views[row], words, 0)
        chosen = choose(views[row], words, 0, bot)
        for k in range(start[row], start[row + 1]):
            value[k] = (1.0 if action[k] == chosen else 0.0) - 1.0 / (start[row + 1] - start[row])


def by_choice(bot: str) -> Labeller:
    """Values that say what a bot chooses."""

    def label(
        views: np.ndarray, start: np.ndarray, action: np.ndarray, _: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, int]:
        value = np.empty(len(action), dtype=np.float32)
        choice_labels(views, start, action, BOTS[bot], value)
        return value, np.zeros(len(views), dtype=np.float32), 0

    return label


class Imitator(NetworkLearner):
    """An actor that learns choices."""

    def __init__(self, config: ImitateConfig, device: torch.device, shards: Shards) -> None:
        torch.manual_seed(config.seed)
        self.reordered = config.reorder
        super().__init__(config, device, shards, {"actor": Actor(config.shape)})

    def update(self, labels: Labels, progress: float) -> dict[str, float]:
        """Learn what was chosen; ``progress`` in [0, 1] sets the schedule. Returns what there is to log."""
        lr = self.scheduled("lr", progress)
        self.set_lr(lr)
        chosen_action = labels.action[labels.value > 0].astype(np.int64)  # one a decision
        told: list[np.ndarray] = []
        norm = 0.0
        for _ in range(self.settings.epochs):
            for chosen in self._minibatches(len(labels)):
                order = self.rng.integers(NUM_ORDERS, size=len(chosen)) if self.reordered else np.zeros_like(chosen)
                work = partial(self._gradients, labels, chosen_action, len(chosen))
                halves = [np.array_split(each, self.shards.count) for each in (chosen, order)]
                parts = self.shards.map(work, *halves)
                norm = self._step("actor", [gradients for gradients, _ in parts])
                told.append(np.sum([numbers for _, numbers in parts], axis=0))
        self.updates += 1
        loss, agreement = np.mean(told, axis=0).tolist()
        return {"label_loss": loss, "agreement": agreement, "lr": lr, "actor_norm": norm}

    def _gradients(
        self, labels: Labels, action: np.ndarray, size: int, chosen: np.ndarray, order: np.ndarray
    ) -> tuple[tuple[Tensor, ...], np.ndarray]:
        """Gradients of a part of a minibatch of ``size`` decisions, and its parts of loss and agreement."""
        view, legal = reorder(labels.view[chosen], labels.legal[chosen], order)
        taken = ACTIONS[order, action[chosen]]
        with self._autocast():
            rows = rows_on(self.device, view, legal)
            loss = -self.actor.evaluate(rows, taken)[0].sum() / size
            agreed = (self.actor.choose(rows, None)[0] == taken).sum() / size
        return torch.autograd.grad(loss, list(self.actor.parameters())), np.array([loss.item(), agreed])


@dataclass(frozen=True)
class Imitation:
    """The threads, their tables, and the network."""

    config: ImitateConfig
    shards: Shards
    tables: list[LabelCollector]
    learner: Imitator

    @classmethod
    def of(cls, config: ImitateConfig) -> Imitation:
        device = device_of(config)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        lanes = parts_of(config.deals, shards.count)
        tables = [LabelCollector(config, part, n, device, config.random_share) for part, n in enumerate(lanes)]
        return cls(config, shards, tables, Imitator(config, device, shards))

    def update(self, counters: Counters) -> dict[str, float]:
        """Play, ask the bot, and learn what it says."""
        learner, label = self.learner, by_choice(self.config.bot)
        wanted = -(-self.config.labels // self.shards.count)
        start = time.perf_counter()
        labels = Labels.join(self.shards.map(lambda t: t.collect(learner.actor, wanted, label), self.tables))
        collected = time.perf_counter()
        row = learner.update(labels, progress(self.config, counters))
        learnt = time.perf_counter()
        decisions, deals = (sum(getattr(part, what) for part in self.tables) for what in ("decisions", "deals"))
        counters.update += 1
        counters.decisions += decisions
        counters.deals += deals
        counters.seconds += learnt - start
        times = time_facts(self.config, counters, decisions, collected - start, learnt - collected)
        return row | times | {"kept": len(labels)}

    def close(self) -> None:
        self.shards.close()


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.imitate", PRESETS)
    return run(config, saved, "train.imitate", Imitation.of, warm_up, COLUMNS)


def warm_up(config: ImitateConfig) -> None:
    """One small update, apart from the run."""
    small = Imitation.of(replace(config, deals=64 * config.threads, labels=128, minibatch=64 * config.threads))
    small.update(Counters())
    against_rungs(config, small.learner, 0, 1)
    small.close()


if __name__ == "__main__":
    raise SystemExit(main())
