"""Digests of how players choose and how the game is played."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from experiments.shared import behaviour
from experiments.shared.behaviour import BLOCKS, TIES, BehaviourError, choices, decisions, difference, digest
from persian_rummy_env.core import expert
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, FEATURES, NUM_FEATURES
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch
from persian_rummy_env.players.policy_io import show


class Tuned(BasePolicy):
    """The expert with other weights."""

    name = "tuned"
    wants_views = True

    def __init__(self, **changes: float) -> None:
        self.weights = EXPERT_WEIGHTS.copy()
        for name, value in changes.items():
            self.weights[FEATURES.index(name)] = value

    def act(self, batch: DecisionBatch) -> np.ndarray:
        assert batch.views is not None
        rows, actions = np.nonzero(batch.action_mask)
        values = np.empty((len(rows), NUM_FEATURES))
        expert.features_of(batch.views, rows, actions, values)
        worth = np.full(batch.action_mask.shape, -np.inf)
        worth[rows, actions] = values @ self.weights
        return worth.argmax(axis=1)


def test_stored_decisions_are_choices_in_all_phases() -> None:
    games = decisions()
    mask = show(games, np.arange(len(games))).action_mask
    assert len(games) == 2000
    assert mask.sum(axis=1).min() >= 2
    assert np.bincount(games["phase"])[:2].min() > 400
    assert np.bincount(games["seat"]).min() > 400
    assert len(np.unique(games[["hand", "pile", "seat"]])) > 1900


def test_the_stored_decisions_are_made_by_their_seed() -> None:
    """The same games; how numpy packs them is its own affair."""
    with np.load(behaviour.DECISIONS) as stored, np.load(io.BytesIO(behaviour.make())) as made:
        assert all((made[name] == stored[name]).all() for name in stored.files)


def test_players_have_digests_of_their_own_and_keep_them() -> None:
    report = {name: behaviour.player(name)["choices"] for name in ("random", "greedy", "deepest", "expert")}
    assert len(set(report.values())) == 4
    assert all(len(text.split()) == BLOCKS for text in report.values())
    assert digest(choices(load("expert"))) == report["expert"]


def test_a_retuned_expert_is_another_player() -> None:
    same, other = choices(Tuned()), choices(Tuned(discard_value=-6.5))
    assert (same == choices(load("expert"))).all()
    assert (same != other).any()
    before, after = ({"choices": digest(actions), "decisions": 2000} for actions in (same, other))
    assert difference(before, before) is None
    assert "chooses otherwise" in str(difference(before, after))


def test_networks_may_turn_a_few_near_equals_and_weights_none() -> None:
    actions = np.zeros(2000, dtype=np.int64)
    few, many = actions.copy(), actions.copy()
    few[[0, 1, 1999]] = 1
    many[:: 2000 // (TIES + 1)] = 1
    printed = {"choices": digest(actions), "decisions": 2000, "weights": {"champion": "a"}}
    assert difference(printed, printed | {"choices": digest(few)}) is None
    assert difference(printed, printed | {"choices": digest(many)})
    assert difference(printed, printed | {"weights": {"champion": "b"}}) == "has other weights"
    bot = {name: value for name, value in printed.items() if name != "weights"}
    assert difference(bot, bot | {"choices": digest(few)})
    assert difference({}, bot)


def test_search_by_milliseconds_is_told_by_its_parts() -> None:
    report = behaviour.player("search(deepest, ms=5)")
    assert report == behaviour.player("search(deepest, ms=7)") != behaviour.player("search(expert, ms=5)")
    assert report["decisions"] == 100


def test_the_game_has_a_digest() -> None:
    first = behaviour.game()
    behaviour.game.cache_clear()
    assert behaviour.game() == first


@pytest.mark.parametrize("content", [b"", b"PK", None])
def test_damaged_decisions_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None) -> None:
    path = tmp_path / "decisions.npz"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(behaviour, "DECISIONS", path)
    with pytest.raises(BehaviourError) as refused:
        behaviour.decisions.__wrapped__()
    assert str(refused.value).startswith(f"{path}: ")
