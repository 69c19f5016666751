"""Gradients of the sparse first and last layers, and of the layer between two matrix products."""

from __future__ import annotations

import math

import numpy as np

from persian_rummy_env.core.compiler.jit import compiled_fast
from persian_rummy_env.core.network_kernels import (
    A1,
    A3,
    A5,
    A7,
    A9,
    A11,
    A13,
    B0,
    B2,
    B4,
    B6,
    B8,
    EPSILON,
    ERF_END,
    F_HALF,
    F_ONE,
    ROOT_HALF,
)

ROOT_PI_INVERSE = np.float32(1 / math.sqrt(math.pi))
SIXTEENTH = np.float32(1 / 16)
E2, E3, E4, E5, E6, E7 = np.array([1 / math.factorial(power) for power in range(2, 8)], dtype=np.float32)
"""Coefficients of the exponential function on [-1, 0]."""


@compiled_fast
def first_layer_gradient(start, stop, index, value, of_out, of_weight):
    """Add the gradient of ``first_layer``'s weight to ``of_weight``, from ``of_out``, the gradient of its output."""
    width = of_weight.shape[1]
    for r in range(len(stop)):
        terms = of_out[r]
        for k in range(start[r], stop[r]):
            factor = value[k]
            total = of_weight[index[k]]
            for j in range(width):
                total[j] += factor * terms[j]


@compiled_fast
def norm_gelu_gradient(x, weight, bias, of_out, beside, of_x, of_weight, of_bias):
    """The gradients of ``network_kernels.norm_gelu``.

    The derivative of GELU is ``Phi(y) + z * exp(-z * z) / sqrt(pi)`` with ``z = y / sqrt(2)``. The exponential function
    is the power 16 of a polynomial on [-1, 0]. Its error is that of float32 where it counts, and it compiles to vector
    code.

    Args:
        of_out: (b, width) float32, the gradient of the output.
        beside: (b, width) float32, the gradient of ``x`` by another way, or no rows.
        of_x: (b, width) float32, gets ``beside`` plus the gradient of ``x``.
        of_weight, of_bias: (width,) float32, the gradients are added to them.
    """
    width = len(weight)
    for r in range(len(x)):
        row, slope, target = x[r], of_out[r], of_x[r]
        total = np.float32(0)
        for j in range(width):
            total += row[j]
        mean = total / np.float32(width)
        variance = np.float32(0)
        for j in range(width):
            variance += (row[j] - mean) * (row[j] - mean)
        scale = F_ONE / np.sqrt(variance / np.float32(width) + EPSILON)
        along_bias, along_row = np.float32(0), np.float32(0)
        for j in range(width):
            normal = (row[j] - mean) * scale
            y = normal * weight[j] + bias[j]
            z = min(max(y * ROOT_HALF, -ERF_END), ERF_END)
            t = z * z
            above = z * (A1 + t * (A3 + t * (A5 + t * (A7 + t * (A9 + t * (A11 + t * A13))))))
            below = B0 + t * (B2 + t * (B4 + t * (B6 + t * B8)))
            u = -t * SIXTEENTH
            power = F_ONE + u * (F_ONE + u * (E2 + u * (E3 + u * (E4 + u * (E5 + u * (E6 + u * E7))))))
            power = power * power
            power = power * power
            power = power * power
            of_y = slope[j] * (F_HALF * (F_ONE + above / below) + z * power * power * ROOT_PI_INVERSE)
            of_weight[j] += of_y * normal
            of_bias[j] += of_y
            of_normal = of_y * weight[j]
            target[j] = of_normal
            along_bias += of_normal
            along_row += of_normal * normal
        along_bias /= np.float32(width)
        along_row /= np.float32(width)
        for j in range(width):
            target[j] = scale * (target[j] - along_bias - (row[j] - mean) * scale * along_row)
        if len(beside) > 0:
            for j in range(width):
                target[j] += beside[r, j]


@compiled_fast
def choice_terms(actions, count, log_p, magnet, taken, taken_log_p, entropy, divergence):
    """Compute for each row the log-probability of the taken action, the entropy, and the divergence from the magnet.

    Args:
        magnet: float32 in the form of ``log_p``, the log-probabilities of the magnet policy; no rows without a magnet.
        divergence: (b,) float32, receives KL(policy, magnet); 0 without a magnet.
    """
    for r in range(len(count)):
        spread = 0.0
        if len(magnet) > 0:
            away = 0.0
            for k in range(count[r]):
                away += math.exp(log_p[r, k]) * (log_p[r, k] - magnet[r, k])
            divergence[r] = away
        else:
            divergence[r] = 0.0
        for k in range(count[r]):
            spread -= math.exp(log_p[r, k]) * log_p[r, k]
            if actions[r, k] == taken[r]:
                taken_log_p[r] = log_p[r, k]
        entropy[r] = spread


@compiled_fast
def choice_gradient(
    hidden, weight, actions, count, log_p, magnet, taken, entropy, divergence,
    of_log_p, of_entropy, of_divergence, of_hidden, of_weight, of_bias,
):  # fmt: skip
    """Add the gradients of the last layer to ``of_weight`` and ``of_bias``, from the gradients of ``choice_terms``."""
    width = hidden.shape[1]
    for r in range(len(hidden)):
        features = hidden[r]
        out = of_hidden[r]
        for j in range(width):
            out[j] = 0
        for k in range(count[r]):
            action = actions[r, k]
            p = math.exp(log_p[r, k])
            slope = -of_log_p[r] * p - of_entropy[r] * p * (log_p[r, k] + entropy[r])
            if action == taken[r]:
                slope += of_log_p[r]
            if len(magnet) > 0:
                slope += of_divergence[r] * p * (log_p[r, k] - magnet[r, k] - divergence[r])
            factor = np.float32(slope)
            terms = weight[action]
            total = of_weight[action]
            of_bias[action] += factor
            for j in range(width):
                out[j] += factor * terms[j]
                total[j] += factor * features[j]
