"""A run of seconds of each measuring command that has no tests of its own."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest

from experiments import render_speed, replay_size, search_speed, serve_load
from experiments.networks import bundled, network_speed
from experiments.tables import networks
from experiments.text import prompts
from persian_rummy_env.bots import BOTS
from persian_rummy_env.players.bundled import FROZEN


def test_render_speed(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    render_speed.main(["--pictures", "6", "--runs", "2", "--out", str(out)])
    result = json.loads(out.read_text())
    for viewer in render_speed.VIEWERS:
        assert len(result[viewer]["own"]["runs"]) == 2
        assert (
            result[viewer]["first"]["min"] > 1000 / result[viewer]["own"]["max"]
        )  # every run starts with empty caches


def test_search_speed(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    search_speed.main(["--decisions", "12", "--worlds", "2", "--runs", "1", "--out", str(out)])
    result = json.loads(out.read_text())
    assert result["decisions"] == 12
    for cores in ("one core", "all cores"):
        assert set(result[cores]) == set(BOTS)
        assert min(one["median"] for one in result[cores].values()) > 0
    assert len(result["with a prior"]) == 3
    assert all(row["playouts"] >= 2 for row in result["milliseconds"])


@pytest.mark.perf
def test_serve_load(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    out = tmp_path / "result.json"
    assert serve_load.main(["--tables", "3", "--seconds", "6", "--port", port, "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    assert result["actions_lost"] == 0
    assert result["actions_checked"] > 0
    assert 20 < result["memory_mb"]["start"] <= result["memory_mb"]["most"] < 1000
    if result["wait_ms"] is not None:  # the machine was not busy before
        assert 1 < result["actions_per_second"] < 10_000
        waits = list(result["wait_ms"].values())
        assert 0 < waits[0] < 500
        assert waits == sorted(waits)
        assert waits[-1] < 5000


@pytest.mark.skipif(shutil.which("chromium") is None, reason="the page is opened in chromium")
def test_replay_size(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    out = tmp_path / "result.json"
    assert replay_size.main(["--actions", "1", "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    assert result["games"] == 2
    assert 100 < result["bytes_an_action"] < 1000


def test_prompts(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    assert prompts.main(["--games", "1", "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    assert result["decisions"] > 50
    assert result["prompts_a_second"] > 100
    assert result["answers_a_second"] > 100


def test_network_speed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_speed, "use_one_thread", lambda: None)
    out = tmp_path / "network_speed.json"
    network_speed.main(["--deals", "64", "--runs", "2", "--out", str(out)])
    result = json.loads(out.read_text())
    assert 0 < result["choices"] < result["decisions"]
    assert 4000 < result["decisions"] < 9000
    for name in ("without torch", "PyTorch"):
        assert (
            result["whole deals"][name]["median"] > result["whole deals"][f"{name}, forced decisions computed"]["min"]
        )
        assert result["a choice in a batch"][name]["median"] > 0
    assert "| PyTorch |" in networks.speed_tables(result)["networks: speed"]


def test_bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "BOTS", {"random": 0})
    out = tmp_path / "bundled.json"
    assert bundled.main(["--pairs", "20", "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    assert [one["policy"] for one in result["policies"]] == list(FROZEN)
    assert all(match["margin"] > 100 for match in result["matches"])
    assert set(result["behaviour"]["players"]) == {*FROZEN, "random"}
    monkeypatch.setattr(networks, "BOTS", {"random": 0})
    table = networks.bundled_tables(result)["bundled: policies"]
    assert table.count("| `champion-1` | `make champion SEED=2`, commit `aa01d87` | 81.7 M decisions ") == 1
