"""Compiles kernel groups on first use, and reports it with the time that it took."""

from __future__ import annotations

import hashlib
import json
import time

from .jit import JIT, STORE
from .stderr import say

_ready: set[str] = set()


def ensure_compiled(group: str) -> None:
    """Compile a kernel group (``warm_up.KERNEL_GROUPS``) before its first use, and report it on standard error.

    It does nothing if the cache holds the group already, or if the compiler is off.
    """
    if group in _ready:
        return
    if JIT:
        from numba.core.compiler_lock import global_compiler_lock

        with global_compiler_lock:  # a second thread waits for the first one and finds the group compiled
            if group not in _ready and not is_kept(group):
                _compile(group)
    _ready.add(group)


def is_kept(group: str) -> bool:
    """Whether the cache holds all the code of a kernel group, undamaged and for this processor."""
    if STORE.folder is None:
        return False
    listed = STORE.read(_list_of(group))
    return listed is not None and all(STORE.read(name) is not None for name in json.loads(listed))


def _compile(group: str) -> None:
    from .code_cache import COMPILING
    from .warm_up import KERNEL_GROUPS

    where = f"kept in {STORE.folder}" if STORE.can_write() else "for this process"
    say(f"compiling the {group}, {where} …")
    start = time.perf_counter()
    with COMPILING.announced() as names:
        KERNEL_GROUPS[group]()
    say(f"compiled in {time.perf_counter() - start:.0f} s")
    STORE.write(_list_of(group), json.dumps(sorted(names)).encode())


def _list_of(group: str) -> str:
    """The name of the file that lists the files of a group for this processor."""
    from .code_cache import target

    return f"compiled-{group}-{hashlib.sha256(target().encode()).hexdigest()[:8]}"
