"""Trunks: from the inputs of a decision to features. The kind of a network is the kind of its trunk.

A new kind is a subclass of ``Trunk`` and a row of ``network.KINDS``. All code that saves, loads, trains or exports a
network uses the methods of ``Trunk`` and knows no layer by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from persian_rummy_env.players.inputs import OF_OTHER_DEALS, SparseInputs, input_scale
from persian_rummy_env.players.network_shape import Shape, check_residual

from .inputs import Inputs
from .sparse import FusedResidual, NormGelu, SparseFirst


class Trunk(nn.Module, ABC):
    """Maps inputs to ``shape.width`` features.

    Args:
        num_inputs: number of input bytes: ``SIZE``, or ``VIEW_SIZE`` with the other hands.
        shape: the architecture.
    """

    sparse: ClassVar[bool] = False
    """Whether ``forward`` accepts ``SparseInputs`` beside ``DenseInputs``."""

    def __init__(self, num_inputs: int, shape: Shape) -> None:
        super().__init__()
        self.num_inputs = num_inputs
        self.width = shape.width

    @abstractmethod
    def forward(self, inputs: Inputs) -> Tensor:
        """Features (b, shape.width), float32."""

    @abstractmethod
    def zero_inputs(self, columns: np.ndarray) -> None:
        """Zero the first-layer weights of these input columns. Training may change them later.

        Args:
            columns: (k,) int64, the columns of whole blocks of the observation.
        """

    @classmethod
    @abstractmethod
    def check(cls, shape: Mapping[str, Any], tensors: Mapping[str, Tensor], prefix: str) -> None:
        """Compare the sizes that a file states with its tensors, before memory of that size is allocated.

        Args:
            shape: the sizes that the file states.
            tensors: the tensors of the file.
            prefix: prefix of the names of this trunk's tensors.

        Raises:
            ValueError: they differ.
        """


class Residual(nn.Module):
    """``x + linear(gelu(norm(x)))``."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear(gelu(self.norm(x)))


class ResidualTrunk(Trunk):
    """A pre-norm residual multilayer perceptron on bytes divided by their maxima."""

    sparse = True

    scale: Tensor

    def __init__(self, num_inputs: int, shape: Shape) -> None:
        super().__init__(num_inputs, shape)
        self.weight = nn.Parameter(torch.empty(num_inputs, shape.width))
        self.bias = nn.Parameter(torch.zeros(shape.width))
        self.blocks = nn.ModuleList(Residual(shape.width) for _ in range(shape.blocks))
        self.norm = nn.LayerNorm(shape.width)
        self.register_buffer("scale", torch.from_numpy(input_scale(shape.games)[:num_inputs]), persistent=False)
        nn.init.normal_(self.weight, std=0.1)  # about 90 bytes are set, so that features start near unit size
        self.zero_inputs(OF_OTHER_DEALS)

    @torch.no_grad()
    def zero_inputs(self, columns: np.ndarray) -> None:
        """Zero the first-layer weights of these input columns."""
        self.weight[torch.from_numpy(columns)] = 0

    def forward(self, inputs: Inputs) -> Tensor:
        if isinstance(inputs, SparseInputs):
            x: Tensor = SparseFirst.apply(self.weight, self.bias, inputs)  # type: ignore[assignment]
            if not torch.is_autocast_enabled("cpu"):
                return self._fused(x)
        else:
            x = (inputs.view[:, : self.num_inputs].float() * self.scale) @ self.weight + self.bias
        for block in self.blocks:
            x = block(x)
        return gelu(self.norm(x).float())

    def _fused(self, x: Tensor) -> Tensor:
        """The features of the first layer's output, float32 on a CPU: as the layers compute them, in fewer passes.

        An update of PPO takes 0.9 of the time (docs/notes/training.md).
        """
        for block in self.blocks:
            x = FusedResidual.apply(x, *block.norm.parameters(), *block.linear.parameters())  # type: ignore[assignment]
        return NormGelu.apply(x, *self.norm.parameters())  # type: ignore[return-value]

    @classmethod
    def check(cls, shape: Mapping[str, Any], tensors: Mapping[str, Tensor], prefix: str) -> None:
        check_residual(shape, tensors, prefix)
