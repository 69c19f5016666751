"""Odd requests: none ends in an error of the server, and an error of its own still shows its traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from tests.env.play import scaled
from tests.play.raw import (
    HANDSHAKE,
    answer,
    dial,
    frame,
    log_of_server,
    request,
    status,
    tracebacks,
    upgraded,
    wait_until,
)
from tests.play.serving import Server, receive, serving

from persian_rummy_env.apps.web import app  # isort: skip

ORIGINS = [
    "http://[::1",
    "http://[",
    "http://]",
    "http://[v1.x]",
    "http://[::1]:99999999",
    "http://a:b:c",
    "null",
    "",
    " ",
    "\xff\xfe",
    "http://127.0.0.1@evil.example",
    "http://\u2100".encode().decode("latin-1"),
    "http://" + "a" * 5000,
    "//",
    "http://[fe80::1%25]",
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(policies=["greedy"]) as running:
        yield running


@pytest.mark.parametrize("origin", ORIGINS, ids=lambda origin: repr(origin)[:30])
def test_an_odd_origin_is_refused(server: Server, origin: str) -> None:
    body = json.dumps({"seats": ["human", "greedy", "greedy", "greedy"], "name": "Eve", "draw": False}).encode()
    before = len(server.lobby.rooms)
    with log_of_server() as log:
        lines = ["content-type: application/json", f"content-length: {len(body)}", f"Origin: {origin}"]
        found = status(server.host, request(server.host, "/api/tables", *lines, method="POST", body=body))
        assert found in (400, 403)
        sat = status(
            server.host,
            f"GET /ws/x HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {origin}\r\n{HANDSHAKE}\r\n".encode("latin-1"),
        )
        assert sat in (400, 403)
    assert tracebacks(log) == []
    assert len(server.lobby.rooms) == before


def test_a_client_that_goes_away_in_the_middle_of_its_request_leaves_no_traceback(server: Server) -> None:
    ways = ["content-length: 100", "transfer-encoding: chunked"]
    with log_of_server() as log:
        for path in ("/api/tables", "/api/tables/x/join", "/api/tables/x/replay"):
            for way in ways:
                for abrupt in (False, True):
                    connection = dial(server.host)
                    lines = ["content-type: application/json", way]
                    body = b"{" if way.startswith("content") else b"1\r\n{\r\n"
                    connection.sendall(request(server.host, path, *lines, method="POST", body=body))
                    wait_until(lambda: server.connections)
                    if abrupt:
                        connection.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER of no time: a reset
                    connection.close()
        wait_until(lambda: not server.connections)
        with server.connect("none") as connection:  # and of a WebSocket, before and after it has joined
            connection.socket.close()
        seat = server.open()
        for sent in (b"", frame(1, json.dumps({"type": "join", "token": seat["token"]}).encode())):
            upgraded(server.host, seat["table"]).close()
            connection = upgraded(server.host, seat["table"])
            connection.sendall(sent + b"\x81")
            connection.close()
        wait_until(lambda: not server.connections)
    assert tracebacks(log) == []


VALUES = [
    *(
        "",
        " ",
        "x",
        "[",
        "[::1",
        "[::1]",
        "::1",
        "127.0.0.1:x",
        "127.0.0.1:99999999999",
        "127.0.0.1:",
        "-1",
        "0",
        "1e9",
    ),
    *("9" * 30, "9" * 6000, "gzip, chunked", "chunked, chunked", "identity", "websocket", "h2c", "keep-alive, Upgrade"),
    *("\xff", "\x80\x81", "\x00", "\t", "a\x0bb", "%00", "%c3%28", "=; =;;", "a=b; " * 500, "Bearer", "Bearer "),
    *("Bearer \xe9", "application/json; x", "bytes=0-1,2-3", "bytes=-", "13", "8", "permessage-deflate; x=y", "*"),
    *("permessage-deflate; client_max_window_bits=99", 'W/"x"', "Thu, 99 Foo 9999", "../..", "100-continue"),
]
NAMES = [
    *(
        "Host",
        "Origin",
        "Upgrade",
        "Connection",
        "Sec-WebSocket-Key",
        "Sec-WebSocket-Version",
        "Sec-WebSocket-Protocol",
    ),
    *("Sec-WebSocket-Extensions", "Content-Length", "Transfer-Encoding", "Content-Type", "Cookie", "Authorization"),
    *(
        "Range",
        "If-None-Match",
        "If-Modified-Since",
        "X-Forwarded-For",
        "X-Forwarded-Proto",
        "Expect",
        "Accept-Encoding",
    ),
    *("Te", "Trailer", "X", ""),
]
PATHS = [
    *("/", "/api/lobby", "/api/lobby/", "/api/tables", "/api/tables/x/join", "/api/tables/x/record", "/replay/x"),
    *(
        "/api/tables/%00/record",
        "/replay/%ff",
        "/replay/x/",
        "/static/table.js",
        "/static/",
        "/static/%00",
        "/static/%ff",
    ),
    *("/static/" + "a" * 3000, "/static/../x", "/static", "/ws/x", "/ws/", "/ws/%00", "//", "/?a=%ff&&=", "*"),
    *("http://127.0.0.1/", "/%2e%2e/", "/x#y", ""),
]


def odd_request(host: str, rng: random.Random) -> bytes:
    """A request with one to four odd headers, which may be for a WebSocket."""
    method = rng.choice(["GET", "POST", "HEAD", "OPTIONS", "PUT", "CONNECT", "get", "X" * 30])
    lines = [f"{method} {rng.choice(PATHS)} HTTP/{rng.choice(['1.1', '1.1', '1.1', '1.0', '2.0', '0.9', 'x'])}"]
    if rng.random() < 0.8:
        lines.append(f"Host: {host}")
    if rng.random() < 0.4:
        lines += HANDSHAKE.strip().split("\r\n")
    for _ in range(rng.randrange(1, 5)):
        lines.insert(rng.randrange(1, len(lines) + 1), f"{rng.choice(NAMES)}: {rng.choice(VALUES)}")
    if rng.random() < 0.05:
        lines += [f"X-{number}: y" for number in range(rng.choice([50, 129, 300]))]
    if rng.random() < 0.3:
        lines.append("content-type: application/json")
    text = "\r\n".join(lines) + "\r\n" * rng.choice([2, 2, 2, 2, 1])
    body = rng.choice(
        [b"", b"", b"{}", b"{", b"\xff" * 9, b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\n", rng.randbytes(40), b"[" * 3000]
    )
    return text.encode("latin-1") + body


def test_no_odd_header_is_an_error_of_the_server(server: Server) -> None:
    rng = random.Random(5)
    with log_of_server() as log:
        for number in range(scaled(250, least=40)):
            sent = odd_request(server.host, rng)
            with dial(server.host) as connection:
                connection.sendall(sent)
                connection.shutdown(1)
                heard = answer(connection, 0.02)
            assert not heard.startswith((b"HTTP/1.1 5", b"HTTP/1.0 5")), (number, sent, heard)
            assert tracebacks(log) == [], (number, sent)
        assert status(server.host, request(server.host, "/api/lobby")) == 200
    assert [record.getMessage() for record in log if record.levelname in ("ERROR", "CRITICAL")] == []


def test_no_odd_frame_is_an_error_of_the_server(server: Server) -> None:
    rng = random.Random(6)
    seat = server.open()
    joining = frame(1, json.dumps({"type": "join", "token": seat["token"]}).encode())
    with log_of_server() as log:
        for number in range(scaled(150, least=30)):
            with upgraded(server.host, seat["table"]) as connection:
                sent = joining * rng.randrange(2)
                for _ in range(rng.randrange(1, 6)):
                    content = rng.choice(
                        [
                            b"",
                            b"{}",
                            b"\xff\xfe",
                            rng.randbytes(20),
                            b"[" * 100,
                            '"\ud800"'.encode("utf-8", "surrogatepass"),
                        ]
                    )
                    odd = frame(rng.choice([0, 1, 1, 2, 3, 8, 8, 9, 10, 15]), content, last=rng.random() < 0.7)
                    if rng.random() < 0.3:
                        place = rng.randrange(len(odd))
                        odd = odd[:place] + rng.randbytes(1) + odd[place + 1 :]
                    sent += odd
                connection.sendall(sent)
                answer(connection, rng.choice([0.0, 0.02]) or 0.001)
            assert tracebacks(log) == [], (number, sent)
    with server.sit(seat) as connection:
        assert receive(connection)["seat"] == 0


@pytest.mark.parametrize(
    "error", [TypeError, RuntimeError, ValueError, KeyError, AssertionError], ids=lambda one: one.__name__
)
def test_a_programming_error_shows_its_traceback(
    server: Server, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """In a request, in what a seat asks for, and in what it is sent: nothing swallows it."""

    def planted(*_: object, **__: object) -> None:
        raise error("planted")

    seat = server.open()
    with monkeypatch.context() as patch, log_of_server() as log:
        patch.setattr(server.lobby, "listing", planted)
        assert status(server.host, request(server.host, "/api/lobby")) == 500
        wait_until(lambda: tracebacks(log))
    assert "planted" in str(tracebacks(log))
    for place in ("obey", "snapshot"):
        with monkeypatch.context() as patch, log_of_server() as log:
            patch.setattr(server.lobby.rooms[seat["table"]], place, planted)
            with server.sit(seat) as connection:
                with suppress(ConnectionClosed):  # the server may be faster
                    connection.send(json.dumps({"type": "undo", "version": 0}))
                with pytest.raises(ConnectionClosed):
                    receive(connection, "never")
            wait_until(lambda log=log: tracebacks(log))
        assert "planted" in str(tracebacks(log)), place
    with monkeypatch.context() as patch, log_of_server() as log:
        patch.setattr(app, "parse", planted)
        with server.sit(seat) as connection, pytest.raises(ConnectionClosed):
            receive(connection, "never")
        wait_until(lambda: tracebacks(log))
    assert "planted" in str(tracebacks(log))
    with server.sit(seat) as connection:
        assert receive(connection)["seat"] == 0
