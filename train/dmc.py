"""Train a player by deep Monte Carlo: ``python -m train.dmc --preset quick --seed 1 --out runs/q``.

As in DouZero (Zha and others 2021): whole deals are played by the network, now and then at random, and it regresses
what each of its actions was followed by. The mask keeps it to legal actions, in play and in what is learnt. It learns
the margin that the seat's team still makes by the end of the deal. That is the deal's final margin less what lies on
the table, which is the same whatever is chosen: actions keep their order, and the network need not add up the table.

The folder is that of ``train.selfplay``, and so are ``--resume`` and Ctrl-C. The logits of ``policy.safetensors`` are
the values, so that its likeliest action is its best.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from agents.inputs import inputs_on
from agents.network import Actor
from persian_rummy_env.core import batch_kernels

from .algorithms.base import Algorithm, Step, play_and_learn, split_evenly
from .algorithms.learner import NetworkLearner, scheduled
from .algorithms.pool import assign_opponents, bot_numbers
from .config.dmc import PRESETS, DmcConfig
from .data.columns import join
from .data.deals import next_deals
from .data.returns import Returns, returns_of
from .data.rollout import EpisodeCollector, Job
from .run.course import command
from .scale.ranks import ALONE, Ranks


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
        return returns_of(played, self.env.get_state(), points)


def uniform(legal: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """Legal actions (k,) int64 of packed masks (k, 9) by fractions (k,) in [0, 1), each as likely as the others of its
    row."""
    actions = np.empty(len(legal), dtype=np.int64)
    batch_kernels.sample_from(np.ascontiguousarray(legal), fraction, actions, 0, len(legal))
    return actions


class ValueLearner(NetworkLearner):
    """An actor whose logits are values."""

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
        explained = 1 - loss / spread if spread > 0 else 0.0
        return {"q_loss": loss, "explained": explained, "lr": lr, "actor_norm": norm, "kept": len(returns)}

    def _gradients(self, returns: Returns, size: int, chosen: np.ndarray) -> tuple[tuple[Tensor, ...], float]:
        """Gradients of a part of a minibatch of ``size`` decisions, and its part of the loss."""
        target = torch.from_numpy(returns.target[chosen]).to(self.device)
        with self.autocast():
            view, legal = returns.view[chosen], returns.legal[chosen]
            inputs = inputs_on(self.device, view, legal, sparse=self.actor.sparse)
            value = self.actor.action_logits(inputs, returns.action[chosen])
        loss = (value - target).square().sum() / size
        return torch.autograd.grad(loss, list(self.actor.parameters())), loss.item()


class DeepMonteCarlo(Algorithm[DmcConfig, ValueLearner]):
    """Deep Monte Carlo: whole deals by an epsilon-greedy player, then regression of what followed."""

    columns = ("q_loss", "explained", "epsilon")
    shown = {"q_loss": "loss {:.3f}", "epsilon": "epsilon {:.3f}"}

    def __init__(self, config: DmcConfig, ranks: Ranks = ALONE) -> None:
        super().__init__(config, ranks)
        self.learner = ValueLearner.of_actor(config, self.device, self.shards)
        lanes = split_evenly(config.deals, self.shards.count)
        self.players = [EpsilonCollector(config, count, self.device) for count in lanes]

    def update(self, progress: float) -> Step:
        """Play, and learn from it."""
        epsilon = scheduled(self.config.dmc.epsilon, progress)
        step = play_and_learn(lambda: self._collect(epsilon), lambda returns: self.learner.update(returns, progress))
        return step._replace(row=step.row | {"epsilon": epsilon})

    def _collect(self, epsilon: float) -> Returns:
        actor, scale = self.learner.actor, self.config.dmc.reward_scale
        deals = next_deals(self.learner.updates, [player.episodes for player in self.players])
        return join(self.shards.map(lambda p, numbers: p.collect(actor, numbers, epsilon, scale), self.players, deals))


def main(argv: Sequence[str] | None = None) -> int:
    return command(DeepMonteCarlo, PRESETS, argv)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.dmc", main))
