"""Telling the user that the game engine is being compiled, and how long it took."""

from __future__ import annotations

import hashlib
import json
import time

from .jit import JIT, STORE
from .stderr import say

_ready: set[str] = set()


def ensure_compiled(part: str) -> None:
    """Compile a part of the core (``warm_up.PARTS``) before its first use, and say so on standard error.

    Where the cache holds it already, or nothing is compiled at all, this does nothing.
    """
    if part in _ready:
        return
    if JIT:
        from numba.core.compiler_lock import global_compiler_lock

        with global_compiler_lock:  # a second thread waits for the first, and finds its work done
            if part not in _ready and not is_kept(part):
                _compile(part)
    _ready.add(part)


def is_kept(part: str) -> bool:
    """Whether all the code of a part lies in the cache, whole and for this processor."""
    if STORE.folder is None:
        return False
    listed = STORE.read(_list_of(part))
    return listed is not None and all(STORE.read(name) is not None for name in json.loads(listed))


def _compile(part: str) -> None:
    from .code_cache import COMPILING
    from .warm_up import PARTS

    where = f"kept in {STORE.folder}" if STORE.can_write() else "for this process"
    say(f"compiling the {part}, {where} …")
    start = time.perf_counter()
    with COMPILING.announced() as names:
        PARTS[part]()
    say(f"compiled in {time.perf_counter() - start:.0f} s")
    STORE.write(_list_of(part), json.dumps(sorted(names)).encode())


def _list_of(part: str) -> str:
    """The name of the file that lists the files of a part, for this processor."""
    from .code_cache import target

    return f"compiled-{part}-{hashlib.sha256(target().encode()).hexdigest()[:8]}"
