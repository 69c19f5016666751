"""The one decorator that compiles the core, and where its compiled code is kept.

An edit in a callee's file, or in a table that a kernel took a constant from, changes the kernel. So the code is kept
in a folder named by a hash of every source that the core reads, and an edit anywhere in them means a new folder; equal
sources mean the same folder, wherever they lie.

``NUMBA_DISABLE_JIT=1`` runs everything as plain Python; ``NUMBA_BOUNDSCHECK=1`` checks every index.
``PERSIAN_RUMMY_CACHE_DIR`` (else ``NUMBA_CACHE_DIR``, else the user's cache folder) says where the cache lies.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import njit

from .code_store import CodeStore

CONFIG: Any = numba.config  # numba sets its attributes at run time, so a type checker cannot know them
JIT = not CONFIG.DISABLE_JIT
_PACKAGE = Path(__file__).resolve().parents[2]
_TABLES = ("arrays.py", "cards.py", "rules.py", "actions.py", "state.py", "observation.py")

F = TypeVar("F", bound=Callable[..., Any])


def _sources() -> list[Path]:
    return [_PACKAGE / name for name in _TABLES] + sorted((_PACKAGE / "core").rglob("*.py"))


def source_hash() -> str:
    """A short hash of the sources that compiled code depends on, the versions that made it, and the bounds check."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    digest.update(f"{numba.__version__} {np.__version__} {sys.version_info[:2]} {CONFIG.BOUNDSCHECK}".encode())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    given = os.environ.get("PERSIAN_RUMMY_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "persian-rummy"


def _store() -> CodeStore:
    """Nothing is looked at or made here, so that importing never fails."""
    if not JIT:
        return CodeStore(None, "nothing is compiled")
    try:
        # Absolute, since the program may change its folder.
        return CodeStore((_cache_root() / source_hash()).expanduser().absolute())
    except RuntimeError as error:  # no home: neither a variable nor an entry among the system's users
        return CodeStore(None, str(error))
    except OSError as error:  # the sources cannot be read, or the current folder is gone
        return CodeStore(None, str(error))


STORE = _store()
CACHE: Path | None = STORE.folder
"""The folder of this version's compiled code; None: nothing is kept."""


def compiled(function: F) -> F:
    """Compile with numba, without the interpreter lock; what is compiled is kept in ``STORE``."""
    return _compiled(function)


def compiled_fast(function: F) -> F:
    """``compiled``, for sums of floating-point numbers whose order the compiler may choose: they become vector code.
    Infinities and NaN keep their meaning."""
    return _compiled(function, fastmath={"contract", "reassoc", "nsz"})


def _compiled(function: F, **options: Any) -> F:
    if not JIT:
        return function
    from .code_cache import CodeCache

    made: Any = njit(function, nogil=True, error_model="numpy", **options)
    made._cache = CodeCache(function, STORE)  # what numba's enable_caching does with its own
    return made


def compiled_modular(function: F) -> F:
    """``compiled``, for arithmetic modulo 2**64: plain numpy scalars would warn of the overflow that is meant."""
    if JIT:
        return compiled(function)

    @wraps(function)
    def quiet(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return quiet  # type: ignore[return-value]
