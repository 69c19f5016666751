"""How every command of the project ends: with an exit status, and of what went wrong with files, signals or a reader
that has gone, one line at most."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .escaping import escape_what_cannot_be_written, visible
from .files import explained
from .signals import Ended, on_ending

WRONG_USE, INTERRUPTED, BROKEN_PIPE = 2, 128 + 2, 128 + 13
"""Exit statuses: wrong arguments, or a file that cannot be read or written; and as the shell gives them to a program
that a signal ends."""


def run_command(program: str, run: Callable[[], int | None]) -> int:
    """Run a command; returns its exit status.

    A signal that asks it to end is raised in it as ``signals.Ended``, which is a ``KeyboardInterrupt``, so that files
    stay whole and unfinished ones go away; a second one ends it at once. A closed output ends it quietly. An error of
    the operating system is told in a line.
    """
    _open_what_is_closed()
    escape_what_cannot_be_written()
    try:
        try:
            with on_ending():
                status = run() or 0
                sys.stdout.flush()
        except BrokenPipeError:  # whoever read the output, such as head, has seen enough
            status = BROKEN_PIPE
        except KeyboardInterrupt as interrupt:
            status = interrupt.status if isinstance(interrupt, Ended) else INTERRUPTED
            say_on_error(f"{program}: {interrupt if isinstance(interrupt, Ended) else 'interrupted'}")
        except OSError as error:
            status = complain(program, _told(error))
    except OSError:  # nobody hears complaints either
        status = BROKEN_PIPE
    _let_go_of_output()
    return status


def complain(program: str, fault: str) -> int:
    """Say in a line on standard error what is wrong; the exit status for it."""
    say_on_error(f"{program}: error: {fault}")
    return WRONG_USE


def say(line: str) -> None:
    """Print a line, which may hold text from elsewhere."""
    sys.stdout.write(f"{visible(line)}\n")


def say_on_error(line: str) -> None:
    """Print a line on standard error, which may hold text from elsewhere."""
    with suppress(BrokenPipeError):
        sys.stderr.write(f"{visible(line)}\n")
        sys.stderr.flush()


def _told(error: OSError) -> str:
    of_output = error.filename is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG)
    return f"{'standard output: ' if of_output else ''}{explained(error)}"


def _open_what_is_closed() -> None:
    """A standard stream that is closed (``>&-``) becomes one that swallows all."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 (as long as the process)


def _let_go_of_output() -> None:
    """Else Python complains when it closes an output that nobody reads, or that cannot be written."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
