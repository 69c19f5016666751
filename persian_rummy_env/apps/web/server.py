"""Running the application: the address, the settings of uvicorn, and the end within seconds."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette

from ...system.signals import on_ending
from .limits import Limits
from .messages import MAX_BYTES
from .protocol import HttpProtocol, Protocol
from .rooms import Lobby

CUT_OFF_S, CANCEL_S, LAST_RESORT_S = 1.5, 2, 4.0
"""Seconds after the signal: open connections are cut off; tasks are cancelled; the process ends, whatever it does."""


def config(app: Starlette, limits: Limits) -> uvicorn.Config:
    """The settings of uvicorn. What is limited here is not limited in ``protocol.py``."""
    return uvicorn.Config(
        app,
        http=HttpProtocol,
        ws=Protocol,
        ws_max_size=MAX_BYTES,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        h11_max_incomplete_event_size=16 * 1024,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=CANCEL_S,
        backlog=256,
        proxy_headers=bool(limits.proxies),
        forwarded_allow_ips=list(limits.proxies),
        server_header=False,
        log_level="error",  # its warnings are all of what clients do, who could fill the disk with them
        access_log=False,
    )


class Server(uvicorn.Server):
    """uvicorn's server, which tells its address once it listens, and ends within seconds.

    Args:
        config: see ``config``.
        lobby: its tables, which are left before the connections end.
        address: printed once it listens, or None.
    """

    def __init__(self, config: uvicorn.Config, lobby: Lobby, address: str | None = None) -> None:
        super().__init__(config)
        self.lobby = lobby
        self.address = address
        self._last_resort: threading.Timer | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started and self.address:
            with contextlib.suppress(OSError):  # nobody reads it
                sys.stdout.write(f"Persian Rummy: {self.address}\n")
                sys.stdout.flush()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear the signals that all commands hear. uvicorn would raise its own again at the end."""
        with on_ending(self.stop):
            yield
        if self._last_resort is not None:
            self._last_resort.cancel()

    def stop(self, number: int = 0) -> None:  # noqa: ARG002 - of the signal
        """Stop serving. What does not end by itself is ended."""
        self.should_exit = True
        self._last_resort = threading.Timer(LAST_RESORT_S, os._exit, [1])
        self._last_resort.daemon = True
        self._last_resort.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Leave the tables, end what waits for clients, and then do what uvicorn does."""
        for server in self.servers:
            server.close()
        await self.lobby.leave()
        for connection in list(self.server_state.connections):
            if isinstance(connection, HttpProtocol) and connection.asking:
                connection.transport.abort()
        asyncio.get_running_loop().call_later(CUT_OFF_S, self._cut_off)
        await super().shutdown(sockets=sockets)

    def _cut_off(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def bind(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to an address; they do not listen yet.

    Raises:
        ValueError: no such address or port, or it is in use.
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"--port {port}: expected 0..65535 (0: any that is free)")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise ValueError(f"--host {host!r}: {_why(error)}") from None
    sockets: list[socket.socket] = []
    fault: Exception | None = None
    for family, kind, protocol, _, (name, *rest) in dict.fromkeys(found):
        address = (name, sockets[0].getsockname()[1] if sockets else port, *rest[1:])
        try:
            sockets.append(_bound(family, kind, protocol, address))
        except OSError as error:
            fault = error
            if not _is_missing(error):
                break
    if fault is not None and (not sockets or not _is_missing(fault)):
        for one in sockets:
            one.close()
        name = f"--host {host!r}" if _is_missing(fault) else f"--port {port}"
        raise ValueError(f"{name}: {_why(fault)}")
    return sockets


def _bound(family: int, kind: int, protocol: int, address: Any) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would let two servers have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def _is_missing(error: Exception) -> bool:
    """Whether this machine does not have the address or its family; a name may have others."""
    import errno

    return getattr(error, "errno", None) in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def listen(sockets: list[socket.socket], port: int) -> None:
    """Listen; uvicorn takes the sockets over.

    Raises:
        ValueError: another program has begun to listen there.
    """
    try:
        for one in sockets:
            one.listen(256)
    except OSError as error:
        raise ValueError(f"--port {port}: {_why(error)}") from None


def url(host: str, sockets: list[socket.socket]) -> str:
    port = sockets[0].getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
