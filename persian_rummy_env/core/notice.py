"""Telling the user that the game engine is being compiled, and how long it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .jit import CACHE, JIT

_MARK = "compiled"
_done = not JIT or (CACHE is not None and (CACHE / _MARK).exists())


@contextmanager
def compile_notice() -> Iterator[None]:
    """Around the first call of compiled code: says so on standard error if it must be compiled first."""
    global _done
    if _done:
        yield
        return
    _done = True
    from . import warm_up

    where = f"kept in {CACHE}" if CACHE else "for this process"
    print(f"persian_rummy_env: compiling the game engine, {where} …", file=sys.stderr, flush=True)
    start = time.perf_counter()
    warm_up.compile_all()
    print(f"persian_rummy_env: compiled in {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    if CACHE is not None:
        (CACHE / _MARK).touch()
    yield
