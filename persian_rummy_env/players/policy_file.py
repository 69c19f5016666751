"""Policy files: the weights of an actor, its shape, and the rules that it was trained with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..actions import NUM_ACTIONS
from ..observation import BLOCK, SIZE, VERSION
from ..rules import RuleSet
from ..stored_rules import stored_rules
from .inputs import HIDDEN_SIZE
from .network_shape import shape_of
from .tensor_file import TensorFile, one_line, read_tensor_file, tensor_bytes

FORMAT = "persian-rummy-policy/1"
BEFORE_LATER_RULES = BLOCK["score"].stop
"""Bytes of an observation without the blocks of later rules."""


class PolicyFile(NamedTuple):
    """A policy file that was read and checked.

    Attributes:
        shape: the architecture of its network, the fields of ``network_shape.Shape``.
        tensors: by name; a first layer that was saved before a rule was added has its missing rows filled with 0.
        rules: the rules that the policy was trained with; None if the file does not name them.
        metadata: the whole header.
    """

    path: Path
    shape: dict[str, Any]
    tensors: dict[str, np.ndarray]
    rules: RuleSet | None
    metadata: dict[str, str]


def read_policy_file(path: str | Path) -> PolicyFile:
    """Read and check a policy file. Older files without a digest are accepted.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a policy file, is damaged, or has another version of observation or actions; the message
            names the file and both versions.
    """
    path = Path(path)
    file = policy_tensors(path)
    try:
        shape = asdict(shape_of(json.loads(file.metadata.get("shape", "null"))))
    except ValueError as error:
        raise misfit(path, file.metadata, error) from error
    return PolicyFile(path, shape, with_later_rules(file.tensors), rules_in(path, file.metadata), file.metadata)


def policy_tensors(path: Path) -> TensorFile:
    """The tensors and metadata of a policy file of this version. Tensors that are stored as float16 become float32."""
    versions = {"format": [FORMAT], "observation": [str(VERSION)], "actions": [str(NUM_ACTIONS)]}
    file = read_tensor_file(path, "policy", versions)
    wide = {name: each.astype(np.float32) if each.dtype == np.float16 else each for name, each in file.tensors.items()}
    return file._replace(tensors=wide)


def policy_copy(path: Path, dtype: np.dtype[Any], about: Mapping[str, str] | None = None) -> bytes:
    """The content of a policy file with its weights stored as ``dtype``: float32, or float16 for half the length.

    Args:
        about: metadata that is added.

    Raises:
        FileNotFoundError, ValueError: as ``read_policy_file``.
        NotFiniteError: a weight is outside the range of ``dtype``.
    """
    file = policy_tensors(path)
    metadata = {**file.metadata, **(about or {})}
    with np.errstate(over="ignore"):  # ``tensor_bytes`` refuses the infinity
        return tensor_bytes({name: each.astype(dtype) for name, each in file.tensors.items()}, metadata)


def misfit(path: Path, metadata: Mapping[str, str], error: object) -> ValueError:
    return ValueError(f"{path}: its tensors do not fit its shape {metadata.get('shape')}: {one_line(error)}")


def rules_in(path: Path, metadata: Mapping[str, str]) -> RuleSet | None:
    """The rules in the metadata of a policy file; None if it does not name them."""
    if "rules" not in metadata:
        return None
    try:
        return stored_rules(json.loads(metadata["rules"]))
    except (TypeError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{path}: the rules {metadata['rules']} that it was trained with are not known here: {one_line(error)}"
        ) from error


def with_later_rules(tensors: Mapping[str, np.ndarray], prefix: str = "") -> dict[str, np.ndarray]:
    """Extend tensors that were saved before a rule was added to today's shape.

    Their observation lacked the bytes of later rules at its end (``observation.LATER_RULES``), which are 0 in the games
    that such a policy plays. Rows of 0 therefore change nothing in play, and nothing in training if the moments of the
    optimiser get rows of 0 too.

    Args:
        tensors: the tensors of an actor, and all others with a row for each byte of an observation or critic input.
        prefix: prefix of the names of the actor's tensors.
    """
    weight = tensors.get(f"{prefix}trunk.weight")
    before = SIZE if weight is None or weight.ndim != 2 else len(weight)
    if not BEFORE_LATER_RULES <= before < SIZE:
        return dict(tensors)

    def grown(tensor: np.ndarray) -> np.ndarray:
        if tensor.ndim != 2 or len(tensor) not in (before, before + HIDDEN_SIZE):
            return tensor
        new = np.zeros((SIZE - before, tensor.shape[1]), dtype=tensor.dtype)
        return np.concatenate([tensor[:before], new, tensor[before:]])

    return {name: grown(tensor) for name, tensor in tensors.items()}
