"""The script as a whole, on a small scale: what it leaves, that it goes on exactly, and that it learns."""

import csv
import json
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.inputs import DenseInputs
from agents.learned import policy_bytes, read_policy
from agents.network import Actor
from agents.tensor_file import tensor_bytes
from persian_rummy_env import RuleSet
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.inputs import SIZE
from persian_rummy_env.players.load import load
from persian_rummy_env.players.network_shape import Shape
from tests.train.conftest import Decisions
from tests.train.runs import SMALL, contents, rows
from train.algorithms.ppo import Learner
from train.data.deal_sets import RUN_REPORT
from train.data.symmetry import ACTIONS, NUM_ORDERS, reorder
from train.run import log
from train.selfplay import main


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch):
    """The functions are compiled by the tests themselves."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


def run(out: Path, *words: str) -> int:
    return main([*SMALL, "--out", str(out), *words])


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "straight"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("train.run.main_process.warm_up", lambda *_: None)
        assert run(out, "--updates", "6") == 0
    return out


def test_a_run_leaves_its_folder(straight: Path):
    names = {path.name for path in straight.iterdir()}
    assert names >= {"config.json", "metrics.csv", "tensorboard", "curve.png", "results.json"}
    assert names >= {"policy.safetensors", "checkpoint.safetensors"}
    assert not [name for name in names if name.startswith(".")]
    config = json.loads((straight / "config.json").read_text())
    assert config["settings"]["network"]["width"] == 16
    assert set(config["versions"]) >= {"observation", "state", "persian_rummy_env", "torch"}
    assert (straight / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert len(rows(straight)) == 6
    assert all(float(row["ratio_error"]) < 1e-5 for row in rows(straight))
    measured = [row["update"] for row in rows(straight) if row["margin_random"]]
    assert measured == ["2", "4", "6"]
    matches = json.loads((straight / "results.json").read_text())["matches"]
    assert [match["b"] for match in matches] == list(log.EVALUATION_BOTS)
    assert list((straight / "tensorboard").glob("events*"))


def test_stopped_and_resumed_is_the_same_run_bit_for_bit(straight: Path, tmp_path: Path):
    out = tmp_path / "halves"
    assert run(out, "--updates", "6", "--pause-after", "3") == 0
    assert len(rows(out)) == 3
    assert not (out / "results.json").exists()
    with (out / "metrics.csv").open("a") as file:  # as if it had gone on after its last checkpoint, and been killed
        file.write((out / "metrics.csv").read_text().splitlines()[-1].replace("3,", "4,", 1) + "\n4,12")
    assert main(["--resume", str(out)]) == 0
    ours, theirs = contents(out / "checkpoint.safetensors"), contents(straight / "checkpoint.safetensors")
    assert ours[0].keys() == theirs[0].keys()
    assert {name.split(".")[0] for name in ours[0]} == {"actor", "critic", "adam"}
    for name, tensor in ours[0].items():
        assert tensor.tobytes() == theirs[0][name].tobytes(), name
    assert ours[1]["streams"] == theirs[1]["streams"]
    counters = [json.loads(says[1]["counters"]) for says in (ours, theirs)]
    assert [{**c, "seconds": 0} for c in counters] == [{**c, "seconds": 0} for c in counters[::-1]]
    assert rows(out) == rows(straight)
    policies = [contents(path / "policy.safetensors")[0] for path in (out, straight)]
    assert all(np.array_equal(policies[0][name], policies[1][name]) for name in policies[0])


TAUGHT = ["--bc.fraction", "0.5", "--bc.batch-size", "256", "--bc.logit-scale", "2", "--ppo.critic-warmup-updates", "1"]


@pytest.mark.parametrize("pause", [2, 3, 4], ids=["while taught", "between", "in self-play"])
def test_a_player_that_is_taught_first_resumes_bit_for_bit(pause: int, tmp_path: Path):
    """Also where the stage changes: the player is sharpened once, and its optimiser begins anew there."""
    one, two = tmp_path / "one", tmp_path / "two"
    assert run(one, *TAUGHT, "--updates", "6") == 0
    assert run(two, *TAUGHT, "--updates", "6", "--pause-after", str(pause)) == 0
    assert main(["--resume", str(two)]) == 0
    (ours, says), (theirs, expected) = (contents(out / "checkpoint.safetensors") for out in (two, one))
    assert [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert says["streams"] == expected["streams"]
    assert rows(two) == rows(one)
    told = [(bool(row["agreement"]), bool(row["entropy"])) for row in rows(one)]
    assert told == [(True, False)] * 3 + [(False, True)] * 3
    assert float(rows(one)[0]["lr"]) == 2e-3
    assert float(rows(one)[3]["lr"]) == 7e-4, "self-play's schedule begins where it does"


SETTLED = [*TAUGHT, "--bc.fraction", "0.25", "--distill.fraction", "0.5", "--updates", "8"]
"""Two updates of teaching, two of self-play, four of settling."""


@pytest.mark.parametrize("pause", [3, 4, 5], ids=["in self-play", "between", "while it settles"])
def test_a_player_that_settles_resumes_bit_for_bit(pause: int, tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert run(one, *SETTLED) == 0
    assert run(two, *SETTLED, "--pause-after", str(pause)) == 0
    assert main(["--resume", str(two)]) == 0
    (ours, says), (theirs, expected) = (contents(out / "checkpoint.safetensors") for out in (two, one))
    assert {name.split(".")[0] for name in ours} == {"actor", "critic", "adam", "games", "earlier"}
    assert [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert says["streams"] == expected["streams"]
    assert rows(two) == rows(one)
    told = [(bool(row["agreement"]), bool(row["entropy"])) for row in rows(one)]
    assert told == [(True, False)] * 2 + [(False, True)] * 2 + [(True, False)] * 4
    assert [float(row["lr"]) for row in rows(one)[4:6]] == pytest.approx([3e-4, 3e-4 + (1e-5 - 3e-4) / 4])


def test_a_player_that_settles_hangs_less_on_the_names_of_the_suits(tmp_path: Path, decisions: Decisions):
    """How often a player of random weights chooses alike in other orders, before and after lessons from itself."""
    given, actor = tmp_path / "given.safetensors", Actor(Shape(64, 2))
    torch.manual_seed(1)
    torch.nn.init.normal_(actor.last.weight, std=0.5)
    given.write_bytes(policy_bytes(actor, {"rules": json.dumps(RuleSet().as_dict())}))
    words = [
        "--init-from",
        str(given),
        "--distill.fraction",
        "1",
        "--distill.lr",
        "3e-3",
        "3e-3",
        "--bc.batch-size",
        "2048",
    ]
    assert (
        run(tmp_path / "a", *words, "--deals", "128", "--network.width", "64", "--updates", "20", "--threads", "2") == 0
    )
    agreed = []
    view, order = decisions.view[:, :SIZE], np.random.default_rng(1).integers(NUM_ORDERS, size=len(decisions.view))
    for policy in (given, tmp_path / "a" / "policy.safetensors"):
        actor = read_policy(policy)
        plain = actor.choose(DenseInputs.of(view, decisions.legal), None)[0]
        turned = actor.choose(DenseInputs.of(*reorder(view, decisions.legal, order)), None)[0]
        agreed.append((ACTIONS[order, plain] == turned).mean())
    assert agreed[1] > agreed[0] + 0.05, agreed


def test_self_play_begins_once_and_sharpened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    begun: list[float] = []

    def begin(learner: Learner) -> None:
        begun.append(float(learner.actor.last.weight.detach().abs().sum()))
        plain(learner)
        begun.append(float(learner.actor.last.weight.detach().abs().sum()))

    plain = Learner.begin_self_play
    monkeypatch.setattr(Learner, "begin_self_play", begin)
    assert run(tmp_path / "a", *TAUGHT, "--updates", "6") == 0
    assert len(begun) == 2
    assert begun[1] == pytest.approx(2 * begun[0], rel=1e-5)


def test_logged_steps_go_on_strictly_upward(tmp_path: Path):
    """Also after a kill: the steps that were logged after the last checkpoint are logged anew, and not twice."""
    out = tmp_path / "steps"
    run(out, "--updates", "5", "--pause-after", "2")
    saved = (out / "checkpoint.safetensors").read_bytes()
    main(["--resume", str(out), "--pause-after", "4"])
    before = rows(out)
    (out / "checkpoint.safetensors").write_bytes(saved)
    main(["--resume", str(out)])
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(out / "tensorboard"))
    events.Reload()
    steps = [event.step for event in events.Scalars("train/kl")]
    assert steps == [int(row["decisions"]) for row in rows(out)]
    assert steps == sorted(set(steps))
    assert len(steps) == 5
    assert rows(out)[:4] == before


def test_it_works_without_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    assert run(tmp_path / "a", "--updates", "1") == 0
    assert not (tmp_path / "a" / "tensorboard").exists()
    assert len(rows(tmp_path / "a")) == 1


def test_a_run_is_not_written_over(straight: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before = (straight / "checkpoint.safetensors").read_bytes()
    with pytest.raises(SystemExit) as left:
        run(straight, "--updates", "1")
    assert left.value.code == 1
    assert str(straight) in capsys.readouterr().err
    assert run(straight, "--updates", "1", "--if-exists", "number") == 0
    assert len(rows(straight.with_name("straight-2"))) == 1
    assert (straight / "checkpoint.safetensors").read_bytes() == before


def refusal(out: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(["--resume", str(out), *words])
    assert left.value.code not in (0, None)
    return capsys.readouterr().err


def copied(straight: Path, tmp_path: Path) -> Path:
    out = tmp_path / "copy"
    out.mkdir()
    for name in ("checkpoint.safetensors", "metrics.csv"):
        (out / name).write_bytes((straight / name).read_bytes())
    return out


def test_a_damaged_checkpoint_is_an_error(straight: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = copied(straight, tmp_path)
    path = out / "checkpoint.safetensors"
    whole = path.read_bytes()
    for damaged in (b"", whole[:1000], whole[:-1], b"\x00" * 100, b"\xff" + whole[1:]):
        path.write_bytes(damaged)
        said = refusal(out, capsys)
        assert str(path) in said
        assert "damaged" in said
        assert path.read_bytes() == damaged
    path.unlink()
    assert "no such checkpoint" in refusal(out, capsys)


def test_a_foreign_checkpoint_is_an_error(straight: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = copied(straight, tmp_path)
    path = out / "checkpoint.safetensors"
    arrays, says = contents(path)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    for changed, reason in (
        ({}, "its format is None"),
        ({**says, "format": "persian-rummy-training/3"}, "its format is 'persian-rummy-training/3', expected"),
        ({**says, "observation": "0"}, "its observation is '0', expected"),
        ({**says, "state": "other"}, "its state is 'other'"),
        ({**says, "layout": "[]"}, "its state is"),
        ({**says, "layout": '[["rng", "<u8"]]'}, "layout"),
        ({**says, "layout": '[["rng", "O", []]]'}, "layout"),
        ({**says, "config": "{}"}, "width=256"),
        ({**says, "config": says["config"].replace('"width": 16', '"width": 24')}, "width=24"),
        ({**says, "config": says["config"].replace('"width": 16', '"width": "16"')}, "width='16': expected int"),
        ({**says, "config": says["config"].replace('"clip"', '"clap"')}, "unknown settings: clap"),
        ({**says, "config": "[" * 5000}, "nested too deep"),
        ({**says, "counters": '{"laps": 3}'}, "laps"),
        ({**says, "counters": '{"update": "5"}'}, "update='5': expected int"),
        ({**says, "counters": '{"update": -5}'}, "update=-5"),
        ({**says, "counters": '{"seconds": NaN}'}, "seconds=nan"),
        ({**says, "counters": '{"stage": "lunch"}'}, "stage='lunch'"),
        ({**says, "counters": '{"update": 1000000000}'}, "not the updates 1 to 1000000000"),
        ({**says, "streams": "7"}, "streams"),
        ({**says, "streams": "{}"}, "not of a run with these settings"),
        ({**says, "streams": says["streams"].replace('"updates": 6', '"updates": "6"')}, "updates='6'"),
    ):
        path.write_bytes(tensor_bytes(tensors, changed))
        said = refusal(out, capsys)
        assert reason in said
        assert said.startswith("error: ")
        assert said.count("\n") == 1
        assert str(out) in said
    fewer = {name: tensor for name, tensor in tensors.items() if not name.startswith("adam.critic")}
    path.write_bytes(tensor_bytes(fewer, says))
    assert "not of a run with these settings" in refusal(out, capsys)
    assert {each.name for each in out.iterdir()} == {"checkpoint.safetensors", "metrics.csv"}


def test_a_log_that_does_not_fit_is_an_error(straight: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = copied(straight, tmp_path)
    path = out / "metrics.csv"
    lines = path.read_text().splitlines(keepends=True)
    for damaged in ("a,b\n1,2\n", "".join(lines[:4]), "".join([lines[0], *lines[2:]])):
        path.write_text(damaged)
        assert str(path) in refusal(out, capsys)
    assert "clip" in refusal(out, capsys, "--ppo.clip", "0.5")


def test_ctrl_c_saves_and_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "stopped"
    handler = signal.getsignal(signal.SIGINT)

    def interrupt() -> None:
        while not (out / "metrics.csv").exists() or len((out / "metrics.csv").read_text().splitlines()) < 3:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    waiting = threading.Thread(target=interrupt, daemon=True)
    waiting.start()
    assert run(out, "--minutes", "10", "--save-every", "1000", "--eval.every", "1000") == 0
    waiting.join()
    assert signal.getsignal(signal.SIGINT) is handler
    assert f"--resume {out}" in capsys.readouterr().out
    done = len(rows(out))
    assert 2 <= done < 500
    assert main(["--resume", str(out), "--minutes", "10", "--pause-after", str(done + 1)]) == 0
    assert [row["update"] for row in rows(out)] == [str(n + 1) for n in range(done + 1)]


def test_the_player_is_the_one_that_was_measured(straight: Path):
    matches = json.loads((straight / "results.json").read_text())["matches"]
    player = load(f"file:{straight / 'policy.safetensors'}")
    again = play_match(player, load("greedy"), 8, RUN_REPORT)
    assert again.margin == next(match["margin"] for match in matches if match["b"] == "greedy")


def test_it_learns(tmp_path: Path):
    """Some 30,000 decisions: from worse than random to far better, measured on 150 pairs."""
    out = tmp_path / "learns"
    words = ["--deals", "48", "--network.width", "64", "--optim.minibatch", "512", "--optim.lr", "2e-3", "5e-4"]
    run(out, "--updates", "8", *words, "--eval.pairs", "150", "--eval.every", "8")
    with (out / "metrics.csv").open(newline="") as file:
        last = list(csv.DictReader(file))[-1]
    assert float(last["low_random"]) > 60
    assert int(last["decisions"]) < 60_000
