"""The layers of a residual network with their gradients, for a CPU and float32.

The first and the last layer are compiled sums over non-zero inputs and legal actions. Between the matrix products, what
torch computes in several passes over the activations is one compiled pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from persian_rummy_env.core import network_kernels
from persian_rummy_env.observation import SIZE
from persian_rummy_env.players.inputs import SparseInputs

from . import gradient_kernels

NOTHING = np.empty((0, 0), dtype=np.float32)
"""In place of an array that is not given."""


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
        inputs, of_weight = ctx.inputs, torch.zeros(ctx.shape)
        gradient_kernels.first_layer_gradient(
            inputs.start, ctx.stop, inputs.column, inputs.value, array(gradients[0]), array(of_weight)
        )
        return of_weight, gradients[0].sum(0), None


class NormGelu(torch.autograd.Function):
    """``gelu(layer_norm(x))``."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight, bias)
        return norm_gelu(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        x, weight, bias = ctx.saved_tensors
        return norm_gelu_gradients(x, weight, bias, gradients[0], NOTHING)


class FusedResidual(torch.autograd.Function):
    """``x + linear(gelu(layer_norm(x)))``: the product is added to ``x`` in place."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, norm: Tensor, shift: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        hidden = norm_gelu(x, norm, shift)
        ctx.save_for_backward(x, norm, shift, weight, hidden)
        return (x + bias).addmm_(hidden, weight.t())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        x, norm, shift, weight, hidden = ctx.saved_tensors
        of_out = gradients[0]
        of_x = norm_gelu_gradients(x, norm, shift, of_out @ weight, array(of_out))
        return *of_x, of_out.t() @ hidden, of_out.sum(0)


def norm_gelu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    out = torch.empty_like(x)
    network_kernels.norm_gelu(array(x), array(weight), array(bias), array(out))
    return out


def norm_gelu_gradients(
    x: Tensor, weight: Tensor, bias: Tensor, of_out: Tensor, beside: np.ndarray
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of ``x`` (with ``beside`` added), ``weight`` and ``bias``."""
    of_x, of_weight, of_bias = torch.empty_like(x), torch.zeros_like(weight), torch.zeros_like(bias)
    gradient_kernels.norm_gelu_gradient(
        array(x), array(weight), array(bias), array(of_out), beside, array(of_x), array(of_weight), array(of_bias)
    )
    return of_x, of_weight, of_bias


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
        of_hidden, of_weight, of_bias = torch.empty(hidden.shape), torch.zeros(weight.shape), torch.zeros(len(weight))
        gradient_kernels.choice_gradient(
            hidden, weight, actions, counts, log_p, magnet, taken, entropy, divergence,
            of_log_p, of_entropy, of_divergence, array(of_hidden), array(of_weight), array(of_bias),
        )  # fmt: skip
        return of_hidden, of_weight, of_bias, None, None, None
