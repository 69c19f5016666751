"""A server that is stopped and killed in the middle of games: nothing that was acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the browser game needs: pip install -e '.[play]'")

from persian_rummy_env.actions import ACTION_NAMES
from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.records.replay import verify
from persian_rummy_env.rules import RuleSet
from tests.play.processes import Process, process
from tests.play.serving import receive

POLICIES = "greedy,expert,search(greedy, ms=2)"


class Guest:
    """Somebody at a seat: plays the first legal action, and keeps what the server has acknowledged."""

    def __init__(self, seat: dict[str, Any]) -> None:
        self.seat = seat
        self.version, self.at, self.mine = 0, 0, []

    def play(self, server: Process, actions: int) -> bool:
        """Play so many actions; returns whether the game is over. Checks first that nothing was taken back."""
        with server.sit(self.seat) as connection:
            view = receive(connection, seconds=60)
            assert view["version"] >= self.version
            assert view["at"] >= self.at
            assert view["failed"] is None
            while True:
                self.version, self.at = view["version"], view["at"]
                if view["phase"] == "over" or not actions:
                    return view["phase"] == "over"
                if view["legal"]:
                    action = view["legal"][0]
                    connection.send(json.dumps({"type": "act", "version": view["version"], "action": action}))
                    old = view["version"]
                    view = receive(connection, until=lambda one, old=old: one["version"] > old, seconds=60)
                    self.mine.append(action)
                    actions -= 1
                else:
                    view = receive(connection, seconds=60)

    def check(self, server: Process) -> None:
        """The record at the end: it verifies, and has every action of this seat that was acknowledged."""
        table, token = self.seat["table"], self.seat["token"]
        record = server.ask(f"/api/tables/{table}/record", token=token)
        assert verify(record) is None
        assert mine_in(record, self.seat["seat"]) == self.mine
        page = server.ask(server.ask(f"/api/tables/{table}/replay", {}, token)["url"])
        assert page.startswith("<!doctype html>")


def mine_in(record: Any, seat: int) -> list[str]:
    """The actions of a seat in a record."""
    table = TableGame(RuleSet(deals=1), record["seed"])
    for action in record["deals"][0]["actions"]:
        table.play(action)
    return [ACTION_NAMES[one.action] for one in table.played if one.seat == seat]


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot be told to end politely")
@pytest.mark.parametrize("restarts", [pytest.param(1), pytest.param(20, marks=pytest.mark.slow)])
def test_no_action_is_lost_in_restarts(tmp_path: Path, restarts: int) -> None:
    rng = random.Random(restarts)
    arguments = ["--port", "0", "--pause", "0", "--policies", POLICIES, "--rules", "deals=1"]
    arguments += ["--store", str(tmp_path / "tables.sqlite")]
    tables = [["human", "greedy", "expert", "greedy"], ["human", "search(greedy, ms=2)", "expert", "greedy"]]
    going: list[Guest] = []
    done: list[Guest] = []
    for number in range(restarts + 1):
        with process(*arguments) as server:
            while len(going) < 3:
                going.append(Guest(server.open(tables[rng.randrange(2)])))
            for guest in list(going):
                if guest.play(server, rng.randrange(6) if number < restarts else 1000):
                    going.remove(guest)
                    done.append(guest)
            for guest in done if number == restarts else done[-2:]:
                guest.check(server)
            if rng.random() < 0.3:
                time.sleep(rng.random() / 20)  # while policies play
            killed = number % 2 == 0
            ended, seconds = server.ended_by(signal.SIGKILL if killed else signal.SIGTERM)
            assert ended == (-signal.SIGKILL if killed else 0)
            assert seconds < 5
            assert server.log == []
    assert len(done) >= 3
    assert going == []
