"""What the tests of the adapters share: programs in processes of their own, and the programs of a page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def printed_under(hash_seed: str, program: str, timeout: float = 1200) -> str:
    """What a program prints in a Python of its own, with that seed of its hashes."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_hash_seeds(program: str) -> None:
    """A program prints something, and the same with two seeds of the hashes."""
    one, other = (printed_under(seed, program) for seed in ("1", "2"))
    assert one.strip()
    assert one == other


def run_page(name: str) -> dict[str, object]:
    """Run the Python of a page of docs/, top to bottom; the names that it leaves."""
    sources = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text(encoding="utf-8"), re.DOTALL)
    assert sources
    names: dict[str, object] = {}
    exec(compile("\n".join(sources), name, "exec"), names)
    return names
