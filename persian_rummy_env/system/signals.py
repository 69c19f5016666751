"""How a process is told to end: Ctrl-C, a polite kill, the terminal closed. One place for all commands."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ENDING: tuple[signal.Signals, ...] = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""The signals that ask a process to end, as far as the platform has them."""


class Ended(KeyboardInterrupt):
    """A signal told the process to end, Ctrl-C or another: what is done on the one is done on all.

    Attributes:
        status: the exit status, as the shell gives it to a program that this signal ends.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.status = 128 + number

    def __str__(self) -> str:
        return "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"


def end(number: int) -> None:
    """What a command does that has nothing to save but whole files: leave by the way of an exception."""
    raise Ended(number)


@contextmanager
def on_ending(handle: Callable[[int], None] = end, *, once: bool = False) -> Iterator[None]:
    """Within it, the first signal that asks the process to end calls ``handle`` with its number; a second one ends the
    process at once.

    A signal that is ignored from outside, as ``nohup`` does, stays ignored. Outside the main thread nothing changes,
    since Python hears signals only there.

    Args:
        once: no second one is listened to.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, Any] = {}
    here = os.getpid()

    def first(number: int, frame: object) -> None:  # noqa: ARG001
        forked = os.getpid() != here  # a helper that was forked ends, and saves nothing
        for other in before:
            signal.signal(other, signal.SIG_IGN if once and not forked else signal.SIG_DFL)
        if forked:
            signal.raise_signal(number)
        else:
            handle(number)

    try:
        for number in ENDING:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.getsignal(number)
                signal.signal(number, first)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
