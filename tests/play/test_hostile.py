"""A hostile client: foreign tokens, replayed, oversized and malformed messages. It learns and harms nothing."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import time
import tracemalloc
import urllib.error
import urllib.request
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from persian_rummy_env.apps.web import app, rooms
from persian_rummy_env.apps.web.thinking import Thinker
from persian_rummy_env.cards import CARD_NAMES
from persian_rummy_env.players.load import load
from persian_rummy_env.records.replay import verify
from tests.play.serving import Server, play_to_end, receive, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def say(connection: Any, message: Any) -> dict[str, Any]:
    """Send a message (as JSON where it is no text) and return the error that it is answered with."""
    connection.send(message if isinstance(message, str | bytes) else json.dumps(message))
    return receive(connection, "error")


def closing_code(connection: Any) -> int:
    """The code with which the server ends a connection, whatever it still sends before."""
    while True:
        try:
            connection.recv(timeout=20)
        except ConnectionClosed as closed:
            return -1 if closed.rcvd is None else closed.rcvd.code


def my_turn(connection: Any) -> dict[str, Any]:
    return receive(connection, until=lambda view: bool(view["legal"]))


def state(server: Server, table: str) -> bytes:
    return server.lobby.rooms[table].table.games().tobytes()


def brief(value: Any) -> str:
    return repr(value)[:40]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("", "malformed"),
        ("{", "malformed"),
        ("null", "malformed"),
        ("[]", "malformed"),
        ("[" * 4000, "malformed"),
        ('"act"', "malformed"),
        ("NaN", "malformed"),
        (b"\x00\xff", "malformed"),
        (b'{"type":"undo","version":0}', "malformed"),
        ({}, "unknown"),
        ({"type": "view", "seat": 1}, "unknown"),
        ({"type": ["act"]}, "unknown"),
        ({"type": "record"}, "unknown"),
        ({"type": "join", "token": "x"}, "unknown"),
        ({"type": "act"}, "malformed"),
        ({"type": "act", "version": 0}, "malformed"),
        ({"type": "act", "version": 0, "action": 1}, "malformed"),
        ({"type": "act", "version": 0, "action": "draw", "seat": 1}, "malformed"),
        ({"type": "act", "version": "0", "action": "draw"}, "malformed"),
        ({"type": "act", "version": True, "action": "draw"}, "malformed"),
        ({"type": "act", "version": 1e400, "action": "draw"}, "malformed"),
        ({"type": "act", "version": 0, "action": None}, "malformed"),
        ({"type": "act", "version": 0, "action": "d" * 65}, "malformed"),
        ({"type": "act", "version": -1, "action": "draw"}, "stale"),
        ({"type": "act", "version": 10**30, "action": "draw"}, "stale"),
        ({"type": "hint", "version": 0, "policy": "python:os:system"}, "policy"),
        ({"type": "hint", "version": 0, "policy": "file:/etc/passwd"}, "policy"),
        ({"type": "undo", "version": 0}, "illegal"),
        ({"type": "act", "version": 0, "action": "discard AS"}, "illegal"),
        ({"type": "act", "version": 0, "action": "resign"}, "illegal"),
        ({"type": "act", "version": 0, "action": "\ud800"}, "illegal"),
    ],
    ids=brief,
)
def test_a_bad_message_gets_an_error_and_changes_nothing(server: Server, message: Any, code: str) -> None:
    server.lobby.seeds = lambda: 12  # seat 0 is the first to move
    seat = server.open()
    with server.sit(seat) as connection:
        view = my_turn(connection)
        if isinstance(message, dict) and message.get("version") == 0 and type(message["version"]) is int:
            message = {**message, "version": view["version"]}
        before = state(server, seat["table"])
        error = say(connection, message)
        assert error["code"] == code
        assert error["text"]
        assert state(server, seat["table"]) == before
        action = view["legal"][0]
        connection.send(json.dumps({"type": "act", "version": view["version"], "action": action}))
        receive(connection, until=lambda one: one["version"] > view["version"])


def test_an_oversized_message_ends_the_connection_and_not_the_game(server: Server) -> None:
    seat = server.open()
    with server.sit(seat) as connection:
        receive(connection)
        connection.send(json.dumps({"type": "act", "version": 0, "action": "draw" + " " * 5000}))
        assert closing_code(connection) == 1009
    with server.sit(seat) as connection:
        assert receive(connection)["seat"] == 0


def test_a_flood_ends_the_connection_and_not_the_game(server: Server) -> None:
    seat = server.open()
    other = server.open()
    with server.sit(seat) as connection:
        with suppress(ConnectionClosed):
            for _ in range(500):
                connection.send("{}")
        assert closing_code(connection) == 1008
    for one in (seat, other):
        with server.sit(one) as connection:
            assert receive(connection)["type"] == "view"


def test_a_message_sent_again_is_not_played_again(server: Server) -> None:
    seat = server.open()
    with server.sit(seat) as connection:
        view = my_turn(connection)
        message = {"type": "act", "version": view["version"], "action": view["legal"][0]}
        connection.send(json.dumps(message))
        receive(connection, until=lambda one: one["version"] > view["version"])
        assert say(connection, message)["code"] in ("stale", "turn")
    played = [one for one in server.lobby.rooms[seat["table"]].table.played if one.seat == 0]
    assert len(played) == 1


FOREIGN = [{"type": "join", "token": token} for token in ("", "x", "é", "\ud800", "A" * 32)]


@pytest.mark.parametrize(
    "first",
    [*FOREIGN, {"type": "act", "version": 0, "action": "draw"}, {"type": "join", "token": 0}, "nonsense", b"\x01"],
    ids=brief,
)
def test_nobody_sits_without_a_token(server: Server, first: Any) -> None:
    seat = server.open()
    with server.connect(seat["table"]) as connection:
        connection.send(first if isinstance(first, str | bytes) else json.dumps(first))
        assert json.loads(connection.recv(timeout=20))["type"] == "error"
        with pytest.raises(ConnectionClosed) as closed:
            connection.recv(timeout=20)
    assert closed.value.rcvd.code == 1008


def test_the_token_of_another_table_opens_nothing(server: Server) -> None:
    mine, others = server.open(), server.open()
    with server.connect(others["table"]) as connection:
        connection.send(json.dumps({"type": "join", "token": mine["token"]}))
        assert receive(connection, "error")["code"] == "token"
    with server.connect("no-such-table") as connection:
        connection.send(json.dumps({"type": "join", "token": mine["token"]}))
        assert receive(connection, "error")["code"] == "no table"


def test_a_seat_cannot_play_or_see_for_another(server: Server) -> None:
    server.lobby.seeds = lambda: 12
    first = server.open(["human", "human", "greedy", "greedy"])
    second = server.post(f"/api/tables/{first['table']}/join", {"seat": 1, "name": "Bea"})
    with server.sit(first) as ada, server.sit(second) as bea:
        view = my_turn(ada)
        assert receive(bea, until=lambda one: one["started"])["legal"] == []
        for message in (
            {"type": "act", "version": view["version"], "action": view["legal"][0]},
            {"type": "hint", "version": view["version"], "policy": "greedy"},
            {"type": "undo", "version": view["version"]},
        ):
            assert say(bea, message)["code"] == "turn"
    taken = {**first, "token": second["token"]}
    with server.sit(taken) as connection:
        assert receive(connection)["seat"] == 1


def test_nobody_takes_a_seat_that_is_taken(server: Server) -> None:
    seat = server.open(["human", "human", "greedy", "greedy"])
    for number in (0, 2, -1, 4, 10**20):
        assert (
            refused(
                lambda number=number: server.post(f"/api/tables/{seat['table']}/join", {"seat": number, "name": "Eve"})
            )
            == 409
        )
    assert refused(lambda: server.post(f"/api/tables/{seat['table']}/join", {"seat": 1, "name": "Ada"})) == 400


def refused(request: Any) -> int:
    """The status with which a request is refused."""
    with pytest.raises(urllib.error.HTTPError) as error:
        request()
    with error.value as answer:
        if answer.headers.get_content_type() == "application/json":
            assert json.loads(answer.read())["text"]
        return answer.code


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"\xff\xfe", {}, {"seats": 4, "name": "x", "draw": False},
        {"seats": ["human"] * 3, "name": "x", "draw": False},
        {"seats": ["greedy"] * 4, "name": "x", "draw": False},
        {"seats": ["human", "file:/etc/passwd", "greedy", "greedy"], "name": "x", "draw": False},
        {"seats": ["human", {}, "greedy", "greedy"], "name": "x", "draw": False},
        {"seats": ["human"] * 4, "name": "", "draw": False},
        {"seats": ["human"] * 4, "name": "x" * 25, "draw": False},
        {"seats": ["human"] * 4, "name": "a\u202eb", "draw": False},
        {"seats": ["human"] * 4, "name": "x", "draw": 1},
    ],
    ids=brief,
)  # fmt: skip
def test_a_bad_request_is_refused(server: Server, body: Any) -> None:
    before = len(server.lobby.rooms)
    assert refused(lambda: server.post("/api/tables", body)) == 400
    assert len(server.lobby.rooms) == before


def test_a_large_request_is_refused(server: Server) -> None:
    assert refused(lambda: server.post("/api/tables", b'{"name":"' + b"x" * 10_000 + b'"}')) == 413


def test_the_page_of_another_site_reaches_nothing(server: Server) -> None:
    body = {"seats": ["human", "greedy", "greedy", "greedy"], "name": "Eve", "draw": False}
    assert refused(lambda: server.post("/api/tables", body, origin="http://evil.example")) == 403
    assert refused(lambda: server.post("/api/tables", body, origin="null")) == 403
    assert refused(lambda: server.post("/api/tables", body, content_type="text/plain")) == 400
    assert refused(lambda: server.post("/api/tables", body, host="evil.example")) == 400
    seat = server.open()
    for origin in ("http://evil.example", "null", f"http://{server.host}.evil.example"):
        with pytest.raises(InvalidStatus), server.connect(seat["table"], origin=origin):
            pass
    with server.connect(seat["table"], origin=server.url) as connection:
        connection.send(json.dumps({"type": "join", "token": seat["token"]}))
        assert receive(connection)["seat"] == 0
    request = urllib.request.Request(server.url, headers={"host": "evil.example"})
    assert refused(lambda: urllib.request.urlopen(request, timeout=20)) == 400


def test_no_file_outside_the_page_is_served(server: Server) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert refused(lambda path=path: urllib.request.urlopen(server.url + path, timeout=20)) == 404


def record_of(server: Server, table: str, token: str) -> bytes:
    request = urllib.request.Request(
        f"{server.url}/api/tables/{table}/record", headers={"authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


def test_the_record_is_for_those_who_played_and_only_after_the_end(server: Server) -> None:
    seat, other = server.open(), server.open()
    with server.sit(seat) as connection:
        view = receive(connection)
        assert refused(lambda: record_of(server, seat["table"], seat["token"])) == 409
        play_to_end(connection, view)
    assert refused(lambda: record_of(server, seat["table"], other["token"])) == 403
    assert refused(lambda: record_of(server, seat["table"], "")) == 403
    assert verify(json.loads(record_of(server, seat["table"], seat["token"]))) is None


def replay_of(server: Server, table: str, token: str, **headers: str) -> str:
    """The address of the replay page."""
    return server.post(f"/api/tables/{table}/replay", {}, authorization=f"Bearer {token}", **headers)["url"]


def fetched(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.read().decode(), answer.headers


def test_no_seat_sees_the_hands_of_a_game_under_way_in_its_replay(server: Server) -> None:
    """Before the first action, in the middle and at the last decision; then the page is for those who played."""
    seat, other = server.open(), server.open()
    asked = 0
    with server.sit(seat) as connection:
        view = receive(connection)
        while view["phase"] != "over":
            if view["legal"]:
                assert refused(lambda: replay_of(server, seat["table"], seat["token"])) == 409
                assert refused(lambda: record_of(server, seat["table"], seat["token"])) == 409
                asked += 1
                connection.send(json.dumps({"type": "act", "version": view["version"], "action": view["legal"][0]}))
                acted = view["version"]
                view = receive(connection, until=lambda one, acted=acted: one["version"] > acted)
            else:
                view = receive(connection)
    assert asked > 5
    assert server.lobby.rooms[seat["table"]].replay_key is None
    assert refused(lambda: replay_of(server, seat["table"], other["token"])) == 403
    assert refused(lambda: replay_of(server, seat["table"], "")) == 403
    assert refused(lambda: replay_of(server, seat["table"], seat["token"], origin="http://evil.example")) == 403
    assert refused(lambda: server.post(f"/api/tables/{seat['table']}/replay", {})) == 403
    assert refused(lambda: replay_of(server, other["table"], other["token"])) == 409
    url = replay_of(server, seat["table"], seat["token"])
    assert url == replay_of(server, seat["table"], seat["token"])
    page, headers = fetched(server.url + url)
    assert page.startswith("<!doctype html>")
    [policy] = headers.get_all("content-security-policy")
    assert "default-src 'none'" in policy
    assert "'self'" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_an_address_that_nobody_was_told_shows_nothing(server: Server) -> None:
    """With a finished game, and one under way, that nobody has asked to see again."""
    server.open()
    seat = server.open()
    with server.sit(seat) as connection:
        play_to_end(connection)
    for key in ("", "x", "%00", "%C3%A9", "None", "..%2f", "A" * 2000, seat["table"], seat["token"]):
        assert refused(lambda key=key: fetched(f"{server.url}/replay/{key}")) == 404
    url = replay_of(server, seat["table"], seat["token"])
    assert refused(lambda: fetched(server.url + url[:-1])) == 404
    del server.lobby.rooms[seat["table"]]
    assert refused(lambda: fetched(server.url + url)) == 404


def cards_in(value: Any) -> Iterator[str]:
    """All cards that stand anywhere in a message."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("log", "ends", "drawn"):  # what was played in public, and finished deals
                yield from cards_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from cards_in(inner)
    elif isinstance(value, str):
        yield from (word for word in value.split() if word in CARD_NAMES)


