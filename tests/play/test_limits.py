"""What one address may take of the server, by number and in time, while everybody else plays on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from tests.play.raw import answer, dial, frame, is_ended, request, status, upgraded, wait_until
from tests.play.serving import Limits, Server, receive, serving

from persian_rummy_env.apps.web import protocol, rooms  # isort: skip
from persian_rummy_env.apps.web.limits import Allowance, Allowances, Guard, Tally, counted_address, proxies  # isort: skip

ELSEWHERE = "127.0.0.2"
"""Another address of this machine, which Linux has without being asked."""
QUICK = {"ask_s": 0.3, "take_s": 0.6}


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "LOOK_EVERY", 0.02)


def allowed(**limits: Any) -> Limits:
    """No limits but these."""
    return Limits(
        **{"connections": 10**6, "connections_each": 10**6, "openings": (1e9, 1e9), "requests": (1e9, 1e9), **limits}
    )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(policies=["greedy"], allowed=allowed(**QUICK)) as running:
        yield running


PATIENCE = 60
"""Seconds to wait for what comes in one or two on a quiet machine, and never where a limit is missing."""


def is_cut_off(connection: socket.socket, sent: bytes) -> bool:
    """Whether the server ends a connection over which the same is sent again and again."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            connection.sendall(sent)
        except OSError:
            return True
        time.sleep(0.005)
    return False


POST = {"method": "POST"}
JSON_OF = "content-type: application/json"


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Head",
        request(
            "127.0.0.1", "/api/tables", "content-type: application/json", "content-length: 9", method="POST", body=b"{"
        ),
        request("127.0.0.1", "/api/tables", "transfer-encoding: chunked", method="POST", body=b"1\r\n{\r\n"),
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT",
    ],
    ids=["nothing", "a letter", "half a head", "half a body", "half of the chunks", "no body", "the second request"],
)
def test_a_request_that_does_not_come_whole_is_cut_off(server: Server, start: bytes) -> None:
    """At once silent, and dripping a byte now and then."""
    for drip in (False, True):
        with dial(server.host) as connection:
            connection.sendall(start)
            began = time.monotonic()
            while not is_ended(connection):
                assert time.monotonic() - began < PATIENCE, "still waiting"
                if drip:
                    try:
                        connection.sendall(b"1")
                    except OSError:
                        break
                    time.sleep(0.03)
    assert status(server.host, request(server.host, "/api/lobby")) == 200


def test_a_body_that_goes_on_after_the_answer_is_cut_off(server: Server) -> None:
    with dial(server.host) as connection:
        connection.sendall(request(server.host, "/api/tables", JSON_OF, "content-length: 100000000", **POST))
        assert is_cut_off(connection, b"x" * 4096)


def test_an_answer_that_is_not_taken_is_cut_off(server: Server) -> None:
    """Requests one after the other, and nothing is read."""
    with dial(server.host, SO_RCVBUF=4096) as connection:
        connection.settimeout(0.5)
        asked = request(server.host, "/static/table.js") * 20
        began = time.monotonic()
        while True:
            assert time.monotonic() - began < PATIENCE, "still served"
            try:
                connection.sendall(asked)
            except TimeoutError:
                if not server.connections:
                    break
            except OSError:
                break


@pytest.mark.parametrize("content", [b"", b"x"], ids=["empty", "a letter"])
def test_a_message_of_endless_frames_is_cut_off(server: Server, content: bytes) -> None:
    with upgraded(server.host, "none") as connection:
        connection.sendall(frame(1, content, last=False))
        for _ in range(100_000):
            try:
                connection.sendall(frame(0, content, last=False))
            except OSError:
                break
            if is_ended(connection):
                break
        else:
            pytest.fail("still listening")


def test_a_message_that_does_not_end_is_cut_off(server: Server) -> None:
    """Its frames come slowly, and control frames between them do not count."""
    seat = server.open()
    with upgraded(server.host, seat["table"]) as connection:
        connection.sendall(frame(1, json.dumps({"type": "join", "token": seat["token"]}).encode()))
        connection.sendall(frame(1, b"{", last=False))
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            try:
                connection.sendall(frame(0, b" ", last=False) + frame(9, b""))
            except OSError:
                break
            time.sleep(0.05)
        else:
            pytest.fail("still listening")


@pytest.mark.parametrize("kind", [9, 10], ids=["pings", "pongs"])
def test_a_flood_of_control_frames_is_cut_off(server: Server, kind: int) -> None:
    seat = server.open()
    with upgraded(server.host, seat["table"]) as connection:
        connection.sendall(frame(1, json.dumps({"type": "join", "token": seat["token"]}).encode()))
        assert is_cut_off(connection, frame(kind, b"") * 100)


