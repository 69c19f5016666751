"""Files of torch tensors: ``persian_rummy_env.players.tensor_file``, which writes, reads and checks them as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from persian_rummy_env.players import tensor_file
from persian_rummy_env.players.tensor_file import one_line

__all__ = ["TensorFile", "one_line", "read_tensor_file", "tensor_bytes"]


class TensorFile(NamedTuple):
    """A file: its ``metadata`` without the digest; its ``tensors``; and whether it had a ``digest`` (which matched)."""

    metadata: dict[str, str]
    tensors: dict[str, Tensor]
    digest: bool


def tensor_bytes(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """``players.tensor_file.tensor_bytes`` of tensors on any device."""
    return tensor_file.tensor_bytes({name: one.detach().cpu().numpy() for name, one in tensors.items()}, metadata)


def read_tensor_file(path: Path, what: str, versions: Mapping[str, Sequence[str]]) -> TensorFile:
    """``players.tensor_file.read_tensor_file``, with tensors on the CPU."""
    file = tensor_file.read_tensor_file(path, what, versions)
    tensors = {name: torch.from_numpy(array) for name, array in file.tensors.items()}
    return TensorFile(file.metadata, tensors, file.digest)
