"""Which code plays."""

from __future__ import annotations

import hashlib
from pathlib import Path

from persian_rummy_env.core.jit import source_hash

ROOT = Path(__file__).resolve().parents[2]


def playing_code() -> str:
    """A hash of all code that a match depends on, but for the weights of trained policies."""
    digest = hashlib.sha256(source_hash().encode())
    for path in (*sorted((ROOT / "agents").glob("*.py")), ROOT / "train" / "match.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
