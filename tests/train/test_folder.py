"""The folder of a run: nothing of two runs in one, one process at a time, and every file says whose it is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agents.learned import policy_metadata
from persian_rummy_env.system.run_folder import LOCK, OF_A_RUN, FolderError, claimed, locked, lying_in
from tests.train.damaged import TINY, one_line_of
from train.run import log
from train.run.checkpoint import Checkpoint
from train.selfplay import main


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


@pytest.mark.parametrize("name", OF_A_RUN)
def test_a_folder_with_anything_of_a_run_is_refused_and_stays_as_it_was(name: str, tmp_path: Path):
    out = tmp_path / "a"
    out.mkdir()
    (out / name).write_text("x")
    with pytest.raises(FolderError, match=name), claimed(out):
        pass
    assert {path.name: path.read_text() for path in out.iterdir()} == {name: "x"}
    with claimed(out, "number") as place:
        assert place == tmp_path / "a-2"
    with claimed(out, but=(name,)) as place:
        assert place == out


def test_a_run_that_was_killed_before_its_first_checkpoint_keeps_its_folder(tmp_path: Path, capsys):
    """Before, the next run took what was there for its own: its "player" was the old run's best copy."""
    out = tmp_path / "a"
    assert main([*TINY, "--updates", "2", "--out", str(out)]) == 0
    (out / "checkpoint.safetensors").unlink()
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    said = one_line_of(lambda: main([*TINY, "--seed", "8", "--updates", "2", "--out", str(out)]), capsys)
    assert "best.safetensors" in said
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == before


def test_all_files_of_a_run_carry_its_identity(tmp_path: Path):
    outs = [tmp_path / name for name in "ab"]
    runs = set()
    for out in outs:
        assert main([*TINY, "--updates", "2", "--out", str(out)]) == 0
        run = Checkpoint.read(out).run
        assert json.loads((out / "config.json").read_text())["run"] == run
        assert json.loads((out / "results.json").read_text())["run"] == run
        assert {row["run"] for row in log.read(out / "metrics.csv")} == {run}
        assert (
            policy_metadata(out / "best.safetensors")["run"]
            == policy_metadata(out / "policy.safetensors")["run"]
            == run
        )
        events = list((out / "tensorboard").glob("events*"))
        assert all(path.name.endswith(run) for path in events)
        runs.add(run)
    assert len(runs) == 2


@pytest.mark.parametrize("name", ["best.safetensors", "metrics.csv", "config.json", "results.json"])
def test_a_file_of_another_run_is_not_gone_on_with(name: str, tmp_path: Path, capsys):
    one, two = tmp_path / "one", tmp_path / "two"
    for seed, out in enumerate((one, two), 1):
        assert main([*TINY, "--seed", str(seed), "--updates", "2", "--out", str(out)]) == 0
    shutil.copy(two / name, one / name)
    before = {path.name: path.read_bytes() for path in one.iterdir() if path.is_file()}
    said = one_line_of(lambda: main(["--resume", str(one), "--updates", "3"]), capsys)
    assert f"{one / name}: " in said
    assert "of another run" in said
    assert {path.name: path.read_bytes() for path in one.iterdir() if path.is_file()} == before


HOLD = """
import sys
from pathlib import Path
from persian_rummy_env.system.run_folder import locked
with locked(Path(sys.argv[1])):
    print(1, flush=True)
    sys.stdin.read()
"""


def holding(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    return process


def test_one_process_at_a_time_has_a_folder_and_a_dead_one_has_none(tmp_path: Path):
    out = tmp_path / "a"
    process = holding(out)
    try:
        with pytest.raises(FolderError, match=rf"process {process.pid} on .* writes into it"), locked(out):
            pass
        with claimed(out, "number") as place:
            assert place == tmp_path / "a-2"
    finally:
        process.kill()
        process.communicate()
    assert (out / LOCK).exists(), "it was killed"
    with claimed(out) as place:
        assert place == out
    assert not (out / LOCK).exists()


def test_a_folder_that_nothing_came_into_is_gone_again(tmp_path: Path):
    with locked(tmp_path / "a"):
        assert (tmp_path / "a" / LOCK).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_folder(tmp_path: Path, capsys):
    out = tmp_path / "a"
    out.write_text("x")
    said = one_line_of(lambda: main([*TINY, "--updates", "1", "--out", str(out)]), capsys)
    assert f"{out}: is a file, expected a folder" in said
    said = one_line_of(lambda: main([*TINY, "--updates", "1", "--out", str(out / "b")]), capsys)
    assert str(out) in said
    assert out.read_text() == "x"


@pytest.mark.parametrize("name", ["best.safetensors", "metrics.csv", "config.json", "checkpoint.safetensors"])
def test_a_folder_in_the_place_of_a_file(name: str, tmp_path: Path, capsys):
    out = tmp_path / "a"
    assert main([*TINY, "--updates", "3", "--pause-after", "2", "--out", str(out)]) == 0
    (out / name).unlink()
    (out / name).mkdir()
    said = one_line_of(lambda: main(["--resume", str(out)]), capsys)
    assert f"{out / name}: " in said
    assert "folder" in said


def test_what_two_commands_may_not_share(tmp_path: Path):
    """A tournament's results do not take the place of a run's."""
    from experiments.tournament import main as tournament

    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(SystemExit) as left:
        tournament(["--policies", "random,greedy", "--pairs", "2", "--out", str(tmp_path)])
    assert left.value.code == 2
    assert lying_in(tmp_path) == ["config.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
