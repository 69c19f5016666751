"""``persian-rummy tournament`` and ``cross-play`` with ``--out``: a result file, and going on after an interruption."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from persian_rummy_env.cli import program
from persian_rummy_env.evaluation import workers
from persian_rummy_env.evaluation.match import play_match, play_teams
from persian_rummy_env.evaluation.match_cache import unpacked
from persian_rummy_env.players.load import load

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "tournament": ["tournament", "random,greedy,deepest", "--pairs", "3000"],
    "cross-play": ["cross-play", "random,greedy", "--against", "deepest", "--pairs", "2000"],
}


def result_of(out: Path) -> dict[str, Any]:
    """The result file, without how long it took."""
    result = json.loads((out / "results.json").read_text())
    del result["minutes"]
    for match in result.get("matches", []):
        del match["seconds"]
    return result


def kept(out: Path) -> dict[str, int]:
    """How many pairs of each match lie in the folder."""
    return {path.name: len(unpacked(path)[2]) for path in (out / "played").glob("*.pairs")}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_goes_on_where_it_was(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, cut = COMMANDS[name], tmp_path / "cut"
    words = [sys.executable, "-m", "persian_rummy_env", *command, "--out", str(cut)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None and not list(cut.glob("played/*.pairs")):
            time.sleep(0.002)
    finally:
        process.kill()
        process.wait()
    before = kept(cut)
    assert before
    assert not (cut / "results.json").exists(), "it was killed before its end"

    played = []

    def counted(*given: Any) -> Any:
        played.append(len(given[2]))
        return play_teams(*given)

    monkeypatch.setattr(workers, "play_teams", counted)
    assert program.main([*command, "--out", str(cut)]) == 0
    after, again = kept(cut), sum(played)
    assert again == sum(after.values()) - sum(before.values()), "nothing is played twice"
    shown = capsys.readouterr().out
    assert program.main([*command, "--out", str(tmp_path / "whole")]) == 0
    assert result_of(cut) == result_of(tmp_path / "whole")
    assert capsys.readouterr().out == shown
    assert program.main(command) == 0, "without a folder"
    assert capsys.readouterr().out == shown


def test_the_result_of_a_tournament_is_that_of_its_matches(tmp_path: Path) -> None:
    assert program.main(["tournament", "greedy,random", "--pairs", "40", "--seed", "3", "--out", str(tmp_path)]) == 0
    result = json.loads((tmp_path / "results.json").read_text())
    [match] = result["matches"]
    wanted = play_match(load("greedy"), load("random"), 40, seed=3)
    for name in ("a", "b", "pairs", "margin", "low", "high", "win_rate"):
        assert match[name] == getattr(wanted, name)
    assert result["complete"]


def test_the_gap_of_cross_play_is_that_of_its_cells(tmp_path: Path) -> None:
    words = ["cross-play", "greedy,random", "--against", "deepest", "--pairs", "30", "--out", str(tmp_path)]
    assert program.main(words) == 0
    [table] = json.loads((tmp_path / "results.json").read_text())["tables"]
    cells = {(cell["first"], cell["second"]): cell["margin"] for cell in table["cells"]}
    own = np.mean([cells["greedy", "greedy"], cells["random", "random"]])
    mixed = np.mean([cells["greedy", "random"], cells["random", "greedy"]])
    assert table["gap"]["margin"] == pytest.approx(own - mixed)


def test_a_folder_of_other_settings_is_refused_unless_it_is_played_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tournament", "greedy,random", "--pairs", "4", "--out", str(tmp_path)]
    assert program.main(words) == 0
    before = result_of(tmp_path)
    capsys.readouterr()
    assert program.main([*words, "--seed", "2"]) == 2
    message = capsys.readouterr().err.splitlines()
    assert "seed 1 instead of 2" in message[-1]
    assert "--anew" in message[-1]
    assert result_of(tmp_path) == before
    assert program.main([*words, "--seed", "2", "--anew"]) == 0
    assert result_of(tmp_path)["terms"]["seed"] == 2


def test_a_folder_of_a_training_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "checkpoint.safetensors").write_bytes(b"")
    assert program.main(["tournament", "greedy,random", "--pairs", "4", "--out", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err.splitlines()[-1]
