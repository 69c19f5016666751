"""Checks that groups of settings share. A group names itself (``group``), so that a message names ``ppo.clip``."""

from __future__ import annotations

import math
from typing import Any

from persian_rummy_env.system.stored import LARGEST


def full_name(group: Any, name: str) -> str:
    """The name of a setting as the command line has it: ``ppo.clip``, or ``seed`` where there is no group."""
    prefix = getattr(type(group), "group", "")
    return f"{prefix}.{name}" if prefix else name


def refuse(group: Any, name: str, expected: str) -> None:
    """
    Raises:
        ValueError: always; it names the setting, its value and what was expected.
    """
    raise ValueError(f"{full_name(group, name)}={getattr(group, name)!r}: expected {expected}")


def above_zero(group: Any, *names: str) -> None:
    """Refuse a setting that is given and is not a finite number above 0."""
    for name in names:
        value = getattr(group, name)
        if value is not None and not 0 < value < math.inf:
            refuse(group, name, "a number above 0")


def not_negative(group: Any, *names: str) -> None:
    """Refuse a setting that is not a finite number of at least 0."""
    for name in names:
        if not 0 <= getattr(group, name) < math.inf:
            refuse(group, name, "a number of at least 0")


def schedule(group: Any, *names: str) -> None:
    """Refuse a setting that is not two finite numbers of at least 0: its value at the start and at the end."""
    for name in names:
        value = getattr(group, name)
        if len(value) != 2 or not all(0 <= each < math.inf for each in value):
            refuse(group, name, "two numbers of at least 0, at the start and at the end")


def whole(group: Any, name: str, least: int, most: int = LARGEST) -> None:
    """Refuse a setting that is not a whole number from ``least`` to ``most``."""
    value = getattr(group, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        refuse(group, name, f"a whole number of at least {least}")
    if value > most:
        refuse(group, name, f"a whole number of at most {most}")


def share(group: Any, *names: str, most: float = 1.0, below: bool = False) -> None:
    """Refuse a setting that is not a number from 0 to ``most`` (``below``: below it)."""
    for name in names:
        value = getattr(group, name)
        if not (0 <= value < most if below else 0 <= value <= most):
            refuse(group, name, f"a number from 0 to {'below ' if below else ''}{most:g}")


def layer_width(group: Any, name: str) -> None:
    """Refuse a width of layers that is not a multiple of 8."""
    whole(group, name, 8, 2**16)
    if getattr(group, name) % 8:
        refuse(group, name, "a multiple of 8")
