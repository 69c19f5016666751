"""The report of a run on a GPU, dry on the CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.gpu_report import main, summed

ROOT = Path(__file__).parents[2]


def row(decisions: int, collecting: float, learning: float) -> dict[str, str]:
    return {"decisions": str(decisions), "collect_seconds": str(collecting), "learn_seconds": str(learning)}


def test_the_first_update_is_left_out() -> None:
    speed = summed([row(100, 50, 50), row(300, 1, 3), row(500, 1, 1)])
    assert speed == {
        "decisions": 400,
        "collecting_per_second": 200,
        "learning_per_second": 100,
        "both_per_second": pytest.approx(400 / 6),
    }
    assert summed([row(100, 2, 5)])["collecting_per_second"] == 50


def test_the_whole_script_runs_dry(tmp_path: Path) -> None:
    out, report = tmp_path / "run", tmp_path / "gpu.json"
    told = os.environ | {"DRY": "1", "PYTHON": sys.executable, "OUT": str(out), "REPORT": str(report)}
    script = [str(ROOT / "experiments" / "gpu_report.sh")]
    done = subprocess.run(script, env=told, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text())
    assert [match["b"] for match in found["matches"]] == ["random", "greedy", "deepest", "expert"]
    assert found["speed"]["both_per_second"] > 0
    again = subprocess.run(script, env=told, capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 1
    assert "there is a run in it already" in again.stderr


def test_a_folder_without_a_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "metrics.csv: no such log" in capsys.readouterr().err
