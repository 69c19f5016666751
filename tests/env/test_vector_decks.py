"""Deals that are given: decks and dealers by hand, the rest from the seed."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, encode_card
from persian_rummy_env.cards import CARD_NAMES, cards_in
from tests.env.play import PACK, equal, everything, game_of


def shuffled(seed: int) -> list[str]:
    return [PACK[index] for index in np.random.default_rng(seed).permutation(56)]


def in_ids(deck: list[str], seed: int = 0) -> list[int]:
    """A deck as ids, the four jokers as 52..55 in some order."""
    jokers = iter(np.random.default_rng(seed).permutation([52, 53, 54, 55]).tolist())
    return [next(jokers) if card == "JK" else encode_card(card) for card in deck]


def decks_of(state: np.void) -> list[list[str]]:
    return [[CARD_NAMES[card] for card in deck] for deck in state["decks"].tolist()]


def play_out(env: PersianRummyVecEnv) -> None:
    """Play every lane of a batch without autoreset to its end."""
    shown = env.set_state(env.get_state())
    while (shown.seat != -1).any():
        shown = env.step(env.sample_actions())


def new(lanes: int = 1, deals: int = 2) -> PersianRummyVecEnv:
    return PersianRummyVecEnv(lanes, rules={"deals": deals}, autoreset_mode="DISABLED")


@pytest.mark.rules("R14", "R15", "R19")
@pytest.mark.parametrize("dealer", range(4))
def test_a_deck_is_dealt_one_by_one_from_the_left_of_the_dealer(dealer: int) -> None:
    deck = shuffled(dealer)
    env = new()
    shown = env.reset(seed=1, options={"dealer": dealer, "decks": [deck]})
    game = game_of(env)
    for seat in range(4):
        dealt = [deck[index] for index in range(28) if (dealer + 1 + index) % 4 == seat]
        assert len(dealt) == 7
        assert cards_in(game["hand"][seat]) == sorted(dealt, key=PACK.index)
    assert (int(game["dealer"]), int(shown.seat[0])) == (dealer, (dealer + 1) % 4)
    assert [CARD_NAMES[game["pile_card"][0]], int(game["pile_size"]), int(game["pile_seat"][0])] == [deck[28], 1, 4]
    assert int(game["stock_size"]) == 27
    for number in range(8):
        hands = game["hand"].copy()
        seat = int(game["seat"])
        env.step([0])
        drawn = deck[29 + number]
        assert sorted(cards_in(game_of(env)["hand"][seat])) == sorted([*cards_in(hands[seat]), drawn])
        env.step([494 + encode_card(drawn)])
        game = game_of(env)


@pytest.mark.parametrize("form", ["names", "ids", "array", "bytes", "tuple"])
def test_a_deck_may_be_given_in_any_form(form: str) -> None:
    decks: list[Any] = [shuffled(1), shuffled(2)]
    named = new()
    named.reset(seed=1, options={"decks": decks})
    ids = [in_ids(deck) for deck in decks]
    given: Any = {
        "names": [np.array(deck) for deck in decks],
        "ids": ids,
        "array": np.array(ids),
        "bytes": np.array(ids, dtype=np.uint8),
        "tuple": tuple(map(tuple, ids)),
    }[form]
    env = new()
    env.reset(seed=1, options={"decks": given})
    assert equal(env.get_state(), named.get_state())


@pytest.mark.rules("R6")
@pytest.mark.parametrize("seed", range(4))
def test_which_joker_it_is_makes_no_difference(seed: int) -> None:
    """The whole game, by any naming of the four jokers."""
    decks = [shuffled(seed), shuffled(seed + 50)]
    first, second = new(), new()
    one = first.reset(seed=seed, options={"decks": [in_ids(deck, 1) for deck in decks]})
    other = second.reset(seed=seed, options={"decks": [in_ids(deck, 2) for deck in decks]})
    while not one.terminated[0]:
        assert all((mine == others).all() for mine, others in zip(one, other, strict=True))
        assert equal(first.get_state(), second.get_state())
        actions = first.sample_actions()
        one, other = first.step(actions), second.step(actions)
        second.sample_actions()  # keep the sampling streams together
    assert other.terminated[0]


def test_decks_by_lane_and_none_for_the_seed() -> None:
    a, b, c = (shuffled(seed) for seed in (1, 2, 3))
    plain = new(4)
    plain.reset(seed=6)
    play_out(plain)
    env = new(4)
    env.reset(seed=6, options={"decks": [[a, b], [None, c], [c], None]})
    play_out(env)
    given, drawn = [decks_of(state) for state in env.get_state()], [decks_of(state) for state in plain.get_state()]
    assert [decks[:2] for decks in given] == [[a, b], [drawn[1][0], c], [c, drawn[2][1]], drawn[3][:2]]
    assert (env.get_state()["rng"] == plain.get_state()["rng"]).all()


def test_one_list_of_decks_is_for_every_lane() -> None:
    env = new(3)
    env.reset(seed=6, options={"decks": [shuffled(1)]})
    assert all(decks_of(state)[0] == shuffled(1) for state in env.get_state())
    none = new(3)
    for nothing in (None, [], [None, None], [[None], None, []]):
        none.reset(seed=6, options={"decks": nothing})
        again = new(3)
        again.reset(seed=6)
        assert equal(none.get_state(), again.get_state())


@pytest.mark.rules("R10")
def test_giving_the_dealer_changes_no_card() -> None:
    drawn = new(8)
    drawn.reset(seed=5)
    dealers = drawn.get_state()["dealer"].copy()
    play_out(drawn)
    for wanted in (3, [0, 1, 2, 3, 3, 2, 1, 0]):
        env = new(8)
        env.reset(seed=5, options={"dealer": wanted})
        assert (env.get_state()["dealer"] == wanted).all()
        play_out(env)
        assert (env.get_state()["decks"][:, :2] == drawn.get_state()["decks"][:, :2]).all()
        assert (env.get_state()["rng"] == drawn.get_state()["rng"]).all()
    assert len(set(dealers.tolist())) > 1


@pytest.mark.parametrize("given", [0, 1, 2])
def test_giving_one_deck_changes_no_other(given: int) -> None:
    drawn, env = new(4, deals=3), new(4, deals=3)
    drawn.reset(seed=5)
    env.reset(seed=5, options={"decks": [shuffled(9) if deal == given else None for deal in range(3)]})
    play_out(drawn)
    play_out(env)
    for deal in range(3):
        same = (env.get_state()["decks"][:, deal] == drawn.get_state()["decks"][:, deal]).all(axis=1)
        assert same.all() if deal != given else not same.any()


def test_given_decks_are_for_one_episode() -> None:
    env = PersianRummyVecEnv(2, episode="deal")
    drawn = PersianRummyVecEnv(2, episode="deal")
    env.reset(seed=5, options={"decks": [shuffled(9)]})
    drawn.reset(seed=5)
    for one in (env, drawn):
        one.set_state(one.get_state())
        while (one.get_state()["episode_decisions"] > 0).any() or not one.final.env_index.size:
            shown = one.step(one.sample_actions())
            if shown.terminated.any():
                break
    lane = int(env.final.env_index[0])
    assert int(env.get_state()["given"][lane]) == 0
    assert decks_of(env.get_state()[lane])[0] != shuffled(9)
    env.reset()
    assert (env.get_state()["given"] == 0).all()


def test_the_order_of_seeding_and_giving_does_not_matter() -> None:
    """A reset with decks after other games is the same as one in a new environment."""
    used, fresh = new(2), new(2)
    used.reset(seed=1, options={"decks": [shuffled(1), shuffled(2)], "dealer": 2})
    play_out(used)
    for env in (used, fresh):
        env.reset(seed=9, options={"decks": [None, shuffled(3)]})
        play_out(env)
    assert equal(used.get_state(), fresh.get_state())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda deck: [*deck[1:], deck[1]], ["too often: ", "missing: "]),
        (lambda deck: deck[1:], ["55 cards", "missing: "]),
        (lambda deck: [*deck, "JK"], ["57 cards", "too often: JK"]),
        (lambda deck: [*deck[1:], "1S"], ["'1S' is not a card"]),
        (lambda deck: [*deck[1:], 56], ["56 is not a card"]),
        (lambda deck: deck[:0], ["0 cards"]),
    ],
)
def test_a_deck_that_is_no_pack_is_refused_by_name(spoil: Any, words: list[str]) -> None:
    env = new(2)
    env.reset(seed=1)
    before = everything(env)
    deck = shuffled(4)
    for decks, where in (([None, spoil(deck)], "deal 1"), ([[deck], [deck, spoil(deck)]], "env 1, deal 1")):
        with pytest.raises(ValueError, match="options") as raised:
            env.reset(seed=2, options={"decks": decks})
        assert all(word in str(raised.value) for word in [where, *words])
        assert everything(env) == before
    spoilt = spoil(deck)
    if len(spoilt) == 56 and words[0].startswith("too often"):
        twice, lost = deck[1], deck[0]
        assert f"too often: {twice}; missing: {lost}" in str(raised.value)


@pytest.mark.parametrize(
    "decks", [[shuffled(1)] * 3, [[shuffled(1)]], [[shuffled(1)]] * 4, [[shuffled(1)] * 3] * 2], ids=str
)
def test_decks_for_another_number_of_deals_or_lanes_are_refused(decks: Any) -> None:
    env = new(2)
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match="options\\['decks'\\] holds"):
        env.reset(seed=2, options={"decks": decks})
    assert everything(env) == before


def test_other_options_are_left_alone() -> None:
    env, plain = new(), new()
    env.reset(seed=2, options={"options": 1, "dealer": None, "decks": None})
    plain.reset(seed=2)
    assert equal(env.get_state(), plain.get_state())
