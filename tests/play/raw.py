"""Clients that speak to the server byte by byte, and the log of the server beside them."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

LOGS = ("uvicorn.error", "asyncio", "persian_rummy_env.apps.web")
HANDSHAKE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n"
)


def dial(host: str, source: str = "127.0.0.1", **options: int) -> socket.socket:
    """A connection to a server, from one of this machine's own addresses."""
    name, port = host.split(":")
    made = socket.socket()
    for option, value in options.items():
        made.setsockopt(socket.SOL_SOCKET, getattr(socket, option), value)
    made.settimeout(20)
    if source != "127.0.0.1":
        made.bind((source, 0))
    made.connect((name, int(port)))
    return made


def request(host: str, path: str, *headers: str, method: str = "GET", body: bytes = b"") -> bytes:
    """A request as it goes over the line."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def answer(connection: socket.socket, seconds: float = 10) -> bytes:
    """All that comes until the server ends the connection, or stays silent for so long."""
    connection.settimeout(seconds)
    heard = b""
    with suppress(OSError):
        while part := connection.recv(65536):
            heard += part
    return heard


def status(host: str, sent: bytes, seconds: float = 5) -> int:
    """The status with which a request is answered; 0: by ending the connection."""
    with dial(host) as connection:
        connection.settimeout(seconds)
        heard = b""
        with suppress(OSError):
            connection.sendall(sent)
            while b"\r\n" not in heard and (part := connection.recv(65536)):
                heard += part
    return int(heard.split(b" ", 2)[1]) if heard.startswith(b"HTTP/") else 0


def is_ended(connection: socket.socket) -> bool:
    """Whether the server has ended a connection."""
    connection.settimeout(0.01)
    try:
        return connection.recv(65536) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def frame(kind: int, content: bytes, *, last: bool = True) -> bytes:
    """A short frame of a WebSocket, masked with zeros."""
    assert len(content) < 126
    return bytes([0x80 * last | kind, 0x80 | len(content), 0, 0, 0, 0]) + content


def upgraded(host: str, table: str, source: str = "127.0.0.1", **options: int) -> socket.socket:
    """A WebSocket to a table that has said nothing yet."""
    made = dial(host, source, **options)
    made.sendall(f"GET /ws/{table} HTTP/1.1\r\nHost: {host}\r\n{HANDSHAKE}\r\n".encode())
    heard = b""
    while not heard.endswith(b"\r\n\r\n"):
        part = made.recv(1)
        assert part, heard
        heard += part
    assert b" 101 " in heard, heard
    return made


def wait_until(holds: Callable[[], Any], seconds: float = 20) -> float:
    """Wait until something holds; returns how long it took."""
    start = time.monotonic()
    while not holds():
        assert time.monotonic() - start < seconds
        time.sleep(0.01)
    return time.monotonic() - start


@contextmanager
def log_of_server() -> Iterator[list[logging.LogRecord]]:
    """What is logged, from warnings on."""
    records: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    keep = Keep(logging.WARNING)
    for name in LOGS:
        logging.getLogger(name).addHandler(keep)
    try:
        yield records
    finally:
        for name in LOGS:
            logging.getLogger(name).removeHandler(keep)


def tracebacks(records: list[logging.LogRecord]) -> list[str]:
    """The exceptions in a log."""
    return [f"{record.getMessage()}: {record.exc_info[1]!r}" for record in records if record.exc_info]
