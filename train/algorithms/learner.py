"""The base of all learners: networks with their optimisers, and the random stream that orders minibatches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from agents.inputs import inputs_on, not_finite
from agents.learned import LearnedPolicy
from agents.network import Actor
from agents.trunk import Trunk
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.players.inputs import OF_OTHER_DEALS, VIEW_SIZE
from persian_rummy_env.players.policy import check_rules
from persian_rummy_env.players.tensor_file import NotFiniteError
from persian_rummy_env.system.stored import LARGEST

from ..config.base import RunConfig
from ..scale.ranks import ALONE, Ranks
from ..scale.shards import Shards

ADAM_EPS, CLIP_NORM = 1e-5, 0.5
"""Epsilon of Adam and the largest norm of a gradient; docs/notes/training.md has the matches with other values."""
ADAM_FIELDS = ("step", "exp_avg", "exp_avg_sq")
PROBE = (np.random.default_rng(1).random((8, VIEW_SIZE)) < 0.1).astype(np.uint8)
"""Made-up views (8, VIEW_SIZE) uint8, to test whether networks still compute finite numbers."""


class NetworkLearner:
    """Networks that learn by gradients. Shards compute them for parts of a minibatch, and ranks sum them.

    Args:
        config: the settings of the run.
        device: device of the networks.
        shards: the threads that compute gradients.
        networks: by name; ``"actor"`` is the player. All of them and their optimisers go into checkpoints.
        ranks: the processes that train together.

    Attributes:
        actor: the network that plays.
        networks, optimizers: all of them, by name.
        rng: the stream that orders minibatches.
        updates, decisions: learnt from so far.
    """

    def __init__(
        self,
        config: RunConfig,
        device: torch.device,
        shards: Shards,
        networks: Mapping[str, nn.Module],
        ranks: Ranks = ALONE,
    ) -> None:
        self.settings = config
        self.device = device
        self.shards = shards
        self.ranks = ranks
        self.networks = {name: network.to(device) for name, network in networks.items()}
        for trunk in (part for network in self.networks.values() for part in network.modules()):
            if isinstance(trunk, Trunk):
                trunk.zero_inputs(config.masked_bytes)
        self.optimizers = {
            name: torch.optim.Adam(network.parameters(), lr=config.optim.lr[0], eps=ADAM_EPS, fused=True)
            for name, network in self.networks.items()
        }
        for optimizer in self.optimizers.values():
            reset_adam(optimizer)  # so that a checkpoint holds all that there is before the first step of each
        self.rng = np.random.default_rng(np.random.SeedSequence([config.seed, 2**32 - 1]))
        self.updates = self.decisions = 0

    @classmethod
    def of_actor(cls, config: RunConfig, device: torch.device, shards: Shards) -> Self:
        """A learner of an actor alone, its weights drawn by the seed."""
        torch.manual_seed(config.seed)
        return cls(config, device, shards, {"actor": Actor(config.shape)})

    @property
    def actor(self) -> Actor:
        actor = self.networks["actor"]
        assert isinstance(actor, Actor)
        return actor

    def begin_as(self, path: Path) -> None:
        """Start with the weights of a policy file.

        Raises:
            FileNotFoundError: there is none. ValueError: it is no policy, or of another shape or other rules.
        """
        policy = LearnedPolicy(path)
        policy.name = str(path)
        check_rules(policy, self.settings.rule_set)
        given, expected = policy.actor.shape, self.actor.shape
        if (given.kind, given.width, given.blocks) != (expected.kind, expected.width, expected.blocks):
            raise ValueError(
                f"init_from={path}: it has kind={given.kind}, width={given.width}, blocks={given.blocks}, and the "
                f"settings say kind={expected.kind}, width={expected.width}, blocks={expected.blocks}; give "
                f"--network.kind {given.kind} --network.width {given.width} --network.blocks {given.blocks}"
            )
        self.actor.load_state_dict(policy.actor.state_dict())
        if not given.games:
            self.actor.trunk.zero_inputs(OF_OTHER_DEALS)
        self.actor.trunk.zero_inputs(self.settings.masked_bytes)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything that a checkpoint must hold: tensors by name, and values for JSON."""
        tensors: dict[str, Tensor] = {}
        for name, network in self.networks.items():
            tensors |= {f"{name}.{key}": tensor for key, tensor in network.state_dict().items()}
            for i, state in self.optimizers[name].state_dict()["state"].items():
                tensors |= {f"adam.{name}.{i}.{field}": tensor for field, tensor in state.items()}
        return tensors, {"stream": self.rng.bit_generator.state, "updates": self.updates, "decisions": self.decisions}

    def restore(self, tensors: Mapping[str, Tensor], metadata: Mapping[str, Any]) -> None:
        """The inverse of ``state``.

        Raises:
            KeyError, RuntimeError, TypeError, ValueError: it is the state of another kind of learner.
        """
        for name, network in self.networks.items():
            network.load_state_dict(with_prefix(tensors, f"{name}."))
            optimizer = self.optimizers[name]
            count = len(optimizer.state_dict()["param_groups"][0]["params"])
            state = {i: {field: tensors[f"adam.{name}.{i}.{field}"] for field in ADAM_FIELDS} for i in range(count)}
            optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
        self.rng.bit_generator.state = metadata["stream"]
        for name in ("updates", "decisions"):
            if type(metadata[name]) is not int or not 0 <= metadata[name] <= LARGEST:
                raise ValueError(f"{name}={metadata[name]!r}: expected a whole number of at least 0")
        self.updates, self.decisions = metadata["updates"], metadata["decisions"]

    def reset_actor_optimizer(self) -> None:
        """Reset the actor's optimiser, for a stage with another loss."""
        reset_adam(self.optimizers["actor"])

    def set_lr(self, lr: float) -> None:
        for optimizer in self.optimizers.values():
            optimizer.param_groups[0]["lr"] = lr

    def minibatches(self, count: int) -> list[np.ndarray]:
        """``count`` decisions in random order, split into minibatches: int64 arrays of indices."""
        return np.array_split(self.rng.permutation(count), max(1, round(count / self.settings.optim.minibatch)))

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.precision == "bf16")

    def step(self, name: str, parts: list[tuple[Tensor, ...] | None]) -> float:
        """Sum the gradients of the parts and of all ranks, clip their norm, and step.

        Args:
            name: of the network.
            parts: gradients of its parameters, by shard; None: a shard without gradients.

        Returns:
            The norm before clipping.

        Raises:
            NotFiniteError: the norm is not finite.
        """
        parameters = list(self.networks[name].parameters())
        given = [part for part in parts if part is not None] or [tuple(torch.zeros_like(each) for each in parameters)]
        for parameter, *gradients in zip(parameters, *given, strict=True):
            parameter.grad = gradients[0]
            for gradient in gradients[1:]:
                parameter.grad += gradient
        self.ranks.add([parameter.grad for parameter in parameters if parameter.grad is not None])
        norm = float(nn.utils.clip_grad_norm_(parameters, CLIP_NORM))
        if not math.isfinite(norm):
            raise NotFiniteError(f"the norm of the gradient of the {name}, which is {norm}")
        self.optimizers[name].step()
        return norm

    def refuse_divergence(self, row: Mapping[str, float]) -> None:
        """Check the result of an update before it is saved: its numbers, the networks and their optimisers, and the
        outputs for made-up decisions, because finite weights can be too large to compute with.

        Args:
            row: of the log.

        Raises:
            NotFiniteError: something holds NaN or infinities; the message names it.
        """
        for name, number in row.items():
            if not math.isfinite(number):
                raise NotFiniteError(f"{name} of the log, which is {number}")
        for name, network in self.networks.items():
            moments = self.optimizers[name].state_dict()["state"]
            tensors = {f"{name}.{key}": tensor for key, tensor in network.state_dict().items()}
            for number, state in moments.items():
                tensors |= {f"adam.{name}.{number}.{field}": tensor for field, tensor in state.items()}
            wrong = not_finite(tensors)
            if wrong is not None:
                raise NotFiniteError(f"the tensor {wrong}, which holds NaN or infinities")
        two_legal = np.full((len(PROBE), WORDS), 3, dtype=np.uint64)
        inputs = inputs_on(self.device, PROBE, two_legal, self.actor.shape.games, self.actor.sparse)
        self.actor.choose(inputs, None)
        for name, network in self.networks.items():
            if not isinstance(network, Actor):
                with torch.no_grad():
                    value = network(inputs)
                if not bool(torch.isfinite(value).all()):
                    raise NotFiniteError(f"what the {name} says, which is not finite")


def with_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names start with ``prefix``, by the rest of their names."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def scheduled(ends: tuple[float, float], progress: float) -> float:
    """The value of a linear schedule; ``ends``: at its start and its end; ``progress`` in [0, 1]."""
    start, end = ends
    return start + (end - start) * progress


def reset_adam(optimizer: torch.optim.Optimizer) -> None:
    """Set the state of Adam to that before its first step."""
    for group in optimizer.param_groups:
        for weight in group["params"]:
            moments = {name: torch.zeros_like(weight) for name in ("exp_avg", "exp_avg_sq")}
            optimizer.state[weight] = {"step": torch.zeros((), device=weight.device), **moments}
