"""Imitation: what the bot says is what is learnt, and the player goes on in self-play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import train.choices
import train.imitate
import train.selfplay
from agents.base import Batch
from agents.learned import packed
from agents.load import load
from agents.network import DenseRows
from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.core import arena
from persian_rummy_env.core.bots import choose_many
from tests.train.test_selfplay import contents
from train import log
from train.choices import by_choice, teach
from train.imitate import COLUMNS, PRESETS, ImitateConfig, Imitation, Imitator, main
from train.labels import LabelCollector
from train.shards import Shards

CPU = torch.device("cpu")
CONFIG = ImitateConfig(deals=96, threads=2, width=32, minibatch=128, seed=3, lr=(3e-3, 3e-3))
SMALL = [
    *("--deals", "64", "--labels", "1024", "--width", "32", "--minibatch", "256", "--threads", "2", "--seed", "3"),
    *("--eval-pairs", "4", "--final-pairs", "8", "--eval-every", "50", "--save-every", "1"),
]


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions are compiled by the tests themselves."""
    for module in (train.imitate, train.selfplay):
        monkeypatch.setattr(module, "warm_up", lambda *_: None)


@pytest.mark.parametrize("bot", ["greedy", "deepest", "expert"])
def test_the_label_is_what_the_bot_plays(bot: str):
    """The compiled loop plays the bot from the same states: each state moves as the labelled action moves it."""
    tables = LabelCollector(CONFIG, 0, 96, CPU, 0.0)
    games = tables.env.get_state()
    labels = tables.collect(Imitator(CONFIG, CPU, Shards(1)).actor, 1, by_choice(bot))
    chosen = labels.action[labels.value > 0].astype(np.int64)
    assert len(chosen) == len(labels) > 20
    tables.env.set_state(games)
    lanes = np.flatnonzero(np.bitwise_count(tables.env.packed_mask).sum(axis=1) > 1)
    by_label, by_bot = games.copy(), games.copy()
    assert arena.play_lanes(by_label, lanes, chosen) == -1
    for lane in lanes:
        seat = int(games["seat"][lane])
        codes = np.full((1, 4), BOTS[bot], dtype=np.int8)
        for other in range(4):
            if other != seat:
                codes[0, other] = arena.OUTSIDE
        one, count = by_bot[lane : lane + 1], np.zeros(1, dtype=np.int64)
        arena.advance(one, codes, count, 0, 1)  # the bot's whole turn
        followed = by_label[lane : lane + 1].copy()
        arena.advance(followed, codes, count, 0, 1)
        for field in ("hand", "laid", "pile", "points", "seat"):
            assert np.array_equal(one[field], followed[field]), field


def test_choices_are_learnt_in_every_order_of_the_suits():
    pupil = Imitator(CONFIG, CPU, Shards(2))
    tables = LabelCollector(CONFIG, 0, 96, CPU, 0.1)
    lessons = tables.collect(pupil.actor, 600, by_choice("expert"))
    told = [teach(pupil, lessons, 3e-3, 1, reordered=True) for _ in range(60)]
    assert told[-1]["label_loss"] < 0.6 * told[0]["label_loss"]
    assert told[-1]["agreement"] > told[0]["agreement"] + 0.2


def test_it_resumes_bit_for_bit_and_goes_on_in_self_play(tmp_path: Path):
    one, two, on = tmp_path / "one", tmp_path / "two", tmp_path / "on"
    assert main([*SMALL, "--updates", "10", "--out", str(one)]) == 0
    assert main([*SMALL, "--updates", "10", "--pause-after", "4", "--out", str(two)]) == 0
    assert main(["--resume", str(two)]) == 0
    (ours, says), (theirs, expected) = (contents(out / "checkpoint.safetensors") for out in (two, one))
    assert [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert says["streams"] == expected["streams"]
    table = log.read(one / log.FILE, COLUMNS)
    assert float(table[-1]["agreement"]) > float(table[0]["agreement"]) + 0.02
    policy = one / "policy.safetensors"
    words = [
        "--preset",
        "scratch",
        "--deals",
        "8",
        "--width",
        "32",
        "--minibatch",
        "128",
        "--updates",
        "1",
        "--final-pairs",
        "4",
    ]
    assert train.selfplay.main([*words, "--eval-pairs", "4", "--start", str(policy), "--out", str(on)]) == 0
    assert load(f"file:{on / 'policy.safetensors'}").rules == ImitateConfig().rules


def test_the_preset_starts():
    assert ImitateConfig.from_dict(PRESETS["quick"].as_dict()) == PRESETS["quick"]
    Imitation.of(PRESETS["quick"]).shards.close()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"bot": "experd"}, "did you mean 'expert'"),
        ({"bot": "file:no/such"}, "no such policy file"),
        ({"labels": 0}, "labels=0"),
        ({"random_share": 2.0}, "2.0"),
    ],
)
def test_nonsense_is_refused_by_name(wrong: dict, told: str):
    with pytest.raises(ValueError, match=told):
        replace(CONFIG, **wrong)


@pytest.mark.parametrize("teacher", ["deepest", "champion"])
def test_any_policy_may_teach(teacher: str, monkeypatch: pytest.MonkeyPatch):
    """By the general way a bot's labels are those of the compiled way; a network's are its likeliest actions."""
    pupil = Imitator(CONFIG, CPU, Shards(1))
    if teacher in BOTS:
        monkeypatch.setattr(train.choices, "_loaded", ByArena)
        expected = LabelCollector(CONFIG, 0, 96, CPU, 0.0).collect(pupil.actor, 300, by_choice(teacher))
        monkeypatch.setattr(train.choices, "BOTS", {})
    labels = LabelCollector(CONFIG, 0, 96, CPU, 0.0).collect(pupil.actor, 300, by_choice(teacher))
    if teacher not in BOTS:
        actor = load(teacher).actor  # type: ignore[attr-defined]
        likeliest = actor.choose(DenseRows.of(labels.view, labels.legal), None)[0]
        assert np.array_equal(labels.action[labels.value > 0], likeliest)
    else:
        assert np.array_equal(labels.value, expected.value)


class ByArena:
    """A bot as a policy that is asked: what it plays in the views that it is handed."""

    wants_views = True

    def __init__(self, name: str) -> None:
        self.codes = bot_codes(name)

    def act(self, batch: Batch) -> np.ndarray:
        actions = np.empty(len(batch.seat), dtype=np.int64)
        legal = packed(batch.action_mask)
        choose_many(batch.views, legal, np.tile(self.codes, (len(legal), 1)), actions, 0, len(legal))
        return actions


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_logged_is_of_every_decision(threads: int):
    """The loss and the agreement of one minibatch, from the network's own probabilities."""
    pupil = Imitator(replace(CONFIG, minibatch=4096), CPU, Shards(threads))
    torch.nn.init.normal_(pupil.actor.last.weight, std=0.3)
    lessons = LabelCollector(CONFIG, 0, 96, CPU, 0.1).collect(pupil.actor, 300, by_choice("expert"))
    chosen = torch.from_numpy(lessons.action[lessons.value > 0].astype(np.int64))
    log_p = pupil.actor.log_p(DenseRows.of(lessons.view, lessons.legal)).detach()
    told = teach(pupil, lessons, 1e-3, 1, reordered=False)
    assert told["label_loss"] == pytest.approx(float(-log_p[torch.arange(len(chosen)), chosen].mean()), rel=1e-4)
    assert told["agreement"] == pytest.approx(float((log_p.argmax(1) == chosen).float().mean()), abs=1e-6)