def test_no_message_of_a_whole_game_holds_a_hidden_card() -> None:
    """Every frame that comes over the line is looked through, against the truth at that moment."""
    with serving(deals=2, seed=31) as server:
        seat = server.open(["human", "expert", "greedy", "expert"])
        table = server.lobby.rooms[seat["table"]].table
        truths: dict[int, set[str]] = {}
        play = table.play

        def watched(action: Any) -> Any:
            note()
            return play(action)

        def note() -> None:
            game = table.games()[0]
            seen = int(game["hand"][0]) | int(game["sets"]) | int(game["runs"]) | int(game["pile"])
            for other in range(4):
                seen |= int(game["known"][other])
            truths[len(table.played)] = {CARD_NAMES[card] for card in range(52) if not seen >> card & 1}

        table.play = watched  # type: ignore[method-assign]
        with server.sit(seat) as connection:
            views = play_to_end(connection)
        checked = 0
        for view in views:
            if view["at"] in truths:
                assert truths[view["at"]].isdisjoint(cards_in(view)), view
                checked += 1
        assert checked > 40
        assert len(views[-1]["ends"]) == 2


def test_a_policy_that_cheats_stops_its_own_table_alone(server: Server) -> None:
    bad = server.open(["human", "python:tests.agents.strangers:Unmasked", "greedy", "greedy"])
    good = server.open()
    with server.sit(bad) as connection:
        while True:
            view = receive(connection)
            if view["failed"]:
                break
            if view["legal"]:
                connection.send(json.dumps({"type": "act", "version": view["version"], "action": view["legal"][-1]}))
        assert "not legal" in view["failed"]
        assert say(connection, {"type": "act", "version": view["version"], "action": "draw"})["code"] == "failed"
    with server.sit(good) as connection:
        assert play_to_end(connection)[-1]["phase"] == "over"


