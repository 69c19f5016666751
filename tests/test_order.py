"""The order in which tests run."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_long_tests_run_before_the_others() -> None:
    files = ["tests/env/test_layout.py", "tests/env/test_three_ways.py", "tests/env/test_text.py"]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [line.partition("::")[0] for line in shown.splitlines() if "::" in line]
    assert list(dict.fromkeys(names)) == [files[1], files[0], files[2]]
