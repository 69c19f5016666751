"""A trained policy, from the file that a training run leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.core.legal import WORDS
from persian_rummy_env.observation import VERSION
from persian_rummy_env.record import stored_rules
from persian_rummy_env.rules import RuleSet

from .base import Batch, Policy
from .network import Actor, Shape, rows_on
from .rows import SparseRows

FORMAT = "persian-rummy-policy/1"
CHUNK = 1024
"""Rows computed at once, so that they stay in the processor's cache."""


class LearnedPolicy(Policy):
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
    """

    def __init__(self, source: str | Path | Actor, device: str = "cpu", greedy: bool = True, seed: int = 0) -> None:
        self.device = torch.device(device)
        self.actor = source if isinstance(source, Actor) else read_policy(source)
        self.actor = self.actor.to(self.device)
        self.rules = None if isinstance(source, Actor) else rules_of(source)
        self.name = "learned" if isinstance(source, Actor) else Path(source).parent.name or "learned"
        self.rng = None if greedy else np.random.default_rng(seed)

    def act(self, batch: Batch) -> np.ndarray:
        legal = packed(batch.action_mask)
        actions = np.empty(len(legal), dtype=np.int64)
        for start in range(0, len(legal), CHUNK):
            chunk = slice(start, start + CHUNK)
            rows = rows_on(self.device, batch.observation[chunk], legal[chunk], self.actor.shape.games)
            fractions = None if self.rng is None else self.rng.random(len(legal[chunk]))
            actions[chunk] = self.actor.choose(rows, fractions)[0]
        return actions

    def probabilities(self, batch: Batch) -> np.ndarray:
        """The distribution over actions, (k, 547) float32; an illegal one has 0."""
        legal = packed(batch.action_mask)
        found = np.zeros((len(legal), NUM_ACTIONS), dtype=np.float32)
        for start in range(0, len(legal), CHUNK):
            chunk = slice(start, start + CHUNK)
            rows = rows_on(self.device, batch.observation[chunk], legal[chunk], self.actor.shape.games)
            listed = self.actor.choices(rows).exp().cpu().numpy()
            if isinstance(rows, SparseRows):
                there = np.arange(listed.shape[1]) < rows.counts[:, None]
                found[start + np.nonzero(there)[0], rows.actions[there]] = listed[there]
            else:
                found[chunk] = np.where(batch.action_mask[chunk], listed, 0)
        return found


def packed(mask: np.ndarray) -> np.ndarray:
    """Masks (k, 547) int8 as bits, (k, 9) uint64: action ``a`` is bit ``a % 64`` of word ``a // 64``."""
    wide = np.zeros((len(mask), 8 * WORDS), dtype=np.uint8)
    wide[:, : -(-NUM_ACTIONS // 8)] = np.packbits(mask.astype(bool), axis=1, bitorder="little")
    return wide.view("<u8").astype(np.uint64, copy=False)


def policy_bytes(actor: Actor, about: Mapping[str, str]) -> bytes:
    """An actor as a policy file; ``about`` is added to what the file says of itself."""
    says = {
        **about,
        "format": FORMAT,
        "observation": str(VERSION),
        "actions": str(NUM_ACTIONS),
        "shape": json.dumps(asdict(actor.shape)),
    }
    return save({name: tensor.cpu().contiguous() for name, tensor in actor.state_dict().items()}, says)


def read_policy(path: str | Path) -> Actor:
    """The actor of a policy file."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such policy file")
    try:
        with safe_open(path, framework="pt") as file:
            says = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path}: not a policy, or damaged ({error})") from error
    wanted = {"format": FORMAT, "observation": str(VERSION), "actions": str(NUM_ACTIONS)}
    for key, here in wanted.items():
        if says.get(key) != here:
            raise ValueError(f"{path}: its {key} is {says.get(key)!r}, and here it is {here!r}; it cannot play here")
    actor = Actor(Shape(**json.loads(says["shape"])))
    try:
        actor.load_state_dict(tensors)
    except RuntimeError as error:
        raise ValueError(f"{path}: its tensors do not fit its shape {says['shape']}: {error}") from error
    return actor.eval()


def rules_of(path: str | Path) -> RuleSet | None:
    """The rules that the policy of a file was trained by; None: the file does not say."""
    with safe_open(path, framework="pt") as file:
        says = (file.metadata() or {}).get("rules")
    try:
        return None if says is None else stored_rules(json.loads(says))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: the rules {says} that it was trained by are none that are known here") from error
