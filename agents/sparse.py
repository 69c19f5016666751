"""The sparse first and last layers with their gradients: compiled sums over non-zero inputs and legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from persian_rummy_env.core import network_kernels
from persian_rummy_env.observation import SIZE
from persian_rummy_env.players.inputs import SparseInputs

from . import gradient_kernels

NO_MAGNET = np.empty((0, 0), dtype=np.float32)


def array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().contiguous().numpy()


class SparseFirst(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, inputs: SparseInputs) -> Tensor:
        stop = inputs.middle if len(weight) == SIZE else inputs.start[1:]
        out = np.empty((len(stop), weight.shape[1]), dtype=np.float32)
        network_kernels.first_layer(inputs.start, stop, inputs.column, inputs.value, array(weight), array(bias), out)
        ctx.inputs, ctx.stop, ctx.shape = inputs, stop, weight.shape
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        inputs, of_weight = ctx.inputs, np.zeros(ctx.shape, dtype=np.float32)
        gradient_kernels.first_layer_gradient(
            inputs.start, ctx.stop, inputs.column, inputs.value, array(gradients[0]), of_weight
        )
        return torch.from_numpy(of_weight), gradients[0].sum(0), None


class SparseLast(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor,
        inputs: SparseInputs,
        taken: np.ndarray,
        magnet: np.ndarray,
    ) -> tuple[Tensor, Tensor, Tensor]:
        log_p = np.empty(inputs.actions.shape, dtype=np.float32)
        network_kernels.last_layer(array(hidden), array(weight), array(bias), inputs.actions, inputs.counts, log_p)
        terms = np.empty((3, len(taken)), dtype=np.float32)
        gradient_kernels.choice_terms(inputs.actions, inputs.counts, log_p, magnet, taken, *terms)
        ctx.arrays = (
            array(hidden),
            array(weight),
            inputs.actions,
            inputs.counts,
            log_p,
            magnet,
            taken,
            *terms[1:],
        )
        taken_log_p, entropy, divergence = (torch.from_numpy(term) for term in terms)
        return taken_log_p, entropy, divergence

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        hidden, weight, actions, counts, log_p, magnet, taken, entropy, divergence = ctx.arrays
        of_log_p, of_entropy, of_divergence = (array(gradient) for gradient in gradients)
        of_hidden, of_weight = np.empty_like(hidden), np.zeros_like(weight)
        of_bias = np.zeros(len(weight), dtype=np.float32)
        gradient_kernels.choice_gradient(
            hidden, weight, actions, counts, log_p, magnet, taken, entropy, divergence,
            of_log_p, of_entropy, of_divergence, of_hidden, of_weight, of_bias,
        )  # fmt: skip
        return torch.from_numpy(of_hidden), torch.from_numpy(of_weight), torch.from_numpy(of_bias), None, None, None
