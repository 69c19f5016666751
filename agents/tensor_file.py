"""Torch tensors for ``persian_rummy_env.players.tensor_file``, which writes, reads and checks files of arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from persian_rummy_env.players import tensor_file


def tensor_bytes(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """``players.tensor_file.tensor_bytes`` for tensors on any device."""
    return tensor_file.tensor_bytes({name: one.detach().cpu().numpy() for name, one in tensors.items()}, metadata)


def torch_tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """The arrays of a file as tensors on the CPU, which share their memory."""
    return {name: torch.from_numpy(array) for name, array in arrays.items()}