def test_a_seat_opened_elsewhere_is_taken_over(server: Server) -> None:
    seat = server.open()
    with server.sit(seat) as old:
        receive(old)
        with server.sit(seat) as new:
            view = receive(new)
            assert closing_code(old) == 4001
            assert play_to_end(new, view)[-1]["phase"] == "over"


def test_tables_are_limited_and_cleared_away() -> None:
    with serving(limit=3) as server:
        seats = [server.open() for _ in range(3)]
        assert refused(server.open) == 503
        with server.sit(seats[0]) as connection:
            play_to_end(connection)
        wait_for(lambda: server.lobby.rooms[seats[0]["table"]].deserted)
        server.open()  # the finished one makes room
        assert seats[0]["table"] not in server.lobby.rooms
        assert len(server.lobby.rooms) == 3
        server.lobby.keep = 0.0
        time.sleep(0.01)
        server.open()
        assert len(server.lobby.rooms) == 1


def test_tables_that_nobody_visits_are_given_up_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """No request comes, no table is asked for: time alone clears them away, the visited ones much later."""
    monkeypatch.setattr(app, "SWEEP_EVERY", 0.05)
    with serving() as server:
        left, visited = server.open(), server.open()
        with server.sit(visited) as connection:
            receive(connection)
            server.lobby.keep = 0.4
            wait_for(lambda: left["table"] not in server.lobby.rooms)
            time.sleep(0.6)
            assert visited["table"] in server.lobby.rooms
            monkeypatch.setattr(rooms, "IDLE", 2)
            assert closing_code(connection) == 4001
        wait_for(lambda: not server.lobby.rooms)


