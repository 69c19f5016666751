"""The trained player in the box."""

from __future__ import annotations

import pytest

from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.load import CHAMPION, load

MOST_BYTES = 5_000_000


def test_it_is_small() -> None:
    assert CHAMPION.stat().st_size < MOST_BYTES


@pytest.mark.parametrize(("other", "least"), [("random", 185), ("greedy", 52), ("deepest", 34), ("expert", 15)])
def test_it_is_as_strong_as_its_card_says(other: str, least: float) -> None:
    """Less by a wide margin: what a broken file or another order of the observation would not reach."""
    match = play_match(load("champion"), load(other), pairs=300, seed=77)
    assert match.margin > least, match


def test_a_name_with_spaces_is_the_same_player() -> None:
    first, second = load("champion"), load(" champion ")
    assert (first.name, second.name) == ("champion", "champion")
    alike = play_match(first, second, pairs=8, seed=3)
    assert (alike.margin, alike.pair_sd) == (0, 0)
