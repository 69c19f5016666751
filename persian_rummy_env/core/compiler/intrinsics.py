"""Machine instructions that numba does not offer by itself; with the compiler off, plain Python that does the same."""

from __future__ import annotations

from .jit import JIT

if JIT:
    from .intrinsics_compiled import lowest, popcount, spread32, spread64
else:
    from .intrinsics_plain import lowest, popcount, spread32, spread64

__all__ = ["lowest", "popcount", "spread32", "spread64"]