def open_and_leave(server: Server, number: int) -> list[weakref.ref[Any]]:
    """Tables opened, played at a little or not at all, and cleared away."""
    found = []
    for one in range(number):
        seat = server.open()
        found.append(weakref.ref(server.lobby.rooms[seat["table"]]))
        if one % 2:
            with server.sit(seat) as connection:
                view = my_turn(connection)
                action = view["legal"][0]
                connection.send(json.dumps({"type": "act", "version": view["version"], "action": action}))
                receive(connection, until=lambda new, old=view["version"]: new["version"] > old)
    wait_for(lambda: not server.connections)
    server.open()  # clears away
    wait_for(lambda: len(server.lobby.rooms) == 1)
    gc.collect()
    return found


def test_nothing_is_left_of_tables_that_were_cleared_away() -> None:
    with serving(keep=0.0, policies=["greedy"]) as server:
        assert [room for room in open_and_leave(server, 20) if room() is not None] == []


@pytest.mark.perf
def test_tables_that_were_cleared_away_take_no_memory() -> None:
    with serving(keep=0.0, policies=["greedy"]) as server:
        open_and_leave(server, 20)
        tracemalloc.start()
        try:
            open_and_leave(server, 10)
            before, _ = tracemalloc.get_traced_memory()
            open_and_leave(server, 60)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert after - before < 60 * 1024, "more than a kilobyte a table is kept"


