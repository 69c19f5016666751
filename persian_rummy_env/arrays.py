"""Converts array arguments to one form, so that compiled functions are compiled once.

numba compiles a function again for every memory layout, byte order and type of its arrays, and for read-only arrays.
The caller would wait for seconds without a message. So array arguments pass through ``plain``.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(array: Any, dtype: Any) -> np.ndarray:
    """The array with a dtype, C-contiguous, aligned, writable and in native byte order: itself if it is so already,
    else a copy."""
    if type(array) is np.ndarray and array.dtype == dtype and array.flags.carray:
        return array
    return np.array(array, dtype=dtype, order="C")


def read_only(array: np.ndarray) -> np.ndarray:
    """A read-only view of the same memory."""
    shown = array.view()
    shown.flags.writeable = False
    return shown


def shown(value: Any, most: int = 200) -> str:
    """A value as one short line for a message."""
    try:
        text = repr(value)
    except ValueError:  # an integer with more digits than Python prints
        text = f"a {type(value).__name__} too long to print"
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def as_array(name: str, value: Any, expected: str) -> np.ndarray:
    """Convert a value to an array.

    Raises:
        TypeError: numpy cannot convert it; the message says what was expected.
    """
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError(f"{name}={shown(value)}: expected {expected}") from None


def integers(name: str, value: Any, expected: str) -> np.ndarray:
    """Convert integers to an array; bools are refused.

    Raises:
        TypeError: another type.
    """
    array = as_array(name, value, expected)
    mixed = isinstance(value, list | tuple) and any(isinstance(one, bool | np.bool_) for one in value)
    if array.dtype.kind not in "iu" or mixed:
        found = "bool among others" if mixed else array.dtype
        raise TypeError(f"{name} of dtype {found}: expected {expected}")
    return array


def whole_numbers(name: str, value: Any, count: int, expected: str) -> np.ndarray:
    """Convert ``count`` integers to (count,) int64, ``plain``.

    Raises:
        TypeError: another type.
        ValueError: another shape, or a number beyond 64 bits.
    """
    array = integers(name, value, expected)
    if array.shape != (count,):
        raise ValueError(f"{name} of shape {array.shape}: expected {expected}")
    if array.dtype.kind == "u" and array.itemsize == 8 and bool((array >> 63).any()):
        raise ValueError(f"{name}={shown(array)}: expected {expected}, below 2**63")
    return plain(array, np.int64)
