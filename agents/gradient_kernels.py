"""Gradients of the first and last layers, over the lists of what is there."""

from __future__ import annotations

import math

import numpy as np

from persian_rummy_env.core.compiler.jit import compiled_fast


@compiled_fast
def first_layer_gradient(start, stop, index, value, of_out, of_weight):
    """Add the gradient of ``first_layer``'s weight to ``of_weight``, given that of its output."""
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
    """The log-probability of the action taken, the entropy, and the divergence from a magnet, of each row.

    Args:
        magnet: float32 as ``log_p``, the magnet's log-probabilities; without rows: there is none.
        divergence: (b,) float32, gets KL(policy, magnet); 0 without one.
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
    """Gradients of the last layer, given those of ``choice_terms``; adds to ``of_weight`` and ``of_bias``."""
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
