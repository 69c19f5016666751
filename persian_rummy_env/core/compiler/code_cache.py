"""Stores numba's compiled code in a ``CodeStore``, one file for each signature of a function.

numba's own cache has three faults here. It names a function by the path of its source, so another checkout of the same
sources compiles again. It does not check what it reads. And it has an index file that two processes can overwrite. Here
the name of a file contains everything that its code depends on, and the store checks the content.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from numba.core import event as events
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from .code_store import CodeStore
from .stderr import say

_UNPICKLING = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError)
"""Errors of pickle, by its documentation, on reading code of another build of numba."""


class Compiling(events.Listener):
    """Observes what this process compiles, so that every compilation is announced.

    Code that is requested from outside, and not by code that is being compiled, is what the next process will load.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._announced = 0
        self._wanted: set[str] = set()

    def on_start(self, event: events.Event) -> None:
        function = _function_of(event)
        if function is None:
            return
        if self._depth == 0 and self._announced == 0:
            say(f"compiling {function.__module__}.{function.__qualname__} …")
        self._depth += 1

    def on_end(self, event: events.Event) -> None:
        if _function_of(event) is not None:
            self._depth -= 1

    def used(self, name: str) -> None:
        """Note that code of a file was loaded or compiled."""
        if self._depth == 0:
            self._wanted.add(name)

    @contextmanager
    def announced(self) -> Iterator[set[str]]:
        """Context in which the caller has announced the compilation; yields the names of the files that were used."""
        before, self._wanted = self._wanted, set()
        self._announced += 1
        try:
            yield self._wanted
        finally:
            self._announced -= 1
            self._wanted = before


def _function_of(event: events.Event) -> Callable[..., Any] | None:
    """The function that is compiled, if it belongs to this package."""
    data: Any = event.data
    dispatcher = data["dispatcher"]
    return dispatcher.py_func if isinstance(getattr(dispatcher, "_cache", None), CodeCache) else None


COMPILING = Compiling()
events.register("numba:compile", COMPILING)


def target() -> str:
    """The processor for which numba compiles: architecture, name and features."""
    context: Any = cpu_target.target_context
    return repr(context.codegen().magic_tuple())


class CodeCache:
    """The cache of one function, with the interface of numba's own cache (``numba.core.caching._Cache``).

    Args:
        function: its code is assumed to depend only on its source file and on the sources in the folder's hash.
    """

    def __init__(self, function: Callable[..., Any], store: CodeStore) -> None:
        self._function = function
        self._store = store

    @cached_property
    def _source(self) -> bytes:
        try:
            return Path(inspect.getfile(self._function)).read_bytes()
        except OSError:  # defined at a prompt
            code = self._function.__code__
            return code.co_code + repr(code.co_consts).encode()

    def name_of(self, signature: Any) -> str:
        """The name of the file of a signature."""
        code = self._function.__code__
        key = hashlib.sha256()
        for part in (str(signature), target(), sys.implementation.cache_tag, code.co_firstlineno, code.co_name):
            key.update(f"{part}\0".encode())
        key.update(self._source)
        module = self._function.__module__.removeprefix("persian_rummy_env.")
        plain = "".join(c if c.isalnum() or c in "._" else "-" for c in f"{module}.{self._function.__qualname__}")
        return f"{plain[:80]}-{key.hexdigest()[:24]}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        target_context.refresh()
        name = self.name_of(sig)
        content = self._store.read(name)
        if content is None:
            return None
        try:
            made = CompileResult._rebuild(target_context, *pickle.loads(content))
        except _UNPICKLING as error:
            return self._store.discard(name, f"was written by another build of numba ({error})")
        COMPILING.used(name)
        return made

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        if any(not loop.can_cache for loop in data.lifted) or data.library.has_dynamic_globals:
            return  # it contains addresses of this process
        name = self.name_of(sig)
        self._store.write(name, dumps(data._reduce()))
        COMPILING.used(name)

    @property
    def cache_path(self) -> str:
        return str(self._store.folder or "")

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...
