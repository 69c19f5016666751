"""A seat of a table: who sits there, how they prove it, and the connection to them."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import deque
from dataclasses import dataclass
from typing import Any

from ..seating import Player

MAX_REPLIES = 16
"""Answers that wait for a slow reader; the table itself is sent as it stands, never queued."""
REPLACED, GOING_AWAY = 4001, 1012
"""Close codes: the seat was opened elsewhere, or the table cleared away; the server stops, and may come back."""


class Link:
    """A connection of a seat: what is still to be sent over it.

    Attributes:
        code: the close code with which it is to end, once it is to.
    """

    def __init__(self) -> None:
        self.replies: deque[dict[str, Any]] = deque(maxlen=MAX_REPLIES)
        self.stale = True
        self.code: int | None = None
        self.wake = asyncio.Event()
        self.wake.set()

    def reply(self, message: dict[str, Any]) -> None:
        self.replies.append(message)
        self.wake.set()

    def table_changed(self) -> None:
        self.stale = True
        self.wake.set()

    def end(self, code: int = REPLACED) -> None:
        """Close the connection; by default because another has taken the seat over."""
        self.code = self.code or code
        self.wake.set()


def proof_of(token: str) -> str:
    """What is kept of a token. A token has 192 random bits, so that no slower hash is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class Seat:
    """A seat: its player, the proof of the token of the person who took it, and their connection."""

    player: Player
    proof: str | None = None
    link: Link | None = None

    @property
    def free(self) -> bool:
        return self.player.human and self.proof is None

    def is_opened_by(self, token: str) -> bool:
        return self.proof is not None and secrets.compare_digest(self.proof, proof_of(token))
