"""Runs a command and returns its exit status. Faults of files, signals and closed outputs are reported in one line at
most."""

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
"""Exit statuses: wrong arguments or a file that cannot be read or written; and those of the shell for a program that a
signal ended."""


def run_command(program: str, run: Callable[[], int | None]) -> int:
    """Run a command and return its exit status.

    The first signal to end raises ``signals.Ended``, a ``KeyboardInterrupt``, in the command, so that unfinished files
    are removed; a second signal ends the process at once. A closed output ends it without a message. An error of the
    operating system is reported in one line.
    """
    _open_what_is_closed()
    escape_what_cannot_be_written()
    try:
        try:
            with on_ending():
                status = run() or 0
                sys.stdout.flush()
        except BrokenPipeError:  # the reader of the output, such as head, has closed it
            status = BROKEN_PIPE
        except KeyboardInterrupt as interrupt:
            status = interrupt.status if isinstance(interrupt, Ended) else INTERRUPTED
            say_on_error(f"{program}: {interrupt if isinstance(interrupt, Ended) else 'interrupted'}")
        except OSError as error:
            status = complain(program, _text_of(error))
    except OSError:  # standard error is closed too
        status = BROKEN_PIPE
    _let_go_of_output()
    return status


def complain(program: str, fault: str) -> int:
    """Print a fault in one line on standard error and return ``WRONG_USE``."""
    say_on_error(f"{program}: error: {fault}")
    return WRONG_USE


def say(line: str) -> None:
    """Print a line; characters that are not visible are escaped."""
    sys.stdout.write(f"{visible(line)}\n")


def say_on_error(line: str) -> None:
    """Print a line on standard error; characters that are not visible are escaped."""
    with suppress(BrokenPipeError):
        sys.stderr.write(f"{visible(line)}\n")
        sys.stderr.flush()


def end(status: int) -> None:
    """End the process without waiting for its threads: for a policy that is still deciding, or a reader of input."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _text_of(error: OSError) -> str:
    of_output = error.filename is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG)
    return f"{'standard output: ' if of_output else ''}{explained(error)}"


def _open_what_is_closed() -> None:
    """Replace a closed standard stream (``>&-``) by one that discards its output."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 (open until the process ends)


def _let_go_of_output() -> None:
    """Redirect an output that cannot be written, so that Python prints no error when it closes it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
