"""One table that people sit at: seats and their tokens, who is connected, and the policies that play along."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from ...actions import ACTION_NAMES
from ...players.policy_io import PolicyError
from ...records.record import Record
from ..game import TableError, TableGame
from ..seat_view import seat_view
from ..seating import HUMAN, Player
from .messages import Act, Hint, MessageError, Undo
from .seats import GOING_AWAY, REPLACED, Link, Seat, proof_of
from .store import Kept, Store, StoreError
from .thinking import Thinker

log = logging.getLogger(__name__)
MOST_LETTERS = 300
"""Of the text of an error that a table is told."""


def in_public(error: Exception) -> str:
    """What a table is told of an error: without the legal actions, which are the cards of a hand."""
    text = str(error).partition("; legal")[0][:MOST_LETTERS]
    return text if isinstance(error, PolicyError | TableError) else f"{type(error).__name__}: {text}"


@dataclass
class Room:
    """One table with its seats.

    Attributes:
        name: public, in the list of tables.
        version: a number that every change of the table raises; what a person does names the one that they saw.
        drawn: the draw for partners, ``[name, card]`` in order, or empty.
        failed: what a policy did wrong, if the game had to stop for it.
        pause: seconds before a policy's action, so that each is sent on its own; the page shows them at its own speed.
        replay_key: of the address of its replay page, once somebody who played has asked for it.
        opener: the address that opened it, as it is counted.
        store: where it is kept, if it is.
    """

    name: str
    table: TableGame
    seats: list[Seat]
    thinker: Thinker
    pause: float
    drawn: list[list[str]] = field(default_factory=list)
    version: int = 0
    failed: str | None = None
    replay_key: str | None = None
    opener: str | None = None
    store: Store | None = None
    used: float = field(default_factory=time.monotonic)
    _playing: asyncio.Task[None] | None = None

    # Seats ----------------------------------------------------------------------------------------------------------

    def take_seat(self, seat: int, name: str) -> str:
        """Sit down at a free seat; returns its token, which nobody else is ever told."""
        if not 0 <= seat < len(self.seats) or not self.seats[seat].free:
            raise MessageError("taken", f"seat {seat} is not free")
        if any(name == other.player.name for other in self.seats if other.proof is not None):
            raise MessageError("name", f"name {name!r}: somebody of that name sits here already")
        token = secrets.token_urlsafe(24)
        self.seats[seat] = Seat(Player(name, HUMAN), proof_of(token))
        self.touch()
        self.save()
        self.changed()
        return token

    def seat_of(self, token: str) -> int | None:
        """The seat whose token this is."""
        return next((number for number, seat in enumerate(self.seats) if seat.is_opened_by(token)), None)

    def connect(self, seat: int) -> Link:
        """The connection of a seat from now on; an older one is told that it has been replaced."""
        link = Link()
        old, self.seats[seat].link = self.seats[seat].link, link
        if old is not None:
            old.end()
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
        if not self.started or self.trouble:
            view["legal"] = []
        return {
            "type": "view",
            "version": self.version,
            **view,
            "undo": view["undo"] and self.may_undo,
            "rules": self.table.rules.as_dict(),
            "started": self.started,
            "failed": self.trouble,
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
        """Only where one person sits: cards shown and taken back would tell a partner what they may not know."""
        return sum(seat.player.human for seat in self.seats) == 1

    async def obey(self, seat: int, message: Act | Undo | Hint) -> dict[str, Any] | None:
        """Do what a seat asks for; returns the answer, if there is one beside the changed table.

        Raises:
            MessageError: it cannot be done; nothing has changed.
        """
        self.touch()
        if not self.started:
            raise MessageError("waiting", "not everybody sits yet")
        if self.trouble:
            raise MessageError("failed", self.trouble)
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
            raise MessageError("policy", in_public(error)) from None
        return {
            "type": "hint", "version": message.version, "policy": message.policy, "action": ACTION_NAMES[action],
        }  # fmt: skip

    def _moved(self) -> None:
        """The table has changed: it is kept first, so that nobody sees what a restart would take back."""
        self.version += 1
        self.save()
        self.changed()

    def go_on(self) -> None:
        """Let the policies play until a person is to move."""
        if self.started and self._playing is None and not self.thinker.closed:
            self._playing = asyncio.create_task(self._play_policies())

    async def _play_policies(self) -> None:
        name = ""
        try:
            while not self.table.over and not self.trouble:
                player = self.seats[self.table.seat].player
                if player.human:
                    return
                name = player.name
                if self.pause:
                    await asyncio.sleep(self.pause)
                action = await self.thinker.choose(player.spec, self.table.games())
                self.table.play(action)
                self._moved()
        except (PolicyError, TableError) as error:
            log.warning("table %s: %s: %s", self.name, name, error)
            self._fail(f"{name}: {in_public(error)}")
        except Exception as error:
            log.exception("table %s: %s", self.name, name)
            self._fail(f"{name}: {in_public(error)}")
        finally:
            self._playing = None

    def _fail(self, why: str) -> None:
        """Stop the game for good, and say so at the table."""
        self.failed = why
        self.save()
        self.changed()

    @property
    def trouble(self) -> str | None:
        """Why the game cannot go on, if it cannot."""
        if self.failed or self.table.over:
            return self.failed
        missing = [seat.player.spec for seat in self.seats if not seat.player.human]
        missing = [spec for spec in missing if spec not in self.thinker.policies]
        return f"the server was started again without the policy {missing[0]!r}" if missing else None

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
        """Leave the table as the server stops, and wait until its policies have stopped."""
        playing = self._playing
        self.close(GOING_AWAY)
        if playing is not None:
            await asyncio.wait([playing])

    def close(self, code: int = REPLACED) -> None:
        """Leave the table: connections are told, with a close code, and policies stop."""
        if self._playing is not None:
            self._playing.cancel()
        for seat in self.seats:
            if seat.link is not None:
                seat.link.end(code)

    # Keeping --------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Keep the table as it stands in the store, if there is one."""
        if self.store is not None:
            self.store.save(self.name, self.state(), over=self.table.over, replay=self.replay_key)

    def state(self) -> dict[str, Any]:
        """All that ``restored`` needs, and more than anybody may see before the end: a JSON object."""
        return {
            **self.table.unfinished(
                [seat.player.name for seat in self.seats], [seat.player.spec for seat in self.seats]
            ),
            "proofs": [seat.proof for seat in self.seats],
            "drawn": self.drawn,
            "version": self.version,
            "failed": self.failed,
            "replay_key": self.replay_key,
        }

    @classmethod
    def restored(cls, kept: Kept, thinker: Thinker, pause: float, store: Store) -> Room:
        """The table that ``state`` was kept of. Its game is played again, action by action.

        Raises:
            StoreError: it cannot be; the text says why.
        """
        try:
            state = kept.state
            players = [Player(*one) for one in zip(state["players"], state["seats"], strict=True)]
            seats = [Seat(player, proof) for player, proof in zip(players, state["proofs"], strict=True)]
            table = TableGame.resume({name: state[name] for name in ("format", "rules", "seed", "dealer", "actions")})
            return cls(
                kept.name, table, seats, thinker, pause, state["drawn"], state["version"], state["failed"],
                state["replay_key"], store=store,
            )  # fmt: skip
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"--store {str(store.path)!r}: table {kept.name!r} does not come back: {error}") from None
