"""Proximal policy optimisation: one update of the actor and the critic from a rollout."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import huber_loss

from agents.inputs import Inputs, inputs_on, uniform_log_probs
from agents.network import Actor, Critic

from ..config.ppo import Config
from ..data.rollout import Players, Rollout
from ..scale.ranks import ALONE, Ranks
from ..scale.shards import Shards
from .learner import NetworkLearner, scheduled, with_prefix
from .pool import Pool, frozen

STATS = ("policy_loss", "kl", "clipped", "entropy", "value_loss", "magnet_kl", "ratio_error")
"""Numbers of a minibatch: means, except the last, which is the largest ``|ratio - 1|``."""
KL, RATIO_ERROR = STATS.index("kl"), STATS.index("ratio_error")
NO_STATS = np.zeros(len(STATS))


def target_of(rollout: Rollout) -> np.ndarray:
    """The targets of the critic: (n,) float32."""
    return rollout.advantage + rollout.value


class EpochBatch(NamedTuple):
    """The columns of n decisions that an epoch reads.

    Attributes:
        view, legal, action, log_p: as in ``Rollout``.
        advantage: (n,) float32, of mean 0 and standard deviation 1 over the batch.
        target: (n,) float32, the targets of the critic.
    """

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    log_p: np.ndarray
    advantage: np.ndarray
    target: np.ndarray


class Grads(NamedTuple):
    """The result of a shard: gradients of both networks (None: the actor is skipped), and ``STATS``."""

    actor: tuple[Tensor, ...] | None
    critic: tuple[Tensor, ...]
    stats: np.ndarray


class Learner(NetworkLearner):
    """Actor and critic with their optimisers, the pool of opponents, and the magnet.

    Attributes:
        pool: earlier copies of the actor.
        magnet: the policy that the actor is pulled towards; None: ``uniform``, or no magnet.
        earlier: the actor at the start of distillation or of a search round; None before that.
    """

    def __init__(self, config: Config, device: torch.device, shards: Shards, ranks: Ranks = ALONE) -> None:
        self.config = config
        torch.manual_seed(config.seed)
        self.critic = Critic(config.critic_shape, config.ppo.privileged_critic)
        actor = Actor(config.shape)
        super().__init__(config, device, shards, {"actor": actor, "critic": self.critic}, ranks)
        self.pool = Pool(config.pool.size, config.pool.every)
        self.magnet = frozen(self.actor) if config.ppo.magnet and config.ppo.magnet_policy == "snapshot" else None
        self.earlier: Actor | None = None

    @property
    def players(self) -> Players:
        """The players of the next deals; with copies once deals against them are due."""
        opposed = self.config.pool.share and self.decisions >= self.config.pool.after
        return Players(self.actor, self.critic, self.pool.teams if opposed else ())

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, metadata = super().state()
        tensors |= {f"pool.{name}": tensor for name, tensor in self.pool.state().items()}
        if self.magnet is not None:
            tensors |= {f"magnet.{name}": tensor for name, tensor in self.magnet.state_dict().items()}
        if self.earlier is not None:
            tensors |= {f"earlier.{name}": tensor for name, tensor in self.earlier.state_dict().items()}
        return tensors, metadata

    def restore(self, tensors: Mapping[str, Tensor], metadata: Mapping[str, Any]) -> None:
        super().restore(tensors, metadata)
        self.pool.restore(with_prefix(tensors, "pool."), self.actor)
        if self.magnet is not None:
            self.magnet.load_state_dict(with_prefix(tensors, "magnet."))
        earlier = with_prefix(tensors, "earlier.")
        if earlier:
            self.earlier = frozen(self.actor)
            self.earlier.load_state_dict(earlier)

    def begin_as(self, path: Path) -> None:
        super().begin_as(path)
        self.begin_self_play()

    def begin_self_play(self) -> None:
        """Start PPO from a cloned or given actor: scale its logits and reset its optimiser."""
        self.actor.scale_logits(self.config.bc.logit_scale)
        self.reset_actor_optimizer()
        if self.magnet is not None:
            self.magnet = frozen(self.actor)

    def begin_distillation(self) -> None:
        """Copy the actor as the teacher, or as the prior of the teacher's search; reset the actor's optimiser."""
        self.earlier = frozen(self.actor)
        self.reset_actor_optimizer()

    def update(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Learn from a rollout. ``progress`` in [0, 1] sets the schedules. Returns numbers for the log.

        With several ranks each has decisions of its own. Minibatches are drawn from the decisions of all, and each rank
        computes the gradients of its own decisions in them.
        """
        config, batch = self.config, self._epoch_batch(rollout)
        lr, entropy = scheduled(config.optim.lr, progress), scheduled(config.ppo.entropy, progress)
        self.set_lr(lr)
        rests = self.updates < config.ppo.critic_warmup_updates
        stats: list[np.ndarray] = []
        norms: dict[str, float] = {}
        counts = [int(count) for [count] in self.ranks.gather(np.array([len(rollout)]))]
        first = sum(counts[: self.ranks.rank])
        for _ in range(config.optim.epochs):
            for chosen in self.minibatches(sum(counts)):
                local = chosen[(first <= chosen) & (chosen < first + len(rollout))] - first
                work = partial(self._gradients, batch, len(chosen), entropy, rests)
                split = [each for each in np.array_split(local, self.shards.count) if len(each)]
                grads = self.shards.map(work, split)
                stats.append(self.ranks.total(np.sum([NO_STATS, *(each.stats for each in grads)], axis=0)))
                stats[-1][RATIO_ERROR] = max((each.stats[RATIO_ERROR] for each in grads), default=0.0)
                if not rests:
                    norms["actor_norm"] = self.step("actor", [each.actor for each in grads])
                norms["critic_norm"] = self.step("critic", [each.critic for each in grads])
                rests = rests or 0 < config.ppo.target_kl < stats[-1][KL]
        self._count(rollout)
        means = dict(zip(STATS, np.mean(stats, axis=0).tolist(), strict=True))
        residual, spread = (self._mean_and_variance(each)[1] for each in (rollout.advantage, target_of(rollout)))
        return {
            **means,
            "kept": sum(counts),
            "ratio_error": self.ranks.largest(stats[0][RATIO_ERROR]),
            "kl": float(stats[-1][KL]),
            "explained": 1 - residual / spread if spread > 0 else 0.0,
            "rested": float(rests),
            "pool": len(self.pool.teams),
            "lr": lr,
            "entropy_weight": entropy,
            **norms,
        }

    def _count(self, rollout: Rollout) -> None:
        """Count an update, and copy the actor where a copy is due."""
        self.updates += 1
        self.decisions += int(rollout.length.sum())
        self.pool.offer(self.actor, self.updates)
        if self.magnet is not None and self.updates % self.config.ppo.magnet_every == 0:
            self.magnet = frozen(self.actor)

    def _epoch_batch(self, rollout: Rollout) -> EpochBatch:
        mean, variance = self._mean_and_variance(rollout.advantage)
        advantage = (rollout.advantage - mean) / (variance**0.5 + 1e-8)
        return EpochBatch(rollout.view, rollout.legal, rollout.action, rollout.log_p, advantage, target_of(rollout))

    def _mean_and_variance(self, numbers: np.ndarray) -> tuple[float, float]:
        """Mean and variance of the numbers (n,) of all ranks together."""
        wide = numbers.astype(np.float64)
        count, total, squares = self.ranks.total(np.array([len(wide), wide.sum(), np.square(wide).sum()]))
        return float(total / count), float(max(0.0, squares / count - (total / count) ** 2))

    def _inputs(self, view: np.ndarray, legal: np.ndarray) -> Inputs:
        return inputs_on(self.device, view, legal, self.actor.shape.games, self.actor.sparse)

    def _magnet_log_probs(self, inputs: Inputs) -> Tensor | None:
        """Log-probabilities of the legal actions by the magnet; None: there is no magnet."""
        if not self.config.ppo.magnet:
            return None
        return uniform_log_probs(inputs) if self.magnet is None else self.magnet.legal_log_probs(inputs)

    def _gradients(self, batch: EpochBatch, size: int, entropy_weight: float, rests: bool, chosen: np.ndarray) -> Grads:
        """Gradients of a part of a minibatch of ``size`` decisions."""
        view, legal, action, *numbers = (column[chosen] for column in batch)
        old_log_p, advantage, target = (torch.from_numpy(column).to(self.device) for column in numbers)
        with self.autocast():
            inputs = self._inputs(view, legal)
            log_p, entropy, away = self.actor.evaluate_near(inputs, action, self._magnet_log_probs(inputs))
            value = self.critic(inputs)
        log_ratio = log_p - old_log_p
        ratio = log_ratio.exp()
        bounded = ratio.clamp(1 - self.config.ppo.clip, 1 + self.config.ppo.clip)
        policy_loss = -torch.minimum(ratio * advantage, bounded * advantage).sum() / size
        value_loss = huber_loss(value, target, reduction="sum") / size
        actor_loss = policy_loss - entropy_weight * entropy.sum() / size + self.config.ppo.magnet * away.sum() / size
        actor = None if rests else torch.autograd.grad(actor_loss, list(self.actor.parameters()))
        critic = torch.autograd.grad(value_loss, list(self.critic.parameters()))
        with torch.no_grad():
            kl = ((ratio - 1) - log_ratio).sum() / size
            clipped = (ratio != bounded).float().sum() / size
            error = (ratio - 1).abs().max()
            stats = torch.stack([policy_loss, kl, clipped, entropy.sum() / size, value_loss, away.sum() / size, error])
        return Grads(actor, critic, stats.double().cpu().numpy())
