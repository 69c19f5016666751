"""Machine instructions that numba lacks; with the compiler off, the same in plain Python."""

from __future__ import annotations

from .intrinsics_plain import PRODUCT_COLUMNS, PRODUCT_ROWS
from .jit import JIT

if JIT:
    from .intrinsics_compiled import add_products, lowest, nonzero64, popcount, spread32, spread64
else:
    from .intrinsics_plain import add_products, lowest, nonzero64, popcount, spread32, spread64

__all__ = ["PRODUCT_COLUMNS", "PRODUCT_ROWS", "add_products", "lowest", "nonzero64", "popcount", "spread32", "spread64"]
