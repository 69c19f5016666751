"""Figures of a fresh process: import, first step, first compile. Each run is a new process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ..shared.timing import ALL_CORES, cores, figure

ROOT = Path(__file__).resolve().parents[2]

IMPORT = """
import time
start = time.perf_counter()
{statement}
print(time.perf_counter() - start)
"""
IMPORTS = {
    "import": "import persian_rummy_env",
    "import_vector_face": "from persian_rummy_env import PersianRummyVecEnv",
    "import_aec_face": "from persian_rummy_env import env",
}
FIRST_STEP = """
import persian_rummy_env
table = persian_rummy_env.env()
table.reset(seed=1)
table.step(int(table.last()[0]["action_mask"].argmax()))
"""
COMPILE = """
import time
from persian_rummy_env.core.compiler.warm_up import KERNEL_GROUPS
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
for part in KERNEL_GROUPS:
    start = time.perf_counter()
    ensure_compiled(part)
    print(time.perf_counter() - start)
"""


def _run(script: str, cache: str | None = None) -> tuple[float, str, str]:
    """Seconds of the whole process, and its standard output and error."""
    environment = dict(os.environ)
    if cache is not None:
        environment["PERSIAN_RUMMY_CACHE_DIR"] = cache
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment, cwd=ROOT
    )
    if done.returncode:
        raise RuntimeError(f"a fresh process failed:\n{done.stderr}")
    return time.perf_counter() - start, done.stdout, done.stderr


def startup_figures(runs: int, compile_runs: int) -> dict[str, Any]:
    """Import, first step and first compile, in seconds; all but the last with a filled cache."""
    found: dict[str, Any] = {}
    with cores(1):
        _run(FIRST_STEP)  # fills the code cache and the file cache of the system
        for name, statement in IMPORTS.items():
            script = IMPORT.format(statement=statement)
            found[name] = figure([float(_run(script)[1]) for _ in range(runs)], "s")
        found["first_step"] = figure([_run(FIRST_STEP)[0] for _ in range(runs)], "s")
    if compile_runs:
        found["first_compile"] = first_compile(compile_runs)
    return {"startup": found}


def first_compile(runs: int) -> dict[str, Any]:
    """The compile times of all kernel groups in an empty cache. The figure is that of the first group, the game engine,
    which is all that the environments need."""
    engine, rest = [], []
    notices = ""
    with cores(len(ALL_CORES) or 1):
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as cache:
                _, out, notices = _run(COMPILE, cache)
            first, *others = map(float, out.split())
            engine.append(first)
            rest.append(sum(others))
    return figure(engine, "s", notice="compiling the game engine" in notices, other_parts=figure(rest, "s"))
