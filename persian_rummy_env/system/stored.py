"""What was stored outlives the code that stored it: settings and counters of a file, as those of a class of today.

A name that a file does not have is one that came later. It stands for what the code did before there was the name:
``absent`` in the metadata of its field where that is not the default. A name that is not known here is refused, unless
its class says that it was given up: ``given_up`` of the class maps such a name to the one value that means what is done
today (``ANY``: all do).
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
"""Beyond it not every whole number is one of JSON's."""
ANY = object()
"""Of a setting that was given up: whatever it said, it means nothing today."""


def parsed(text: str | bytes) -> Any:
    """The value of JSON text.

    Raises:
        ValueError: it is none.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("brackets within brackets without end") from None


def later(absent: Any, default: Any = MISSING) -> Any:
    """A field that was added to a class after files of it were stored; ``absent``: what a file without it means."""
    return field(default=absent if default is MISSING else default, metadata={"absent": absent})


def settings_of(kind: type[T], said: Any) -> dict[str, Any]:
    """The values of a dataclass's fields, from what a file says of them.

    Raises:
        ValueError: a name that is not known, a value of another type, or one that means nothing today.
    """
    if not isinstance(said, Mapping):
        raise ValueError(f"expected an object of settings, and it is {shortened(repr(said), 60)}")
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    given_up: Mapping[str, Any] = getattr(kind, "given_up", {})
    unknown = sorted(set(said) - set(known) - set(given_up))
    if unknown:
        raise ValueError(f"unknown settings: {shortened(', '.join(unknown), 200)}")
    for name, value in given_up.items():
        if name in said and value is not ANY and said[name] != value:
            raise ValueError(
                f"{name}={shortened(repr(said[name]), 60)}: there is no such setting any more; only what was made "
                f"with {name}={value!r} goes on here"
            )
    hints = get_type_hints(kind)
    return {
        name: checked(name, said[name], hints[name]) if name in said else absent_of(each)
        for name, each in known.items()
    }


def absent_of(of: Field[Any]) -> Any:
    """What a file that does not name a field means by that."""
    if "absent" in of.metadata:
        return of.metadata["absent"]
    if of.default is MISSING:
        raise ValueError(f"missing settings: {of.name}")
    return of.default


def checked(name: str, value: Any, hint: Any) -> Any:
    """A value of JSON as one of a type that a setting may have.

    Raises:
        ValueError: it is of another one; the message names it.
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