def test_a_table_that_is_not_taken_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat that reads nothing, at a table whose views fill all buffers."""
    seat = server.open()
    room = server.lobby.rooms[seat["table"]]
    monkeypatch.setattr(room, "snapshot", lambda _: {"type": "view", "padding": "x" * 10_000_000})
    with upgraded(server.host, seat["table"], SO_RCVBUF=4096) as connection:
        connection.sendall(frame(1, json.dumps({"type": "join", "token": seat["token"]}).encode()))
        wait_until(lambda: room.seats[0].link is not None)
        wait_until(lambda: room.seats[0].link is None, PATIENCE)
        assert len(answer(connection)) < 10_000_000


def test_a_seat_that_only_listens_stays(server: Server) -> None:
    """Limits in time are for what is begun and not ended."""
    with server.sit(server.open()) as connection:
        receive(connection)
        time.sleep(1.5)
        connection.send(json.dumps({"type": "undo", "version": -1}))
        assert receive(connection, "error")["code"]


def test_connections_of_one_address_are_limited_and_others_come_in() -> None:
    with serving(policies=["greedy"], allowed=allowed(connections_each=5)) as server, ExitStack() as open_ones:
        seat = server.open()
        wait_until(lambda: not server.connections)
        mine = [open_ones.enter_context(dial(server.host)) for _ in range(4)]
        mine.append(open_ones.enter_context(upgraded(server.host, seat["table"])))
        more = [open_ones.enter_context(dial(server.host)) for _ in range(5)]
        wait_until(lambda: all(map(is_ended, more)))
        assert not any(map(is_ended, mine))
        with dial(server.host, ELSEWHERE) as other:
            other.sendall(request(server.host, "/api/lobby", "connection: close"))
            assert answer(other).startswith(b"HTTP/1.1 200")
        mine[0].close()
        wait_until(lambda: status(server.host, request(server.host, "/api/lobby")) == 200)


def test_connections_of_all_together_are_limited() -> None:
    with serving(policies=["greedy"], allowed=allowed(connections=3)) as server, ExitStack() as open_ones:
        for number in range(3):
            open_ones.enter_context(dial(server.host, f"127.0.0.{2 + number}"))
        wait_until(lambda: len(server.connections) == 3)
        assert status(server.host, request(server.host, "/api/lobby")) == 0


def opened(server: Server, source: str = "127.0.0.1", **headers: str) -> int:
    """The status with which a table is opened."""
    body = json.dumps({"seats": ["human", *["greedy"] * 3], "name": "Ada", "draw": False}).encode()
    lines = [JSON_OF, f"content-length: {len(body)}", "connection: close", *(f"{k}: {v}" for k, v in headers.items())]
    with dial(server.host, source) as connection:
        connection.sendall(request(server.host, "/api/tables", *lines, **POST, body=body))
        return int(answer(connection).split(b" ", 2)[1])


def test_tables_of_one_address_are_limited_and_others_open_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(policies=["greedy"], tables_each=4, limit=20, allowed=allowed()) as server:
        assert [opened(server) for _ in range(7)] == [201] * 4 + [429] * 3
        assert opened(server, ELSEWHERE) == 201
        assert len(server.lobby.rooms) == 5
        monkeypatch.setattr(rooms, "LEFT", 0.0)  # one that was left gives way to the next
        oldest = min(server.lobby.rooms.values(), key=lambda room: room.used)
        assert opened(server) == 201
        assert oldest.name not in server.lobby.rooms
        assert len(server.lobby.rooms) == 5


def test_finished_tables_do_not_count() -> None:
    from tests.play.serving import play_to_end

    with serving(policies=["greedy"], tables_each=1, allowed=allowed()) as server:
        for _ in range(3):
            with server.sit(server.open()) as connection:
                play_to_end(connection)


def test_tables_are_not_opened_faster_than_they_are_played() -> None:
    with serving(policies=["greedy"], allowed=allowed(openings=(3, 0.0))) as server:
        assert [opened(server) for _ in range(5)] == [201] * 3 + [429] * 2
        assert opened(server, ELSEWHERE) == 201


def test_requests_of_one_address_are_limited() -> None:
    with serving(policies=["greedy"], allowed=allowed(requests=(5, 0.0))) as server:
        asked = request(server.host, "/api/lobby")
        assert [status(server.host, asked) for _ in range(7)] == [200] * 5 + [429] * 2
        assert opened(server, ELSEWHERE) == 201


def test_where_room_is_short_an_unplayed_table_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """To whoever comes from another address; one at which somebody sits does not."""
    with serving(policies=["greedy"], limit=2, allowed=allowed()) as server:
        left, mine = server.open(), server.open()
        with server.sit(mine) as connection:
            receive(connection)
            assert opened(server, ELSEWHERE) == 503
            monkeypatch.setattr(rooms, "UNPLAYED", 0.0)
            assert opened(server, ELSEWHERE) == 201
            assert left["table"] not in server.lobby.rooms
            assert mine["table"] in server.lobby.rooms


def test_nobody_is_somebody_else_by_a_header_alone() -> None:
    with serving(policies=["greedy"], allowed=allowed(openings=(2, 0.0))) as server:
        found = [opened(server, **{"x-forwarded-for": f"10.0.0.{number}"}) for number in range(4)]
    assert found == [201, 201, 429, 429]


def test_behind_a_proxy_that_was_named_its_clients_are_told_apart() -> None:
    limits = allowed(openings=(1, 0.0), connections_each=2, proxies=("127.0.0.1",))
    with serving(policies=["greedy"], allowed=limits) as server, ExitStack() as open_ones:
        for _ in range(10):  # its connections are its own to limit
            open_ones.enter_context(dial(server.host))
        names = ["10.0.0.1", "10.0.0.2", "10.0.0.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "junk"]
        found = [opened(server, **{"x-forwarded-for": f"10.9.9.9, {name}"}) for name in names]
        assert found == [201, 201, 429, 201, 429, 201, 201]
        assert opened(server, ELSEWHERE, **{"x-forwarded-for": "10.0.0.7"}) == 201
        assert opened(server, ELSEWHERE, **{"x-forwarded-for": "10.0.0.8"}) == 429, "no proxy that was named"


def test_sockets_of_one_client_behind_a_proxy_are_limited() -> None:
    limits = allowed(connections_each=2, proxies=("127.0.0.1",))
    with serving(policies=["greedy"], allowed=limits) as server, ExitStack() as open_ones:
        first = [open_ones.enter_context(upgraded(server.host, "none")) for _ in range(2)]
        third = open_ones.enter_context(upgraded(server.host, "none"))
        assert b"\x88\x02\x03\xf5" in third.recv(64), "closed with 1013, try again later"
        assert not any(map(is_ended, first))


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        (None, "local"),
        ("x" * 100, "x" * 64),
    ],
)
def test_an_ipv6_address_counts_as_its_network(host: str | None, counted: str) -> None:
    assert counted_address(host) == counted


def test_what_is_counted_is_forgotten_again() -> None:
    tally = Tally(2, 3)
    assert [tally.enter(name) for name in "aaabb"] == [True, True, False, True, False]
    for name in "aab":
        tally.leave(name)
    assert (tally.held, tally.total) == ({}, 0)
    guard, one = Guard(Limits(connections_each=1)), object()
    assert guard.admit(one, "192.0.2.1")
    assert guard.admit(one, "192.0.2.1"), "the same connection is counted once"
    assert not guard.admit(object(), "192.0.2.1")
    guard.release(one)
    guard.release(one)
    assert guard.admit(object(), "192.0.2.1")


def test_an_allowance_grows_again_and_many_addresses_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("persian_rummy_env.apps.web.limits.time", SimpleNamespace(monotonic=lambda: now))
    allowance = Allowance(2, 50)
    assert [allowance.take() for _ in range(3)] == [True, True, False]
    now += 1 / 32
    assert [allowance.take() for _ in range(2)] == [True, False]
    monkeypatch.setattr("persian_rummy_env.apps.web.limits.REMEMBERED", 10)
    each = Allowances(1, 0)
    assert all(each.take(str(number)) for number in range(100))
    assert not each.take("99")
    assert len(each._each) == 10


def test_proxies_are_addresses() -> None:
    assert proxies(" 127.0.0.1, 10.0.0.0/8 ,") == ("127.0.0.1", "10.0.0.0/8")
    assert Limits(proxies=("10.0.0.0/8", "::1")).is_proxy("10.1.2.3")
    assert not Limits(proxies=("10.0.0.0/8", "::1")).is_proxy("junk")
    with pytest.raises(ValueError, match="--proxy 'all'"):
        proxies("all")


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_the_defaults_let_a_household_play() -> None:
    limits = Limits()
    assert limits.connections_each >= 30
    assert limits.tables_each >= 4
    assert limits.ask_s <= 15
