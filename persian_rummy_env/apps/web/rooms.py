"""All tables of a server: opening, finding and clearing away, and coming back after a restart."""

from __future__ import annotations

import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...rules import RuleSet
from ...seeds import fresh_seed
from ..game import TableGame
from ..seating import draw, players_of
from .messages import MessageError, seat_specs
from .room import Room
from .seats import Seat
from .store import Kept, Store, StoreError
from .thinking import Thinker

log = logging.getLogger(__name__)
IDLE = 24
"""So many times as long as a deserted table, one stays at which people sit and do nothing."""
UNPLAYED, LEFT = 60.0, 300.0
"""Seconds that a deserted table stays where room is short: without an action; of an address that wants another."""
FINISHED = 16
"""Finished games from the store that stay in memory, those asked for last."""


class Lobby:
    """All tables of a server.

    Args:
        thinker: the policies on offer.
        rules: of all games.
        limit: tables at most.
        keep: seconds that a table stays without anybody connected; with somebody who does nothing, ``IDLE`` times that.
        pause: seconds before a policy's action.
        seeds: where the seeds of games come from.
        store: where tables are kept, if they are.
        tables_each: unfinished tables at most that one address has opened; None: as many as there are.
    """

    def __init__(
        self,
        thinker: Thinker,
        rules: RuleSet | None = None,
        limit: int = 200,
        keep: float = 3600.0,
        pause: float = 0.1,
        seeds: Callable[[], int] = fresh_seed,
        store: Store | None = None,
        tables_each: int | None = None,
    ) -> None:
        self.thinker = thinker
        self.rules = rules or RuleSet()
        self.limit = limit
        self.keep = keep
        self.pause = pause
        self.seeds = seeds
        self.store = store
        self.tables_each = limit + 1 if tables_each is None else tables_each
        self.rooms: dict[str, Room] = {}
        self._finished: OrderedDict[str, Room] = OrderedDict()

    def open(self, seats: list[Any], with_draw: bool, address: str = "local") -> Room:
        """Open a table for somebody at an address.

        Raises:
            MessageError: seats that are none, or no room for another table.
        """
        specs = seat_specs(seats, list(self.thinker.policies))
        self.sweep()
        self._make_room_for(address)
        if len(self.rooms) >= self.limit:
            raise MessageError("full", f"all {self.limit} tables are taken")
        seed = self.seeds()
        players, drawn, dealer = players_of(specs), [], None
        if with_draw:
            players, seating = draw(players, seed)
            drawn = [[one.name, one.card] for drawn_round in seating.rounds for one in drawn_round]
            dealer = seating.dealer
        name = secrets.token_urlsafe(6)
        room = Room(
            name, TableGame(self.rules, seed, dealer), [Seat(player) for player in players], self.thinker, self.pause,
            drawn, opener=address, store=self.store,
        )  # fmt: skip
        self.rooms[name] = room
        room.save()
        return room

    def _make_room_for(self, address: str) -> None:
        """Refuse another table to an address that has enough; one that it left some minutes ago gives way."""
        opened = [room for room in self.rooms.values() if room.opener == address and not room.table.over]
        if len(opened) < self.tables_each:
            return
        left = [room for room in opened if room.deserted and time.monotonic() - room.used > LEFT]
        if not left:
            raise MessageError("too many", f"{len(opened)} tables opened from your address are not finished yet")
        self._give_up(min(left, key=lambda one: one.used))

    def room(self, name: str) -> Room:
        """The table of a name. A finished one that was cleared away comes back from the store.

        Raises:
            MessageError: there is none (any more).
        """
        if name not in self.rooms:
            return self._finished_one(name, lambda store: store.load(name))
        return self.rooms[name]

    def room_of_replay(self, key: str) -> Room:
        """The table whose replay page has this key.

        Raises:
            MessageError: there is none (any more).
        """
        for room in self.rooms.values():
            if room.replay_key and secrets.compare_digest(room.replay_key.encode(), key.encode()):
                return room
        return self._finished_one(key, lambda store: store.by_replay(key))

    def _finished_one(self, wanted: str, find: Callable[[Store], Kept | None]) -> Room:
        if wanted not in self._finished and self.store is not None:
            try:
                kept = find(self.store)
                room = kept and Room.restored(kept, self.thinker, self.pause, self.store)
            except StoreError as error:
                log.warning("%s", error)
                raise MessageError("no table", "the table was kept, but cannot be read any more") from None
            if room is not None and room.table.over:
                self._finished[wanted] = room
                while len(self._finished) > FINISHED:
                    self._finished.popitem(last=False)
        if wanted not in self._finished:
            raise MessageError("no table", "there is no such table, or it has been cleared away")
        self._finished.move_to_end(wanted)
        return self._finished[wanted]

    def restore(self) -> int:
        """Bring the games that were under way back from the store; returns how many.

        Their policies wait until somebody connects.

        Raises:
            StoreError: nothing can be read. One table that cannot be is left out, with a warning.
        """
        if self.store is None:
            return 0
        self.store.expire()
        for kept in self.store.running():
            try:
                self.rooms[kept.name] = Room.restored(kept, self.thinker, self.pause, self.store)
            except StoreError as error:
                log.warning("%s", error)
        return len(self.rooms)

    def sweep(self) -> None:
        """Clear away tables that nobody has been at for long; where room is short, one that is needed least."""
        now = time.monotonic()
        for room in list(self.rooms.values()):
            if now - room.used > (self.keep if room.deserted else IDLE * self.keep):
                self._give_up(room)
        if len(self.rooms) >= self.limit:
            spare = [(rank, room) for room in self.rooms.values() if (rank := self._rank(room, now)) is not None]
            if spare:
                self._give_up(min(spare, key=lambda one: one[0])[1])

    def _rank(self, room: Room, now: float) -> tuple[int, float] | None:
        """The order in which tables give way where room is short; None for those that do not."""
        if room.deserted and room.table.over:
            return 0, room.used
        if room.deserted and not room.version and now - room.used > UNPLAYED:
            return 1, room.used
        return (2, room.used) if now - room.used > self.keep else None

    def _give_up(self, room: Room) -> None:
        """Clear a table away. Its game stays in the store if it is over."""
        room.close()
        del self.rooms[room.name]
        if self.store is not None:
            self.store.delete(room.name)

    async def leave(self) -> None:
        """Leave all tables, as the server stops: nobody plays any more, and connections are told."""
        for room in list(self.rooms.values()):
            await room.stop()
        await self.thinker.close()

    async def close(self) -> None:
        """The end of the server."""
        await self.leave()
        if self.store is not None:
            self.store.close()

    def listing(self) -> list[dict[str, Any]]:
        """The tables with a free seat, for those who want to join one."""
        return [
            {
                "table": room.name,
                "seats": [{"name": seat.player.name, "free": seat.free} for seat in room.seats],
            }
            for room in self.rooms.values()
            if not room.started
        ]
