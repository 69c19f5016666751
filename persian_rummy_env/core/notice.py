"""Telling the user that the game engine is being compiled, and how long it took."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from .jit import CACHE, JIT

_ready: set[str] = set()


def mark_of(part: str) -> Path | None:
    """The file that says that a part of the core is compiled; None where nothing is kept."""
    return None if CACHE is None else CACHE / f"compiled-{part}"


def ensure_compiled(part: str) -> None:
    """Compile a part of the core (``warm_up.PARTS``) before its first use, and say so on standard error.

    Where the cache holds it already, or nothing is compiled at all, this does nothing.
    """
    if part in _ready:
        return
    _ready.add(part)
    mark = mark_of(part)
    if not JIT or (mark is not None and mark.exists()):
        return
    from .warm_up import PARTS

    where = f"kept in {CACHE}" if CACHE else "for this process"
    _say(f"compiling the {part}, {where} …")
    start = time.perf_counter()
    PARTS[part]()
    _say(f"compiled in {time.perf_counter() - start:.0f} s")
    if mark is not None:
        mark.touch()


def _say(text: str) -> None:
    sys.stderr.write(f"persian_rummy_env: {text}\n")
    sys.stderr.flush()
