"""Lines for the user on standard error, with the name of the package."""

from __future__ import annotations

import contextlib
import sys


def say(text: str) -> None:
    """Print a line. Without standard error nothing happens: a failed message must not end a game."""
    if sys.stderr is None:  # a program without a console, such as pythonw
        return
    with contextlib.suppress(OSError, ValueError):  # a closed pipe; a closed file
        sys.stderr.write(f"persian_rummy_env: {text}\n")
        sys.stderr.flush()
