"""A server for the tests, in a thread of its own, and seats at its tables."""

from __future__ import annotations

import functools
import json
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the browser game needs: pip install -e '.[play]'")
pytest.importorskip("uvicorn")
client = pytest.importorskip("websockets.sync.client")

from persian_rummy_env import RuleSet  # noqa: E402 - the library may be missing
from persian_rummy_env.apps.web import server  # noqa: E402 - the library may be missing
from persian_rummy_env.apps.web.app import make_app  # noqa: E402 - the library may be missing
from persian_rummy_env.apps.web.limits import Limits  # noqa: E402 - the library may be missing
from persian_rummy_env.apps.web.rooms import Lobby  # noqa: E402 - the library may be missing
from persian_rummy_env.apps.web.thinking import Thinker  # noqa: E402 - the library may be missing
from persian_rummy_env.apps.web.warm import prepare  # noqa: E402 - the library may be missing
from persian_rummy_env.players.load import load  # noqa: E402 - the library may be missing

POLICIES = ("greedy", "expert", "python:tests.agents.strangers:Unmasked")


class Server:
    """A running server: ``url``, ``lobby``, and its ``connections``, the WebSockets that are open."""

    def __init__(self, lobby: Lobby, port: int, connections: set[Any]) -> None:
        self.lobby = lobby
        self.connections = connections
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}"

    def post(self, path: str, body: Any, **headers: str) -> dict[str, Any]:
        """The answer to a request; raises ``urllib.error.HTTPError`` where it is refused."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path,
            data,
            {"content-type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def open(self, seats: list[str] | None = None, name: str = "Ada", draw: bool = False) -> dict[str, Any]:
        seats = seats or ["human", "greedy", "greedy", "greedy"]
        return self.post("/api/tables", {"seats": seats, "name": name, "draw": draw})

    def connect(self, table: str, **options: Any) -> Any:
        return client.connect(f"ws://{self.host}/ws/{table}", max_size=2**20, **options)

    @contextmanager
    def sit(self, seat: dict[str, Any]) -> Iterator[Any]:
        """A connection that has joined; its first message is the table."""
        with self.connect(seat["table"]) as connection:
            connection.send(json.dumps({"type": "join", "token": seat["token"]}))
            yield connection


@functools.cache
def _ready() -> None:
    """Compile before a server starts, as the command does: no test waits for it with a clock running."""
    prepare({}, RuleSet(deals=1))


@contextmanager
def serving(
    *, deals: int = 1, pause: float = 0.0, seed: int = 7, policies: Sequence[str] = POLICIES, **limits: Any
) -> Iterator[Server]:
    """A server whose games have seeds ``seed``, ``seed + 1`` …; ``allowed``: to one address, by default all."""
    _ready()
    seeds = iter(range(seed, seed + 10_000))
    thinker = Thinker({name: load(name) for name in policies})
    allowed = limits.pop("allowed", None) or Limits.in_time_alone()
    lobby = Lobby(thinker, RuleSet(deals=deals), pause=pause, seeds=lambda: next(seeds), **limits)
    lobby.restore()
    sockets = server.bind("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    app = make_app(lobby, ["127.0.0.1", "localhost"], allowed)
    running = server.Server(server.config(app, allowed), lobby)
    thread = threading.Thread(target=running.run, args=(sockets,), daemon=True)
    thread.start()
    while not running.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield Server(lobby, port, running.server_state.connections)
    finally:
        running.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def receive(connection: Any, kind: str = "view", until: Any = None, seconds: float = 60) -> dict[str, Any]:
    """The next message of a kind for which ``until`` holds."""
    end = time.monotonic() + seconds
    while True:
        message = json.loads(connection.recv(timeout=max(0.01, end - time.monotonic())))
        if message["type"] == kind and (until is None or until(message)):
            return message


def play_to_end(connection: Any, view: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Play the first legal action always, to the end of the game; returns every view on the way.

    ``view``: the latest, if it has been received already.
    """
    views: list[dict[str, Any]] = []
    acted = -1
    while True:
        view = view or receive(connection)
        views.append(view)
        if view["phase"] == "over":
            return views
        if view["legal"] and view["version"] > acted:
            connection.send(json.dumps({"type": "act", "version": view["version"], "action": view["legal"][0]}))
            acted = view["version"]
        view = None
