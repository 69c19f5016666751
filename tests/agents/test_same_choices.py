"""The comparison of choices without torch and in PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env.players.bundled import BUNDLED, CHAMPION
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch

same_choices = pytest.importorskip("experiments.networks.same_choices", reason="needs torch")


class Second(BasePolicy):
    """The champion, but in a share of its decisions the action after the likeliest."""

    def __init__(self, share: float) -> None:
        self.name, self.share = "second", share
        self.champion = load("champion")

    def act(self, batch: DecisionBatch) -> np.ndarray:
        likely = self.champion.probabilities(batch)  # type: ignore[attr-defined]
        order = np.argsort(-likely, axis=1, kind="stable")
        rows = np.arange(len(batch))
        choice = np.bitwise_count(batch.legal).sum(axis=1) > 1
        return order[rows, (choice & (rows % round(1 / self.share) == 0)).astype(int)]


@pytest.mark.parametrize("name", [name for name in BUNDLED if name != "champion"])
def test_every_bundled_file_chooses_as_in_pytorch(name: str) -> None:
    compared = same_choices.compare(load(name), same_choices.in_pytorch(BUNDLED[name]), 4000, 11)
    assert compared.decisions == 4000
    assert compared.different == compared.ties <= 1


def test_a_choice_that_differs_is_counted() -> None:
    compared = same_choices.compare(Second(0.1), same_choices.in_pytorch(CHAMPION), 2000, 12)
    assert 150 < compared.different < 250
    assert compared.ties == 0


def test_half_of_the_decisions_are_of_random_play() -> None:
    rows = []

    def other(batch: DecisionBatch) -> np.ndarray:
        rows.append(len(batch))
        assert (np.bitwise_count(batch.legal).sum(axis=1) > 1).all()
        return load("champion").probabilities(batch)  # type: ignore[attr-defined]

    same_choices.compare(load("champion"), other, 3000, 13)
    assert sum(rows[::2]) == sum(rows[1::2]) == 1500


def test_the_exit_status_tells_of_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["champion-1", "--decisions", "2000", "--out", str(tmp_path / "a.json")]
    assert same_choices.main(words) == 0
    for wrong in (["chmpion"], ["--decisions", "3"], ["--other", "greedyy"], ["--other", "greedy"]):
        with pytest.raises(SystemExit):
            same_choices.main([*wrong, "--out", str(tmp_path / "b.json")])
    monkeypatch.setattr(same_choices, "load", lambda _: Second(0.01))
    assert same_choices.main(words) == 1
