"""The intrinsics as plain Python, for a run without the compiler; they say what each one does."""

from __future__ import annotations

from typing import Any

import numpy as np


def popcount(bits: Any) -> int:
    """The number of cards in a set."""
    return int(bits).bit_count()


def lowest(bits: Any) -> int:
    """The index of the lowest bit of a set that is not empty."""
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
