"""A trained policy in PyTorch, from the file that a training run writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.observation import VERSION
from persian_rummy_env.players.inputs import SparseInputs
from persian_rummy_env.players.networks import register_backend
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch
from persian_rummy_env.players.policy_file import FORMAT, PolicyFile, misfit, read_policy_file
from persian_rummy_env.players.tensor_file import NotFiniteError

from .inputs import Inputs, inputs_on
from .network import Actor, checked_shape
from .tensor_file import tensor_bytes, torch_tensors

CHUNK = 1024
"""Rows that are computed at once, few enough for the processor's cache."""


class LearnedPolicy(BasePolicy):
    """A policy that plays by a network.

    Args:
        source: a ``policy.safetensors`` file, or an actor in memory.
        device: device of the network.
        greedy: True: the most probable action; False: sample from the distribution.
        seed: seed of the samples.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not a policy, is damaged, or has another version of observation or actions; the message
            names the file and both versions.

    Its methods raise ValueError for a row without a legal action, and ``NotFiniteError`` if the output of the network
    is NaN or infinite.
    """

    def __init__(self, source: str | Path | Actor, device: str = "cpu", greedy: bool = True, seed: int = 0) -> None:
        self.device = torch.device(device)
        self.name = "learned" if isinstance(source, Actor) else Path(source).parent.name or "learned"
        if isinstance(source, Actor):
            actor = source
        else:
            file = read_policy_file(source)
            actor, self.rules, self.policy_file = _actor_of(file), file.rules, file.path
        self.actor = actor.to(self.device)
        self.skips_forced = greedy  # a draw of every decision, forced ones too, repeats what was drawn before
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
        """The distribution over actions, (k, 547) float32; 0 for illegal actions."""
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
    """The content of the policy file of an actor; ``about`` is added to the metadata.

    Raises:
        NotFiniteError: a weight is NaN or infinite.
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
    return _actor_of(read_policy_file(path))


def policy_metadata(path: str | Path) -> dict[str, str]:
    """What a policy file says of itself."""
    return read_policy_file(path).metadata


def _actor_of(file: PolicyFile) -> Actor:
    tensors = torch_tensors(file.tensors)
    try:
        actor = Actor(checked_shape(file.shape, tensors))
        actor.load_state_dict(tensors)
    except (ValueError, RuntimeError) as error:
        raise misfit(file.path, file.metadata, error) from error
    return actor.eval()


def use_one_thread() -> None:
    """Let PyTorch compute on the calling thread alone, for the rest of the process."""
    torch.set_num_threads(1)


register_backend(lambda path, device: LearnedPolicy(path, device=device))
