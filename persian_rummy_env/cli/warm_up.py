"""``persian-rummy warm-up``: compile everything now."""

from __future__ import annotations

import argparse
from typing import Any

from .command import OK

DESCRIPTION = """\
Compile all kernels and keep them in the cache, so that nothing is compiled on first use later. It takes about a minute.
Use it in images of machines and containers; PERSIAN_RUMMY_CACHE_DIR sets the folder of the cache."""


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("warm-up", help="compile everything now", description=DESCRIPTION)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    from ..core.compiler.compile_on_demand import ensure_compiled
    from ..core.compiler.jit import CACHE, JIT
    from ..core.compiler.warm_up import KERNEL_GROUPS

    for group in KERNEL_GROUPS:
        ensure_compiled(group)
    print(f"compiled: {', '.join(KERNEL_GROUPS)}; cache: {CACHE}" if JIT else "the compiler is off (NUMBA_DISABLE_JIT)")
    return OK
