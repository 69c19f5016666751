"""Worlds agree with all that a seat knows, vary in all that it does not, and are all equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from persian_rummy_env.cards import CARD_NAMES, bits_of, cards_in
from persian_rummy_env.envs.batch import observe_states
from persian_rummy_env.envs.testing import check_conservation, exchange_hidden
from persian_rummy_env.evaluation.arena import new_games
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.players.policy_io import sample_worlds, views_of
from persian_rummy_env.state import OVER
from tests.agents.positions import packed_legal, positions
from tests.env.play import equal, game_of, position

SEATS = range(4)
ALIKE = ("pile_card", "pile_seat", "pile_size", "stock_size", "sets", "runs", "run_low", "laid", "known", "declined",
         "points", "score", "owed", "passes", "seat", "phase", "deal", "dealer", "queue", "decisions")  # fmt: skip


def views(games: np.ndarray, seat: int) -> np.ndarray:
    return views_of(games, np.arange(len(games)), np.full(len(games), seat))


def stock_of(games: np.ndarray) -> list[list[int]]:
    return [game["decks"][game["deal"]][56 - game["stock_size"] :].tolist() for game in games]


# What a view is -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
def test_a_view_says_what_the_seat_sees_and_nothing_else(seat: int) -> None:
    games = positions(500)
    seen = views(games, seat)
    rng = np.random.default_rng(seat)
    assert equal(views(exchange_hidden(games, seat, rng), seat), seen)
    assert equal(views(seen, seat), seen), "to look twice shows nothing new"
    assert (observe_states(seen, np.full(len(games), seat)) == observe_states(games, np.full(len(games), seat))).all()
    mine = games["seat"] == seat
    assert (packed_legal(seen[mine]) == packed_legal(games[mine])).all()
    assert not seen["rng"].any()
    assert not seen["sample_rng"].any()


def test_a_view_hides_the_hands_the_stock_and_the_other_decks() -> None:
    games = positions(500)
    seen = views(games, 0)
    assert (seen["hand"][:, 0] == games["hand"][:, 0]).all()
    for other in (1, 2, 3):
        assert (seen["hand"][:, other] != games["hand"][:, other]).mean() > 0.6
    assert np.mean([a != b for a, b in zip(stock_of(seen), stock_of(games), strict=True)]) > 0.8
    for deal in range(4):
        not_now = games["deal"] != deal
        assert not seen["decks"][not_now, deal].any()
    # Of the deck of this deal only the stock is there: where the dealt cards lay would tell of the hands.
    for game in seen:
        assert not game["decks"][game["deal"]][: 56 - game["stock_size"]].any()


# What worlds are ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("seat", SEATS)
def test_worlds_agree_with_the_view(seat: int, split: bool) -> None:
    games = positions(120)
    games["split_stock"] = split
    if split:
        games["queue"] = 7
    seen = views(games, seat)
    worlds = sample_worlds(seen, np.full(len(games), seat), 5, np.random.default_rng(3))
    for number in range(5):
        world = worlds[:, number]
        wanted = observe_states(games, np.full(len(games), seat))
        assert (observe_states(world, np.full(len(games), seat)) == wanted).all()
        assert equal(views(world, seat), seen)
        for field in ALIKE:
            assert (world[field] == games[field]).all(), field
        assert (world["hand"][:, seat] == games["hand"][:, seat]).all()
        for other in SEATS:
            assert [len(cards_in(hand)) for hand in world["hand"][:, other]] == [
                len(cards_in(hand)) for hand in games["hand"][:, other]
            ]
            known = [Counter(cards_in(bits)) for bits in games["known"][:, other]]
            held = [Counter(cards_in(bits)) for bits in world["hand"][:, other]]
            assert all(not (one - other_one) for one, other_one in zip(known, held, strict=True)), "a known card moved"
        check_conservation(world)


def test_worlds_vary_in_what_is_hidden() -> None:
    """200 worlds of one position: whoever deals out the truth again and again is seen here."""
    games = new_games(np.arange(20, dtype=np.uint64), np.zeros(20, dtype=np.int8))
    worlds = sample_worlds(views(games, 1), np.full(20, 1), 200, np.random.default_rng(1))
    for game, drawn in zip(games, worlds, strict=True):
        for other in (0, 2, 3):
            hands = drawn["hand"][:, other].tolist()
            assert len(set(hands)) > 190
            assert hands.count(int(game["hand"][other])) <= 1
        assert len({tuple(stock) for stock in stock_of(drawn)}) == 200


def test_the_truth_is_not_looked_at() -> None:
    """Worlds of a view are those of any game that looks alike, by the same seeds."""
    games = positions(100)
    other = exchange_hidden(games, 2, np.random.default_rng(9))
    drawn = [
        sample_worlds(views(truth, 2), np.full(100, 2), 3, np.random.default_rng(4)).reshape(-1)
        for truth in (games, other)
    ]
    assert equal(*drawn)


# How likely each is ---------------------------------------------------------------------------------------------------

TABLE = [(0, "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"), (1, "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD")]
OWN = "4H 5H 6H 7H 8H 9H TH JH QH KH AH 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"


def test_frequencies_are_those_of_exact_enumeration() -> None:
    """Unseen: 3H and two jokers that nobody tells apart, and 2H, JK known in a hand. One unknown card in the hand of
    seat 2, one in that of seat 3, one in the stock."""
    env = position({1: OWN, 2: "JK JK", 3: "3H", 0: "2H"}, pile="JK", table=TABLE, stock="JK")
    game = game_of(env)
    game["known"][2] = bits_of(["JK"])
    game["known"][0] = bits_of(["2H"])
    outcomes = Counter(
        (tuple(sorted(("JK", second))), third, fourth) for second, third, fourth in permutations(["JK", "JK", "3H"])
    )
    worlds = drawn_worlds(game, seat=1, number=9000)
    found = Counter(
        (tuple(sorted(cards_in(world["hand"][2]))), *cards_in(world["hand"][3]), CARD_NAMES[stock[0]])
        for world, stock in zip(worlds, stock_of(worlds), strict=True)
    )
    assert all(cards_in(world["hand"][0]) == ["2H"] for world in worlds)
    assert_even(found, outcomes)


def test_frequencies_of_hands_of_several_cards_and_of_the_order_of_the_stock() -> None:
    own = " ".join(card for card in OWN.split() if card not in ("4H", "5H", "AS"))
    game = game_of(position({1: own, 2: "2H 3H", 3: "4H"}, pile="JK JK JK JK", table=TABLE, stock="5H AS"))
    unseen = ["2H", "3H", "4H", "5H", "AS"]
    outcomes = Counter(
        (frozenset(two), one, *order)
        for two in combinations(unseen, 2)
        for one, *order in permutations([card for card in unseen if card not in two])
    )
    assert len(outcomes) == 60
    worlds = drawn_worlds(game, seat=1, number=24_000)
    found = Counter(
        (frozenset(cards_in(world["hand"][2])), *cards_in(world["hand"][3]), *(CARD_NAMES[card] for card in stock))
        for world, stock in zip(worlds, stock_of(worlds), strict=True)
    )
    assert_even(found, outcomes)


def test_every_unseen_card_is_equally_likely_at_every_place_of_the_stock() -> None:
    [game] = new_games(np.array([3], dtype=np.uint64), np.zeros(1, dtype=np.int8))
    worlds = drawn_worlds(game, seat=0, number=8000)
    stock = np.array(stock_of(worlds))
    unseen = np.bincount(stock[:, 0], minlength=53) > 0
    for place in (0, 1, 13, 26):
        counts = np.bincount(stock[:, place], minlength=53)[unseen]
        weight = np.where(np.flatnonzero(unseen) == 52, 4 - jokers_seen(game, 0), 1)
        assert stats.chisquare(counts, weight / weight.sum() * len(stock)).pvalue > 1e-4, place


def drawn_worlds(game: np.void, seat: int, number: int) -> np.ndarray:
    games = np.array([game], dtype=game.dtype)
    return sample_worlds(views(games, seat), np.array([seat]), number, np.random.default_rng(11))[0]


def jokers_seen(game: np.void, seat: int) -> int:
    return sum(cards_in(bits).count("JK") for bits in (game["hand"][seat], game["pile"]))


def assert_even(found: Counter[tuple], outcomes: Counter[tuple]) -> None:
    """Worlds come as often as the ways in which each can be dealt."""
    assert set(found) == set(outcomes)
    ways = np.array(list(outcomes.values()))
    counts = np.array([found[outcome] for outcome in outcomes])
    assert stats.chisquare(counts, ways / ways.sum() * counts.sum()).pvalue > 1e-4, found


def test_positions_here_are_of_games_under_way() -> None:
    games = positions(500)
    assert (games["phase"] != OVER).all()
    assert (unpack_mask(packed_legal(games)).sum(axis=1) > 0).all()
    assert (games["known"] != 0).any(axis=1).mean() > 0.3
