"""Seeds and reset options: what they fix, and what they leave alone."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import encode_card, env, raw_env
from persian_rummy_env.cards import cards_in
from persian_rummy_env.envs.aec_raw import AGENTS
from tests.env.aec_play import deck, play_on, trace
from tests.env.play import PACK, equal, scaled

BOTH = pytest.mark.parametrize("make", [env, raw_env])


def dealt(table: Any) -> tuple[int, ...]:
    """The deal, by its deck."""
    state = table.get_state()[0]
    return tuple(state["decks"][state["deal"]].tolist())


@BOTH
def test_resets_without_a_seed_go_on_from_the_seed_of_the_first(make) -> None:
    tables = make(), make()
    deals: list[list[tuple[int, ...]]] = [[], []]
    for table, seen in zip(tables, deals, strict=True):
        table.reset(seed=7)
        seen.append(dealt(table))
        for _ in range(3):
            play_on(table, np.random.default_rng(0), steps=5)
            table.reset()
            seen.append(dealt(table))
    assert deals[0] == deals[1]
    assert len(set(deals[0])) == 4


def test_the_seed_of_the_options_is_that_of_the_first_reset_unless_it_is_given_one() -> None:
    one, other, third = env(seed=5), env(), env(seed=99)
    one.reset()
    other.reset(seed=5)
    third.reset(seed=5)
    assert equal(one.get_state(), other.get_state())
    assert equal(third.get_state(), other.get_state())
    one.reset()
    other.reset()
    assert equal(one.get_state(), other.get_state()), "the second reset goes on, and does not start over"
    assert dealt(one) != dealt(third)


def test_without_any_seed_two_tables_differ() -> None:
    one, other = env(), env()
    one.reset()
    other.reset()
    assert dealt(one) != dealt(other)


@pytest.mark.rules("R10", "R19")
def test_the_dealer_is_an_option_that_does_not_change_the_shuffle() -> None:
    table = env()
    for seed in range(scaled(20)):
        table.reset(seed=seed)
        plain = dealt(table)
        for dealer in range(4):
            table.reset(seed=seed, options={"dealer": dealer})
            assert int(table.get_state()["dealer"][0]) == dealer
            assert table.agent_selection == AGENTS[(dealer + 1) % 4]
            assert dealt(table) == plain


@pytest.mark.rules("R10")
def test_each_seat_begins_equally_often() -> None:
    table = env(episode="deal")
    number = scaled(20_000, least=400)
    first: Counter[str] = Counter()
    for seed in range(number):
        table.reset(seed=seed)
        first[table.agent_selection] += 1
    bound = 0.01 * number if number >= 20_000 else 4 * (0.1875 * number) ** 0.5
    assert set(first) == set(AGENTS)
    assert all(abs(count - number / 4) < bound for count in first.values()), first


@pytest.mark.rules("R14", "R15")
def test_decks_are_dealt_as_given_and_the_rest_is_left_to_the_seed() -> None:
    given = deck("2C 3C 4C 5C 6C 7C 8C", stock="9C TC", turned="AS")
    one, other = env(), env()
    one.reset(seed=3, options={"dealer": 1, "decks": [given]})
    state = one.get_state()[0]
    assert cards_in(state["hand"][2]) == ["2C", "3C", "4C", "5C", "6C", "7C", "8C"]
    assert cards_in(state["pile"]) == ["AS"]
    assert state["decks"][0].tolist() == [encode_card(card) for card in given]
    other.reset(seed=3, options={"dealer": 1, "decks": [None, given]})
    one.reset()
    other.reset()
    assert dealt(one) == dealt(other), "given decks do not move the stream"
    ids = [encode_card(card) for card in given]
    one.reset(seed=3, options={"decks": [ids]})
    assert list(dealt(one)) == ids


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dealer": 4}, r"options\['dealer'\]=4"),
        ({"dealer": "player_1"}, r"options\['dealer'\]='player_1'"),
        ({"decks": [["2C", *PACK[1:-1], "2C"]]}, r"deal 0: .*too often: 2C.*missing: JK"),
        ({"decks": [PACK[:-1]]}, r"deal 0: .*55 cards.*missing: JK"),
        ({"decks": [PACK] * 3}, r"3 decks"),
    ],
)
def test_options_that_do_not_fit_are_refused_and_the_old_game_goes_on(options: dict[str, Any], message: str) -> None:
    table = env()
    table.reset(seed=1)
    play_on(table, np.random.default_rng(1), steps=9)
    before, agent = table.get_state(), table.agent_selection
    with pytest.raises(ValueError, match=message):
        table.reset(seed=2, options=options)
    assert equal(table.get_state(), before)
    assert table.agent_selection == agent
    play_on(table, np.random.default_rng(1), steps=1)


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), (2**64, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_seeds_that_are_none_are_refused(seed: Any, error: type[Exception]) -> None:
    table = env()
    with pytest.raises(error, match="seed="):
        table.reset(seed=seed)
    with pytest.raises(error, match="seed="):
        env(seed=seed)


@BOTH
def test_reset_returns_nothing_and_ignores_options_that_it_does_not_know(make) -> None:
    table, plain = make(), make()
    assert table.reset(seed=1, options={"options": 1}) is None
    assert plain.reset(seed=1) is None
    assert equal(table.get_state(), plain.get_state())
    with pytest.raises(TypeError, match="options="):
        table.reset(seed=1, options=[1])


def test_the_largest_seed_and_numpy_seeds_are_seeds() -> None:
    one, other = env(), env()
    one.reset(seed=2**64 - 1)
    other.reset(seed=np.uint64(2**64 - 1))
    assert equal(one.get_state(), other.get_state())


def test_global_generators_neither_matter_nor_move() -> None:
    def state_of_globals() -> tuple[Any, ...]:
        kind, keys, *rest = np.random.get_state()  # noqa: NPY002
        return random.getstate(), kind, np.asarray(keys).tolist(), *rest

    seen = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        before = state_of_globals()
        table = env(render_mode="rgb_array")
        table.reset(seed=5)
        rng = np.random.default_rng(0)
        played = play_on(table, rng, steps=20)
        table.render()
        table.reset()
        seen.append((played, trace(table, played[:0]), dealt(table)))
        assert state_of_globals() == before
    assert seen[0] == seen[1]
