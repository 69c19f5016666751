"""The figures of search, in a run of seconds."""

from __future__ import annotations

import json
from pathlib import Path

from experiments import search_speed
from persian_rummy_env.bots import BOTS


def test_a_small_run(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    search_speed.main(["--decisions", "12", "--worlds", "2", "--runs", "1", "--out", str(out)])
    result = json.loads(out.read_text())
    assert result["decisions"] == 12
    assert result["candidates"] >= 2
    for cores in ("one core", "all cores"):
        assert set(result[cores]) == set(BOTS)
        assert min(one["median"] for one in result[cores].values()) > 100
    assert len(result["with a prior"]) == 3
    assert all(0 < one["median"] < 1000 for one in result["with a prior"].values())
    for row in result["milliseconds"]:
        assert row["mean"] >= 0.7 * row["ms"]
        assert row["playouts"] >= 2
