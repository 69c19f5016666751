"""The door for arrays from outside: one form of each, so that compiled code is compiled once.

numba compiles a function again for every layout, byte order and type of its arrays, and for those that cannot be
written; a caller would wait for seconds, without a word. So what comes from outside goes through ``plain``.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(array: Any, dtype: Any) -> np.ndarray:
    """An array of a type, C-contiguous, aligned, writable and in the machine's byte order: itself where it is all that
    already, else a copy."""
    if type(array) is np.ndarray and array.dtype == dtype and array.flags.carray:
        return array
    return np.array(array, dtype=dtype, order="C")


def read_only(array: np.ndarray) -> np.ndarray:
    """The same memory, not to be written to by whoever is handed it."""
    shown = array.view()
    shown.flags.writeable = False
    return shown


def shown(value: Any, most: int = 200) -> str:
    """A value in a message: in one line, and not a long one."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = f"a {type(value).__name__} too long to print"
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def as_array(name: str, value: Any, expected: str) -> np.ndarray:
    """What numpy makes of a value.

    Raises:
        TypeError: nothing; the message says what was expected.
    """
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError(f"{name}={shown(value)}: expected {expected}") from None


def integers(name: str, value: Any, expected: str) -> np.ndarray:
    """What numpy makes of whole numbers; truth values among them are none.

    Raises:
        TypeError: they are of another type.
    """
    array = as_array(name, value, expected)
    mixed = isinstance(value, list | tuple) and any(isinstance(one, bool | np.bool_) for one in value)
    if array.dtype.kind not in "iu" or mixed:
        found = "bool among others" if mixed else array.dtype
        raise TypeError(f"{name} of dtype {found}: expected {expected}")
    return array


def whole_numbers(name: str, value: Any, count: int, expected: str) -> np.ndarray:
    """``count`` whole numbers as (count,) int64, ``plain``.

    Raises:
        TypeError: another type. ValueError: another shape, or a number beyond 64 bits.
    """
    array = integers(name, value, expected)
    if array.shape != (count,):
        raise ValueError(f"{name} of shape {array.shape}: expected {expected}")
    if array.dtype.kind == "u" and array.itemsize == 8 and bool((array >> 63).any()):
        raise ValueError(f"{name}={shown(array)}: expected {expected}, below 2**63")
    return plain(array, np.int64)
