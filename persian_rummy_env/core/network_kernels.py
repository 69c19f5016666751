"""A network as compiled loops: its two ends over what is there, the bits of an observation and the legal actions.

About 90 of an observation's 1,020 bytes are not zero, and a decision has about six legal actions of 547. On a CPU the
first and the last layer are therefore sums of a few rows of their weights: exact in float32, and many times faster than
the dense products. Weights have a row per input byte (first layer) or per action (last layer), so that a row is
contiguous.

Single-threaded and without the interpreter lock: threads share a batch by its rows. All arrays are C-contiguous.
"""

from __future__ import annotations

import math

import numpy as np

from .bits import ONE, ZERO
from .compiler.intrinsics import PRODUCT_COLUMNS, PRODUCT_ROWS, add_products, lowest, nonzero64
from .compiler.jit import compiled, compiled_fast

F_ONE, F_HALF = np.float32(1), np.float32(0.5)
ROOT_HALF = np.float32(math.sqrt(0.5))
EPSILON = np.float32(1e-5)
"""Epsilon of layer normalisation, as in torch."""
ERF_END = np.float32(4)
"""Argument from which the error function is 1 in float32."""
A13, A11, A9, A7, A5, A3, A1 = np.array(
    [
        *(-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05),
        *(-7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02),
    ],
    dtype=np.float32,
)
B8, B6, B4, B2, B0 = np.array(
    [-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02],
    dtype=np.float32,
)
"""Coefficients of the error function on [-4, 4]: odd powers in the numerator, even powers in the denominator."""


@compiled_fast
def list_part(row, begin, end, scale, found, index, value):
    """List the bytes ``begin`` to ``end`` of a row, 64 or more, that are not zero and count; returns the index after
    the last."""
    first = begin
    while first < end:
        place = min(first, end - 64)  # the last word begins where the row has 64 bytes left
        bits = nonzero64(row, place) >> np.uint64(first - place) << np.uint64(first - place)
        while bits != ZERO:
            column = place + lowest(bits)
            index[found] = column
            value[found] = np.float32(row[column]) * scale[column]
            found += scale[column] != 0
            bits &= bits - ONE
        first += 64
    return found


@compiled_fast
def list_bytes(rows, public, scale, start, middle, index, value):
    """List the non-zero bytes of each row.

    Args:
        rows: (b, inputs) uint8.
        public: bytes from this column on are hidden ones: none, or 64 or more.
        scale: (inputs,) float32; a byte whose scale is 0 is left out.
        start: (b + 1,) int64, gets where each row's list begins in ``index`` and ``value``.
        middle: (b,) int64, gets where its hidden part begins.
        index, value: int16 and float32, as long as ``rows`` has bytes and one more; get columns and scaled bytes.
    """
    found = 0
    for r in range(len(rows)):
        start[r] = found
        middle[r] = found = list_part(rows[r], 0, public, scale, found, index, value)
        found = list_part(rows[r], public, rows.shape[1], scale, found, index, value)
    start[len(rows)] = found


@compiled_fast
def first_layer(start, stop, index, value, weight, bias, out):
    """``out[r] = bias + sum of value[k] * weight[index[k]]`` over ``start[r] <= k < stop[r]``, in that order.

    Four terms at a time: the sums are then read and written once for four rows of the weights.
    """
    width = weight.shape[1]
    for r in range(len(stop)):
        total = out[r]
        for j in range(width):
            total[j] = bias[j]
        k = start[r]
        while k + 4 <= stop[r]:
            f, g, h, i = value[k], value[k + 1], value[k + 2], value[k + 3]
            t, u = weight[index[k]], weight[index[k + 1]]
            v, w = weight[index[k + 2]], weight[index[k + 3]]
            for j in range(width):
                total[j] = (((total[j] + f * t[j]) + g * u[j]) + h * v[j]) + i * w[j]
            k += 4
        while k < stop[r]:
            factor = value[k]
            terms = weight[index[k]]
            for j in range(width):
                total[j] += factor * terms[j]
            k += 1


