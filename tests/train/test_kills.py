"""A training that is killed again and again at random moments ends as one that was left alone, bit for bit.

In the normal run a few kills; ``-m slow`` has 50.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from agents.learned import read_policy
from tests.train.damaged import TINY, files_of
from tests.train.runs import rows
from train.run.checkpoint import Checkpoint

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
import train.run.main_process
import train.selfplay
train.run.main_process.warm_up = lambda *_: None
print("begins", flush=True)
sys.exit(train.selfplay.main(sys.argv[1:]))
"""
SETTINGS = [
    *(
        *TINY,
        "--bc.fraction",
        "0.2",
        "--distill.fraction",
        "0.2",
        "--bc.batch-size",
        "64",
        "--bc.logit-scale",
        "2",
        "--pool.after",
        "0",
    ),
    *("--pool.every", "1", "--pool.size", "2", "--eval.every", "2"),
]


def started(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begins\n"
    return process


def ended(*words: str) -> None:
    with started(*words) as process:
        _, said = process.communicate()
    assert process.returncode == 0, said.decode()


def own_seconds(process: subprocess.Popen[bytes]) -> float:
    """Processor time of a process so far, where the system tells it: a loaded machine then delays the kills, and does
    not move them all to the start of the process. Elsewhere the time by the clock."""
    try:
        after_name = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def killed_after(process: subprocess.Popen[bytes], seconds: float) -> str:
    """Kill a process after so many seconds of work, unless it ends before; returns what it said."""
    start = own_seconds(process)
    while True:
        try:
            return process.communicate(timeout=0.01)[1].decode()
        except subprocess.TimeoutExpired:
            if own_seconds(process) - start >= seconds:
                process.send_signal(signal.SIGKILL)


@pytest.mark.first
@pytest.mark.parametrize(("kills", "updates"), [(3, 40), pytest.param(50, 400, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_ends_as_if_it_had_not_been(kills: int, updates: int, tmp_path: Path):
    """The moments: of the first three seconds of a process's own time, from when it begins to read its settings."""
    rng = Random(7)
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    budget = ["--updates", str(updates)]
    ended(*SETTINGS, *budget, "--out", str(alone))

    def again() -> list[str]:
        """The command that goes on. What was killed before its first checkpoint is taken away, as the error says."""
        if (killed / "checkpoint.safetensors").exists():
            return ["--resume", str(killed)]
        shutil.rmtree(killed, ignore_errors=True)
        return [*SETTINGS, *budget, "--out", str(killed)]

    for _ in range(kills):
        process = started(*again())
        said = killed_after(process, rng.uniform(0, 3))
        assert process.returncode in (-signal.SIGKILL, 0), said  # 0: it came to its end before
    ended(*again())
    ours, theirs = Checkpoint.read(killed), Checkpoint.read(alone)
    assert ours.tensors.keys() == theirs.tensors.keys()
    different = [
        name
        for name, tensor in ours.tensors.items()
        if tensor.numpy().tobytes() != theirs.tensors[name].numpy().tobytes()
    ]
    assert different == []
    assert ours.streams == theirs.streams
    assert {**vars(ours.counters), "seconds": 0} == {**vars(theirs.counters), "seconds": 0}
    assert rows(killed) == rows(alone)
    for name in ("policy.safetensors", "best.safetensors"):
        one, other = (read_policy(out / name).state_dict() for out in (killed, alone))
        assert all(one[key].numpy().tobytes() == other[key].numpy().tobytes() for key in one), name
    assert not [name for name in files_of(killed) if "unfinished" in name or name == "run.lock"]
