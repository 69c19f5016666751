"""A hash of the code that plays."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..core.compiler.jit import source_hash

PACKAGE = Path(__file__).resolve().parents[1]


def playing_code() -> str:
    """A hash of all code that the result of a match depends on, without the weights of trained policies."""
    digest = hashlib.sha256(source_hash().encode())
    networks = PACKAGE.parent / "agents"  # only in a checkout
    for path in [
        *sorted((PACKAGE / "players").glob("*.py")),
        *(PACKAGE / "evaluation" / name for name in ("arena.py", "match.py")),
        *sorted(networks.glob("*.py")),
    ]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
