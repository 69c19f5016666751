"""A hostile client: foreign tokens, replayed, oversized and malformed messages. It learns and harms nothing."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from persian_rummy_env.cards import CARD_NAMES
from persian_rummy_env.replay import verify
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
    mine, theirs = server.open(), server.open()
    with server.connect(theirs["table"]) as connection:
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


@pytest.mark.parametrize("key", ["", "x", "%00", "%C3%A9", "None", "..%2f", "A" * 2000])
def test_an_address_that_nobody_was_told_shows_nothing(server: Server, key: str) -> None:
    assert refused(lambda: fetched(f"{server.url}/replay/{key}")) == 404


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
        until = time.monotonic() + 10
        while not server.lobby.rooms[seats[0]["table"]].deserted:
            assert time.monotonic() < until
            time.sleep(0.01)
        server.open()  # the finished one makes room
        assert seats[0]["table"] not in server.lobby.rooms
        assert len(server.lobby.rooms) == 3
        server.lobby.keep = 0.0
        time.sleep(0.01)
        server.open()
        assert len(server.lobby.rooms) == 1


def test_a_slow_reader_does_not_hold_the_table_up_or_fill_memory(server: Server) -> None:
    seat = server.open(["human", "human", "human", "human"])
    others = [server.post(f"/api/tables/{seat['table']}/join", {"seat": n, "name": f"p{n}"}) for n in (1, 2, 3)]
    room = server.lobby.rooms[seat["table"]]
    with server.sit(others[2]) as idle, server.sit(seat) as a, server.sit(others[0]) as b, server.sit(others[1]) as c:
        receive(idle)
        moved = 0
        for _ in range(60):
            if room.table.over or room.table.seat == 3:
                break
            connection = (a, b, c)[room.table.seat]
            view = receive(connection, until=lambda one: one["version"] == room.version and bool(one["legal"]))
            connection.send(json.dumps({"type": "act", "version": view["version"], "action": view["legal"][-1]}))
            until = time.monotonic() + 10
            while room.version == view["version"]:
                assert time.monotonic() < until
                time.sleep(0.002)
            moved += 1
        assert moved >= 2
        link = room.seats[3].link
        assert link is not None
        assert len(link.replies) <= 16
