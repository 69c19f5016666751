"""The processes that ``torchrun`` started. Each plays and learns a part of every update.

They exchange the sum of their gradients, once a minibatch, and a few numbers. All apply the same sum, so their weights
stay equal. A single process exchanges nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

T = TypeVar("T")


@dataclass(frozen=True)
class Ranks:
    """This process among ``count``.

    Attributes:
        rank: its number, from 0; ``local``: its number among those of its machine.
    """

    rank: int = 0
    count: int = 1
    local: int = 0

    @classmethod
    def join(cls) -> Ranks:
        """Join the process group that torchrun's environment variables describe; without torchrun: ``ALONE``.

        Tensors of a CPU go by gloo, those of a GPU by nccl.
        """
        count = launched()
        if count == 1:
            return ALONE
        own = cls(int(os.environ["RANK"]), count, int(os.environ.get("LOCAL_RANK", "0")))
        if torch.cuda.is_available():
            torch.cuda.set_device(own.local)  # what the device ``cuda`` then means
        dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
        return own

    @property
    def first(self) -> bool:
        """Whether this process prints and writes for all."""
        return self.rank == 0

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """This rank's part of a list that all ranks have, in order of ranks."""
        return items[len(items) * self.rank // self.count : len(items) * (self.rank + 1) // self.count]

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Replace each tensor by its sum over all ranks, in one exchange."""
        if self.count == 1:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        dist.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def total(self, numbers: np.ndarray) -> np.ndarray:
        """Sums over all ranks of ``numbers`` (n,): (n,) float64."""
        return self._reduced(numbers, dist.ReduceOp.SUM)

    def largest(self, number: float) -> float:
        return float(self._reduced(np.array([number], dtype=np.float64), dist.ReduceOp.MAX)[0])

    def broadcast_from_first(self, number: float) -> float:
        """The number of the first rank."""
        return self.gather(np.array([number], dtype=np.float64))[0].item()

    def gather(self, array: np.ndarray) -> list[np.ndarray]:
        """The arrays of all ranks, which may differ in length."""
        if self.count == 1:
            return [array]
        arrays: list[np.ndarray] = [array] * self.count
        dist.all_gather_object(arrays, array)
        return arrays

    def _reduced(self, numbers: np.ndarray, how: dist.ReduceOp.RedOpType) -> np.ndarray:
        if self.count == 1:
            return numbers
        tensor = torch.from_numpy(numbers.astype(np.float64))
        dist.all_reduce(tensor, how)
        return tensor.numpy()


ALONE = Ranks()


def launched() -> int:
    """How many processes torchrun started; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ else 1
