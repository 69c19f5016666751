"""Several processes that learn together: the same update as one process makes of all their deals."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.multiprocessing.spawn import spawn

from tests.train.runs import SMALL, contents, logged, rows, wait_for
from train.algorithms.base import StartError
from train.config.base import with_settings
from train.config.ppo import Config
from train.scale.ranks import ALONE, Ranks
from train.selfplay import SelfPlay, main

ROOT = Path(__file__).resolve().parents[2]
CONFIG = with_settings(
    Config(),
    {
        "deals": 24,
        "threads": 1,
        "parts": 2,
        "network.width": 32,
        "optim.minibatch": 256,
        "seed": 3,
        "suit_permutation": "per_seat",
        "pool.after": 0,
        "pool.every": 1,
    },
)
CLOSE = 2e-5
"""Between weights after two updates: gradients are added in another order, and Adam divides by their size."""


def learn(ranks: Ranks, config: Config, out: Path) -> None:
    """Two updates; leaves the learner's tensors, and what was logged."""
    trainer = SelfPlay(config, ranks)
    learner = trainer.learner
    logged = []
    for _ in range(2):
        rollout = trainer.collect()
        logged.append(learner.update(rollout, 0.0) | {"length": rollout.length.tolist(), "side": rollout.side.tolist()})
    save_file(learner.state()[0], out / f"{ranks.rank}-of-{ranks.count}.safetensors")
    (out / f"{ranks.rank}-of-{ranks.count}.json").write_text(json.dumps(logged))


def as_rank(rank: int, count: int, port: int, work: Callable[..., None], *words: object) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.set_num_threads(1)
    work(Ranks.join(), *words)
    torch.distributed.destroy_process_group()


def together(count: int, work: Callable[..., None], *words: object) -> None:
    """Call a function in so many processes, as their ranks."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    spawn(as_rank, (count, port, work, *words), nprocs=count)


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ranks")
    learn(ALONE, CONFIG, out)
    together(2, learn, CONFIG, out)
    return out


def test_two_ranks_make_the_update_that_one_makes_of_both_batches(learnt: Path):
    one, two = (load_file(learnt / f"0-of-{count}.safetensors") for count in (1, 2))
    assert one.keys() == two.keys()
    untouched = SelfPlay(CONFIG).learner.state()[0]
    for name, tensor in one.items():
        assert (tensor - two[name]).abs().max() < CLOSE, name
        if name in untouched and name.endswith("weight"):
            assert (tensor - untouched[name]).abs().max() > 20 * CLOSE, name
    ours, theirs = (json.loads((learnt / f"0-of-{count}.json").read_text()) for count in (1, 2))
    for row, other in zip(ours, theirs, strict=True):
        assert row.pop("length") == other.pop("length"), "the very same deals"
        assert row.pop("side") == other.pop("side")
        assert row["kept"] == other["kept"]
        assert row == pytest.approx(other, abs=1e-4)
    assert ours[1]["pool"] == 2


def test_ranks_stay_the_same_to_the_last_bit(learnt: Path):
    first, second = (load_file(learnt / f"{rank}-of-2.safetensors") for rank in (0, 1))
    assert [name for name in first if not torch.equal(first[name], second[name])] == []
    logs = [json.loads((learnt / f"{rank}-of-2.json").read_text()) for rank in (0, 1)]
    assert logs[0] == logs[1]


def sums(ranks: Ranks, out: Path) -> None:
    told = {
        "gathered": [array.tolist() for array in ranks.gather(np.arange(ranks.rank + 1))],
        "total": ranks.total(np.array([1.0, ranks.rank])).tolist(),
        "largest": ranks.largest(ranks.rank * 10.0),
        "first says": ranks.broadcast_from_first(5.0 + ranks.rank),
        "share": list(ranks.share("abcde")),
    }
    tensors = [torch.full((2, 2), 1.0 + ranks.rank), torch.arange(3.0)]
    ranks.add(tensors)
    (out / f"{ranks.rank}").write_text(json.dumps(told | {"added": [tensor.tolist() for tensor in tensors]}))


def test_what_ranks_exchange(tmp_path: Path):
    together(3, sums, tmp_path)
    told = [json.loads((tmp_path / str(rank)).read_text()) for rank in range(3)]
    assert [each.pop("share") for each in told] == [["a"], ["b", "c"], ["d", "e"]]
    assert told[0] == told[1] == told[2]
    assert told[0]["gathered"] == [[0], [0, 1], [0, 1, 2]]
    assert told[0]["total"] == [3.0, 3.0]
    assert (told[0]["largest"], told[0]["first says"]) == (20.0, 5.0)
    assert told[0]["added"] == [[[6.0, 6.0], [6.0, 6.0]], [0.0, 3.0, 6.0]]


def test_more_ranks_than_parts_are_refused():
    with pytest.raises(StartError, match="parts=2, and 3 ranks"):
        SelfPlay(CONFIG, Ranks(0, 3))


@pytest.mark.parametrize("module", ["dmc", "imitate", "expert_iteration"])
def test_what_runs_in_one_process_says_so(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    script = __import__(f"train.{module}", fromlist=["main"])
    with pytest.raises(SystemExit) as left:
        script.main(["--out", str(tmp_path / "run")])
    assert left.value.code == 2
    assert "torchrun started 2" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


# The command ----------------------------------------------------------------------------------------------------------


def torchrun(count: int, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count)]
    command += ["-m", "train.selfplay", *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch):
    """The functions are compiled by the tests themselves."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


@pytest.mark.slow
def test_a_run_of_two_ranks_is_stopped_and_gone_on_with_by_one(tmp_path: Path):
    out = tmp_path / "run"
    words = [*SMALL, "--threads", "1", "--minutes", "30", "--eval.every", "10000", "--save-every", "10000"]
    process = torchrun(2, *words, "--out", str(out))
    try:
        wait_for(lambda: logged(out) > 2, process, "three updates", 200)
    finally:
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[0].decode()
    assert said.replace("\n", " ").count(f"--resume {out}") == 1, said
    assert "KeyboardInterrupt" not in said, said
    names = {path.name for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith("events")}
    assert names == {"config.json", "metrics.csv", "curve.png", "policy.safetensors", "checkpoint.safetensors"}
    done = len(rows(out))
    assert json.loads(contents(out / "checkpoint.safetensors")[1]["counters"])["update"] == done
    assert main(["--resume", str(out), "--pause-after", str(done + 1)]) == 0
    assert [row["update"] for row in rows(out)] == [str(n + 1) for n in range(done + 1)]


@pytest.mark.slow
def test_a_run_of_one_process_is_gone_on_with_by_two_ranks_and_not_by_three(tmp_path: Path):
    out = tmp_path / "run"
    assert main([*SMALL, "--threads", "2", "--updates", "3", "--pause-after", "1", "--out", str(out)]) == 0
    process = torchrun(2, "--resume", str(out), "--pause-after", "2")
    said = process.communicate(timeout=240)[0].decode()
    assert process.returncode == 0, said
    assert [row["update"] for row in rows(out)] == ["1", "2"]
    process = torchrun(3, "--resume", str(out))
    said = process.communicate(timeout=240)[0].decode()
    assert process.returncode != 0
    assert "parts=2, and 3 ranks" in said
    assert len(rows(out)) == 2
