"""Tables that people sit at: seats and their tokens, who is connected, and the policies that play along."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agents.choose import PolicyError
from agents.seating import HUMAN, Player, draw, players_of
from agents.table import Table, TableError
from agents.view import seat_view
from persian_rummy_env.actions import ACTION_NAMES
from persian_rummy_env.options import fresh_seed
from persian_rummy_env.record import Record
from persian_rummy_env.rules import RuleSet

from .messages import Act, Hint, MessageError, Undo, seat_specs
from .thinking import Thinker

IDLE = 24
"""So many times as long as a deserted table, one stays at which people sit and do nothing."""
MAX_REPLIES = 16
"""Answers that wait for a slow reader; the table itself is sent as it stands, never queued."""


class Link:
    """A connection of a seat: what is still to be sent over it."""

    def __init__(self) -> None:
        self.replies: deque[dict[str, Any]] = deque(maxlen=MAX_REPLIES)
        self.stale = True
        self.replaced = False
        self.wake = asyncio.Event()
        self.wake.set()

    def reply(self, message: dict[str, Any]) -> None:
        self.replies.append(message)
        self.wake.set()

    def table_changed(self) -> None:
        self.stale = True
        self.wake.set()

    def replace(self) -> None:
        """Another connection has taken the seat over."""
        self.replaced = True
        self.wake.set()


@dataclass
class Seat:
    """A seat: its player, the token of the person who took it, and their connection."""

    player: Player
    token: str | None = None
    link: Link | None = None

    @property
    def free(self) -> bool:
        return self.player.human and self.token is None


@dataclass
class Room:
    """One table with its seats.

    Attributes:
        name: public, in the list of tables.
        version: a number that every change of the table raises; what a person does names the one that they saw.
        drawn: the draw for partners, ``[name, card]`` in order, or empty.
        failed: what a policy did wrong, if the game had to stop for it.
        pause: seconds before a policy's action, so that people can follow.
        replay_key: of the address of its replay page, once somebody who played has asked for it.
    """

    name: str
    table: Table
    seats: list[Seat]
    thinker: Thinker
    pause: float
    drawn: list[list[str]] = field(default_factory=list)
    version: int = 0
    failed: str | None = None
    replay_key: str | None = None
    used: float = field(default_factory=time.monotonic)
    _playing: asyncio.Task[None] | None = None

    # Seats ----------------------------------------------------------------------------------------------------------

    def take_seat(self, seat: int, name: str) -> str:
        """Sit down at a free seat; returns its token, which nobody else is ever told."""
        if not 0 <= seat < len(self.seats) or not self.seats[seat].free:
            raise MessageError("taken", f"seat {seat} is not free")
        if any(name == other.player.name for other in self.seats if other.token is not None):
            raise MessageError("name", f"name {name!r}: somebody of that name sits here already")
        token = secrets.token_urlsafe(24)
        self.seats[seat] = Seat(Player(name, HUMAN), token)
        self.touch()
        self.changed()
        return token

    def seat_of(self, token: str) -> int | None:
        """The seat whose token this is."""
        for number, seat in enumerate(self.seats):
            if (
                seat.token is not None
                and token.isascii()
                and secrets.compare_digest(seat.token.encode(), token.encode())
            ):
                return number
        return None

    def connect(self, seat: int) -> Link:
        """The connection of a seat from now on; an older one is told that it has been replaced."""
        link = Link()
        old, self.seats[seat].link = self.seats[seat].link, link
        if old is not None:
            old.replace()
        self.changed()
        self.go_on()
        return link

    def disconnect(self, seat: int, link: Link) -> None:
        """The end of a connection; the seat and the game stay."""
        if self.seats[seat].link is link:
            self.seats[seat].link = None
            self.touch()
            self.changed()

    @property
    def started(self) -> bool:
        """Whether everybody sits."""
        return not any(seat.free for seat in self.seats)

    @property
    def deserted(self) -> bool:
        return all(seat.link is None for seat in self.seats)

    def touch(self) -> None:
        self.used = time.monotonic()

    # What a seat is told --------------------------------------------------------------------------------------------

    def snapshot(self, seat: int) -> dict[str, Any]:
        """All that a seat may know of the table now."""
        view = seat_view(self.table, seat)
        if not self.started or self.failed:
            view["legal"] = []
        return {
            "type": "view",
            "version": self.version,
            **view,
            "undo": view["undo"] and self.may_undo,
            "started": self.started,
            "failed": self.failed,
            "drawn": self.drawn,
            "players": [
                {
                    "name": one.player.name,
                    "human": one.player.human,
                    "here": not one.player.human or one.link is not None,
                    "free": one.free,
                }
                for one in self.seats
            ],
        }

    def changed(self) -> None:
        """Tell everybody who is connected."""
        for seat in self.seats:
            if seat.link is not None:
                seat.link.table_changed()

    # What a seat does -----------------------------------------------------------------------------------------------

    @property
    def may_undo(self) -> bool:
        """Only where one person sits: shown and taken back, cards would tell a partner what he may not know."""
        return sum(seat.player.human for seat in self.seats) == 1

    async def obey(self, seat: int, message: Act | Undo | Hint) -> dict[str, Any] | None:
        """Do what a seat asks for; returns the answer, if there is one beside the changed table.

        Raises:
            MessageError: it cannot be done; nothing has changed.
        """
        self.touch()
        if not self.started:
            raise MessageError("waiting", "not everybody sits yet")
        if self.failed:
            raise MessageError("failed", self.failed)
        if self.table.over:
            raise MessageError("over", "the game is over")
        if self.table.seat != seat:
            raise MessageError("turn", f"it is {self.seats[self.table.seat].player.name}'s turn")
        if message.version != self.version:
            raise MessageError("stale", "the table has changed since; nothing was played")
        try:
            if isinstance(message, Act):
                self.table.play(message.action)
            elif isinstance(message, Undo):
                if not self.may_undo:
                    raise MessageError("undo", "nothing is taken back where several people sit")
                self.table.undo()
            else:
                return await self._hint(message)
        except TableError as error:
            raise MessageError("illegal", str(error)) from None
        self._moved()
        self.go_on()
        return None

    async def _hint(self, message: Hint) -> dict[str, Any]:
        if message.policy not in self.thinker.policies:
            raise MessageError("policy", f"policy: expected one of {', '.join(self.thinker.policies)}")
        try:
            action = await self.thinker.choose(message.policy, self.table.games())
        except PolicyError as error:
            raise MessageError("policy", str(error)) from None
        return {
            "type": "hint", "version": message.version, "policy": message.policy, "action": ACTION_NAMES[action],
        }  # fmt: skip

    def _moved(self) -> None:
        self.version += 1
        self.changed()

    def go_on(self) -> None:
        """Let the policies play until a person is to move."""
        if self.started and self._playing is None:
            self._playing = asyncio.create_task(self._play_policies())

    async def _play_policies(self) -> None:
        try:
            while not self.table.over:
                player = self.seats[self.table.seat].player
                if player.human:
                    return
                if self.pause:
                    await asyncio.sleep(self.pause)
                action = await self.thinker.choose(player.spec, self.table.games())
                self.table.play(action)
                self._moved()
        except PolicyError as error:
            self.failed = str(error)
            self.changed()
        finally:
            self._playing = None

    def record(self) -> Record:
        """The record of the finished game.

        Raises:
            MessageError: it is not over: until then its cards are nobody's to see.
        """
        try:
            return self.table.record([seat.player.name for seat in self.seats])
        except TableError as error:
            raise MessageError("not over", str(error)) from None

    async def stop(self) -> None:
        """Leave the table, and wait until its policies have stopped."""
        playing = self._playing
        self.close()
        if playing is not None:
            await asyncio.wait([playing])

    def close(self) -> None:
        """Leave the table: connections are told, policies stop."""
        if self._playing is not None:
            self._playing.cancel()
        for seat in self.seats:
            if seat.link is not None:
                seat.link.replace()


class Lobby:
    """All tables of a server.

    Args:
        thinker: the policies on offer.
        rules: of all games.
        limit: tables at most.
        keep: seconds that a table stays without anybody connected; with somebody who does nothing, ``IDLE`` times that.
        pause: seconds before a policy's action.
        seeds: where the seeds of games come from.
    """

    def __init__(
        self,
        thinker: Thinker,
        rules: RuleSet | None = None,
        limit: int = 200,
        keep: float = 3600.0,
        pause: float = 0.7,
        seeds: Callable[[], int] = fresh_seed,
    ) -> None:
        self.thinker = thinker
        self.rules = rules or RuleSet()
        self.limit = limit
        self.keep = keep
        self.pause = pause
        self.seeds = seeds
        self.rooms: dict[str, Room] = {}

    def open(self, seats: list[Any], with_draw: bool) -> Room:
        """Open a table.

        Raises:
            MessageError: seats that are none, or no room for another table.
        """
        specs = seat_specs(seats, list(self.thinker.policies))
        self.sweep()
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
            name, Table(self.rules, seed, dealer), [Seat(player) for player in players], self.thinker, self.pause, drawn
        )
        self.rooms[name] = room
        return room

    def room(self, name: str) -> Room:
        """The table of a name.

        Raises:
            MessageError: there is none (any more).
        """
        if name not in self.rooms:
            raise MessageError("no table", "there is no such table, or it has been cleared away")
        return self.rooms[name]

    def sweep(self) -> None:
        """Clear away tables that nobody has been at for long; finished ones sooner where room is short."""
        now = time.monotonic()
        deserted = [room for room in self.rooms.values() if room.deserted]
        gone = [
            room for room in self.rooms.values() if now - room.used > (self.keep if room.deserted else IDLE * self.keep)
        ]
        if len(self.rooms) - len(gone) >= self.limit:
            gone += sorted(
                (room for room in deserted if room.table.over and room not in gone), key=lambda one: one.used
            )[:1]
        for room in gone:
            room.close()
            del self.rooms[room.name]

    async def close(self) -> None:
        """The end of the server: all tables are left, then the policies go."""
        for room in self.rooms.values():
            await room.stop()
        await self.thinker.close()

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