def wait_for(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


class Deaf:
    """A seat's connection by hand, over a socket with little room, that sends and reads only when it is told to."""

    def __init__(self, server: Server, seat: dict[str, Any]) -> None:
        host, port = server.host.split(":")
        self.socket = socket.socket()
        self.close = self.socket.close
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(20)
        self.socket.connect((host, int(port)))
        self.port = self.socket.getsockname()[1]
        self.socket.sendall(
            f"GET /ws/{seat['table']} HTTP/1.1\r\nHost: {server.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n".encode()
        )
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self.socket.recv(1)
        assert b" 101 " in answer
        self.socket.sendall(self.frame(1, json.dumps({"type": "join", "token": seat["token"]}).encode()))
        wait_for(lambda: server.lobby.rooms[seat["table"]].seats[seat["seat"]].link is not None)

    @staticmethod
    def frame(kind: int, content: bytes) -> bytes:
        """A short frame, masked with zeros."""
        assert len(content) < 126
        return bytes([0x80 | kind, 0x80 | len(content), 0, 0, 0, 0]) + content

    def unsent(self, server: Server) -> int:
        """Bytes that the server holds for it."""
        [mine] = [one for one in server.connections if getattr(one, "client", (0, 0))[1] == self.port]
        return mine.transport.get_write_buffer_size()

    def read(self, until: bytes) -> bytes:
        """All that has been sent, up to some words."""
        heard = b""
        while until not in heard:
            part = self.socket.recv(65536)
            assert part, "the connection ended"
            heard += part
        return heard


def test_a_server_stops_in_the_middle_of_games_without_a_complaint() -> None:
    """Policies that think when it stops: what they say afterwards is nobody's concern."""
    slow = "python:tests.agents.strangers:Slow"
    complaints: list[dict[str, Any]] = []

    async def until(holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await asyncio.sleep(0.005)

    async def stop_while_they_think() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, report: complaints.append(report))
        thinker = Thinker({slow: load(slow)})
        lobby = rooms.Lobby(thinker, pause=0.0, seeds=lambda: 7)
        made = app.make_app(lobby, [])
        async with made.router.lifespan_context(made):
            for seat in range(4):
                room = lobby.open(["human" if other == seat else slow for other in range(4)], with_draw=False)
                room.take_seat(seat, "Ada")
                room.go_on()
            await until(lambda: thinker.busy)
        await until(lambda: not thinker.busy)
        gc.collect()  # a task that failed complains when it is thrown away

    asyncio.run(stop_while_they_think())
    assert complaints == []


PADDING = 100_000
"""Bytes that make a table large, so that the system's own buffers, of some megabytes, are soon full."""


def test_a_slow_reader_holds_nobody_up_and_fills_no_memory(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat reads nothing while its table changes hundreds of times, by somebody who comes and goes."""
    seat = server.open(["human", "human", "greedy", "greedy"])
    other = server.post(f"/api/tables/{seat['table']}/join", {"seat": 1, "name": "Bea"})
    room = server.lobby.rooms[seat["table"]]
    made, changes, most = 0, 0, 0
    snapshot, changed = room.snapshot, room.changed

    def counted_snapshot(number: int) -> dict[str, Any]:
        nonlocal made
        made += number == 0
        return snapshot(number) | {"change": changes, "padding": "x" * (PADDING if number == 0 else 0)}

    def counted_changed() -> None:
        nonlocal changes
        changes += 1
        changed()

    monkeypatch.setattr(room, "snapshot", counted_snapshot)
    monkeypatch.setattr(room, "changed", counted_changed)
    deaf = Deaf(server, seat)
    before = changes
    for _ in range(150):
        with server.sit(other) as connection:
            receive(connection)
        assert room.seats[0].link is not None, "somebody else was held up until the reader was cut off"
        most = max(most, deaf.unsent(server))
    assert changes - before >= 290
    link = room.seats[0].link
    assert link is not None
    assert len(link.replies) == 0
    assert most < 65536 + 2 * PADDING, "what a reader leaves unread piles up"
    assert made < changes / 2, "tables were written down for somebody who does not read"
    with server.sit(server.open()) as connection:
        assert play_to_end(connection)[-1]["phase"] == "over"
    wait_for(lambda: room.seats[1].link is None)
    time.sleep(0.1)
    heard = deaf.read(f'"change":{changes}'.encode())
    assert heard.count(b'"type":"view"') < changes / 2
    deaf.close()


def test_a_client_that_sends_pings_and_reads_nothing_is_cut_off(server: Server) -> None:
    """Pings are answered below the application, where nothing waits for the reader."""
    seat = server.open()
    deaf = Deaf(server, seat)
    pings = Deaf.frame(9, b"p" * 125) * 500
    most, cut_off = 0, False
    for _ in range(800):  # 52 MB
        try:
            deaf.socket.sendall(pings)
        except OSError:
            cut_off = True
            break
        with suppress(ValueError):  # it has gone
            most = max(most, deaf.unsent(server))
    assert cut_off
    assert most < 1024 * 1024
    deaf.close()
    wait_for(lambda: server.lobby.rooms[seat["table"]].seats[0].link is None)
    with server.sit(seat) as connection:
        assert receive(connection)["seat"] == 0
