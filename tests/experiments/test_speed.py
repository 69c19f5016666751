"""The commands that measure speed: a tiny run of every figure, and its tables and plot."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments import profile, speed
from experiments.shared import timing
from experiments.speeds import own, peers, plot, startup
from experiments.tables import performance
from experiments.tables.profile import average_costs

LANES = 128  # the fewest that two threads share


def figures_in(result: Any) -> list[dict[str, Any]]:
    """Every figure of a result, however deep."""
    if not isinstance(result, dict):
        return []
    own = [result] if "runs" in result else []
    return own + [figure for value in result.values() for figure in figures_in(value)]


def peer(name: str, batch: int) -> dict[str, Any]:
    about = {"observation": "int8 (4, 52)", "observation_bytes": 208, "actions": 110}
    measured = timing.figure([1000.0, 2000.0, 4000.0], "decisions/s")
    return {"versions": {}, "figures": [{"name": name, "batch": batch, "drawing": batch == 1, **about, **measured}]}


def test_every_figure_is_taken_and_shown() -> None:
    found = own.vector_figures(1, 2**10, sizes=(1, 64, LANES), marked=(64, LANES))
    found |= own.aec_figures(1, 0.01)
    found |= own.copy_figures(1, lanes=64, repeats=2)
    found |= own.bot_figures(1, games=4)
    found |= startup.startup_figures(1, 0)
    # 2 a size, 2 copies, 2 as bits, two threads, two apart; one call; 2 AEC; 4 copies; 2 bots; 4 starts
    assert len(figures_in(found)) == 2 * 3 + 2 + 2 + 2 + 1 + 2 + 4 + 2 + 4
    assert all(figure["min"] > 0 for figure in figures_in(found))
    others = {"pettingzoo": peer("gin_rummy_v4", 1), "pgx": peer("bridge", 4096), "rlcard": {"failed": "no version"}}
    result = {
        "command": "c",
        "date": timing.today(),
        "commit": timing.commit(),
        "machine": timing.machine(),
        "versions": timing.versions("numpy"),
        "ours": found,
        "peers": others,
    }
    for table in performance.speed_tables(result).values():
        rows = [line.replace("\\|", "").count("|") for line in table.split("\n") if line.startswith("|")]
        assert len(set(rows)) <= 1
    assert plot.drawn(result).startswith(b"\x89PNG")
    slow = {"step": {"64": {"median": 5.9e6}}, "step_and_drawing": {"64": {"median": 4.1e6}}}
    slow["step_two_threads"] = {"64": {"median": 11e6}}
    judged = performance.goals({**found, "vector": slow, "marked": ["64"]}, {})
    assert [met for *_, met in judged[:3]] == [False, True, True]


def test_a_profile_times_every_part_in_every_phase(tmp_path: Path) -> None:
    profile.main(["--out", str(tmp_path / "profile.json"), "--runs", "1", "--repeats", "2"])
    found = json.loads((tmp_path / "profile.json").read_text())
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert set(found["parts"]) == {"draw", "meld", "meld, card owed", "deal"}
    assert all(figure["median"] > 0 for figure in figures_in(found))
    assert average_costs(found)["deal"] == found["parts"]["deal"]["deal"]["median"] / found["decisions_per_deal"]


def test_every_peer_has_exact_pins_and_a_driver() -> None:
    for name in peers.PEERS:
        lines = (peers.PINS / f"{name}.txt").read_text().split("\n")
        assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][^ ]*", line) for line in lines if line)
        assert (peers.PINS / f"{name}_driver.py").exists()


def test_a_peer_that_fails_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = "import sys; sys.exit('ERROR: no such card game')"
    monkeypatch.setattr(peers, "prepared", lambda *_: Path(sys.executable))
    monkeypatch.setattr(peers, "measured", lambda *_: peers._called([sys.executable, "-c", script], 1, "did not run"))
    found = peers.peer_figures(("rlcard",), tmp_path, 1, 0.1)
    assert "no such card game" in found["rlcard"]["failed"]


def test_unknown_peers_are_refused() -> None:
    assert speed.arguments(["--peers", "pgx,rlcard"]).peers == ("pgx", "rlcard")
    with pytest.raises(SystemExit) as refused:
        speed.arguments(["--peers", "chess"])
    assert refused.value.code == 2
