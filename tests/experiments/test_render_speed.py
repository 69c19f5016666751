"""The figures of drawing, in a run of seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments import render_speed


def test_a_small_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "result.json"
    render_speed.main(["--pictures", "12", "--runs", "2", "--out", str(out)])
    result = json.loads(out.read_text())
    assert result["drawn with"].keys() == {"python", "pillow", "resvg-py"}
    for view in render_speed.VIEWS:
        one = result[view]
        assert len(one["own"]["runs"]) == 2
        assert one["svg"]["min"] > one["own"]["max"]
        assert one["first"]["min"] > 2 * 1000 / one["own"]["max"]  # every run starts with nothing kept
    assert "pictures a second" in capsys.readouterr().out
