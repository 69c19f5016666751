"""Proximal policy optimisation: one update of the actor and the critic from a rollout."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import huber_loss

from agents.network import Actor, Critic, rows_on

from .config import Config
from .rollout import Rollout
from .shards import Shards
from .symmetry import ACTIONS, NUM_ORDERS, reorder

STATS = ("policy_loss", "kl", "clipped", "entropy", "value_loss", "ratio_error")
"""Of a minibatch: means, but for the last, the largest ``|ratio - 1|``."""
KL, RATIO_ERROR = STATS.index("kl"), STATS.index("ratio_error")


class Lessons(NamedTuple):
    """What an epoch reads of n decisions: ``view``, ``legal``, ``action`` and ``log_p`` as in ``Rollout``;
    ``advantage``, of mean 0 and standard deviation 1 over the batch; ``target``, what the critic should have said."""

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    log_p: np.ndarray
    advantage: np.ndarray
    target: np.ndarray


class Part(NamedTuple):
    """What one shard makes of its part of a minibatch: gradients by network (None: it rests), and ``STATS``."""

    actor: tuple[Tensor, ...] | None
    critic: tuple[Tensor, ...]
    stats: np.ndarray


class Learner:
    """Both networks with their optimisers, and the stream that orders minibatches."""

    def __init__(self, config: Config, device: torch.device, shards: Shards) -> None:
        self.config = config
        self.device = device
        self.shards = shards
        torch.manual_seed(config.seed)
        self.actor = Actor(config.shape).to(device)
        self.critic = Critic(config.shape, config.hidden_hands).to(device)
        self.optimizers = {
            name: torch.optim.Adam(network.parameters(), lr=config.lr[0], eps=config.adam_eps, fused=True)
            for name, network in (("actor", self.actor), ("critic", self.critic))
        }
        self.rng = np.random.default_rng(np.random.SeedSequence([config.seed, 2**32 - 1]))

    def update(self, rollout: Rollout, progress: float, rests: bool = False) -> dict[str, float]:
        """Learn from a rollout; with ``rests``, the critic alone. ``progress`` in [0, 1] sets the schedules. Returns
        what there is to log."""
        lr, entropy = (start + (end - start) * progress for start, end in (self.config.lr, self.config.entropy))
        for optimizer in self.optimizers.values():
            optimizer.param_groups[0]["lr"] = lr
        stats: list[np.ndarray] = []
        norms: dict[str, float] = {}
        for lessons in self._epochs(rollout):
            for chosen in self._minibatches(len(rollout)):
                work = partial(self._gradients, lessons, len(chosen), entropy, rests)
                parts = self.shards.map(work, np.array_split(chosen, self.shards.count))
                stats.append(np.sum([part.stats for part in parts], axis=0))
                stats[-1][RATIO_ERROR] = max(part.stats[RATIO_ERROR] for part in parts)
                if not rests:
                    norms["actor_norm"] = self._step("actor", [part.actor for part in parts])
                norms["critic_norm"] = self._step("critic", [part.critic for part in parts])
                rests = rests or 0 < self.config.kl_stop < stats[-1][KL]
        means = dict(zip(STATS, np.mean(stats, axis=0).tolist(), strict=True))
        spread = float(np.var(rollout.advantage + rollout.value))
        return {
            **means,
            "ratio_error": float(stats[0][RATIO_ERROR]),
            "kl": float(stats[-1][KL]),
            "explained": 1 - float(np.var(rollout.advantage)) / spread if spread > 0 else 0.0,
            "rested": float(rests),
            "lr": lr,
            "entropy_weight": entropy,
            **norms,
        }

    def _minibatches(self, count: int) -> list[np.ndarray]:
        return np.array_split(self.rng.permutation(count), max(1, round(count / self.config.minibatch)))

    def _epochs(self, rollout: Rollout) -> Iterator[Lessons]:
        """The rollout, once an epoch; from the second on with the suits in another order, if that is asked for."""
        spread = rollout.advantage.std() + 1e-8
        first = Lessons(
            rollout.view,
            rollout.legal,
            rollout.action,
            rollout.log_p,
            (rollout.advantage - rollout.advantage.mean()) / spread,
            rollout.advantage + rollout.value,
        )
        later = [first] * (self.config.epochs - 1)
        if self.config.suits == "learn":
            later = [self._reordered(first, rollout.lane) for _ in later]  # all before the weights change
        yield from [first, *later]

    def _reordered(self, lessons: Lessons, lane: np.ndarray) -> Lessons:
        order = self.rng.integers(NUM_ORDERS, size=lane.max() + 1)[lane]
        view, legal = reorder(lessons.view, lessons.legal, order)
        action = ACTIONS[order, lessons.action]
        parts = np.array_split(np.arange(len(lane)), self.shards.count)
        log_p = self.shards.map(lambda part: self._log_p(view[part], legal[part], action[part]), parts)
        return lessons._replace(view=view, legal=legal, action=action, log_p=np.concatenate(log_p))

    @torch.no_grad()
    def _log_p(self, view: np.ndarray, legal: np.ndarray, action: np.ndarray) -> np.ndarray:
        with self._autocast():
            return self.actor.evaluate(rows_on(self.device, view, legal), action)[0].cpu().numpy()

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.config.precision == "bf16")

    def _gradients(self, lessons: Lessons, size: int, entropy_weight: float, rests: bool, chosen: np.ndarray) -> Part:
        """Gradients of a part of a minibatch of ``size`` decisions."""
        view, legal, action, *numbers = (column[chosen] for column in lessons)
        old_log_p, advantage, target = (torch.from_numpy(column).to(self.device) for column in numbers)
        with self._autocast():
            rows = rows_on(self.device, view, legal)
            log_p, entropy = self.actor.evaluate(rows, action)
            value = self.critic(rows)
        log_ratio = log_p - old_log_p
        ratio = log_ratio.exp()
        bounded = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        policy_loss = -torch.minimum(ratio * advantage, bounded * advantage).sum() / size
        value_loss = huber_loss(value, target, reduction="sum") / size
        actor_loss = policy_loss - entropy_weight * entropy.sum() / size
        actor = None if rests else torch.autograd.grad(actor_loss, list(self.actor.parameters()))
        critic = torch.autograd.grad(value_loss, list(self.critic.parameters()))
        with torch.no_grad():
            kl = ((ratio - 1) - log_ratio).sum() / size
            clipped = (ratio != bounded).float().sum() / size
            error = (ratio - 1).abs().max()
            stats = torch.stack([policy_loss, kl, clipped, entropy.sum() / size, value_loss, error])
        return Part(actor, critic, stats.double().cpu().numpy())

    def _step(self, name: str, parts: list[tuple[Tensor, ...] | None]) -> float:
        """Add the parts' gradients, bound their norm, step; returns the norm before."""
        parameters = list(getattr(self, name).parameters())
        for parameter, *gradients in zip(parameters, *(part for part in parts if part is not None), strict=True):
            parameter.grad = gradients[0]
            for gradient in gradients[1:]:
                parameter.grad += gradient
        norm = nn.utils.clip_grad_norm_(parameters, self.config.clip_norm)
        self.optimizers[name].step()
        return float(norm)
