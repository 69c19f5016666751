"""Critic files: the weights of a critic beside the policy file whose play it values.

The policy file is not changed, so that readers of policies alone read it as before. A critic names the policy file by
its SHA-256. A policy file that was written again therefore has no critic, until one is fitted to it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..actions import NUM_ACTIONS
from ..observation import VERSION
from ..rules import RuleSet
from .network_shape import Shape, shape_of
from .policy_file import misfit, rules_in
from .tensor_file import read_tensor_file, tensor_bytes

FORMAT = "persian-rummy-critic/1"


class CriticFile(NamedTuple):
    """A critic file that was read and checked.

    Attributes:
        shape: the architecture of its network, the fields of ``network_shape.Shape``.
        tensors: float32, by the names of ``agents.network.Critic``.
        rules: the rules of the deals that it was fitted to; None if the file does not name them.
        scale: points of margin per unit of the network's output.
        sha256: of the file.
        metadata: the whole header.
    """

    path: Path
    shape: dict[str, Any]
    tensors: dict[str, np.ndarray]
    rules: RuleSet | None
    scale: float
    sha256: str
    metadata: dict[str, str]


def critic_path(policy: Path) -> Path:
    """The file of the critic of a policy file: ``policy.critic.safetensors`` beside ``policy.safetensors``."""
    return policy.with_suffix(".critic.safetensors")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def critic_bytes(
    tensors: Mapping[str, np.ndarray],
    shape: Shape,
    scale: float,
    policy: Path,
    rules: str | None,
    about: Mapping[str, str],
) -> bytes:
    """The content of a critic file, with its weights rounded to float16.

    Args:
        tensors: by the names of ``agents.network.Critic``.
        scale: points of margin per unit of the network's output.
        policy: the policy file whose play it values.
        rules: the metadata of that file about rules, if it has them.
        about: metadata that is added.

    Raises:
        NotFiniteError: a weight is NaN, infinite, or outside the range of float16.
    """
    metadata = {
        **about,
        "format": FORMAT,
        "observation": str(VERSION),
        "actions": str(NUM_ACTIONS),
        "shape": json.dumps(asdict(shape)),
        "scale": json.dumps(scale),
        "policy": sha256_of(policy),
        **({} if rules is None else {"rules": rules}),
    }
    with np.errstate(over="ignore"):  # ``tensor_bytes`` refuses the infinity
        return tensor_bytes({name: each.astype(np.float16) for name, each in tensors.items()}, metadata)


def read_critic_file(policy: str | Path) -> CriticFile:
    """Read and check the critic file of a policy file.

    Args:
        policy: path of the policy file.

    Raises:
        FileNotFoundError: the policy has no critic file.
        ValueError: it is not a critic file, is damaged, has another version of observation or actions, or belongs to
            another policy file; the message names the file.
    """
    policy = Path(policy)
    path = critic_path(policy)
    versions = {"format": [FORMAT], "observation": [str(VERSION)], "actions": [str(NUM_ACTIONS)]}
    file = read_tensor_file(path, "critic", versions)
    if file.metadata.get("policy") != sha256_of(policy):
        raise ValueError(
            f"{path}: it values another policy than {policy.name}, which was written again since; fit it again: "
            f"python -m train.fit_critic file:{policy}"
        )
    try:
        shape = asdict(shape_of(json.loads(file.metadata.get("shape", "null"))))
        scale = json.loads(file.metadata.get("scale", "null"))
    except ValueError as error:
        raise misfit(path, file.metadata, error) from error
    if type(scale) not in (int, float) or not 0 < scale < math.inf:
        raise ValueError(f"{path}: its scale is {scale!r}, expected a number above 0")
    tensors = {name: each.astype(np.float32) for name, each in file.tensors.items()}
    rules = rules_in(path, file.metadata)
    return CriticFile(path, shape, tensors, rules, float(scale), sha256_of(path), file.metadata)
