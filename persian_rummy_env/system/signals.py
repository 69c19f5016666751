"""Signals that end a process: Ctrl-C, ``SIGTERM``, a closed terminal. All commands use this module."""

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
"""The signals that ask a process to end, if the platform has them."""


class Ended(KeyboardInterrupt):
    """A signal asked the process to end. Ctrl-C and the other signals are handled alike.

    Attributes:
        status: the exit status that a shell reports for this signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.status = 128 + number

    def __str__(self) -> str:
        return "interrupted" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"


def end(number: int) -> None:
    """The default handler: raise ``Ended``, so that the command cleans up and leaves."""
    raise Ended(number)


@contextmanager
def on_ending(handle: Callable[[int], None] = end, *, once: bool = False) -> Iterator[None]:
    """In this context, the first signal to end calls ``handle`` with its number; a second one ends the process at once.

    A signal that was ignored before, as by ``nohup``, stays ignored. Outside the main thread nothing changes, because
    Python delivers signals only there.

    Args:
        handle: called with the number of the signal.
        once: ignore a second signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, Any] = {}
    here = os.getpid()

    def first(number: int, frame: object) -> None:  # noqa: ARG001
        forked = os.getpid() != here  # a forked child ends and saves nothing
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
