"""The best copy of a run: which is kept, and that it becomes the player only if it beats the last one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

import train.run.best
import train.run.matches
import train.selfplay
from agents.learned import read_policy
from agents.network import Actor
from persian_rummy_env.evaluation.match import MatchResult, play_match
from persian_rummy_env.players.bundled import CHAMPION
from persian_rummy_env.players.network_shape import Shape
from train.config.ppo import Config
from train.data.deal_sets import CHOOSE, REPORT, set_of
from train.run.best import BestCopy
from train.run.log import EVALUATION_BOTS


def match(margin: float) -> MatchResult:
    return MatchResult("a", "b", 2, margin, margin - 1, margin + 1, *[0.0] * 8)


def same(one: Actor, other: Actor) -> bool:
    return all(torch.equal(tensor, other.state_dict()[name]) for name, tensor in one.state_dict().items())


def test_the_copy_with_the_best_mean_is_kept(tmp_path: Path):
    best = BestCopy(replace(Config(), out=tmp_path))
    actors = [Actor(Shape(16, 1)) for _ in range(4)]
    assert best.challenge(actors[0], 1) is None
    for update, (actor, margins) in enumerate(zip(actors, ([-9, 3], [9, 3], [4, 5], [9, 2]), strict=True), 1):
        best.update(actor, [match(margin) for margin in margins], update)
    assert same(read_policy(best.path), actors[1])
    assert best.challenge(actors[1], 2) is None
    again = BestCopy(replace(Config(), out=tmp_path))  # a resumed run goes on with it
    again.update(actors[0], [match(5.9)], 5)
    assert same(read_policy(again.path), actors[1])


@pytest.mark.parametrize("spoilt", [True, False], ids=["spoilt", "not"])
def test_the_player_of_a_run_is_the_best_copy_if_it_beats_the_last(
    spoilt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The champion, at rest for two updates, and then with a rate of learning that spoils it or hardly moves it."""
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    uses: list[str | None] = []

    def noted(one: object, other: object, pairs: int, seed: int, **terms: object) -> MatchResult:
        deals = set_of(seed)
        uses.append(deals and deals.use)
        return play_match(one, other, pairs, seed, **terms)  # type: ignore[arg-type]

    for module in (train.run.matches, train.run.best):
        monkeypatch.setattr(module, "play_match", noted)
    lr = "0.5" if spoilt else "1e-6"
    words = [
        *(
            "--bc.fraction",
            "0",
            "--init-from",
            str(CHAMPION),
            "--bc.logit-scale",
            "1",
            "--ppo.critic-warmup-updates",
            "2",
            "--updates",
            "4",
        ),
        *("--optim.lr", lr, lr, "--deals", "8", "--eval.every", "1", "--eval.pairs", "32", "--eval.final-pairs", "64"),
    ]
    assert train.selfplay.main([*words, "--out", str(tmp_path)]) == 0
    bots = len(EVALUATION_BOTS)
    assert uses == [CHOOSE] * (4 * bots + 1) + [REPORT] * bots, "what is reported chooses nothing"
    told = json.loads((tmp_path / "results.json").read_text())
    player = read_policy(tmp_path / "policy.safetensors")
    with safe_open(tmp_path / "checkpoint.safetensors", framework="pt") as file:
        is_last = all(torch.equal(file.get_tensor(f"actor.{n}"), w) for n, w in player.state_dict().items())
    assert same(player, read_policy(CHAMPION)) == spoilt
    assert is_last != spoilt
    assert set_of(told["deals"]).use == REPORT  # type: ignore[union-attr]
    if spoilt:
        assert told["best against last"]["low"] > 50
        assert told["matches"][0]["margin"] > 150
    else:
        assert told["best against last"]["low"] <= 0
