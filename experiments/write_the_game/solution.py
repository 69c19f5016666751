"""A solution in a process of its own, with limits, that answers questions."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

RUNNER = Path(__file__).with_name("runner.py")
LONGEST_ANSWER = 1 << 20
"""Characters of one answer; a state has about 1,200."""


@dataclass(frozen=True)
class Limits:
    """What a solution may use.

    Attributes:
        seconds: for one answer, and to load.
        minutes: for all answers together; also the limit of processor time.
        memory_mb: address space of the process. No limit on Windows, and on systems that refuse one.
    """

    seconds: float = 10.0
    minutes: float = 30.0
    memory_mb: int = 1024


class SolutionError(RuntimeError):
    """A solution cannot be loaded, or its process has ended or is too slow; the text is one line."""


class Solution:
    """A process that runs a solution in an empty folder; a context manager.

    The process has Python's own library and nothing else on its path, no environment variables, and no output. That
    stops accidents and simple cheating; it is no wall against a hostile program.

    Args:
        path: the file of the solution.
        limits: what it may use.

    Attributes:
        memory_limited: whether the system holds the limit of memory.

    Raises:
        SolutionError: on entering, and from ``restart``: it cannot be loaded.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.memory_limited = False
        self._process: subprocess.Popen[str] | None = None
        self._reader = threading.Thread()
        self._lines: queue.Queue[str | None] = queue.Queue()

    def __enter__(self) -> Solution:
        self._folder = tempfile.TemporaryDirectory(prefix="write-the-game-", ignore_cleanup_errors=True)
        try:
            self.restart()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._folder.cleanup()

    def restart(self) -> None:
        """End the process and start another one in an empty folder."""
        self._end()
        folder = Path(self._folder.name) / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(self.path, folder / "solution.py")
        shutil.copy(RUNNER, folder / "runner.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "runner.py"],
            cwd=folder,
            env={name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True)
        self._reader.start()
        cpu_seconds = int(60 * self.limits.minutes) + 1
        self._send({"memory_mb": self.limits.memory_mb, "cpu_seconds": cpu_seconds})
        begun = self._receive("while it was loaded")
        if "failed" in begun:
            raise SolutionError(f"it cannot be loaded: {begun['failed']}")
        self.memory_limited = begun["memory_limited"]

    def ask(self, questions: Sequence[Any]) -> tuple[list[dict[str, Any]], str | None]:
        """Ask questions; the first that ends the process is the last one answered.

        Returns:
            The answers to the first questions, one each, and why the next one was not answered: None if all were.
        """
        answers: list[dict[str, Any]] = []
        try:
            self._send(questions)
            answers.extend(self._receive("at a question") for _ in questions)
        except SolutionError as error:
            return answers, str(error)
        return answers, None

    def _send(self, content: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(content) + "\n")
            self._process.stdin.flush()
        except OSError:  # it has ended; the missing answer tells why
            pass

    def _receive(self, when: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=self.limits.seconds)
        except queue.Empty:
            raise SolutionError(f"no answer within {self.limits.seconds:g} s {when}") from None
        if line is None:
            raise SolutionError(f"the process ended {when}{self._status()}")
        if not line.endswith("\n"):
            raise SolutionError(f"an answer of more than {LONGEST_ANSWER:,} characters {when}")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise SolutionError(f"an answer that is no JSON object {when}")
        return found

    def _status(self) -> str:
        assert self._process is not None
        try:
            status = self._process.wait(timeout=self.limits.seconds)
        except subprocess.TimeoutExpired:
            return ", or closed its output"
        if status < 0:
            with suppress(ValueError):
                return f" by {signal.Signals(-status).name}"
        return f" with status {status}"

    def _end(self) -> None:
        """End the process and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        self._reader.join(self.limits.seconds)
        for stream in (process.stdin, process.stdout):
            if stream is not None and not self._reader.is_alive():
                with suppress(OSError):
                    stream.close()


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Read answers into a queue; None at their end."""
    with suppress(ValueError, OSError):
        while line := stream.readline(LONGEST_ANSWER):
            lines.put(line)
    lines.put(None)
