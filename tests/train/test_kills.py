"""A training that is killed again and again at random moments ends as one that was left alone, bit for bit.

In the normal run a few kills; ``-m slow`` has 50.
"""

from __future__ import annotations

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
from train.checkpoint import Checkpoint

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
import train.selfplay
train.selfplay.warm_up = lambda *_: None
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
    process = started(*words)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said.decode()


@pytest.mark.parametrize(("kills", "updates"), [(3, 40), pytest.param(50, 400, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_ends_as_if_it_had_not_been(kills: int, updates: int, tmp_path: Path):
    """The moments: of the first three seconds of a process, from when it begins to read its settings."""
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
        time.sleep(rng.uniform(0, 3))
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (-signal.SIGKILL, 0), said.decode()  # 0: it came to its end before
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
