"""The protocols of the server: uvicorn's, with limits in time and number that uvicorn has no setting for.

uvicorn's own settings limit the size of a request's head, of a message, and the wait between two requests; they are in
``server.py``. What is missing there is a limit to how long a request may take to arrive, a message of several frames to
end, and an answer to be taken; and a limit to what one address holds.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected, get_remote_addr
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from .limits import Allowance, Guard

LOOK_EVERY = 1.0
"""Seconds between two looks at a connection."""
MOST_UNREAD = 256 * 1024
"""Bytes that wait to be sent to a client, beyond what the system buffers."""
MOST_FRAMES = 64
"""Frames of one message. Each may be empty, so that a limit in bytes is none."""
INVALID_TEXT = 1007


class _Timed:
    """Looks at a connection every second, and ends it when it stays too long in one stage.

    A stage is whatever ``stage`` returns: the same value means the same stage. Its first item names the limit.
    """

    app_state: dict[str, Any]
    transport: Any
    loop: asyncio.AbstractEventLoop
    guard: Guard
    refused = False
    _stage: tuple[str, Any] | None = None
    _since = 0.0
    _next_look: asyncio.TimerHandle

    def admitted(self, transport: Any) -> bool:
        """Count the connection and begin to look at it; False: it has been refused and ended."""
        self.guard = self.app_state["guard"]
        address = get_remote_addr(transport)
        if not self.guard.admit(transport, address[0] if address else None):
            self.refused = True
            transport.abort()
            return False
        self._next_look = self.loop.call_later(LOOK_EVERY, self._look)
        return True

    def stage(self) -> tuple[str, Any] | None:
        raise NotImplementedError

    def _look(self) -> None:
        stage, now = self.stage(), self.loop.time()
        if stage is None or stage != self._stage:
            self._stage, self._since = stage, now
        elif now - self._since > (self.guard.limits.ask_s if stage[0] == "ask" else self.guard.limits.take_s):
            self.transport.abort()
            return
        self._next_look = self.loop.call_later(LOOK_EVERY, self._look)

    def gone(self) -> None:
        """The end of the connection."""
        self._next_look.cancel()
        self.guard.release(self.transport)


class HttpProtocol(_Timed, H11Protocol):
    """Requests arrive whole, and answers are taken, in time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self.admitted(transport):
            super().connection_made(cast(asyncio.Transport, transport))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.refused:
            self.gone()
            super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        super().handle_websocket_upgrade(event)
        self._next_look.cancel()  # the other protocol looks from now on

    @property
    def asking(self) -> bool:
        """Whether a request is still on its way, or none has come yet."""
        return self.cycle is None or self.cycle.more_body or self.cycle.response_complete

    def stage(self) -> tuple[str, Any] | None:
        unsent = self.transport.get_write_buffer_size() > 0
        return ("ask" if self.asking and not unsent else "take", self.cycle)


class Protocol(_Timed, WebSocketsSansIOProtocol):
    """Messages arrive whole, and what is sent is taken, in time; a flood of frames of any kind ends the connection.

    What the application sends waits until there is room. Answers to pings do not: each is written at once, so that a
    client that sends pings and reads nothing would fill the memory.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._received: Allowance | None = None
        self._frames, self._messages = 0, 0
        if self.admitted(transport):
            super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.refused:
            self.gone()
            super().connection_lost(exc)

    def stage(self) -> tuple[str, Any] | None:
        if self.transport.get_write_buffer_size() > 0 or self.transport.is_closing():
            return ("take", None)
        return ("ask", self._messages) if self._frames else None

    def data_received(self, data: bytes) -> None:
        if self._received is None:  # the handshake, which HTTP has limited
            self._received = Allowance(*self.guard.limits.received)
        elif not self._received.take(len(data)):
            self.transport.abort()
            return
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            self.transport.abort()
        else:
            super().data_received(data)

    def handle_text(self, event: Any) -> None:
        self._count(event)
        super().handle_text(event)

    def handle_bytes(self, event: Any) -> None:
        self._count(event)
        super().handle_bytes(event)

    def handle_cont(self, event: Any) -> None:
        self._count(event)
        if self._frames > MOST_FRAMES:
            self.transport.abort()
        else:
            super().handle_cont(event)

    def _count(self, event: Any) -> None:
        """Note whether a message has begun that is not at its end, and how many frames it has."""
        self._frames = 0 if event.fin else self._frames + 1
        self._messages += event.fin

    def send_receive_event_to_app(self) -> None:
        """Hand a message on. Text that is none is the client's fault: uvicorn would log it as an error of ours."""
        frames = getattr(self, "frames", None)  # uvicorn before 0.39 has bytes
        text = b"".join(frames) if frames is not None else getattr(self, "bytes", b"")
        if self.curr_msg_data_type == "text":
            try:
                text.decode()
            except UnicodeDecodeError:
                if not self.close_sent:
                    self.conn.fail(INVALID_TEXT)
                    self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    async def send(self, message: Any) -> None:
        """Send what the application sends; once the connection is at its end, it is told that the client is gone."""
        if self.transport.is_closing() or (self.handshake_complete and self.close_sent):
            self.handshake_complete = True  # nobody is there to complete it with
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # it was refused; uvicorn would take it for forgotten
