"""Action masks of the 547 actions as bits, as bytes and as lists of ids.

A packed mask is ``WORDS`` words of ``uint64``: action ``a`` is bit ``a % 64`` of word ``a // 64``. This module
has all conversions.
"""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..observation_bits import MASK_WORDS as WORDS
from .bits import ONE, ZERO
from .compiler.intrinsics import lowest, popcount, spread32, spread64
from .compiler.jit import compiled

FULL_WORDS = NUM_ACTIONS // 64
TAIL = NUM_ACTIONS - 64 * FULL_WORDS
assert 32 <= TAIL < 64
ONLY_ROW = np.int64(0)
"""The row of a mask of one row. With a literal 0 numba would compile every called function a second time."""


# One mask -------------------------------------------------------------------------------------------------------------


@compiled
def is_legal(words, row, action):
    return (words[row, action // 64] >> np.uint64(action % 64)) & ONE != ZERO


@compiled
def count_legal(words, row):
    """The number of legal actions."""
    count = 0
    for word in range(WORDS):
        count += popcount(words[row, word])
    return count


@compiled
def nth_legal(words, row, order):
    """The ``order``-th legal action by id, from 0; ``order`` must be below their number."""
    for word in range(WORDS):
        bits = words[row, word]
        count = popcount(bits)
        if order < count:
            for _ in range(order):
                bits &= bits - ONE
            return 64 * word + lowest(bits)
        order -= count
    return -1


@compiled
def unpack_row(words, row, mask):
    """Write the packed mask of a row into its row of bytes, without overlap into the next row.

    Args:
        words: (n, WORDS) uint64; mask: flat int8 of n rows of ``NUM_ACTIONS``, written.
    """
    base = row * NUM_ACTIONS
    for word in range(FULL_WORDS):
        spread64(mask, base + 64 * word, words[row, word])
    last = words[row, FULL_WORDS]
    spread32(mask, base + 64 * FULL_WORDS, last)
    for index in range(32, TAIL):
        mask[base + 64 * FULL_WORDS + index] = (last >> np.uint64(index)) & np.uint64(1)


# Many masks -----------------------------------------------------------------------------------------------------------


def pack(mask: np.ndarray) -> np.ndarray:
    """The inverse of ``observation_bits.unpack_mask`` for masks (k, 547): (k, WORDS) uint64."""
    wide = np.zeros((len(mask), 8 * WORDS), dtype=np.uint8)
    wide[:, : -(-NUM_ACTIONS // 8)] = np.packbits(mask.astype(bool), axis=1, bitorder="little")
    return wide.view("<u8").astype(np.uint64, copy=False)


@compiled
def first_legal(words):
    """The lowest legal id of each packed mask (k, WORDS): (k,) int64; 0 for an empty mask."""
    actions = np.zeros(len(words), dtype=np.int64)
    for row in range(len(words)):
        for word in range(WORDS):
            if words[row, word] != ZERO:
                actions[row] = 64 * word + lowest(words[row, word])
                break
    return actions


@compiled
def count_rows(words, counts):
    """Write the number of legal actions of each packed mask to ``counts`` (k,) int64; returns the largest."""
    most = 0
    for row in range(len(words)):
        counts[row] = count_legal(words, row)
        most = max(most, counts[row])
    return most


@compiled
def list_row(words, row, actions, start):
    """Write the legal ids of a row to ``actions`` from index ``start`` on; returns the index after the last."""
    for word in range(WORDS):
        bits = words[row, word]
        while bits != ZERO:
            actions[start] = 64 * word + lowest(bits)
            start += 1
            bits &= bits - ONE
    return start


@compiled
def list_rows(words, actions):
    """Write the legal ids of each packed mask, left-aligned, to its row of ``actions`` (k, most) int16."""
    for row in range(len(words)):
        list_row(words, row, actions[row], 0)


@compiled
def list_legal(words, start, actions):
    """Concatenate the legal ids of all packed masks in ``actions`` (m,) int16.

    Args:
        start: (k + 1,) int64, written: the index in ``actions`` at which each row begins.
    """
    end = 0
    for row in range(len(words)):
        start[row] = end
        end = list_row(words, row, actions, end)
    start[len(words)] = end


@compiled
def pack_lists(counts, actions, words):
    """The inverse of ``list_legal``: set the bits of ``words`` (k, WORDS), all 0 before, from ``counts`` (k,)."""
    at = 0
    for row in range(len(counts)):
        for _ in range(counts[row]):
            action = int(actions[at])
            words[row, action >> 6] |= ONE << np.uint64(action & 63)
            at += 1
