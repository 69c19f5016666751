"""The two ends of the network as compiled loops over what is there: the bits of an observation, the legal actions.

Some 90 of an observation's 1,020 bytes are not zero, and a choice has some six legal actions of 547. On a CPU the first
and the last layer are therefore sums of a few rows of their weights: exact in float32, and many times quicker than the
dense products. Weights have a row per input byte (first layer) or per action (last layer), so that a row is contiguous.

Single-threaded and without the interpreter lock: threads share a batch by its rows. All arrays are C-contiguous.
"""

from __future__ import annotations

import math

import numpy as np

from .compiler.intrinsics import lowest
from .compiler.jit import compiled_fast

ONE = np.uint64(1)
THREE = np.uint64(3)
BYTE = np.uint64(0xFF)
BYTE_OF_BIT = np.uint64(0b111000)
"""Of the number of a bit: eight times the number of its byte."""

F_ONE, F_HALF = np.float32(1), np.float32(0.5)
ROOT_HALF = np.float32(math.sqrt(0.5))
EPSILON = np.float32(1e-5)
"""Of layer normalisation, as in torch."""
ERF_END = np.float32(4)
"""From here on the error function is 1 in float32."""
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
"""Of the error function on [-4, 4]: odd powers above, even powers below."""


@compiled_fast
def list_bytes(rows, public, scale, start, middle, index, value):
    """List the bytes that are not zero and count, row by row.

    Args:
        rows: (b, inputs / 4) uint32, the bytes four at a time.
        public: bytes from this column on are hidden ones; a multiple of 4.
        scale: (inputs,) float32; a byte whose scale is 0 is left out.
        start: (b + 1,) int64, gets where each row's list begins in ``index`` and ``value``.
        middle: (b,) int64, gets where its hidden part begins.
        index, value: int16 and float32, as long as ``rows`` has bytes and one more; get columns and scaled bytes.
    """
    found = 0
    words = rows.shape[1]
    busy = np.empty(words + 1, dtype=np.int64)
    for r in range(len(rows)):
        start[r] = found
        middle[r] = -1
        some = 0
        for word in range(words):  # without a branch: which words are zero cannot be foretold
            busy[some] = word
            some += rows[r, word] != 0
        for k in range(some):
            if 4 * busy[k] >= public and middle[r] < 0:
                middle[r] = found
            rest = np.uint64(rows[r, busy[k]])
            while rest != 0:
                shift = np.uint64(lowest(rest)) & BYTE_OF_BIT
                column = 4 * busy[k] + np.int64(shift >> THREE)
                index[found] = column
                value[found] = np.float32((rest >> shift) & BYTE) * scale[column]
                found += scale[column] != 0
                rest &= ~(BYTE << shift)
        if middle[r] < 0:
            middle[r] = found
    start[len(rows)] = found


@compiled_fast
def first_layer(start, stop, index, value, weight, bias, out):
    """``out[r] = bias + sum of value[k] * weight[index[k]]`` over ``start[r] <= k < stop[r]``."""
    width = weight.shape[1]
    for r in range(len(stop)):
        total = out[r]
        for j in range(width):
            total[j] = bias[j]
        for k in range(start[r], stop[r]):
            factor = value[k]
            terms = weight[index[k]]
            for j in range(width):
                total[j] += factor * terms[j]


@compiled_fast
def norm_gelu(x, weight, bias, out):
    """``out = gelu(layer_norm(x) * weight + bias)``, row by row.

    The error function in GELU is a ratio of two polynomials on [-4, 4], outside of which it is 1 to the last bit of
    float32: it differs from the exact one by a few units of the last place, and becomes vector code.
    """
    width = x.shape[1]
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


@compiled_fast
def add_rows(total, product, bias):
    """``total += product + bias``, both (b, width), the bias (width,)."""
    for r in range(len(total)):
        for j in range(total.shape[1]):
            total[r, j] += product[r, j]
            total[r, j] += bias[j]


@compiled_fast
def last_layer(hidden, weight, bias, actions, count, log_p):
    """Log-probabilities of the legal actions: the softmax of ``hidden @ weight[a] + bias[a]`` over those alone."""
    width = hidden.shape[1]
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
    """Draw an action of each row by a fraction in [0, 1): the first whose cumulative probability exceeds it. A row
    without a legal action gets -1 and NaN."""
    for r in range(len(count)):
        if count[r] < 1:  # nothing stands in its row of ``actions``
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
    """The likeliest action of each row, the lowest id of equals; -1 and NaN for a row without a legal action."""
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
