"""Load test of the server with 200 tables on two cores: ``python -m experiments.serve_load``.

The server runs in its own process, the clients in this one. At each table a client with three policies answers over a
WebSocket at once with a random legal action, and opens the next table when its game is over, until the time is up.
Every action sent must be in the record of the game. Writes ``results/serve_load.json``.

With ``--leave 0.5`` the clients leave half of the tables for good, at once or in mid-game. The result holds the memory
of the server over time. Answers are timed only on an idle machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .shared.claim import Claim
from .shared.result_file import RESULTS, TIMING, about, add_result_options, write_result

CLAIM = Claim(
    text="200 tables are served at once on two cores and no action is lost",
    command="python -m experiments.serve_load --seconds 90",
    expected="0 lost; 99% of answers within 200 ms",
    minutes=2,
    result="serve_load.json",
    page="docs/play.md",
)

RESULT = RESULTS / "serve_load.json"
SEED = 60_001
MOST_STAY = 20
"""Maximum number of actions before a client leaves for good."""
NOTE_EVERY = 15.0
"""Seconds between two measurements of the memory."""
GAMES = 1000
"""Maximum number of tables of the server; finished ones are cleared away."""


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _request(url: str, body: Any = None, token: str | None = None) -> bytes:
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


ACTIONS_PER_SECOND = 15.0
"""Maximum rate of one client: the server closes a connection that sends more than a person could (``apps.web.app``)."""


class Sitter:
    """A client at a table that plays game after game.

    Attributes:
        waits: seconds from each action sent to the next state of the table.
        games, actions, lost: finished games, actions sent in them, and sent actions that are in no record.
        opened, left: tables opened, and tables left for good.
    """

    def __init__(self, host: str, number: int, policies: Sequence[str], leave: float = 0.0) -> None:
        self.host, self.policies, self.leave = host, list(policies), leave
        self.rng = random.Random(SEED + number)
        self.waits: list[float] = []
        self.games = self.actions = self.lost = self.opened = self.left = 0

    async def play(self, until: float) -> None:
        while time.monotonic() < until:
            body = {
                "seats": ["human", *(self.rng.choice(self.policies) for _ in range(3))],
                "name": "load",
                "draw": False,
            }
            seat = json.loads(await asyncio.to_thread(_request, f"http://{self.host}/api/tables", body))
            self.opened += 1
            stays = self.rng.randrange(MOST_STAY) if self.rng.random() < self.leave else None
            sent = await self._game(seat, until, stays)
            if sent is None:
                self.left += stays is not None
            else:
                url = f"http://{self.host}/api/tables/{seat['table']}/record"
                record = json.loads(await asyncio.to_thread(_request, url, None, seat["token"]))
                kept = _of_seat_0(record)
                self.games += 1
                self.actions += len(sent)
                self.lost += len(sent) - sum(one == other for one, other in zip(sent, kept, strict=False))
                self.lost += abs(len(kept) - len(sent))

    async def _game(self, seat: dict[str, Any], until: float, stays: int | None) -> list[str] | None:
        """The actions sent in a game; None if the time was up, or the client left, before its end."""
        from websockets.asyncio.client import connect

        if stays == 0:
            return None
        sent: list[str] = []
        acted, start, sent_at = -1, 0.0, float("-inf")
        async with connect(f"ws://{self.host}/ws/{seat['table']}", max_size=2**20) as connection:
            await connection.send(json.dumps({"type": "join", "token": seat["token"]}))
            while time.monotonic() < until:
                view = json.loads(await asyncio.wait_for(connection.recv(), 60))
                if view["type"] != "view" or view["failed"]:
                    raise RuntimeError(f"the server answered {view}")
                if start and view["version"] > acted:
                    self.waits.append(time.monotonic() - start)
                    start = 0.0
                if view["phase"] == "over":
                    return sent
                if len(sent) == stays:
                    return None
                if view["legal"] and view["version"] > acted:
                    await asyncio.sleep(max(0.0, sent_at + 1 / ACTIONS_PER_SECOND - time.monotonic()))
                    action = self.rng.choice(view["legal"])
                    sent_at = time.monotonic()
                    acted, start = view["version"], time.monotonic()
                    sent.append(action)
                    await connection.send(json.dumps({"type": "act", "version": acted, "action": action}))
        return None


def _of_seat_0(record: dict[str, Any]) -> list[str]:
    """The actions of seat 0 in a record, by a replay, because a record does not name seats."""
    from persian_rummy_env.records.replay import replay

    again = replay(record)  # type: ignore[arg-type]
    mine = again.states["seat"][: again.played] == 0
    texts = [text for deal in record["deals"] for text in deal["actions"]]
    return [text for text, own in zip(texts, mine.tolist(), strict=True) if own]


async def _load(
    host: str, pid: int, tables: int, seconds: float, policies: Sequence[str], leave: float
) -> dict[str, Any]:
    sitters = [Sitter(host, number, policies, leave) for number in range(tables)]
    memory = [memory_mb(pid)]
    notes = [[0, round(memory[0], 1)]]
    until = time.monotonic() + seconds
    plays = [asyncio.create_task(sitter.play(until)) for sitter in sitters]
    start = time.monotonic()
    while not all(play.done() for play in plays):
        await asyncio.wait(plays, timeout=2.0)
        memory.append(memory_mb(pid))
        if time.monotonic() - start >= notes[-1][0] + NOTE_EVERY:
            notes.append([round(time.monotonic() - start), round(memory[-1], 1)])
    for play in plays:
        play.result()
    took = time.monotonic() - start
    waits = sorted(wait for sitter in sitters for wait in sitter.waits)
    middle = memory[len(memory) // 2]
    return {
        "played_seconds": round(took, 1),
        "tables_opened": sum(sitter.opened for sitter in sitters),
        "tables_left": sum(sitter.left for sitter in sitters),
        "games": sum(sitter.games for sitter in sitters),
        "actions_checked": sum(sitter.actions for sitter in sitters),
        "actions_lost": sum(sitter.lost for sitter in sitters),
        "actions_per_second": round(len(waits) / took),
        "wait_ms": {str(q): round(1000 * waits[int(q * (len(waits) - 1))], 1) for q in (0.5, 0.95, 0.99, 1.0)},
        "memory_mb": {
            "start": round(memory[0]), "half time": round(middle), "end": round(memory[-1]), "most": round(max(memory)),
            "growth a minute in the second half": _growth(notes[len(notes) // 2 :]),
            "seconds and MB": notes,
        },
    }  # fmt: skip


def _growth(notes: list[list[float]]) -> float | None:
    """MB per minute, by a least-squares line through measurements of seconds and MB."""
    if len(notes) < 3:
        return None
    seconds, memory = np.array(notes, dtype=np.float64).T
    return round(60 * float(np.polyfit(seconds, memory, 1)[0]), 2)


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.serve_load", description="many tables at once")
    parser.add_argument("--tables", type=int, default=200, help="at once (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="of play (default %(default)s)")
    parser.add_argument("--leave", type=float, default=0.0, help="share of tables that are left (default %(default)s)")
    parser.add_argument("--policies", default="greedy,deepest,expert", help="who plays along (default %(default)s)")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    host = f"127.0.0.1:{options.port}"
    facts = about("experiments.serve_load", argv, options.out, options.allow_dirty)
    command = [
        sys.executable, "-m", "persian_rummy_env.apps.web",
        "--port", str(options.port), "--pause", "0", "--keep", "0.1",
        "--tables", str(GAMES), "--policies", options.policies, "--no-limits", "--no-store",
    ]  # fmt: skip
    server = subprocess.Popen(command)
    try:
        _wait_for(server, f"http://{host}/api/lobby")
        found = asyncio.run(
            _load(host, server.pid, options.tables, options.seconds, options.policies.split(","), options.leave)
        )
    finally:
        server.terminate()
        server.wait(20)
    result = {
        "tables": options.tables,
        "cores": len(os.sched_getaffinity(0)),
        **found,
    }
    if facts["machine"]["load_before"] > result["cores"]:
        result |= {"wait_ms": None, "actions_per_second": None, "not timed": "the machine was busy with other work"}
    write_result(options.out, facts, result, kind=TIMING, seeds=[SEED])
    for name in (
        "tables_opened",
        "tables_left",
        "games",
        "actions_checked",
        "actions_lost",
        "actions_per_second",
        "wait_ms",
        "memory_mb",
    ):
        print(f"{name}: {result[name]}")
    return int(result["actions_lost"] > 0)


def _wait_for(server: subprocess.Popen[bytes], url: str) -> None:
    end = time.monotonic() + 120
    while True:
        try:
            _request(url)
            return
        except OSError as error:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start") from error
            time.sleep(0.1)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.serve_load", main))
