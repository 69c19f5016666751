"""The bundled trained policies."""

from __future__ import annotations

import hashlib

import pytest

from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players.bundled import BUNDLED, CHAMPION, FROZEN, WEIGHTS
from persian_rummy_env.players.load import load
from persian_rummy_env.players.tensor_file import read_tensor_file

MOST_BYTES = 1_100_000


SHA256 = {
    "minutes-1": "06d8761641d9373b",
    "minutes-10": "d69de351ee777570",
    "minutes-60": "42982087eeb507fc",
    "champion-1": "896390980cdf8d79",
}
"""Of the frozen files. A name is added with its file; no line changes."""


def test_a_frozen_name_means_the_same_file_for_good() -> None:
    assert set(SHA256) == set(FROZEN) == set(BUNDLED) - {"champion"}
    for name, digest in SHA256.items():
        assert hashlib.sha256(BUNDLED[name].read_bytes()).hexdigest()[:16] == digest, name
    policies = {path.name for path in WEIGHTS.glob("*.safetensors") if not path.name.endswith(".critic.safetensors")}
    assert {path.name for path in BUNDLED.values()} == policies


def test_the_champion_is_the_newest_of_the_champions() -> None:
    champions = sorted((name for name in FROZEN if name.startswith("champion-")), key=lambda name: int(name[9:]))
    assert BUNDLED[champions[-1]] == CHAMPION == BUNDLED["champion"]
    assert load("champion").name == "champion"
    assert load(champions[-1]).name == champions[-1]


@pytest.mark.parametrize("name", FROZEN)
def test_it_is_small_and_stored_as_float16(name: str) -> None:
    assert BUNDLED[name].stat().st_size < MOST_BYTES
    tensors = read_tensor_file(BUNDLED[name], "policy", {}).tensors
    assert {tensor.dtype.name for tensor in tensors.values()} == {"float16"}


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
