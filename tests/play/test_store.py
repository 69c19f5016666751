"""Tables that outlive their server: games, tokens and replays come back, and a damaged file is one clear line."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from persian_rummy_env.apps.web import rooms, store
from persian_rummy_env.apps.web.room import Room
from persian_rummy_env.apps.web.store import Store, StoreError
from persian_rummy_env.records.replay import verify
from tests.damage import damages
from tests.play.raw import log_of_server, tracebacks, wait_until
from tests.play.serving import Server, play_to_end, receive, serving


def act(server: Server, seat: dict[str, Any]) -> bool:
    """Play the first legal action at a seat, if it is to move; returns whether it was."""
    with server.sit(seat) as connection:
        view = receive(connection)
        if not view["legal"]:
            return False
        connection.send(json.dumps({"type": "act", "version": view["version"], "action": view["legal"][0]}))
        receive(connection, until=lambda one: one["version"] > view["version"])
        return True


def play_some(server: Server, actions: int, *seats: dict[str, Any]) -> None:
    """Play so many actions at some seats of one table, whoever is to move."""
    end = time.monotonic() + 30
    while actions:
        assert time.monotonic() < end
        actions -= any(act(server, seat) for seat in seats)


def record_of(server: Server, seat: dict[str, Any]) -> Any:
    headers = {"authorization": f"Bearer {seat['token']}"}
    request = urllib.request.Request(f"{server.url}/api/tables/{seat['table']}/record", headers=headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def replay_of(server: Server, seat: dict[str, Any]) -> str:
    return server.post(f"/api/tables/{seat['table']}/replay", {}, authorization=f"Bearer {seat['token']}")["url"]


def refused(request: Callable[[], Any]) -> int:
    with pytest.raises(urllib.error.HTTPError) as error:
        request()
    error.value.close()
    return error.value.code


@contextmanager
def started(path: Path, **options: Any) -> Any:
    """A server with a store."""
    with serving(policies=["greedy", "expert"], store=Store(path), **options) as server:
        yield server


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_games_come_back_as_they_stood(tmp_path: Path, killed: bool) -> None:
    """Three times, in the middle; killed: the files as they stood at some moment, with the server still running."""
    path, rng = tmp_path / "games" / "tables.sqlite", random.Random(3)
    with started(path) as server:
        finished, running = server.open(), server.open(["human", "expert", "human", "greedy"])
        other = server.post(f"/api/tables/{running['table']}/join", {"seat": 2, "name": "Bea"})
        waiting = server.open(["human", "human", "greedy", "greedy"])
        with server.sit(finished) as connection:
            play_to_end(connection)
        record, address = record_of(server, finished), replay_of(server, finished)
    before: list[Any] = []
    for start in range(3):
        with started(path) as server:
            assert running["table"] in server.lobby.rooms
            room = server.lobby.rooms[running["table"]]
            assert [[one.deal, one.seat, one.action] for one in room.table.played][: len(before)] == before
            assert len(server.lobby.listing()) == 1
            play_some(server, rng.randrange(1, 6), running, other)
            before = [[one.deal, one.seat, one.action] for one in room.table.played]
            if killed:
                copy = tmp_path / f"killed-{start}.sqlite"
                for one in path.parent.glob(f"{path.name}*"):
                    shutil.copy(one, copy.with_name(one.name.replace(path.name, copy.name)))
            assert record_of(server, finished) == record
            assert replay_of(server, finished) == address
            with urllib.request.urlopen(server.url + address, timeout=20) as page:
                assert page.read().startswith(b"<!doctype html>")
        if killed:
            path = copy
    with started(path) as server:
        joined = server.post(f"/api/tables/{waiting['table']}/join", {"seat": 1, "name": "Cleo"})
        assert joined["token"]
        with server.sit(running) as mine:
            assert receive(mine)["at"] >= len(before)
        assert refused(lambda: record_of(server, running)) == 409
        assert refused(lambda: record_of(server, {**finished, "token": running["token"]})) == 403


def test_a_game_goes_on_to_a_record_that_verifies_and_stays_when_its_table_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tables.sqlite"
    with started(path) as server:
        seat = server.open()
        play_some(server, 4, seat)
    monkeypatch.setattr(rooms, "FINISHED", 1)
    with started(path, keep=0.0) as server:
        server.lobby.keep = 1000.0
        with server.sit(seat) as connection:
            assert play_to_end(connection)[-1]["phase"] == "over"
        assert verify(record_of(server, seat)) is None
        wait_until(lambda: server.lobby.rooms[seat["table"]].deserted)
        server.lobby.keep = 0.0
        other = server.open()
        assert seat["table"] not in server.lobby.rooms
        assert verify(record_of(server, seat)) is None
        address = replay_of(server, seat)
        with server.sit(seat) as connection:
            assert receive(connection)["phase"] == "over"
        assert refused(lambda: server.connect and record_of(server, {**seat, "token": other["token"]})) == 403
        server.open()
        assert server.lobby.store is not None
        assert server.lobby.store.load(other["table"]) is None, "one given up before its end is forgotten"
    with started(path) as server, urllib.request.urlopen(server.url + address, timeout=20) as page:
        assert page.status == 200


def test_a_version_is_not_given_out_twice(tmp_path: Path) -> None:
    """What was sent before a restart, after it, is not played: the table has been changed and changed back since."""
    path = tmp_path / "tables.sqlite"
    with started(path, seed=12) as server:
        seat = server.open()
        play_some(server, 1, seat)
        version = server.lobby.rooms[seat["table"]].version
    with started(path) as server, server.sit(seat) as connection:
        assert receive(connection)["version"] >= version > 0
        connection.send(json.dumps({"type": "act", "version": 0, "action": "draw"}))
        assert receive(connection, "error")["code"] in ("stale", "turn")


def test_no_token_stands_in_the_file_and_nobody_else_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    with started(path) as server:
        seat = server.open()
        stored = b"".join(one.read_bytes() for one in tmp_path.iterdir())
        assert seat["table"].encode() in stored
        assert seat["token"].encode() not in stored
        assert path.stat().st_mode & 0o077 == 0


def test_a_policy_that_is_not_offered_any_more_is_named_at_the_table(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    with started(path) as server:
        seat = server.open(["human", "expert", "greedy", "greedy"])
    with serving(policies=["greedy"], store=Store(path)) as server, server.sit(seat) as connection:
        view = receive(connection)
        assert "'expert'" in view["failed"]
        assert view["legal"] == []
    with started(path) as server, server.sit(seat) as connection:
        assert play_to_end(connection)[-1]["phase"] == "over"


def test_a_full_disk_is_one_warning_and_the_table_goes_on(tmp_path: Path) -> None:
    warnings: list[str] = []
    kept = Store(tmp_path / "tables.sqlite", warnings.append)
    with serving(policies=["greedy"], store=kept) as server:
        seat = server.open()
        pages = kept._connection.execute("PRAGMA page_count").fetchone()[0]
        kept._connection.execute(f"PRAGMA max_page_count = {pages}")
        with log_of_server() as log:
            for _ in range(12):
                last = server.open()
            play_some(server, 3, last)
            assert len(warnings) == 1
            assert "full" in warnings[0]
            kept._connection.execute("PRAGMA max_page_count = 100000")
            play_some(server, 1, last)
            play_some(server, 1, seat)
            assert len(warnings) == 1
            assert kept.load(last["table"]) is not None, "kept again as soon as there is room"
        assert tracebacks(log) == []


def test_a_store_that_breaks_while_it_is_open_is_one_warning(tmp_path: Path) -> None:
    warnings: list[str] = []
    kept = Store(tmp_path / "tables.sqlite", warnings.append)
    with serving(policies=["greedy"], store=kept) as server:
        kept._connection.execute("DROP TABLE tables")
        with server.sit(server.open()) as connection:
            assert play_to_end(connection)[-1]["phase"] == "over"
        assert refused(lambda: server.connect and record_of(server, {"table": "none", "token": "x"})) == 404
    assert len(warnings) == 1


def one_line(error: pytest.ExceptionInfo[Any], path: Path) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert str(path) in text
    assert "--store" in text
    return text


def test_a_store_in_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    first = Store(path)
    first.save("a", {}, over=False, replay=None)
    with pytest.raises(StoreError) as error:
        Store(path)
    assert "another server" in one_line(error, path)
    first.save("b", {}, over=False, replay=None)
    first.close()
    first.save("c", {}, over=False, replay=None)
    with closing(Store(path)) as again:
        assert [kept.name for kept in again.running()] == ["a", "b"]


def foreign(path: Path, **pragmas: int) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE mine (x)")
        for name, value in pragmas.items():
            base.execute(f"PRAGMA {name} = {value}")
        base.commit()


@pytest.mark.parametrize(
    ("make", "printed"),
    [
        (lambda path: path.write_text("my notes"), "not a database"),
        (lambda path: path.write_bytes(b"\0" * 5000), "not a database"),
        (lambda path: path.mkdir(), "not a file"),
        (foreign, "another SQLite file"),
        (lambda path: foreign(path, application_id=7), "another SQLite file"),
        (lambda path: foreign(path, application_id=store.APPLICATION, user_version=2), "version is 2"),
        (lambda path: foreign(path, application_id=store.APPLICATION, user_version=1), "no such table"),
    ],
    ids=["text", "zeros", "folder", "SQLite", "of a program", "later version", "no tables"],
)
def test_what_is_no_store_is_refused_and_left(tmp_path: Path, make: Callable[[Path], Any], printed: str) -> None:
    path = tmp_path / "it"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError) as error:
        Store(path)
    assert printed in one_line(error, path)
    assert before is None or path.read_bytes() == before
    path = tmp_path / "none\0" if printed == "not a database" else tmp_path / "file" / "it"
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        Store(path)


def test_old_games_go_and_running_ones_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Store(tmp_path / "tables.sqlite")) as kept:
        for number in range(6):
            kept.save(f"over {number}", {"n": number}, over=True, replay=f"key {number}")
        kept.save("running", {}, over=False, replay=None)
        monkeypatch.setattr(store, "MOST", 4)
        kept.expire()
        assert [number for number in range(6) if kept.load(f"over {number}")] == [2, 3, 4, 5]
        found = kept.by_replay("key 5")
        assert found is not None
        assert found.state == {"n": 5}
        kept.delete("over 5")
        kept.delete("never there")
        monkeypatch.setattr(store, "DAYS", -1)
        kept.expire()
        assert kept.load("over 5") is None
        assert [one.name for one in kept.running()] == ["running"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    """A store with running and finished games: the file, and the states in it."""
    path = tmp_path_factory.mktemp("whole") / "tables.sqlite"
    with started(path) as server:
        seats = [server.open() for _ in range(6)]
        for number, seat in enumerate(seats):
            if number % 2 == 0:
                play_some(server, number + 1, seat)
                continue
            with server.sit(seat) as connection:
                play_to_end(connection)
    with closing(Store(path)) as kept:
        states = {seat["table"]: kept.load(seat["table"]) for seat in seats}
    return path.read_bytes(), states


def refusal(path: Path, warn: Callable[[str], None]) -> tuple[Store | None, str]:
    try:
        return Store(path, warn), ""
    except StoreError as error:
        return None, str(error)


def check_damaged(folder: Path, content: bytes, states: dict[str, Any], name: str) -> str:
    """The right games, or one clear line, for each; the file stays as it was where it is refused."""
    path = folder / "tables.sqlite"
    for one in folder.iterdir():
        one.unlink()
    path.write_bytes(content)
    lines: list[str] = []
    kept, printed = refusal(path, lines.append)
    assert "\n" not in printed, name
    if kept is None:
        assert str(path) in printed, name
        assert path.read_bytes() == content, name
        return "refused"
    with closing(kept):
        if not content:
            return "new"
        lobby = rooms.Lobby(None, store=kept)  # type: ignore[arg-type] - nobody thinks
        with log_of_server() as log:
            lobby.restore()
        assert tracebacks(log) == [], name
        damaged = 0
        for table, state in states.items():
            found = loaded(kept, table)
            damaged += isinstance(found, str)
            assert isinstance(found, str) or found == state, name
            if not isinstance(found, str) and not is_over(state, kept):
                assert table in lobby.rooms, name
    assert all("\n" not in line for line in lines), name
    return "part" if damaged else "whole"


def loaded(kept: Store, table: str) -> Any:
    """A table, or the one line that says why it cannot be read."""
    try:
        return kept.load(table)
    except StoreError as error:
        return " ".join([str(error)])


def is_over(state: Any, kept: Store) -> bool:
    return Room.restored(state, None, 0.0, kept).table.over  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [26, pytest.param(400, marks=pytest.mark.slow)])
def test_a_damaged_store_is_the_right_games_or_one_clear_line(
    tmp_path: Path, whole: tuple[bytes, dict[str, Any]], count: int
) -> None:
    content, states = whole
    assert check_damaged(tmp_path, content, states, "whole") == "whole"
    found = [check_damaged(tmp_path, one.content, states, one.name) for one in damages(content, count)]
    assert found.count("refused") > count / 4, {kind: found.count(kind) for kind in set(found)}
