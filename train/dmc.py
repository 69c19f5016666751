"""Train a player by deep Monte Carlo: ``python -m train.dmc --preset quick --seed 1 --out runs/q``.

As in DouZero (Zha and others 2021): whole deals are played by the network, now and then at random, and it regresses
what each of its actions was followed by. The mask keeps it to legal actions, in play and in what is learnt. It learns
the margin that the seat's team still makes by the end of the deal. That is the deal's final margin less what lies on
the table, which is the same whatever is chosen: actions keep their order, and the network need not add up the table.

The folder is that of ``train.selfplay``, and so are ``--resume`` and Ctrl-C. The logits of ``policy.safetensors`` are
the values, so that its likeliest action is its best.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from agents.inputs import inputs_on
from agents.network import Actor
from persian_rummy_env.core import batch_kernels
from persian_rummy_env.players.inputs import SIZE
from persian_rummy_env.rules import NUM_SEATS

from .algorithms.learner import NetworkLearner, scheduled
from .algorithms.pool import assign_opponents, bot_numbers
from .checkpoint import Counters, Resumable
from .command import parse
from .config.base import with_settings
from .config.dmc import PRESETS, DmcConfig
from .data.gae import advantages
from .data.rollout import EpisodeCollector, Job
from .log import DEAL_COLUMNS, MATCH_COLUMNS, RUN_COLUMNS
from .run import deal_stats, device_of, evaluation_matches, parts_of, progress_of, run, timing_stats
from .scale.shards import Shards

COLUMNS = (*RUN_COLUMNS, *DEAL_COLUMNS, "q_loss", "explained", "epsilon", *MATCH_COLUMNS)


@dataclass(frozen=True)
class Returns:
    """n decisions and what followed.

    Attributes:
        view: (n, SIZE) uint8; legal: (n, 9) uint64; action: (n,) int64.
        target: (n,) float32, the margin that the seat's team made from then on, in units of ``points``.
        margin, out, length: by deal, as in ``train.data.rollout.Rollout``.
    """

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    target: np.ndarray
    margin: np.ndarray
    out: np.ndarray
    length: np.ndarray

    def __len__(self) -> int:
        return len(self.action)

    @classmethod
    def join(cls, results: Sequence[Returns]) -> Returns:
        return cls(*(np.concatenate([getattr(part, field.name) for part in results]) for field in fields(cls)))


class EpsilonCollector(EpisodeCollector):
    """Tables where the best action is played, but for some at random."""

    def __init__(self, config: DmcConfig, lanes: int, device: torch.device) -> None:
        super().__init__(config, lanes, device)
        self.who = assign_opponents(lanes, [(config.bots.share, bot_numbers(config.bots.names))])

    def collect(self, actor: Actor, deals: np.ndarray, epsilon: float, points: float) -> Returns:
        """Play a deal in every lane."""

        def choose(_: int, view: np.ndarray, legal: np.ndarray, fraction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            chosen, value = actor.choose(self.inputs(view, legal), None)
            explored = np.flatnonzero(fraction < epsilon)
            if len(explored):
                chosen[explored] = uniform(legal[explored], fraction[explored] / epsilon)
            return chosen, value

        with self.autocast():
            played = self.play(choose, Job(deals, self.who))
        none = np.zeros(len(played.action), dtype=np.float32)
        final = self.env.get_state()
        return Returns(
            np.ascontiguousarray(played.view[:, :SIZE]),
            played.legal,
            played.action,
            advantages(played.lane, played.seat, played.time, none, played.earned / points, 1.0),
            margin=played.earned[-1],
            out=final["out"] < NUM_SEATS,
            length=final["episode_decisions"].astype(np.int64),
        )


def uniform(legal: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """Legal actions (k,) int64 of packed masks (k, 9) by fractions (k,) in [0, 1), each as likely as the others of its
    row."""
    actions = np.empty(len(legal), dtype=np.int64)
    batch_kernels.sample_from(np.ascontiguousarray(legal), fraction, actions, 0, len(legal))
    return actions


class ValueLearner(NetworkLearner):
    """An actor whose logits are values."""

    def __init__(self, config: DmcConfig, device: torch.device, shards: Shards) -> None:
        torch.manual_seed(config.seed)
        super().__init__(config, device, shards, {"actor": Actor(config.shape)})

    def update(self, returns: Returns, progress: float) -> dict[str, float]:
        """Learn from returns; ``progress`` in [0, 1] sets the schedules. Returns what there is to log."""
        lr = scheduled(self.settings.optim.lr, progress)
        self.set_lr(lr)
        losses: list[float] = []
        norm = 0.0
        for _ in range(self.settings.optim.epochs):
            for chosen in self.minibatches(len(returns)):
                work = partial(self._gradients, returns, len(chosen))
                results = self.shards.map(work, np.array_split(chosen, self.shards.count))
                norm = self.step("actor", [gradients for gradients, _ in results])
                losses.append(sum(loss for _, loss in results))
        self.updates += 1
        self.decisions += int(returns.length.sum())
        loss = float(np.mean(losses))
        spread = float(returns.target.var())
        return {"q_loss": loss, "explained": 1 - loss / spread if spread > 0 else 0.0, "lr": lr, "actor_norm": norm}

    def _gradients(self, returns: Returns, size: int, chosen: np.ndarray) -> tuple[tuple[Tensor, ...], float]:
        """Gradients of a part of a minibatch of ``size`` decisions, and its part of the loss."""
        target = torch.from_numpy(returns.target[chosen]).to(self.device)
        with self.autocast():
            view, legal = returns.view[chosen], returns.legal[chosen]
            inputs = inputs_on(self.device, view, legal, sparse=self.actor.sparse)
            value = self.actor.action_logits(inputs, returns.action[chosen])
        loss = (value - target).square().sum() / size
        return torch.autograd.grad(loss, list(self.actor.parameters())), loss.item()


@dataclass(frozen=True)
class DeepMonteCarlo:
    """The threads, their collectors, and the network."""

    config: DmcConfig
    shards: Shards
    players: list[EpsilonCollector]
    learner: ValueLearner
    collectors: Sequence[Resumable] = ()  # every deal begins and ends within an update

    @classmethod
    def of(cls, config: DmcConfig) -> DeepMonteCarlo:
        device = device_of(config)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        lanes = parts_of(config.deals, shards.count)
        players = [EpsilonCollector(config, count, device) for count in lanes]
        return cls(config, shards, players, ValueLearner(config, device, shards))

    def update(self, counters: Counters) -> dict[str, float]:
        """Play, and learn from it."""
        progress, learner = progress_of(self.config, counters), self.learner
        epsilon = scheduled(self.config.dmc.epsilon, progress)
        start = time.perf_counter()
        edges = np.cumsum([learner.updates * self.config.deals, *(part.lanes for part in self.players)])
        deals = [np.arange(start, stop) for start, stop in pairwise(edges)]
        play = partial(
            EpsilonCollector.collect, actor=learner.actor, epsilon=epsilon, points=self.config.dmc.reward_scale
        )
        returns = Returns.join(self.shards.map(lambda part, numbers: play(part, deals=numbers), self.players, deals))
        after_collect = time.perf_counter()
        row = learner.update(returns, progress)
        after_update = time.perf_counter()
        decisions = int(returns.length.sum())
        counters.update += 1
        counters.decisions += decisions
        counters.deals += len(returns.length)
        counters.seconds += after_update - start
        return row | {
            **timing_stats(self.config, counters, decisions, after_collect - start, after_update - after_collect),
            **deal_stats(returns.length, returns.margin, returns.out),
            "kept": len(returns),
            "epsilon": epsilon,
        }

    def close(self) -> None:
        self.shards.close()


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.dmc", PRESETS)
    return run(config, saved, "train.dmc", DeepMonteCarlo.of, warm_up, COLUMNS)


def warm_up(config: DmcConfig) -> None:
    """One small update, apart from the run."""
    small = DeepMonteCarlo.of(with_settings(config, {"deals": config.threads, "optim.minibatch": 64 * config.threads}))
    small.update(Counters())
    evaluation_matches(config, small.learner.actor, 0, 1)
    small.close()


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.dmc", main))
