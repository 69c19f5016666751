"""Reads stored settings and counters into the dataclasses of today's code.

A field that a file lacks was added later. It gets the value that matches the older code: ``absent`` in the metadata of
the field, else its default. An unknown name raises, unless ``given_up`` of the class has it. That table maps a removed
setting to the one value that equals today's behaviour (``ANY``: every value).
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .escaping import shortened

T = TypeVar("T")
LARGEST = 2**53
"""The largest integer up to which JSON numbers are exact in every reader."""
ANY = object()
"""For a removed setting: every value is accepted and ignored."""


def parsed(text: str | bytes) -> Any:
    """Parse JSON text.

    Raises:
        ValueError: the text is not JSON.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def later(absent: Any, default: Any = MISSING) -> Any:
    """A dataclass field that was added after files were stored; ``absent`` is its value in files without it."""
    return field(default=absent if default is MISSING else default, metadata={"absent": absent})


def settings_of(kind: type[T], said: Any) -> dict[str, Any]:
    """The values of a dataclass's fields from a stored mapping.

    Raises:
        ValueError: an unknown name, a value of another type, or a value of a removed setting that no longer works.
    """
    if not isinstance(said, Mapping):
        raise ValueError(f"expected an object of settings, found {shortened(repr(said), 60)}")
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    given_up: Mapping[str, Any] = getattr(kind, "given_up", {})
    unknown = sorted(set(said) - set(known) - set(given_up))
    if unknown:
        raise ValueError(f"unknown settings: {shortened(', '.join(unknown), 200)}")
    for name, value in given_up.items():
        if name in said and value is not ANY and said[name] != value:
            raise ValueError(
                f"{name}={shortened(repr(said[name]), 60)}: this setting was removed; only files with "
                f"{name}={value!r} can be continued"
            )
    hints = get_type_hints(kind)
    return {
        name: checked(name, said[name], hints[name]) if name in said else absent_of(each)
        for name, each in known.items()
    }


def absent_of(of: Field[Any]) -> Any:
    """The value of a field in files without it."""
    if "absent" in of.metadata:
        return of.metadata["absent"]
    if of.default is MISSING:
        raise ValueError(f"missing settings: {of.name}")
    return of.default


def checked(name: str, value: Any, hint: Any) -> Any:
    """Check and convert a JSON value to the type of a setting.

    Raises:
        ValueError: it is of another type; the message names it.
    """
    try:
        return _of_type(value, hint)
    except (TypeError, OverflowError):
        told = shortened(repr(value), 60)
        raise ValueError(f"{name}={told}: expected {hint if get_origin(hint) else hint.__name__}") from None


def _of_type(value: Any, hint: Any) -> Any:
    if is_dataclass(hint):
        return hint(**settings_of(hint, value))  # type: ignore[operator]
    kind, options = get_origin(hint), get_args(hint)
    if kind is Literal:
        if not any(type(value) is type(each) and value == each for each in options):
            raise TypeError
        return value
    if kind in (Union, types.UnionType):
        if value is None and type(None) in options:
            return None
        [rest] = [option for option in options if option is not type(None)]
        return _of_type(value, rest)
    if kind is tuple:
        if not isinstance(value, list):
            raise TypeError
        if options[-1] is Ellipsis:
            return tuple(_of_type(each, options[0]) for each in value)
        if len(value) != len(options):
            raise TypeError
        return tuple(_of_type(each, option) for each, option in zip(value, options, strict=True))
    if hint is Path:
        return Path(_of_type(value, str))
    if hint is float:
        if type(value) not in (int, float) or not math.isfinite(value):
            raise TypeError
        return value
    if type(value) is not hint or (hint is int and abs(value) >= 2**64):
        raise TypeError
    return value
