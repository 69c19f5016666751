"""The one decorator that compiles the core, and where its compiled code is kept.

numba's cache looks only at the file a function stands in: an edit in a callee's file, or in a table that the kernel
took a constant from, would go unnoticed. So the code is cached in a folder named by a hash of every source that the
core reads, and an edit anywhere in them means a new folder.

``NUMBA_DISABLE_JIT=1`` runs everything as plain Python; ``NUMBA_BOUNDSCHECK=1`` checks every index.
``PERSIAN_RUMMY_CACHE_DIR`` (else ``NUMBA_CACHE_DIR``, else the user's cache folder) says where the cache lies.
"""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import njit

CONFIG: Any = numba.config  # numba sets its attributes at run time, so a type checker cannot know them
JIT = not CONFIG.DISABLE_JIT
_PACKAGE = Path(__file__).resolve().parent.parent
_TABLES = ("cards.py", "rules.py", "actions.py", "state.py", "observation.py")

F = TypeVar("F", bound=Callable[..., Any])


def _sources() -> list[Path]:
    return [_PACKAGE / name for name in _TABLES] + sorted((_PACKAGE / "core").glob("*.py"))


def source_hash() -> str:
    """A short hash of the sources that compiled code depends on, numba's and numpy's versions, and the bounds check."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(f"{numba.__version__} {np.__version__} {CONFIG.BOUNDSCHECK}".encode())
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


def _usable_cache() -> Path | None:
    folder = _cache_root() / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        warnings.warn(
            f"compiled code cannot be kept in {folder} ({error.strerror or error}), so every process compiles anew; "
            "set PERSIAN_RUMMY_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return folder


CACHE: Path | None = _usable_cache() if JIT else None
"""The folder of this version's compiled code; None: nothing is kept."""


def compiled(function: F) -> F:
    """Compile with numba, without the interpreter lock, cached in ``CACHE``."""
    if not JIT:
        return function
    # numba takes the folder from its configuration at the moment of decoration.
    before, CONFIG.CACHE_DIR = CONFIG.CACHE_DIR, str(CACHE or "")
    try:
        made: Any = njit(function, cache=CACHE is not None, nogil=True, error_model="numpy")
        return made
    finally:
        CONFIG.CACHE_DIR = before


def compiled_modular(function: F) -> F:
    """``compiled``, for arithmetic modulo 2**64: plain numpy scalars would warn of the overflow that is meant."""
    if JIT:
        return compiled(function)

    @wraps(function)
    def quiet(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return quiet  # type: ignore[return-value]
