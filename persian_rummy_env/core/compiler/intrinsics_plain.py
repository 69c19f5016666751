"""The intrinsics in plain Python, for runs without the compiler, and their documentation."""

from __future__ import annotations

from typing import Any

import numpy as np

PRODUCT_ROWS, PRODUCT_COLUMNS = 6, 16
"""Of the part of a matrix product that ``add_products`` computes: its sums fill the registers of a processor."""


def popcount(bits: Any) -> int:
    """The number of cards in a set."""
    return int(bits).bit_count()


def lowest(bits: Any) -> int:
    """The index of the lowest bit of a non-empty set."""
    return (int(bits) & -int(bits)).bit_length() - 1


def spread64(out: Any, offset: int, bits: Any) -> None:
    """Write bit ``i`` of ``bits`` as the byte ``out[offset + i]``, for 64 bytes of a flat contiguous array."""
    _spread(out, offset, bits, 64)


def spread32(out: Any, offset: int, bits: Any) -> None:
    """As ``spread64``, for the lowest 32 bits."""
    _spread(out, offset, bits, 32)


def _spread(out: Any, offset: int, bits: Any, width: int) -> None:
    if not 0 <= offset <= len(out) - width:
        raise IndexError(f"{width} bytes at {offset} do not fit into {len(out)}")
    flags = np.unpackbits(np.frombuffer(int(bits).to_bytes(8, "little"), dtype=np.uint8), bitorder="little")
    out[offset : offset + width] = flags[:width]


def nonzero64(array: Any, offset: int) -> Any:
    """The inverse of ``spread64``: a word whose bit ``i`` says whether ``array[offset + i]`` is not 0."""
    if not 0 <= offset <= len(array) - 64:
        raise IndexError(f"64 bytes at {offset} are not all in {len(array)}")
    return np.packbits(array[offset : offset + 64] != 0, bitorder="little").view("<u8").astype(np.uint64)[0]


def add_products(
    x: Any,
    x_at: int,
    x_step: int,
    weight: Any,
    weight_at: int,
    depth: int,
    out: Any,
    at: int,
    step: int,
    bias: Any,
    bias_at: int,
) -> None:
    """``out += x @ weight + bias`` for ``PRODUCT_ROWS`` rows and ``PRODUCT_COLUMNS`` columns of flat float32 arrays.

    The terms of a sum are added in the order of ``depth``, so that a row does not depend on the rows beside it.

    Args:
        x: its rows begin ``x_step`` apart, the first at ``x_at``; out: likewise with ``at`` and ``step``.
        weight: ``depth`` rows of ``PRODUCT_COLUMNS`` from ``weight_at`` on; bias: from ``bias_at`` on.
    """
    panel = weight[weight_at : weight_at + depth * PRODUCT_COLUMNS].reshape(depth, PRODUCT_COLUMNS)
    for row in range(PRODUCT_ROWS):
        begin = at + row * step
        features = x[x_at + row * x_step : x_at + row * x_step + depth]
        columns = slice(begin, begin + PRODUCT_COLUMNS)
        out[columns] += (features[:, None] * panel).sum(axis=0) + bias[bias_at : bias_at + PRODUCT_COLUMNS]
