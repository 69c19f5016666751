"""The script as a process of its own: killed, interrupted, and logged to Weights & Biases."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

from tests.train.runs import SMALL, contents, logged, rows, wait_for
from train.run.log import FILE, Log, LogError
from train.selfplay import main

ROOT = Path(__file__).resolve().parents[2]
ENDLESS = [*SMALL, "--minutes", "30", "--eval.every", "10000", "--save-every", "0.5"]
needs_signals = pytest.mark.skipif(os.name == "nt", reason="this system sends no signals to other processes")


def started(out: Path, *words: str, **streams: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "train.selfplay", *ENDLESS, *words, "--out", str(out)]
    return subprocess.Popen(command, cwd=ROOT, **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **streams})


def saved_counters(out: Path) -> dict[str, Any]:
    return json.loads(contents(out / "checkpoint.safetensors")[1]["counters"])


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    out = tmp_path / "killed"
    process = started(out, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: (out / "checkpoint.safetensors").exists() and logged(out) > 10, process, "a checkpoint")
    process.kill()
    assert process.wait(30) != 0
    saved, done = saved_counters(out), logged(out)
    whole = saved["update"]
    assert 0 < whole <= done
    after = [float(row["seconds"]) for row in train_log(out)][whole:]
    due = 0.5 * (saved["saves"] + 1)
    assert all(seconds < due + 0.1 for seconds in after[:-1]), "only in its last update may a checkpoint be overdue"
    assert main(["--resume", str(out), "--pause-after", str(done + 2)]) == 0
    assert [row["update"] for row in rows(out)] == [str(n + 1) for n in range(done + 2)]


@pytest.mark.perf
def test_a_kill_loses_no_more_seconds_than_lie_between_checkpoints(tmp_path: Path):
    """And one update, since a checkpoint that is due waits for its end."""
    out = tmp_path / "killed"
    process = started(out, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: logged(out) > 2 and times(out)[-1] > 3.2, process, "some seconds of training")
    process.kill()
    process.wait(30)
    ends = times(out)
    lost = ends[-1] - saved_counters(out)["seconds"]
    update = max(b - a for a, b in zip([0.0, *ends], ends, strict=False))
    assert lost <= 0.5 + update + 0.01, f"updates took {update:.2f} s at most"
    assert lost < 0.5 + 2


def times(out: Path) -> list[float]:
    """Seconds of training at the end of each update in the log."""
    header, *lines = [line.split(",") for line in (out / FILE).read_text().split("\n")[:-1]]
    return [float(line[header.index("seconds")]) for line in lines]


def train_log(out: Path) -> list[dict[str, str]]:
    from train.run import log

    path = out / FILE
    text = path.read_text()
    path.write_text(text[: text.rfind("\n") + 1])  # a row that was being written
    return log.read(path)


@needs_signals
def test_ctrl_c_saves_and_leaves(tmp_path: Path):
    out = tmp_path / "stopped"
    process = started(out, "--save-every", "10000")
    wait_for(lambda: logged(out) > 2, process, "three updates")
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()
    assert f"--resume {out}" in said.decode().replace("\n", " ")
    assert "Traceback" not in said.decode()
    assert saved_counters(out)["update"] == logged(out)
    assert (out / "policy.safetensors").exists()
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_on_a_terminal_there_is_a_live_table(tmp_path: Path):
    out = tmp_path / "seen"
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    process = started(out, "--eval.every", "0.5", stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    until = time.monotonic() + 300

    def read() -> bytes:
        try:
            return os.read(ours, 65536) if select.select([ours], [], [], 0.2)[0] else b""
        except OSError:  # how Linux says that nobody holds the other end any more
            return b""

    while b"points a deal" not in seen and time.monotonic() < until:
        seen += read()
    process.send_signal(signal.SIGINT)
    while process.poll() is None:
        seen += read()
    os.close(ours)
    assert process.returncode == 0
    plain = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", seen).decode(errors="replace")
    for words in ("decisions/s", "against greedy", "points a deal", "left"):
        assert words in plain
    assert seen.count(b"\x1b[") > 10, "it is drawn in place"


# Weights & Biases -----------------------------------------------------------------------------------------------------


class FakeRun:
    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.metrics: list[tuple[str, str | None]] = []
        self.finished = False

    def define_metric(self, name: str, step_metric: str | None = None) -> None:
        self.metrics.append((name, step_metric))

    def log(self, row: dict[str, Any]) -> None:
        self.rows.append(row)

    def finish(self) -> None:
        self.finished = True


def test_numbers_go_to_weights_and_biases_under_one_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    asked: list[dict[str, Any]] = []
    runs: list[FakeRun] = []

    def init(**words: Any) -> FakeRun:
        asked.append(words)
        runs.append(FakeRun())
        return runs[-1]

    fake = types.ModuleType("wandb")
    fake.init = init  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", fake)
    out = tmp_path / "w"
    assert main([*SMALL, "--wandb", "--updates", "4", "--pause-after", "2", "--out", str(out)]) == 0
    assert main(["--resume", str(out)]) == 0
    assert len({words["id"] for words in asked}) == 1
    assert all(words["resume"] == "allow" and words["dir"] == str(out) for words in asked)
    assert asked[0]["config"]["network"]["width"] == 16
    assert [run.finished for run in runs] == [True, True]
    assert [len(run.rows) for run in runs] == [2, 2]
    steps = [row["decisions"] for run in runs for row in run.rows]
    assert steps == [int(row["decisions"]) for row in rows(out)]
    assert "train/kl" in runs[0].rows[0]
    assert "against/margin_greedy" in runs[0].rows[1]
    assert ("*", "decisions") in runs[0].metrics


def test_without_the_library_it_says_so_and_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(LogError, match="pip install wandb"):
        Log(tmp_path, 0, 0, wandb={})
    with pytest.raises(SystemExit) as left:
        main([*SMALL, "--wandb", "--updates", "1", "--out", str(tmp_path / "a")])
    assert left.value.code == 1
    assert "pip install wandb" in capsys.readouterr().err
    assert not (tmp_path / "a" / FILE).exists()
