"""Checks of arguments; each error is one line that names the value and what was expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .actions import NUM_ACTIONS
from .arrays import shown


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is allowed; else raise a ValueError with the name of the option and the allowed values."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={shown(value)}: expected one of {', '.join(map(repr, allowed))}")
    return str(value)


def is_whole(value: Any) -> bool:
    """Whether a value is an integer of Python or numpy, and not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole_number(name: str, value: Any, low: int, high: int | None = None, expected: str = "") -> int:
    """Check an integer of Python or numpy against the range from ``low`` to ``high``.

    Raises:
        TypeError: it is not an integer.
        ValueError: it is out of range.
    """
    if not expected:
        expected = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
    if not is_whole(value):
        raise TypeError(f"{name}={shown(value)}: expected {expected}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name}={shown(value)}: expected {expected}")
    return int(value)


def positive(name: str, value: Any, most: int | None = None) -> int:
    """Check an integer of at least 1."""
    return whole_number(name, value, 1, most)


def finite_number(
    name: str, value: Any, low: float, high: float = math.inf, expected: str = "", *, above: bool = False
) -> float:
    """Check a finite number of Python or numpy against the range from ``low`` (or ``above`` it) to ``high``. Integers
    stay integers.

    Raises:
        TypeError: it is not a number.
        ValueError: it is out of range.
    """
    if not expected:
        most = "" if high == math.inf else f" and at most {high}"
        expected = f"a number above {low}{most}" if above else f"a number of at least {low}{most}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name}={shown(value)}: expected {expected}")
    if not (low < value if above else low <= value) or not (value <= high and value < math.inf):
        raise ValueError(f"{name}={shown(value)}: expected {expected}")
    return int(value) if is_whole(value) else float(value)


def flag(name: str, value: Any) -> bool:
    """Check a bool of Python or numpy.

    Raises:
        TypeError: it is not a bool.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={shown(value)}: expected True or False")
    return bool(value)


def action_id(action: Any) -> int:
    """An action that is given as ``int``, numpy integer, or 0-d integer array.

    Raises:
        TypeError: any other type.
    """
    if isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu":
        return int(action)
    if not is_whole(action):
        array = isinstance(action, np.ndarray)
        what = f"{action.dtype} array of shape {action.shape}" if array else f"{type(action).__name__} {shown(action)}"
        raise TypeError(f"step() was given the {what}: expected an action id, an integer from 0 to {NUM_ACTIONS - 1}")
    return int(action)


def single_action(action: Any) -> int:
    """An action as for ``action_id``, or in an array of one element, as vector wrappers pass it.

    Raises:
        TypeError: any other type.
    """
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(())
    return action_id(action)


def listed(name: str, value: Any, expected: str) -> list[Any]:
    """The items of a sequence or array.

    Raises:
        TypeError: any other type.
    """
    array = isinstance(value, np.ndarray) and value.ndim > 0
    if not array and (not isinstance(value, Sequence) or isinstance(value, str | bytes)):
        raise TypeError(f"{name}={shown(value)}: expected {expected}")
    return list(value)
