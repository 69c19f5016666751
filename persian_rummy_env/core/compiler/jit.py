"""The decorators that compile the core, and the folder of compiled code.

An edit in a callee's file, or in a data module that a kernel took a constant from, changes the kernel. So the folder is
named by a hash of all sources of the core: an edit in any of them leads to a new folder, and equal sources share a
folder wherever they are.

``NUMBA_DISABLE_JIT=1`` runs everything as plain Python; ``NUMBA_BOUNDSCHECK=1`` checks every index.
``PERSIAN_RUMMY_CACHE_DIR`` (else ``NUMBA_CACHE_DIR``, else the user's cache folder) is the parent folder of the cache.
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

CONFIG: Any = numba.config  # numba sets its attributes at run time, unknown to type checkers
JIT = not CONFIG.DISABLE_JIT
_PACKAGE = Path(__file__).resolve().parents[2]
_TABLES = ("arrays.py", "cards.py", "rules.py", "actions.py", "state.py", "observation.py", "observation_bits.py")

F = TypeVar("F", bound=Callable[..., Any])


def _sources() -> list[Path]:
    return [_PACKAGE / name for name in _TABLES] + sorted((_PACKAGE / "core").rglob("*.py"))


def source_hash() -> str:
    """A short hash of the sources of compiled code, the versions of numba, numpy and Python, and the bounds check."""
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
    """Make the store without touching the file system, so that importing never fails."""
    if not JIT:
        return CodeStore(None, "nothing is compiled")
    try:
        # Absolute, because the program may change its working folder.
        return CodeStore((_cache_root() / source_hash()).expanduser().absolute())
    except RuntimeError as error:  # no home folder
        return CodeStore(None, str(error))
    except OSError as error:  # unreadable sources, or the working folder is gone
        return CodeStore(None, str(error))


STORE = _store()
CACHE: Path | None = STORE.folder
"""The folder of this version's compiled code; None if nothing is stored."""


def compiled(function: F) -> F:
    """Compile with numba, without the global interpreter lock; the code is cached in ``STORE``."""
    return _compiled(function)


def compiled_fast(function: F) -> F:
    """``compiled``, but the compiler may reorder floating-point sums, so that they become vector code. Infinities and
    NaN keep their meaning."""
    return _compiled(function, fastmath={"contract", "reassoc", "nsz"})


def _compiled(function: F, **options: Any) -> F:
    if not JIT:
        return function
    from .code_cache import CodeCache

    made: Any = njit(function, nogil=True, error_model="numpy", **options)
    made._cache = CodeCache(function, STORE)  # as numba's enable_caching does with its own cache
    return made


def compiled_modular(function: F) -> F:
    """``compiled``, for arithmetic modulo 2**64. Without the compiler, numpy's overflow warnings are switched off."""
    if JIT:
        return compiled(function)

    @wraps(function)
    def quiet(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return quiet  # type: ignore[return-value]
