"""Arguments from outside, checked at one door: each refusal is one line that names the value and what was expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .actions import NUM_ACTIONS
from .arrays import shown


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """``value`` if it is allowed; else an error that names the option and what it takes."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={shown(value)}: expected one of {', '.join(map(repr, allowed))}")
    return str(value)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number: Python's or numpy's, but no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole_number(name: str, value: Any, low: int, high: int | None = None, expected: str = "") -> int:
    """A whole number from ``low`` to ``high``, of Python's or of numpy's types.

    Raises:
        TypeError: it is no whole number. ValueError: it is out of range.
    """
    if not expected:
        expected = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
    if not is_whole(value):
        raise TypeError(f"{name}={shown(value)}: expected {expected}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name}={shown(value)}: expected {expected}")
    return int(value)


def positive(name: str, value: Any, most: int | None = None) -> int:
    """A whole number of at least 1."""
    return whole_number(name, value, 1, most)


def finite_number(
    name: str, value: Any, low: float, high: float = math.inf, expected: str = "", *, above: bool = False
) -> float:
    """A finite number from ``low`` (or ``above`` it) to ``high``, of Python's or of numpy's types; whole ones stay so.

    Raises:
        TypeError: it is no number. ValueError: it is out of range.
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
    """True or False, of Python's or of numpy's types.

    Raises:
        TypeError: it is neither.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={shown(value)}: expected True or False")
    return bool(value)


def action_id(action: Any) -> int:
    """An action given as ``int``, numpy integer, or an integer array without dimensions.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu":
        return int(action)
    if not is_whole(action):
        array = isinstance(action, np.ndarray)
        what = f"{action.dtype} array of shape {action.shape}" if array else f"{type(action).__name__} {shown(action)}"
        raise TypeError(f"step() was given the {what}: expected an action id, an integer from 0 to {NUM_ACTIONS - 1}")
    return int(action)


def single_action(action: Any) -> int:
    """An action as vector wrappers hand it out: as for ``action_id``, or in an array that holds it alone.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(action, np.ndarray) and action.size == 1:
        action = action.reshape(())
    return action_id(action)


def listed(name: str, value: Any, expected: str) -> list[Any]:
    """The items of a sequence or array, and of nothing else."""
    array = isinstance(value, np.ndarray) and value.ndim > 0
    if not array and (not isinstance(value, Sequence) or isinstance(value, str | bytes)):
        raise TypeError(f"{name}={shown(value)}: expected {expected}")
    return list(value)
