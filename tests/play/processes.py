"""A server as a process of its own, as people start it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync import client

ROOT = Path(__file__).parents[2]
TELLS = re.compile(r"Persian Rummy: (http://\S+)/\n")


class Process:
    """``python -m persian_rummy_env.apps.web``, once it has told its address. ``log``: its standard error."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "persian_rummy_env.apps.web", *arguments]
        self.log: list[str] = []
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        report = self.process.stdout.readline()
        found = TELLS.fullmatch(report)
        if found is None:
            self.kill()
            raise AssertionError(f"it did not start: {report!r} {''.join(self.log)}")
        self.url = found[1]
        self.host = self.url.removeprefix("http://")

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)

    def ended_by(self, number: int) -> tuple[int, float]:
        """The exit status after a signal, and how many seconds it took."""
        start = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(30)
        self._reader.join(5)
        return status, time.monotonic() - start

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self.process.wait(30)
        self._reader.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def ask(self, path: str, body: Any = None, token: str = "") -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        return json.loads(text) if answer.headers.get_content_type().startswith("application/json") else text

    def open(self, seats: Sequence[str] = ("human", "greedy", "greedy", "greedy")) -> dict[str, Any]:
        return self.ask("/api/tables", {"seats": list(seats), "name": "Ada", "draw": False})

    @contextmanager
    def sit(self, seat: dict[str, Any]) -> Iterator[Any]:
        with client.connect(f"ws://{self.host}/ws/{seat['table']}", max_size=2**20, open_timeout=60) as connection:
            connection.send(json.dumps({"type": "join", "token": seat["token"]}))
            yield connection


@contextmanager
def process(*arguments: str) -> Iterator[Process]:
    """A server that is killed at the end, if it is not gone by then."""
    running = Process(*arguments)
    try:
        yield running
    finally:
        running.kill()
