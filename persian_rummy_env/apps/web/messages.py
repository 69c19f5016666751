"""What browsers may say: each message is checked here, before anything is done with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ...rules import NUM_SEATS
from ..seating import HUMAN

MAX_BYTES = 4096
"""Of one message, and of the body of a request."""
MAX_TEXT = 64
MAX_NAME = 24


class MessageError(ValueError):
    """A message that is refused. ``code`` is for programs, the text for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Join:
    """Sit down at the seat whose token this is."""

    token: str


@dataclass(frozen=True)
class Act:
    """Play an action in notation, at a version of the table."""

    version: int
    action: str


@dataclass(frozen=True)
class Undo:
    """Take the last action back."""

    version: int


@dataclass(frozen=True)
class Hint:
    """Ask a policy what it would play."""

    version: int
    policy: str


KINDS: dict[str, type[Join | Act | Undo | Hint]] = {"join": Join, "act": Act, "undo": Undo, "hint": Hint}
TYPES = {"token": str, "version": int, "action": str, "policy": str}


def parse(text: str | bytes | None) -> Join | Act | Undo | Hint:
    """The message that a text frame holds.

    Raises:
        MessageError: it holds none; the text says what was expected.
    """
    if not isinstance(text, str):
        raise MessageError("malformed", "expected a text frame with a JSON object")
    fields = json_object(text)
    kind = fields.pop("type", None)
    made = KINDS.get(kind) if isinstance(kind, str) else None
    if made is None:
        raise MessageError("unknown", f"type: expected one of {', '.join(KINDS)}")
    wanted = made.__dataclass_fields__
    check_fields(fields, {name: TYPES[name] for name in wanted})
    return made(**fields)


def json_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object of at most ``MAX_BYTES``.

    Raises:
        MessageError: the text is something else.
    """
    if len(text) > MAX_BYTES:
        raise MessageError("too long", f"expected at most {MAX_BYTES} bytes")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("malformed", "expected JSON") from None
    if not isinstance(fields, dict):
        raise MessageError("malformed", "expected a JSON object")
    return fields


def check_fields(fields: dict[str, Any], wanted: dict[str, type]) -> None:
    """Refuse fields that are missing, unknown, of another type, or longer than anything that means something."""
    if set(fields) != set(wanted):
        raise MessageError("malformed", f"expected the fields {', '.join(wanted) or 'none'}")
    for name, value in fields.items():
        if type(value) is not wanted[name]:
            raise MessageError("malformed", f"{name}: expected {_WORD[wanted[name]]}")
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise MessageError("malformed", f"{name}: expected at most {MAX_TEXT} letters")


_WORD = {str: "text", int: "a whole number", bool: "true or false", list: "a list"}


def player_name(text: str) -> str:
    """The name of a person, of 1 to 24 printable letters."""
    name = " ".join(text.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise MessageError("name", f"name: expected 1 to {MAX_NAME} printable letters")
    return name


def seat_specs(seats: list[Any], policies: list[str]) -> list[str]:
    """Who is to sit where: people and policies on offer, at least one of them a person."""
    known = [HUMAN, *policies]
    if len(seats) != NUM_SEATS or not all(isinstance(seat, str) and seat in known for seat in seats):
        raise MessageError("seats", f"seats: expected four of {', '.join(known)}")
    if HUMAN not in seats:
        raise MessageError("seats", "seats: expected at least one human")
    return seats
