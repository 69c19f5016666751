"""One address floods the server as fast as it can, and somebody else plays: how long they wait at most."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the browser game needs: pip install -e '.[play]'")

from tests.play.processes import Process, process
from tests.play.raw import answer, dial, frame, request, upgraded
from tests.play.serving import receive

MOST = 5.0
"""Seconds that an answer to somebody else may take. On a quiet machine it takes milliseconds."""
SECONDS = 1.5
TABLE = json.dumps({"seats": ["human", *["greedy"] * 3], "name": "Eve", "draw": False}).encode()
GUESTS = (str(IPv4Address("127.0.1.0") + number) for number in itertools.count(1))
"""An address for each game: the server lets one address open twenty tables, then six a minute."""


@pytest.fixture(scope="module")
def server() -> Iterator[Process]:
    """With the limits that it has by itself."""
    arguments = ["--port", "0", "--pause", "0", "--policies", "greedy", "--rules", "deals=1", "--no-store"]
    with process(*arguments) as running:
        yield running


def opened(server: Process, source: str) -> dict[str, Any]:
    """The answer to a table that is opened from this address."""
    lines = ["content-type: application/json", f"content-length: {len(TABLE)}", "connection: close"]
    with dial(server.host, source) as connection:
        connection.sendall(request(server.host, "/api/tables", *lines, method="POST", body=TABLE))
        return json.loads(answer(connection).partition(b"\r\n\r\n")[2])


def frames(server: Process, source: str, content: bytes) -> Iterator[None]:
    """Frames over the WebSocket of a table of one's own, until the server ends the connection; and again."""
    table = opened(server, source)
    join = frame(1, json.dumps({"type": "join", "token": table["token"]}).encode())
    while True:
        with suppress(OSError, AssertionError), upgraded(server.host, table["table"], source) as connection:
            connection.sendall(join)
            while True:
                connection.sendall(content)
        yield


def requests(server: Process, source: str, content: bytes) -> Iterator[None]:
    """Requests whose answers nobody reads, until the server takes no more of them; and again."""
    while True:
        with suppress(OSError), dial(server.host, source) as connection:
            connection.settimeout(0.5)
            while True:
                connection.sendall(request(server.host, "/api/lobby") * 20)
        yield


@contextmanager
def flooded(by: Iterator[None]) -> Iterator[list[int]]:
    """While somebody floods; how often they were cut off."""
    rounds, ends = [0], threading.Event()

    def go_on() -> None:
        while not ends.is_set():
            next(by)
            rounds[0] += 1

    flooding = threading.Thread(target=go_on)
    flooding.start()
    try:
        yield rounds
        assert flooding.is_alive()
    finally:
        ends.set()
        flooding.join(30)
    assert not flooding.is_alive()


def waits_of_a_game(server: Process) -> Iterator[float]:
    """Seconds until each answer: to the table that is opened, and to each action."""
    start = time.monotonic()
    with server.sit(opened(server, next(GUESTS))) as connection:
        view = receive(connection)
        while True:
            yield time.monotonic() - start
            if view["phase"] == "over":
                return
            start = time.monotonic()
            if view["legal"]:
                act = {"type": "act", "version": view["version"], "action": view["legal"][0]}
                connection.send(json.dumps(act))
            view = receive(connection, until=lambda one, old=view["version"]: one["version"] > old)


@pytest.mark.perf
@pytest.mark.parametrize(
    ("flood", "source", "content"),
    [
        pytest.param(frames, "127.0.0.2", frame(1, b"{}") * 50, id="messages"),
        pytest.param(frames, "127.0.0.3", frame(9, b"") * 500, id="pings"),
        pytest.param(requests, "127.0.0.4", b"", id="requests"),
    ],
)
def test_others_wait_five_seconds_at_most_while_one_floods(
    server: Process, flood: Callable[[Process, str, bytes], Iterator[None]], source: str, content: bytes
) -> None:
    """The addresses are all this machine's own, which Linux has without being asked."""
    with flooded(flood(server, source, content)) as rounds:
        waits: list[float] = []
        until = time.monotonic() + SECONDS
        while time.monotonic() < until or not rounds[0]:
            waits += waits_of_a_game(server)
    assert max(waits) < MOST, f"of {len(waits)} waits the longest was {max(waits):.1f} s"
    assert server.log == []
