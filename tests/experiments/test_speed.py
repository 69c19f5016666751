"""The commands that measure speed: tiny runs of every figure, and how results become tables and a plot."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments import profile, speed
from experiments.speeds import loops, ours, page, parts, peers, plot, profile_page, startup, timing

RUNS = 2
LANES = 128  # the least that two threads share


def figures_in(result: Any) -> list[dict[str, Any]]:
    """Every figure of a result, however deep."""
    if not isinstance(result, dict):
        return []
    own = [result] if "runs" in result else []
    return own + [figure for value in result.values() for figure in figures_in(value)]


@pytest.fixture(scope="module")
def our_figures() -> dict[str, Any]:
    found = ours.vector_figures(RUNS, 2**10, sizes=(1, 64, LANES), marked=(64, LANES))
    found |= ours.aec_figures(RUNS, 0.01)
    found |= ours.copy_figures(RUNS, lanes=64, repeats=2)
    found |= ours.bot_figures(RUNS, games=4)
    return found | startup.startup_figures(1, 0)


@pytest.fixture(scope="module")
def result(our_figures: dict[str, Any]) -> dict[str, Any]:
    about = {"observation": "int8 (4, 52)", "observation_bytes": 208, "actions": 110}
    single = {"name": "gin_rummy_v4", "batch": 1, "drawing": True, **about}
    batched = {"name": "bridge_bidding", "batch": 4096, "drawing": False, **about}
    measured = timing.figure([1000.0, 2000.0, 4000.0], "decisions/s")
    return {
        "command": "python -m experiments.speed",
        "date": timing.today(),
        "commit": timing.commit(),
        "machine": timing.machine(),
        "versions": timing.versions("numpy"),
        "ours": our_figures,
        "peers": {
            "pettingzoo": {"versions": {}, "figures": [single | measured]},
            "pgx": {"versions": {}, "figures": [batched | measured]},
            "rlcard": {"failed": "not installed: no such version"},
        },
    }


def test_every_figure_of_ours_is_taken_so_many_times(our_figures: dict[str, Any]) -> None:
    found = figures_in(our_figures)
    # 2 a size and 2 arrays to keep, two threads and two batches apart; one call; 2 AEC; 4 copies; 2 bots; 4 starts
    assert len(found) == 3 * 2 + 2 + 2 + 1 + 2 + 4 + 2 + 4
    started = figures_in(our_figures["startup"])
    for figure in found:
        assert len(figure["runs"]) == (1 if figure in started else RUNS)
        assert 0 < figure["min"] <= figure["median"] <= figure["max"]


def test_runs_of_the_vector_face_play_the_actions_that_were_drawn() -> None:
    runs = ours.VectorRuns(64, 640)
    assert runs.decisions == 640
    assert runs.steps_alone() > 0
    first = runs.env.get_state()
    assert (first["episode_decisions"] != runs.start["episode_decisions"]).any()
    assert runs.steps_alone() > 0
    assert (runs.env.get_state() == first).all()


def test_a_bank_of_states_is_spread_over_all_stages() -> None:
    states = ours.mixed_states(256)
    assert all(here.any() for here in parts.by_phase(states).values())
    assert set(states["deal"].tolist()) == {0, 1}
    more = ours.mixed_states(512, seed=1)
    assert len(set(more["sample_rng"].tolist())) == 512


def test_the_loop_of_one_game_counts_decisions() -> None:
    count = 0

    def decide() -> None:
        nonlocal count
        count += 1

    assert loops.for_a_while(decide, 0.0) > 0
    assert count == loops.CHECK_EVERY


@pytest.mark.slow
def test_the_first_compile_says_that_it_compiles() -> None:
    found = startup.first_compile(1)
    assert found["notice"]
    assert found["median"] > 1


# Peers ----------------------------------------------------------------------------------------------------------------


def test_every_peer_has_exact_pins_and_a_driver() -> None:
    assert set(peers.PEERS) == {"openspiel", "pettingzoo", "pgx", "rlcard"}
    for name in peers.PEERS:
        lines = (peers.PINS / f"{name}.txt").read_text().split("\n")
        assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][^ ]*", line) for line in lines if line)
        assert (peers.PINS / f"{name}_driver.py").exists()
    assert "pettingzoo==1.26.1\n" in (peers.PINS / "pettingzoo.txt").read_text()


def test_a_peer_that_fails_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = "import sys; print('fine'); sys.exit('ERROR: no such card game')"
    monkeypatch.setattr(peers, "prepared", lambda *_: Path(sys.executable))
    monkeypatch.setattr(peers, "measured", lambda *_: peers._called([sys.executable, "-c", script], 1, "did not run"))
    assert peers.peer_figures(("rlcard",), tmp_path, 1, 0.1) == {
        "rlcard": {"failed": "did not run: ERROR: no such card game"}
    }


def test_a_peer_whose_environment_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = peers.peer_figures(("rlcard",), tmp_path / "file", 1, 0.1)
    assert found["rlcard"]["failed"].startswith("no virtual environment")


def test_unknown_peers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert speed.arguments(["--peers", "none"]).peers == ()
    assert speed.arguments([]).peers == peers.PEERS
    assert speed.arguments(["--peers", "pgx,rlcard"]).peers == ("pgx", "rlcard")
    with pytest.raises(SystemExit):
        speed.arguments(["--peers", "chess"])
    assert "unknown peer chess: known are openspiel" in capsys.readouterr().err


# Tables and plot ------------------------------------------------------------------------------------------------------


def test_every_goal_is_judged(result: dict[str, Any]) -> None:
    found = {what: (goal, reached, met) for what, goal, reached, met in page.goals(result["ours"], result["peers"])}
    assert len(found) == 16 - 1  # the first compile was not measured
    # Runs as tiny as these are slow: what matters is that the verdict is that of the numbers.
    slow = {"step": {"64": {"median": 5.9e6}}, "step_and_drawing": {"64": {"median": 4.1e6}}}
    slow["step_two_threads"] = {"64": {"median": 11e6}}
    judged = page.goals({**result["ours"], "vector": slow, "marked": ["64"]}, {})
    assert [met for *_, met in judged[:3]] == [False, True, True]
    assert judged[0][1:3] == ("≥ 6.00 M/s", "5.90 M/s")


def test_tables_name_every_peer(result: dict[str, Any]) -> None:
    tables = page.speed_tables(result)
    assert "| PettingZoo gin_rummy_v4 | int8 (4, 52) | 208 | 110 | 2.00 k (1.00 k–4.00 k) |" in tables["speed: peers"]
    assert "not measured: not installed: no such version" in tables["speed: peers"]
    for table in tables.values():
        rows = [line.replace("\\|", "").count("|") for line in table.split("\n") if line.startswith("|")]
        assert len(set(rows)) <= 1


def test_the_plot_is_a_picture(result: dict[str, Any]) -> None:
    assert plot.drawn(result).startswith(b"\x89PNG")


def test_tables_go_where_the_page_has_a_place_for_them() -> None:
    text = "before\n<!-- a -->\nold\n<!-- end a -->\nafter\n"
    once = page.with_tables(text, {"a": r"| new \1 |"})
    assert once == "before\n<!-- a -->\n| new \\1 |\n<!-- end a -->\nafter\n"
    assert page.with_tables(once, {"a": r"| new \1 |"}) == once
    with pytest.raises(ValueError, match="no place for the table 'b'"):
        page.with_tables(text, {"b": ""})


def test_the_committed_page_is_as_the_results_have_it() -> None:
    text = page.PAGE.read_text()
    assert page.from_results(text) == text, "run python -m experiments.speeds.page"


def test_the_page_has_a_place_for_every_table(result: dict[str, Any]) -> None:
    page.with_tables(page.PAGE.read_text(), page.speed_tables(result))


def test_a_profile_times_every_part_in_every_phase(tmp_path: Path) -> None:
    profile.main(["--out", str(tmp_path / "profile.json"), "--runs", "1", "--repeats", "2"])
    found = json.loads((tmp_path / "profile.json").read_text())
    assert sum(found["shares"].values()) == pytest.approx(1)
    assert set(found["parts"]) == {"draw", "meld", "meld, card owed", "deal"}
    assert len({tuple(found["parts"][phase]) for phase in found["shares"]}) == 1
    assert all(figure["median"] > 0 for figure in figures_in(found))
    costs = profile_page.average_costs(found)
    assert 20 < found["decisions_per_deal"] < 400
    assert costs["deal"] == found["parts"]["deal"]["deal"]["median"] / found["decisions_per_deal"]
    page.with_tables(page.PAGE.read_text(), profile_page.profile_tables(found))
