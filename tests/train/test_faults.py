"""What goes wrong in training ends in one clear line, and what was kept stays: divergence, longer budgets, a reader
that is lost, a full disk, and runs of older code."""

from __future__ import annotations

import errno
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.learned import LearnedPolicy, read_policy
from persian_rummy_env import bots
from persian_rummy_env.players.tensor_file import NotFiniteError
from tests.train.damaged import TINY, files_of, one_line_of
from train.algorithms.base import Step
from train.algorithms.ppo import Learner
from train.config.base import with_settings
from train.config.expert_iteration import ExpertConfig
from train.config.ppo import Config
from train.expert_iteration import ExpertIteration
from train.run import checkpoint, log, old_games
from train.run.checkpoint import Checkpoint
from train.scale.shards import Shards
from train.selfplay import SelfPlay, main

OLD_RUN = Path(__file__).parent / "data" / "run_f4f9678"


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)


# Divergence -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minibatch", ["16", "4096"], ids=["in the update", "after it"])
def test_what_diverges_is_named_and_never_saved(minibatch: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "a"
    words = [*TINY, "--optim.minibatch", minibatch, "--optim.lr", "1e30", "1e30", "--updates", "3", "--out", str(out)]
    said = one_line_of(lambda: main(words), capsys)
    assert "update 1 diverged" in said
    assert "--optim.lr" in said
    assert not (out / "checkpoint.safetensors").exists()
    assert not (out / "policy.safetensors").exists()


def test_the_last_good_checkpoint_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    out = tmp_path / "a"
    assert main([*TINY, "--updates", "4", "--pause-after", "2", "--out", str(out)]) == 0
    before = files_of(out)
    plain = Learner.update

    def diverging(learner: Learner, *given: object) -> dict[str, float]:
        row = plain(learner, *given)  # type: ignore[arg-type]
        with torch.no_grad():
            learner.critic.last.bias.fill_(float("nan"))
        return row

    monkeypatch.setattr(Learner, "update", diverging)
    said = one_line_of(lambda: main(["--resume", str(out)]), capsys)
    assert "update 3 diverged" in said
    assert "critic.last.bias" in said
    for name in ("checkpoint.safetensors", "policy.safetensors", "best.safetensors", "metrics.csv"):
        assert (out / name).read_bytes() == before[name], name
    monkeypatch.undo()
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    assert main(["--resume", str(out)]) == 0


def test_an_infinite_number_in_the_log_is_a_divergence():
    learner = Learner(
        with_settings(Config(), {"network.width": 8, "network.blocks": 1}),
        torch.device("cpu"),
        Shards(1),
    )
    learner.refuse_divergence({"kl": 0.1})
    with pytest.raises(NotFiniteError, match="kl"):
        learner.refuse_divergence({"kl": float("inf")})
    with torch.no_grad():
        learner.actor.trunk.norm.bias.fill_(1e38)
        learner.actor.last.weight.fill_(1e10)  # finite, and too large to compute with
    with pytest.raises(NotFiniteError):
        learner.refuse_divergence({"kl": 0.1})


# A longer budget ------------------------------------------------------------------------------------------------------

STAGES = ["--bc.fraction", "0.4", "--distill.fraction", "0.2", "--bc.batch-size", "32", "--bc.logit-scale", "3"]


def test_a_stage_that_was_left_is_not_entered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two updates of five are lessons; with fifteen the schedule alone would say that six of them are."""
    begun: list[int] = []
    plain = Learner.begin_self_play
    monkeypatch.setattr(Learner, "begin_self_play", lambda learner: (begun.append(1), plain(learner))[1])
    out = tmp_path / "a"
    assert main([*TINY, *STAGES, "--updates", "5", "--pause-after", "4", "--out", str(out)]) == 0
    assert main(["--resume", str(out), "--updates", "15"]) == 0
    rows = log.read(out / "metrics.csv")
    assert [bool(row["entropy"]) for row in rows] == [False] * 2 + [True] * 10 + [False] * 3
    assert begun == [1]
    rates = [float(row["lr"]) for row in rows[4:7]]
    assert rates[0] == rates[1] == pytest.approx(7e-4), "at its beginning until the budget has come to it"
    assert rates[2] <= rates[1]


def test_settling_goes_on_however_long_the_budget_is(tmp_path: Path):
    out = tmp_path / "a"
    assert main([*TINY, *STAGES, "--updates", "5", "--out", str(out)]) == 0
    assert main(["--resume", str(out), "--updates", "9"]) == 0
    told = [(bool(row["agreement"]), bool(row["entropy"])) for row in log.read(out / "metrics.csv")]
    assert told == [(True, False)] * 2 + [(False, True)] * 2 + [(True, False)] * 5


def test_a_round_of_search_that_was_left_is_not_entered_again(monkeypatch: pytest.MonkeyPatch):
    config = with_settings(
        ExpertConfig(),
        {
            "minutes": None,
            "updates": 100,
            "network.width": 8,
            "network.blocks": 1,
            "deals": 4,
            "threads": 1,
            "search.fraction": 0.5,
            "search.rounds": 5,
        },
    )
    training = ExpertIteration(config)
    told: list[tuple[str, float]] = []

    def searched(self: ExpertIteration, progress: float) -> Step:
        told.append((self.stage, progress))
        return Step({}, 0, 0, 1.0, 1.0)

    monkeypatch.setattr(ExpertIteration, "search_step", searched)
    monkeypatch.setattr(SelfPlay, "update", lambda *_: pytest.fail("back to self-play"))
    training.stage = "round 3"
    for progress in (0.10, 0.55, 0.72, 0.75, 0.82):
        training.update(progress)
    training.close()
    assert [stage for stage, _ in told] == ["round 3"] * 4 + ["round 4"]
    assert [way for _, way in told] == [0.0, 0.0, pytest.approx(0.2), pytest.approx(0.5), pytest.approx(0.2)]


# A reader that is lost, and a disk that is full -----------------------------------------------------------------------


class Broken:
    """Standard output that nobody reads after its first line."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.lines = 0

    def write(self, text: str) -> int:
        if self.lines:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        self.lines += text.count("\n")
        return len(text)

    def flush(self) -> None:
        if self.lines > 1:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    def fileno(self) -> int:
        raise ValueError("no file")

    def isatty(self) -> bool:
        return False


def test_a_lost_reader_is_a_polite_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "a"
    monkeypatch.setattr(sys, "stdout", Broken())
    assert main([*TINY, "--updates", "40", "--out", str(out)]) == 0
    done = Checkpoint.read(out).counters.update
    assert 1 <= done < 40
    assert len(log.read(out / "metrics.csv")) == done


def test_a_full_disk_is_one_line_and_leaves_the_last_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    out = tmp_path / "a"
    assert main([*TINY, "--updates", "4", "--pause-after", "2", "--out", str(out)]) == 0
    before = files_of(out)

    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_whole", full)
    said = one_line_of(lambda: main(["--resume", str(out)]), capsys)
    assert "no space" in said.lower()
    after = files_of(out)
    for name in ("checkpoint.safetensors", "policy.safetensors"):
        assert after[name] == before[name]
    assert not [name for name in after if "unfinished" in name]


def test_a_programming_error_shows_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def wrong(*_: object) -> None:
        raise TypeError("planted")

    monkeypatch.setattr(Learner, "update", wrong)
    with pytest.raises(TypeError, match="planted"):
        main([*TINY, "--updates", "1", "--out", str(tmp_path / "a")])


# Runs of older code ---------------------------------------------------------------------------------------------------


@pytest.fixture
def old_run(tmp_path: Path) -> Path:
    out = tmp_path / "old"
    out.mkdir()
    for path in OLD_RUN.iterdir():
        (out / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    return out


def test_a_run_of_older_code_goes_on_and_its_player_plays(old_run: Path):
    actor = read_policy(old_run / "policy.safetensors")
    assert LearnedPolicy(old_run / "best.safetensors").actor.shape == actor.shape
    best = (old_run / "best.safetensors").read_bytes()
    assert main(["--resume", str(old_run)]) == 0
    rows = log.read(old_run / "metrics.csv")
    assert [row["update"] for row in rows] == ["1", "2", "3", "4"]
    assert (old_run / "best.safetensors").read_bytes() == best
    assert Checkpoint.read(old_run).counters.update == 4
    assert json.loads((old_run / "results.json").read_text())["counters"]["update"] == 4


def test_a_bot_that_came_later_makes_no_log_unreadable(old_run: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(bots.BOTS, "genius", bots.BOTS["expert"])
    assert log.EVALUATION_BOTS == ("random", "greedy", "deepest", "expert")
    later = [*log.COLUMNS, "margin_genius", "low_genius"]
    rows = log.read(old_run / "metrics.csv", later)
    assert [row["margin_genius"] for row in rows] == ["", ""]
    kept = log.Log(old_run, 2, 0, later)
    kept.write({"update": 3, "decisions": 5, "margin_genius": 4.5})
    kept.close()
    assert log.read(old_run / "metrics.csv")[2]["margin_genius"] == "4.5"
    assert [row["kl"] for row in log.read(old_run / "metrics.csv")][:2] == [row["kl"] for row in rows]


def test_columns_of_other_code_stay_in_the_log(tmp_path: Path):
    one = log.Log(tmp_path, 0, 0, [*log.COLUMNS, "mood"])
    one.write({"update": 1, "decisions": 5, "mood": 3})
    one.close()
    log.Log(tmp_path, 1, 5, digest=one.digest).close()
    assert log.read(tmp_path / "metrics.csv")[0]["mood"] == "3"


def test_games_of_other_fields_are_read_by_name(old_run: Path, monkeypatch: pytest.MonkeyPatch):
    saved = Checkpoint.read(old_run)
    assert saved.layout == old_games.layout_of(old_games.layout_of_state()) or saved.layout.names
    games = saved.tensors["games.0"].numpy().view(saved.layout)
    names = [name for name in games.dtype.names or () if name != "stock_end"]
    before_the_rule = np.zeros(len(games), dtype=[(name, games.dtype[name]) for name in names])
    for name in names:
        before_the_rule[name] = games[name]
    now = old_games.converted(before_the_rule)
    assert all(np.array_equal(now[name], games[name]) for name in names)
    assert not now["stock_end"].any()
    with pytest.raises(ValueError, match="other fields: hand"):
        old_games.converted(before_the_rule[[name for name in names if name != "hand"]])
