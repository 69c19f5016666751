"""Critics are fitted to what a policy's own deals end with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.network import Critic
from agents.tensor_file import tensor_bytes
from persian_rummy_env import load
from persian_rummy_env.evaluation.arena import play
from persian_rummy_env.players.bundled import CHAMPION, FROZEN
from persian_rummy_env.players.critic import margin_so_far
from persian_rummy_env.players.critic_file import critic_path, read_critic_file
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.state import OVER
from train import fit_critic
from train.data.deals import game_seeds
from train.data.self_play import one_position_each, share_of_positions

WORDS = ["--commit", "1a2b3c4", "--deals", "64", "--held-out", "16", "--width", "8", "--blocks", "1"]


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fit_critic, "DEALS_AT_ONCE", 32)
    monkeypatch.setattr(fit_critic, "MINIBATCH", 128)
    path = tmp_path / "policy.safetensors"
    shutil.copy(CHAMPION, path)
    return path


def played_on(games: np.ndarray) -> np.ndarray:
    """The final margins of games that the champion plays to the end, to the teams of the seats to move now."""
    over = games.copy()
    play(over, [load("champion")], np.zeros((len(games), 4), dtype=int))
    score = over["score"].astype(float)
    return np.where(games["seat"] % 2 == 0, 1, -1) * (score[:, 0] - score[:, 1])


def test_positions_have_the_results_of_their_deals() -> None:
    champion, rng = load("champion"), np.random.default_rng(2)
    seeds = game_seeds(3, np.arange(40))
    for found in (share_of_positions(champion, seeds, 0.1, rng), one_position_each(champion, seeds, rng)):
        assert np.array_equal(found.margin, played_on(found.games))
        assert (found.games["phase"] != OVER).all()
        assert len(found.games) >= 40


def test_one_position_of_each_deal_is_from_anywhere_in_it() -> None:
    found = one_position_each(load("champion"), game_seeds(4, np.arange(200)), np.random.default_rng(4))
    decisions = found.games["decisions"]
    assert decisions.min() < 5
    assert len(np.unique(decisions)) > 30
    assert len(np.unique(found.games["decks"], axis=0)) == 200


def test_the_target_is_what_the_rest_of_the_deal_adds() -> None:
    champion, numbers = load("champion"), np.arange(30)
    made = fit_critic.examples(champion, 5, numbers)
    rng = np.random.default_rng(np.random.SeedSequence([5, 0, 0xC217]))
    games = share_of_positions(champion, game_seeds(5, numbers), fit_critic.SHARE, rng).games
    rest = played_on(games) - margin_so_far(games)
    np.testing.assert_allclose(made.target * fit_critic.SCALE, rest, atol=1e-3)


def test_the_command_writes_a_critic_and_writes_it_again(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_critic.main([f"file:{policy}", *WORDS]) == 0
    assert "64 deals" in capsys.readouterr().out
    file = read_critic_file(policy)
    assert (file.shape["width"], file.shape["blocks"], file.scale) == (8, 1, 50.0)
    assert file.rules == load("champion").rules
    assert file.metadata["commit"] == "1a2b3c4"
    assert file.metadata["made by"].startswith(f"python -m train.fit_critic file:{policy} --commit 1a2b3c4")
    assert file.metadata["experience"].endswith("of 64 deals")
    assert fit_critic.main([f"file:{policy}", *WORDS]) == 0
    again = read_critic_file(policy)
    assert again.metadata == file.metadata
    assert all(np.array_equal(again.tensors[name], tensor) for name, tensor in file.tensors.items())
    games = share_of_positions(load("champion"), game_seeds(1, np.arange(4)), 0.2, np.random.default_rng(1)).games
    assert np.isfinite(load(f"file:{policy}").value(games, 0, worlds=2)).all()


def test_fitting_explains_held_out_deals(policy: Path) -> None:
    critic = fit_critic.random_start(Shape(32, 1), 1).critic
    fitted = fit_critic.fit(load(f"file:{policy}"), critic, 512, 64, 1, 1e-3, lambda _: None)
    assert fitted.explained > 0.02
    assert fitted.deals == 512


def test_fitting_stops_when_nothing_is_gained(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = iter([9.0, 2.0, 1.0, *[3.0] * 20])
    monkeypatch.setattr(fit_critic, "error_of", lambda *_: next(errors))
    monkeypatch.setattr(fit_critic, "PATIENCE", 3)
    lines: list[str] = []
    critic = fit_critic.random_start(Shape(8, 1), 1).critic
    fitted = fit_critic.fit(load(f"file:{policy}"), critic, 640, 4, 1, 1e-3, lines.append)
    assert len(lines) == 1 + 5
    assert fitted.deals == 160


def write_checkpoint(path: Path, kind: str, points: float, width: int = 8, critic_width: int | None = None) -> Critic:
    """A checkpoint with a critic of width 8. ``critic_width`` None: of a run before there was the setting."""
    torch.manual_seed(7)
    critic = Critic(Shape(8, 1))
    torch.nn.init.normal_(critic.last.weight)
    config = {
        "preset": "scratch", "seed": 3, "reward": {"kind": kind, "scale": points},
        "network": {"kind": "residual", "width": width, "blocks": 1},
        "ppo": {} if critic_width is None else {"critic_width": critic_width},
    }  # fmt: skip
    counters = {"decisions": 2_000_000, "seconds": 90.0}
    metadata = {"config": json.dumps(config), "counters": json.dumps(counters), "run": "ab", "algorithm": "selfplay"}
    path.write_bytes(tensor_bytes({f"critic.{name}": each for name, each in critic.state_dict().items()}, metadata))
    return critic


def test_the_critic_of_a_run_is_the_start(policy: Path, tmp_path: Path) -> None:
    run = tmp_path / "checkpoint.safetensors"
    critic = write_checkpoint(run, "margin", 100.0)
    started = fit_critic.start_of_run(run)
    held_out = fit_critic.examples(load("champion"), 1, np.arange(4))
    inputs = held_out.inputs(slice(0, 50))
    with torch.no_grad():
        np.testing.assert_allclose(started.critic(inputs), 2 * critic(inputs), rtol=1e-4, atol=1e-5)
    assert fit_critic.main([f"file:{policy}", *WORDS[:-4], "--init-from", str(run), "--lr", "0.0001"]) == 0
    file = read_critic_file(policy)
    assert file.metadata["started from"] == (
        "the critic of run ab: selfplay, preset scratch, seed 3, 2.0 M decisions in 2 minutes"
    )
    moved = abs(file.tensors["trunk.weight"] - critic.state_dict()["trunk.weight"].numpy()).max()
    assert 0 < moved < 0.01


@pytest.mark.parametrize(("width", "critic_width"), [(8, None), (8, 0), (16, 8)])
def test_the_critic_of_a_run_has_a_width_of_its_own(width: int, critic_width: int | None, tmp_path: Path) -> None:
    run = tmp_path / "checkpoint.safetensors"
    critic = write_checkpoint(run, "margin", fit_critic.SCALE, width, critic_width)
    started = fit_critic.start_of_run(run).critic.state_dict()
    assert torch.equal(started["trunk.weight"], critic.state_dict()["trunk.weight"])


def test_a_run_without_such_a_critic_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "checkpoint.safetensors"
    write_checkpoint(run, "win", 100.0)
    with pytest.raises(ValueError, match=r"checkpoint.safetensors: .* its reward is 'win'"):
        fit_critic.start_of_run(run)
    with pytest.raises(ValueError, match="no critic to start with"):
        fit_critic.start_of_run(CHAMPION)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["nobody"], "policy 'nobody': expected champion"),
        (["file:no/such.safetensors"], "no such policy file"),
    ],
)
def test_what_is_no_trained_policy_is_refused(words: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fit_critic.main([*words, *WORDS])
    assert fault in capsys.readouterr().err


def test_the_critic_of_a_frozen_policy_is_not_written_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "frozen-1.safetensors"
    shutil.copy(CHAMPION, path)
    critic_path(path).write_bytes(b"kept")
    monkeypatch.setitem(fit_critic.BUNDLED, FROZEN[0], path)
    with pytest.raises(SystemExit):
        fit_critic.main([FROZEN[0], *WORDS])
    assert "never change" in capsys.readouterr().err
    assert critic_path(path).read_bytes() == b"kept"
