"""The WebSocket protocol of the server: uvicorn's, with a limit to what a client may leave unread."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_UNREAD = 256 * 1024
"""Bytes that wait to be sent to a client, beyond what the system buffers."""


class Protocol(WebSocketsSansIOProtocol):
    """Cuts a client off that goes on sending while it does not read.

    What the application sends waits until there is room. Answers to pings do not: each is written at once, so that a
    client that sends pings and reads nothing would fill the memory.
    """

    def data_received(self, data: bytes) -> None:
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            self.transport.abort()
        else:
            super().data_received(data)
