"""The bots: they play legally, see only what their seat sees, and do what is said of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from persian_rummy_env.actions import DISCARD, TAKE, decode_action, legal_names
from persian_rummy_env.bots import BOTS
from persian_rummy_env.cards import CARD_NAMES, cards_in
from persian_rummy_env.core import expert
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.players.load import load
from persian_rummy_env.state import DRAW_PHASE, MELD_PHASE
from tests.agents import plain_bots
from tests.agents.positions import choices_of, packed_legal, positions

DETERMINISTIC = [name for name in BOTS if name != "random"]


def test_positions_are_of_all_kinds() -> None:
    games = positions(2000)
    takes = unpack_mask(packed_legal(games))[:, TAKE.start : TAKE.stop].any(axis=1)
    assert (games["phase"] == DRAW_PHASE).sum() > 500
    assert (games["phase"] == MELD_PHASE).sum() > 500
    assert takes.sum() > 200
    assert {0, 1} <= set(games["deal"].tolist())
    assert (games["stock_size"] == 0).sum() > 10
    assert set(games["seat"].tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_plays_legally(name: str) -> None:
    games = positions(2000)
    legal = unpack_mask(packed_legal(games)).astype(bool)
    assert legal[np.arange(len(games)), choices_of(name, games)].all()


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_bot_sees_only_what_its_seat_sees(name: str) -> None:
    rng = np.random.default_rng(5)
    games = positions(800)
    before = choices_of(name, games)
    for _ in range(3):
        other = games.copy()
        for seat in range(4):
            mine = games["seat"] == seat
            other[mine] = exchange_hidden(games[mine], seat, rng)
        assert (other["hand"] != games["hand"]).any(axis=1).mean() > 0.5
        different = np.flatnonzero(choices_of(name, other) != before)
        assert not len(different), f"{name} chose otherwise in position {different[0]} when hidden cards were exchanged"


def test_random_chooses_evenly_and_does_not_look() -> None:
    [game] = positions(400)[[7]]
    legal = np.flatnonzero(unpack_mask(packed_legal(np.array([game])))[0])
    games = np.repeat(np.array([game]), 6000)
    games["sample_rng"] = np.random.default_rng(1).integers(2**63, size=len(games))
    counts = Counter(choices_of("random", games).tolist())
    assert set(counts) == set(legal.tolist())
    assert len(legal) > 2
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


# What is said of them -------------------------------------------------------------------------------------------------


def seen_by_the_seat_to_move(game: np.void, legal: np.ndarray) -> plain_bots.Seen:
    return plain_bots.Seen(
        hand=cards_in(game["hand"][int(game["seat"])]),
        pile=[CARD_NAMES[card] for card in game["pile_card"][: int(game["pile_size"])]],
        sets=cards_in(game["sets"]),
        runs=cards_in(game["runs"]),
        legal=legal_names(legal),
        only_jacks=bool(game["quad_jacks"]),
    )


@pytest.mark.parametrize("jacks", [0, 1])
@pytest.mark.parametrize("name", ["deepest", "greedy"])
def test_a_bot_does_what_its_description_says(name: str, jacks: int) -> None:
    games = positions(3000)
    games["quad_jacks"] = jacks
    legal = unpack_mask(packed_legal(games))
    for index, action in enumerate(choices_of(name, games)):
        wanted = getattr(plain_bots, name)(seen_by_the_seat_to_move(games[index], legal[index]))
        assert decode_action(int(action)) == wanted, f"position {index}"


def test_the_fixed_baseline_is_as_it_was() -> None:
    """Results against ``deepest`` are compared across years: these are the scores of its first games."""
    games = new_games(np.arange(6, dtype=np.uint64), np.zeros(6, dtype=np.int8))
    deepest = load("deepest")
    play(games, [deepest], np.zeros((6, 4), dtype=int))
    assert games["score"].tolist() == SCORES_OF_DEEPEST


SCORES_OF_DEEPEST = [[295, 239], [285, 194], [171, 303], [66, 247], [268, 7], [164, 374]]


# The expert -----------------------------------------------------------------------------------------------------------


def features_of(games: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
    found = np.empty((len(rows), expert.NUM_FEATURES))
    expert.features_of(games, rows.astype(np.int64), actions.astype(np.int64), found)
    return found


def test_the_expert_takes_the_action_of_the_highest_weighted_sum() -> None:
    games = positions(1500)
    legal = unpack_mask(packed_legal(games)).astype(bool)
    rows, actions = np.nonzero(legal)
    worth = np.full(legal.shape, -np.inf)
    worth[rows, actions] = features_of(games, rows, actions) @ expert.EXPERT_WEIGHTS
    best = choices_of("expert", games)
    assert np.allclose(worth[np.arange(len(games)), best], worth.max(axis=1))


def test_every_feature_is_used_and_has_a_name() -> None:
    games = positions(3000)
    rows, actions = np.nonzero(unpack_mask(packed_legal(games)))
    used = (features_of(games, rows, actions) != 0).any(axis=0)
    assert used.all(), [name for name, one in zip(expert.FEATURES, used, strict=True) if not one]
    assert len(set(expert.FEATURES)) == expert.NUM_FEATURES == len(expert.EXPERT_WEIGHTS)


def test_features_of_the_draw_phase_weigh_takes_alone() -> None:
    games = positions(1500)
    rows, actions = np.nonzero(unpack_mask(packed_legal(games)))
    features = features_of(games, rows, actions)
    drawing = games["phase"][rows] == DRAW_PHASE
    take = np.array([name.startswith("take") for name in expert.FEATURES])
    assert not features[drawing][:, ~take].any()
    assert not features[~drawing][:, take].any()
    plain = drawing & ~((actions >= TAKE.start) & (actions < TAKE.stop))
    assert not features[plain].any()
    discards = np.array([name.startswith("discard") for name in expert.FEATURES])
    assert not features[actions < DISCARD.start][:, discards].any()


# How strong they are --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stronger", "weaker", "least"),
    [("greedy", "random", 110), ("deepest", "random", 150), ("deepest", "greedy", 30), ("expert", "deepest", 20)],
)
def test_the_ladder_stands(stronger: str, weaker: str, least: float) -> None:
    result = play_match(load(stronger), load(weaker), 3072, seed=404)
    assert result.high > least, str(result)
    assert result.margin > 0.8 * least, str(result)
