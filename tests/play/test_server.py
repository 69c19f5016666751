"""The server as a process: it tells its address when it is ready, refuses in one line, and ends within seconds."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the browser game needs: pip install -e '.[play]'")

from persian_rummy_env.apps.web.__main__ import main
from persian_rummy_env.players.policy_io import PolicyError
from tests.agents import strangers
from tests.play.processes import ROOT, process
from tests.play.raw import dial, request, status, upgraded

SLOW = "python:tests.agents.strangers:Endless"


@pytest.mark.parametrize(
    "option",
    [
        "--port 99999",
        "--port -1",
        "--port 80.5",
        "--port \uff14",
        "--port " + "9" * 5000,
        "--host no.such.host.invalid",
        "--host 192.0.2.1",
        "--tables 0",
        "--tables-each x",
        "--connections-each -3",
        "--keep nan",
        "--keep -1",
        "--pause inf",
        "--proxy everybody",
        "--policies nobody",
        "--policies python:tests.agents.strangers:Floats",
        "--rules deals=0",
        "--store .",
    ],
    ids=lambda option: option[:30],
)
def test_what_cannot_be_used_is_refused_in_one_line(
    option: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, value = option.split(" ")
    given = {"--port": "0", "--policies": "greedy", name: value}
    assert main([part for pair in given.items() for part in pair]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert told.err.startswith("persian-rummy serve: error: ")
    if name != "--rules" and not name.startswith("--pol"):
        assert name in told.err


@pytest.mark.parametrize("door", ["__init__", "act"])
def test_a_programming_error_in_a_policy_is_seen_as_one(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(*_: Any) -> Any:
        raise ValueError("planted")

    monkeypatch.setattr(strangers.First, door, planted)
    with pytest.raises(PolicyError, match="planted"):
        main(["--port", "0", "--policies", "python:tests.agents.strangers:First", "--no-store"])


def test_a_port_in_use_is_refused_before_an_address_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["--port", port, "--policies", "greedy"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert f"--port {port}" in told.err


def half_a_body(host: str) -> Any:
    made = dial(host)
    made.sendall(request(host, "/api/tables", "content-type: application/json", "content-length: 99", method="POST"))
    return made


def an_unread_answer(host: str) -> Any:
    made = dial(host, SO_RCVBUF=4096)
    made.sendall(request(host, "/static/table.js") * 200)
    return made


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
def test_a_signal_ends_the_server_within_seconds_whatever_is_under_way(tmp_path: Path) -> None:
    """Half a request, an open WebSocket, one that has not joined, an answer that nobody reads, a policy that thinks."""
    store = ["--store", str(tmp_path / "tables.sqlite")]
    with process("--port", "0", "--pause", "0", "--policies", f"greedy,{SLOW}", *store) as server:
        assert status(server.host, request(server.host, "/api/lobby")) == 200, "it listens once it has told its address"
        seat = server.open(["human", SLOW, SLOW, SLOW])
        others = [
            half_a_body(server.host),
            an_unread_answer(server.host),
            upgraded(server.host, "none"),
            dial(server.host),
        ]
        with server.sit(seat) as connection:
            while "legal" not in (view := json.loads(connection.recv(20))) or view["turn"] == 0:
                connection.send(json.dumps({"type": "act", "version": view["version"], "action": view["legal"][0]}))
            time.sleep(0.3)
            ended, seconds = server.ended_by(signal.SIGTERM)
            assert connection.close_code is None or connection.close_code == 1012
        for one in others:
            one.close()
    assert (ended, server.log) == (0, [])
    assert seconds < 5


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", None)])
def test_every_signal_ends_the_server_and_a_second_one_at_once(number: int) -> None:
    with process("--port", "0", "--no-store", "--policies", "greedy") as server:
        server.open()
        ended, seconds = server.ended_by(number)
        assert (ended, server.log) == (0, [])
        assert seconds < 5
    with process("--port", "0", "--no-store", "--policies", "greedy") as server:
        server.process.send_signal(number)
        time.sleep(0.05)  # it takes longer than that, since uvicorn looks ten times a second
        ended, seconds = server.ended_by(number)
        assert ended in (-number, 128 + number)
        assert seconds < 1


FIRST_TABLE = """
import asyncio, sys
from persian_rummy_env.players.load import load
from persian_rummy_env.apps.web import warm
from persian_rummy_env.apps.web.messages import Act, Hint
from persian_rummy_env.apps.web.rooms import Lobby
from persian_rummy_env.apps.web.thinking import Thinker
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.apps.replay_page import replay_page

NAMES = ["random", "greedy", "deepest", "expert", "search(deepest, worlds=2)"]
POLICIES = {name: load(name) for name in NAMES}

def compiled():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith(("persian_rummy_env", "agents")):
            for key, value in vars(module).items():
                if hasattr(value, "nopython_signatures"):
                    found[name, key] = len(value.signatures)
    return found

async def play():
    lobby = Lobby(Thinker(POLICIES), RuleSet(deals=1), pause=0.0)
    for policy in NAMES:
        room = lobby.open(["human", policy, policy, policy], True)
        seat = next(number for number, one in enumerate(room.seats) if one.free)
        room.take_seat(seat, "Ada")
        room.go_on()
        hinted = set()
        while not room.table.over and not room.failed:
            view = room.snapshot(seat)
            if view["legal"]:
                if view["phase"] not in hinted:
                    hinted.add(view["phase"])
                    for name in NAMES:
                        await room.obey(seat, Hint(room.version, name))
                await room.obey(seat, Act(room.version, view["legal"][0]))
            await asyncio.sleep(0)
        assert room.failed is None, room.failed
        replay_page([(1, room.record())])
    await lobby.close()

if sys.argv[1] == "warm":
    warm.prepare(POLICIES, RuleSet(deals=1))
before = compiled()
asyncio.run(play())
after = compiled()
print(sorted(f"{module}.{name}" for (module, name), number in after.items() if number > before.get((module, name), 0)))
"""


@pytest.mark.slow
def test_nothing_is_compiled_once_the_server_listens() -> None:
    """Whole games, hints and replays at every policy after ``prepare``; without it, there is much."""
    for start, nothing in (("cold", False), ("warm", True)):
        ran = subprocess.run(
            [sys.executable, "-c", FIRST_TABLE, start],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert (ran.stdout.strip().split("\n")[-1] == "[]") == nothing, ran.stdout
