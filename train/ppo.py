"""Proximal policy optimisation: one update of the actor and the critic from a rollout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import huber_loss

from agents.network import Actor, Critic, Rows, rows_on, uniform_choices

from .config import Config
from .learner import NetworkLearner, under
from .pool import Pool, frozen
from .rollout import Rollout
from .shards import Shards
from .symmetry import ACTIONS, NUM_ORDERS, reorder

STATS = ("policy_loss", "kl", "clipped", "entropy", "value_loss", "magnet_kl", "ratio_error")
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


class Learner(NetworkLearner):
    """Both networks with their optimisers, the pool of opponents, and the magnet."""

    def __init__(self, config: Config, device: torch.device, shards: Shards) -> None:
        self.config = config
        torch.manual_seed(config.seed)
        self.critic = Critic(config.shape, config.hidden_hands)
        actor = Actor(config.shape)
        super().__init__(config, device, shards, {"actor": actor, "critic": self.critic})
        self.pool = Pool(config.pool_size, config.pool_every)
        self.magnet = frozen(self.actor) if config.magnet and config.magnet_policy == "snapshot" else None

    @property
    def opponents(self) -> list[Actor]:
        """The copies that deals are played against now."""
        return self.pool.teams if self.config.pool_share and self.decisions >= self.config.pool_after else []

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, says = super().state()
        tensors |= {f"pool.{name}": tensor for name, tensor in self.pool.state().items()}
        if self.magnet is not None:
            tensors |= {f"magnet.{name}": tensor for name, tensor in self.magnet.state_dict().items()}
        return tensors, says

    def restore(self, tensors: Mapping[str, Tensor], says: Mapping[str, Any]) -> None:
        super().restore(tensors, says)
        self.pool.restore(under(tensors, "pool."), self.actor)
        if self.magnet is not None:
            self.magnet.load_state_dict(under(tensors, "magnet."))

    def begin_as(self, path: Path) -> None:
        super().begin_as(path)
        with torch.no_grad():
            for logits in self.actor.last.parameters():
                logits *= self.config.sharpen
        if self.magnet is not None:
            self.magnet = frozen(self.actor)

    def update(self, rollout: Rollout, progress: float, rests: bool = False) -> dict[str, float]:
        """Learn from a rollout; with ``rests``, the critic alone. ``progress`` in [0, 1] sets the schedules. Returns
        what there is to log."""
        lr, entropy = self.scheduled("lr", progress), self.scheduled("entropy", progress)
        self.set_lr(lr)
        rests = rests or self.updates < self.config.critic_updates
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
        self._count(rollout)
        means = dict(zip(STATS, np.mean(stats, axis=0).tolist(), strict=True))
        spread = float(np.var(rollout.advantage + rollout.value))
        return {
            **means,
            "ratio_error": float(stats[0][RATIO_ERROR]),
            "kl": float(stats[-1][KL]),
            "explained": 1 - float(np.var(rollout.advantage)) / spread if spread > 0 else 0.0,
            "rested": float(rests),
            "pool": len(self.pool.teams),
            "lr": lr,
            "entropy_weight": entropy,
            **norms,
        }

    def _count(self, rollout: Rollout) -> None:
        """Count an update, and make the copies that are due after it."""
        self.updates += 1
        self.decisions += int(rollout.length.sum())
        self.pool.offer(self.actor, self.updates)
        if self.magnet is not None and self.updates % self.config.magnet_every == 0:
            self.magnet = frozen(self.actor)

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
            return self.actor.evaluate(self._rows(view, legal), action)[0].cpu().numpy()

    def _rows(self, view: np.ndarray, legal: np.ndarray) -> Rows:
        return rows_on(self.device, view, legal, self.actor.shape.games)

    def _magnet_choices(self, rows: Rows) -> Tensor | None:
        """What the magnet makes of decisions; None: there is no magnet."""
        if not self.config.magnet:
            return None
        return uniform_choices(rows) if self.magnet is None else self.magnet.choices(rows)

    def _gradients(self, lessons: Lessons, size: int, entropy_weight: float, rests: bool, chosen: np.ndarray) -> Part:
        """Gradients of a part of a minibatch of ``size`` decisions."""
        view, legal, action, *numbers = (column[chosen] for column in lessons)
        old_log_p, advantage, target = (torch.from_numpy(column).to(self.device) for column in numbers)
        with self._autocast():
            rows = self._rows(view, legal)
            log_p, entropy, away = self.actor.evaluate_near(rows, action, self._magnet_choices(rows))
            value = self.critic(rows)
        log_ratio = log_p - old_log_p
        ratio = log_ratio.exp()
        bounded = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        policy_loss = -torch.minimum(ratio * advantage, bounded * advantage).sum() / size
        value_loss = huber_loss(value, target, reduction="sum") / size
        actor_loss = policy_loss - entropy_weight * entropy.sum() / size + self.config.magnet * away.sum() / size
        actor = None if rests else torch.autograd.grad(actor_loss, list(self.actor.parameters()))
        critic = torch.autograd.grad(value_loss, list(self.critic.parameters()))
        with torch.no_grad():
            kl = ((ratio - 1) - log_ratio).sum() / size
            clipped = (ratio != bounded).float().sum() / size
            error = (ratio - 1).abs().max()
            stats = torch.stack([policy_loss, kl, clipped, entropy.sum() / size, value_loss, away.sum() / size, error])
        return Part(actor, critic, stats.double().cpu().numpy())
