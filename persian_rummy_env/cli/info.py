"""``persian-rummy info``: versions, cache, threads, sizes."""

from __future__ import annotations

import argparse
import os
import platform
from importlib import metadata
from typing import Any

from .command import OK

DESCRIPTION = """\
Print versions, cache, threads and sizes of the game. Include this in a bug report."""
LIBRARIES = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo", "torch")


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("info", help="versions, cache, threads and sizes", description=DESCRIPTION)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:  # noqa: ARG001
    for title, rows in facts().items():
        print(title)
        width = max(len(name) for name, _ in rows)
        for name, value in rows:
            print(f"  {name:{width}}  {value}")
    return OK


def facts() -> dict[str, list[tuple[str, str]]]:
    """The content of ``info``: names and values by heading."""
    from .. import __version__
    from ..actions import NUM_ACTIONS, RANGES
    from ..observation import BLOCKS, SIZE, VERSION
    from ..rules import MAX_DEAL_DECISIONS, RuleSet
    from ..state import FIELDS, STATE

    ranges = ", ".join(f"{part.name} {part.length}" for part in RANGES)
    return {
        "versions": [
            ("persian-rummy-rl", __version__),
            ("python", f"{platform.python_version()} ({platform.python_implementation()}, {platform.platform()})"),
            *((name, version_of(name)) for name in LIBRARIES),
        ],
        "compiled code": compiled_code(),
        "processors": [
            ("cores", str(os.cpu_count())),
            ("usable here", str(usable_cores())),
            ("threads", "1 a batch, unless PersianRummyVecEnv(threads=…) says more"),
        ],
        "sizes": [
            ("state", f"{STATE.itemsize} bytes a game, {len(FIELDS)} fields"),
            ("observation", f"{SIZE} bytes a seat, {len(BLOCKS)} blocks, layout version {VERSION}"),
            ("actions", f"{NUM_ACTIONS}: {ranges}"),
            ("decisions", f"at most {MAX_DEAL_DECISIONS} a deal"),
        ],
        "default rules": [(name, str(value)) for name, value in RuleSet().as_dict().items()],
    }


def version_of(name: str) -> str:
    """The installed version of a library, read without importing it."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def compiled_code() -> list[tuple[str, str]]:
    """The folder of compiled code, and the kernel groups in it."""
    from ..core.compiler.compile_on_demand import is_kept
    from ..core.compiler.jit import CACHE, JIT
    from ..core.compiler.warm_up import KERNEL_GROUPS

    if not JIT:
        return [("compiler", "off (NUMBA_DISABLE_JIT)")]
    rows = [("cache", str(CACHE) if CACHE else "none: every process compiles again")]
    return [*rows, *((part, "compiled" if is_kept(part) else "not yet compiled") for part in KERNEL_GROUPS)]


def usable_cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
