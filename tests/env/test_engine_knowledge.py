"""What everyone knows of the hands: cards taken in public, and cards left lying."""

import pytest

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.cards import cards_in
from tests.env.play import game_of, play, position, put


def known(env: PersianRummyVecEnv) -> list[str]:
    return cards_in(game_of(env)["known"][1])


@pytest.mark.rules("R22", "R24")
def test_cards_taken_in_public_are_known_until_played() -> None:
    env = play(position({1: "7C 7D 7H KC JK"}, pile="7S 9C JK JK", stock="2C 3C 4C"), "take 7S")
    assert known(env) == ["9C", "7S", "JK", "JK"]
    assert known(play(env, "meld 7C 7D 7S")) == ["9C", "JK", "JK"]
    assert known(play(env, "meld JK JK JK")) == ["9C"]
    assert known(play(env, "layoff 7H set")) == ["9C"]
    assert known(play(env, "discard 9C")) == []


@pytest.mark.rules("R22", "R24")
def test_of_jokers_played_the_known_ones_go_first() -> None:
    env = play(position({1: "7C 7D JK"}, pile="7S JK JK", stock="2C"), "take 7S", "meld 7C 7D 7S")
    assert known(env) == ["JK", "JK"]
    assert known(play(env, "discard JK")) == ["JK"]
    assert cards_in(game_of(env)["hand"][1]) == ["JK", "JK"]


@pytest.mark.rules("R22")
def test_cards_left_in_the_pile_are_remembered() -> None:
    env = position({1: "7C 7D KC", 2: "2C", 3: "AC", 0: "JK"}, pile="JK 9C JK 7S", stock="3C 4D 5H 6S")
    play(env, "draw", "discard 7D")
    assert cards_in(game_of(env)["declined"][1]) == ["9C", "7S", "JK", "JK"]
    assert cards_in(game_of(env)["declined"][2]) == []
    play(env, "draw", "discard 4D", "draw", "discard 5H", "draw", "discard JK")
    assert cards_in(game_of(env)["declined"][0]) == ["9C", "4D", "7D", "5H", "7S", "JK", "JK"]


@pytest.mark.rules("R22")
def test_a_seat_that_takes_jokers_has_left_those_that_remain() -> None:
    env = position({1: "JK KC", 2: "2C"}, pile="JK JK 9C JK", stock="3C 4D")
    state = env.get_state()
    state["declined"][0, 1:3] = 0b111 << 52
    put(env, state)
    play(env, "take JK2", "meld JK JK JK", "discard KC", "draw")
    assert [cards_in(game_of(env)["declined"][seat]) for seat in (1, 2)] == [["JK"], ["KC", "JK", "JK", "JK"]]
