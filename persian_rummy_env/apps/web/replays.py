"""Finished games as pages to step through, each at an address that only those who played are told."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict

from ..replay_page import replay_page
from .rooms import Lobby, Room

KEPT = 8
"""The pages requested last, kept in memory; any other is made again, which takes part of a second."""


class Replays:
    """The pages of a lobby's finished games. A page goes with its game."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    def address(self, room: Room) -> str:
        """Where the page of a finished game is: the same for all who played, and not to be guessed.

        Raises:
            MessageError: it is not over: until then its cards are nobody's to see.
        """
        room.record()
        if room.replay_key is None:
            room.replay_key = secrets.token_urlsafe(24)
            room.save()
        return f"/replay/{room.replay_key}"

    def room(self, key: str) -> Room:
        """The table whose page is at an address.

        Raises:
            MessageError: there is none (any more).
        """
        return self.lobby.room_of_replay(key)

    async def page(self, key: str) -> str:
        """The page at an address.

        Raises:
            MessageError: there is none (any more).
        """
        room = self.room(key)
        async with self._one_at_a_time:
            if key not in self._pages:
                self._pages[key] = await asyncio.to_thread(replay_page, [(1, room.record())])
                while len(self._pages) > KEPT:
                    self._pages.popitem(last=False)
            self._pages.move_to_end(key)
            return self._pages[key]
