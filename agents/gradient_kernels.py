"""Gradients of the sparse first and last layers."""

from __future__ import annotations

import math

import numpy as np

from persian_rummy_env.core.compiler.jit import compiled_fast


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
