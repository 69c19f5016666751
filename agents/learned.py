"""A trained policy, from the file that a training run leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.observation import BLOCK, VERSION
from persian_rummy_env.players.inputs import HIDDEN_SIZE, SIZE, SparseInputs
from persian_rummy_env.players.networks import register_backend
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch, unknown_name
from persian_rummy_env.players.policy_file import rules_in
from persian_rummy_env.players.tensor_file import NotFiniteError
from persian_rummy_env.rules import RuleSet

from .inputs import Inputs, inputs_on
from .network import KINDS, Actor
from .tensor_file import TensorFile, one_line, read_tensor_file, tensor_bytes
from .trunk import Shape

FORMAT = "persian-rummy-policy/1"
BEFORE_LATER_RULES = BLOCK["score"].stop
"""Bytes of an observation without them."""
CHUNK = 1024
"""Rows computed at once, so that they stay in the processor's cache."""


class LearnedPolicy(BasePolicy):
    """A network that plays.

    Args:
        source: a ``policy.safetensors`` file, or an actor in memory.
        device: where to compute.
        greedy: True, always the likeliest action; False, drawn from the policy.
        seed: of the draws.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no policy, damaged, or of another version of observation or actions; the message names the
            file and both versions.

    Its methods raise ValueError for a row in which nothing is legal, and ``network.NotFiniteError`` where the network
    says NaN or infinities.
    """

    def __init__(self, source: str | Path | Actor, device: str = "cpu", greedy: bool = True, seed: int = 0) -> None:
        self.device = torch.device(device)
        self.name = "learned" if isinstance(source, Actor) else Path(source).parent.name or "learned"
        if isinstance(source, Actor):
            actor = source
        else:
            file = _policy_file(Path(source))
            actor, self.rules = _actor_of(Path(source), file), rules_in(Path(source), file.metadata)
        self.actor = actor.to(self.device)
        self.rng = None if greedy else np.random.default_rng(seed)

    def act(self, batch: DecisionBatch) -> np.ndarray:
        legal = batch.legal
        actions = np.empty(len(legal), dtype=np.int64)
        for start in range(0, len(legal), CHUNK):
            chunk = slice(start, start + CHUNK)
            inputs = self._inputs(batch, chunk)
            fractions = None if self.rng is None else self.rng.random(len(legal[chunk]))
            actions[chunk] = self.actor.choose(inputs, fractions)[0]
        return actions

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """The distribution over actions, (k, 547) float32; an illegal one has 0."""
        legal = batch.legal
        probabilities = np.zeros((len(legal), NUM_ACTIONS), dtype=np.float32)
        for start in range(0, len(legal), CHUNK):
            chunk = slice(start, start + CHUNK)
            inputs = self._inputs(batch, chunk)
            listed = self.actor.legal_log_probs(inputs).exp().cpu().numpy()
            if isinstance(inputs, SparseInputs):
                there = np.arange(listed.shape[1]) < inputs.counts[:, None]
                probabilities[start + np.nonzero(there)[0], inputs.actions[there]] = listed[there]
            else:
                probabilities[chunk] = np.where(batch.action_mask[chunk], listed, 0)
        if not np.isfinite(probabilities).all():
            raise NotFiniteError("the probabilities of the policy, some of which are not finite")
        return probabilities

    def _inputs(self, batch: DecisionBatch, chunk: slice) -> Inputs:
        actor = self.actor
        return inputs_on(self.device, batch.observation[chunk], batch.legal[chunk], actor.shape.games, actor.sparse)


def policy_bytes(actor: Actor, about: Mapping[str, str]) -> bytes:
    """An actor as a policy file; ``about`` is added to what the file says of itself.

    Raises:
        NotFiniteError: it holds NaN or infinities.
    """
    metadata = {
        **about,
        "format": FORMAT,
        "observation": str(VERSION),
        "actions": str(NUM_ACTIONS),
        "shape": json.dumps(asdict(actor.shape)),
    }
    return tensor_bytes(actor.state_dict(), metadata)


def read_policy(path: str | Path) -> Actor:
    """The actor of a policy file.

    Raises:
        FileNotFoundError, ValueError: as ``LearnedPolicy``.
    """
    return _actor_of(Path(path), _policy_file(Path(path)))


def rules_of(path: str | Path) -> RuleSet | None:
    """The rules that the policy of a file was trained by; None: the file does not say."""
    return rules_in(Path(path), _policy_file(Path(path)).metadata)


def policy_metadata(path: str | Path) -> dict[str, str]:
    """What a policy file says of itself."""
    return _policy_file(Path(path)).metadata


def _policy_file(path: Path) -> TensorFile:
    """A policy file of the versions here. Those from before there was a digest are as good as what they hold."""
    versions = {"format": [FORMAT], "observation": [str(VERSION)], "actions": [str(NUM_ACTIONS)]}
    return read_tensor_file(path, "policy", versions)


def _actor_of(path: Path, file: TensorFile) -> Actor:
    try:
        tensors = with_later_rules(file.tensors)
        shape = shape_of(json.loads(file.metadata.get("shape", "null")), tensors)
        actor = Actor(shape)
        actor.load_state_dict(tensors)
    except (ValueError, RuntimeError) as error:
        metadata = file.metadata.get("shape")
        raise ValueError(f"{path}: its tensors do not fit its shape {metadata}: {one_line(error)}") from error
    return actor.eval()


def with_later_rules(tensors: Mapping[str, Tensor], prefix: str = "") -> dict[str, Tensor]:
    """The tensors of a player, also of one that was made before a rule was added. An observation was shorter then, by
    bytes at its end that are 0 by the rules that such a player knows (``observation.LATER_RULES``): weights for them
    that are 0 change nothing, in play and, with the moments of an optimiser likewise, in training.

    Args:
        tensors: of an actor, and of whatever else has a row for each byte of an observation or of a view.
        prefix: of the names of the actor's tensors.
    """
    weight = tensors.get(f"{prefix}trunk.weight")
    before = SIZE if weight is None or weight.dim() != 2 else len(weight)
    if not BEFORE_LATER_RULES <= before < SIZE:
        return dict(tensors)

    def grown(tensor: Tensor) -> Tensor:
        if tensor.dim() != 2 or len(tensor) not in (before, before + HIDDEN_SIZE):
            return tensor
        return torch.cat([tensor[:before], tensor.new_zeros(SIZE - before, tensor.shape[1]), tensor[before:]])

    return {name: grown(tensor) for name, tensor in tensors.items()}


def shape_of(metadata: Any, tensors: Mapping[str, Tensor], prefix: str = "") -> Shape:
    """The shape of an actor as a file says it, held against its tensors before anything is made of that size.

    Args:
        prefix: of the names of the actor's tensors.

    Raises:
        ValueError: it is none, or the tensors are of another one.
    """
    known = {field.name for field in fields(Shape)}
    if not isinstance(metadata, dict) or not {"width", "blocks"} <= set(metadata) <= known:
        raise ValueError(f"expected an object of {', '.join(sorted(known))}")
    for name, value in metadata.items():
        expected = {"games": bool, "kind": str}.get(name, int)
        if type(value) is not expected:
            raise ValueError(f"{name}={value!r}: expected a value of type {expected.__name__}")
    kind = metadata.get("kind", Shape.kind)
    if kind not in KINDS:
        raise ValueError(unknown_name("kind of network", kind, KINDS))
    KINDS[kind].check(metadata, tensors, f"{prefix}trunk.")
    return Shape(**metadata)


register_backend(lambda path, device: LearnedPolicy(path, device=device))