@compiled_fast
def norm_gelu(x, weight, bias, out):
    """``out = gelu(layer_norm(x) * weight + bias)``, row by row, in as many columns as there are weights.

    The error function in GELU is a ratio of two polynomials on [-4, 4]; outside it is 1 in float32. It differs from the
    exact function by a few units in the last place, and compiles to vector code.
    """
    width = len(weight)
    for r in range(len(x)):
        row, target = x[r], out[r]
        total = np.float32(0)
        for j in range(width):
            total += row[j]
        mean = total / np.float32(width)
        variance = np.float32(0)
        for j in range(width):
            variance += (row[j] - mean) * (row[j] - mean)
        scale = F_ONE / np.sqrt(variance / np.float32(width) + EPSILON)
        for j in range(width):
            y = (row[j] - mean) * scale * weight[j] + bias[j]
            z = min(max(y * ROOT_HALF, -ERF_END), ERF_END)
            t = z * z
            above = z * (A1 + t * (A3 + t * (A5 + t * (A7 + t * (A9 + t * (A11 + t * A13))))))
            below = B0 + t * (B2 + t * (B4 + t * (B6 + t * B8)))
            target[j] = F_HALF * y * (F_ONE + above / below)


def panels(weight: np.ndarray) -> np.ndarray:
    """The weights (outputs, inputs) of a dense layer as ``add_dense`` reads them: (panels, inputs, 16) float32, with
    zeros for the columns that fill the last panel."""
    count = -(-len(weight) // PRODUCT_COLUMNS)
    columns = np.zeros((count * PRODUCT_COLUMNS, weight.shape[1]), dtype=np.float32)
    columns[: len(weight)] = weight
    return np.ascontiguousarray(columns.reshape(count, PRODUCT_COLUMNS, -1).transpose(0, 2, 1))


@compiled
def add_dense(x, weight, bias, total):
    """``total += x @ weight + bias``, where no row depends on the rows beside it.

    Args:
        x: (b, at least inputs) float32, b a multiple of ``PRODUCT_ROWS``; total: (b, 16 * panels).
        weight: (panels, inputs, 16) float32, from ``panels``; bias: (16 * panels,).
    """
    depth = weight.shape[1]
    flat, weights, sums = x.reshape(-1), weight.reshape(-1), total.reshape(-1)
    for panel in range(len(weight)):
        column = panel * PRODUCT_COLUMNS
        for r in range(0, len(x), PRODUCT_ROWS):
            add_products(
                flat, r * x.shape[1], x.shape[1], weights, column * depth, depth,
                sums, r * total.shape[1] + column, total.shape[1], bias, column,
            )  # fmt: skip


@compiled_fast
def last_layer(hidden, weight, bias, actions, count, log_p):
    """Log-probabilities of the legal actions: the softmax of ``hidden @ weight[a] + bias[a]`` over those alone."""
    width = weight.shape[1]
    for r in range(len(hidden)):
        features = hidden[r]
        top = np.float32(-np.inf)
        for k in range(count[r]):
            terms = weight[actions[r, k]]
            logit = np.float32(0)
            for j in range(width):
                logit += features[j] * terms[j]
            logit += bias[actions[r, k]]
            log_p[r, k] = logit
            top = max(top, logit)
        total = np.float32(0)
        for k in range(count[r]):
            log_p[r, k] -= top
            total += math.exp(log_p[r, k])
        shift = np.float32(math.log(total))
        for k in range(count[r]):
            log_p[r, k] -= shift


@compiled_fast
def draw(actions, count, log_p, fractions, chosen, chosen_log_p):
    """Sample an action for each row by inverse CDF: the first whose cumulative probability exceeds its fraction in [0,
    1). A row without a legal action gets -1 and NaN."""
    for r in range(len(count)):
        if count[r] < 1:  # its row of ``actions`` is empty
            chosen[r], chosen_log_p[r] = -1, np.nan
            continue
        reached = 0.0
        last = count[r] - 1
        k = 0
        while k < last:
            reached += math.exp(log_p[r, k])
            if fractions[r] < reached:
                break
            k += 1
        chosen[r] = actions[r, k]
        chosen_log_p[r] = log_p[r, k]


@compiled_fast
def likeliest(actions, count, log_p, chosen, chosen_log_p):
    """The most probable action of each row, of equals the lowest id; -1 and NaN for a row without a legal action."""
    for r in range(len(count)):
        if count[r] < 1:
            chosen[r], chosen_log_p[r] = -1, np.nan
            continue
        top = 0
        for k in range(1, count[r]):
            if log_p[r, k] > log_p[r, top]:
                top = k
        chosen[r] = actions[r, top]
        chosen_log_p[r] = log_p[r, top]
