"""The names that the package promises, and the small functions among them."""

import inspect
import re
from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env import NUM_ACTIONS, RuleSet, decode_action, decode_card, encode_action, encode_card, parse_deck
from persian_rummy_env.actions import RANGES
from persian_rummy_env.cards import CARD_VALUES, bits_of, cards_in
from tests.env.play import PACK

PROMISED = {
    "NUM_ACTIONS",
    "PersianRummyAEC",
    "PersianRummyVecEnv",
    "RuleSet",
    "decode_action",
    "decode_card",
    "draw_for_partners",
    "encode_action",
    "encode_card",
    "env",
    "lane_seeds",
    "load",
    "match",
    "parse_deck",
    "raw_env",
    "record",
}
"""Users' programs break if one of these goes."""


def test_every_promised_name_is_there_and_listed() -> None:
    assert set(persian_rummy_env.__all__) >= PROMISED
    assert persian_rummy_env.__all__ == sorted(persian_rummy_env.__all__)
    assert persian_rummy_env.__all__ == dir(persian_rummy_env)


@pytest.mark.parametrize("name", persian_rummy_env.__all__)
def test_every_listed_name_is_there_and_says_what_it_is(name: str) -> None:
    thing = getattr(persian_rummy_env, name)
    assert thing is getattr(persian_rummy_env, name)
    if callable(thing):
        assert inspect.getdoc(thing)


def test_a_star_import_brings_all_of_them() -> None:
    names: dict[str, Any] = {}
    exec("from persian_rummy_env import *", names)
    assert set(persian_rummy_env.__all__) <= set(names)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'persian_rummy_env' has no attribute 'Env'"):
        persian_rummy_env.Env  # noqa: B018


# Cards ----------------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R3", "R5", "R52")
def test_cards_by_name_and_number() -> None:
    for suit, letter in enumerate("CDHS"):
        for rank, digit in enumerate("23456789TJQKA"):
            assert encode_card(digit + letter) == suit * 13 + rank
            assert decode_card(suit * 13 + rank) == digit + letter
    assert encode_card("JK") == 52
    assert [decode_card(card) for card in (52, 53, 54, 55)] == ["JK"] * 4
    assert decode_card(np.uint8(51)) == "AS"  # type: ignore[arg-type]


@pytest.mark.rules("R4")
def test_card_values_are_those_of_the_rules() -> None:
    values = [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15]
    assert CARD_VALUES.tolist() == values * 4 + [20]


@pytest.mark.parametrize("name", ["", "10S", "7", "S7", "7s", "1S", "JK1", "jk", " 7S", 7, None])
def test_text_that_is_no_card(name: Any) -> None:
    with pytest.raises(ValueError, match="expected a rank of 23456789TJQKA and a suit of CDHS"):
        encode_card(name)


@pytest.mark.parametrize("card", [-1, 56, 1.0, True, "7S", None])
def test_a_number_that_is_no_card(card: Any) -> None:
    with pytest.raises(ValueError, match="integer from 0 to 55"):
        decode_card(card)


def test_sets_of_cards_count_jokers_from_the_first_place_up() -> None:
    assert bits_of(["2C", "AS", "JK", "JK"]) == 1 | 1 << 51 | 0b11 << 52
    assert bits_of([55, 53]) == bits_of(["JK", "JK"]) == 0b11 << 52
    assert cards_in(bits_of(["JK", "7S", "JK"])) == ["7S", "JK", "JK"]
    for wrong in (["7S", "7S"], ["JK"] * 5):
        with pytest.raises(ValueError, match="too often"):
            bits_of(wrong)


@pytest.mark.rules("R2")
def test_a_deck_is_the_whole_pack() -> None:
    deck = parse_deck(PACK)
    assert deck.tolist() == [*range(52), 52, 52, 52, 52]
    assert parse_deck(list(range(56))).tolist() == deck.tolist()
    with pytest.raises(ValueError, match="55 cards, missing: JK"):
        parse_deck(PACK[:-1])
    with pytest.raises(ValueError, match="too often: 2C 3C; missing: AS JK"):
        parse_deck(["2C", "3C", *PACK[:51], *PACK[52:55]])


# Actions --------------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R53", "R54", "R55", "R56")
def test_the_ranges_of_the_actions() -> None:
    expected = {
        "draw": 1,
        "pass": 1,
        "take": 56,
        "meld_set": 65,
        "meld_jokers": 2,
        "meld_run": 264,
        "layoff_set": 52,
        "layoff_run": 52,
        "layoff_joker": 1,
        "discard": 53,
    }
    assert {part.name: part.length for part in RANGES} == expected
    assert sum(expected.values()) == NUM_ACTIONS == 547
    assert [part.start for part in RANGES[1:]] == [part.stop for part in RANGES[:-1]]
    for part in RANGES:
        verb = part.name.split("_")[0]
        assert all(decode_action(action).split()[0] == verb for action in range(part.start, part.stop))


@pytest.mark.rules("R53", "R54", "R55")
@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("draw", 0),
        ("pass", 1),
        ("take 2C", 2),
        ("take JK1", 54),
        ("take JK4", 57),
        ("meld 2C 2D 2H", 58),
        ("meld 2C 2D 2H 2S", 62),
        ("meld 4D 4H 4S", 71),
        ("meld JK JK JK", 123),
        ("meld JK JK JK JK", 124),
        ("meld 2C 3C 4C", 125),
        ("meld JS QS KS AS", 125 + 3 * 66 + 11 + 9),
        ("meld 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS", 388),
        ("layoff 4C set", 391),
        ("layoff 6S run", 484),
        ("layoff JK set", 493),
        ("discard 9H", 494 + 33),
        ("discard JK", 546),
    ],
)
def test_known_actions_keep_their_ids(name: str, action: int) -> None:
    """Trained players and records depend on them."""
    assert encode_action(name) == action
    assert decode_action(action) == name
    assert decode_action(np.int64(action)) == name  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Draw", "draw"),
        ("draw ", "draw"),
        ("take 10S", "take TS"),
        ("meld 4H 4d 4S", "meld 4D 4H 4S"),
        ("meld AS KS QS", "meld QS KS AS"),
        ("LAYOFF 10h SET", "layoff TH set"),
    ],
)
def test_case_and_order_do_not_matter_where_one_action_is_meant(text: str, name: str) -> None:
    assert encode_action(text) == encode_action(name)
    assert decode_action(encode_action(text)) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", "draw draw", "take", "take JK", "take JK5", "take 11S", "discard", "discard JK1", None, 3),
        *("meld 4H 4H 4S", "meld AS KS", "meld AS 2S 3S", "meld 4D 4H", "meld 7S", "layoff 4C", "layoff JK run"),
    ],
)
def test_text_that_is_no_action(name: Any) -> None:
    with pytest.raises(ValueError, match="is not an action: expected 'draw'"):
        encode_action(name)


@pytest.mark.parametrize("action", [-1, 547, 1.0, True, "draw", None])
def test_a_number_that_is_no_action(action: Any) -> None:
    with pytest.raises(ValueError, match="integer from 0 to 546"):
        decode_action(action)


# Rules ----------------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R11", "R43", "R49")
def test_the_rule_set() -> None:
    rules = RuleSet()
    assert rules.as_dict() == {"deals": 2, "quad_bonus": "any", "stock_out": "pass"}
    assert RuleSet.parse("") == RuleSet.from_dict({}) == rules
    jacks = RuleSet(deals=1, quad_bonus="jacks", stock_out="end")
    assert RuleSet.parse(" quad_bonus = jacks, stock_out=end,deals=1") == jacks
    assert RuleSet.from_dict(jacks.as_dict()) == jacks
    assert len({rules, jacks, RuleSet()}) == 2
    with pytest.raises(AttributeError):
        rules.deals = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"deals": 0}, "1 to 4"),
        ({"deals": 5}, "1 to 4"),
        ({"deals": 2.0}, "1 to 4"),
        ({"deals": True}, "1 to 4"),
        ({"quad_bonus": "aces"}, "any, jacks"),
        ({"stock_out": None}, "pass, end"),
        ({"deal": 2}, "deals, quad_bonus, stock_out"),
    ],
)
def test_a_rule_set_that_makes_no_sense(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RuleSet.from_dict(fields)


@pytest.mark.parametrize("text", ["jacks", "quad_bonus=", "deals=x", "deals=-1", "quad_bonus=any;stock_out=end"])
def test_text_that_is_no_rule_set(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|known are") as raised:
        RuleSet.parse(text)
    assert ("name=value" in str(raised.value)) == ("=" not in text)


# Signatures -----------------------------------------------------------------------------------------------------------

MAKERS = ["PersianRummyAEC", "PersianRummyGymEnv", "PersianRummyGymVectorEnv", "PersianRummyVecEnv", "env", "raw_env"]
SHARED = {"rules", "episode", "reward", "reward_timing", "illegal_action", "max_decisions", "seed"}


@pytest.mark.parametrize("name", MAKERS)
def test_an_environment_is_made_with_explicit_keywords(name: str) -> None:
    parameters = inspect.signature(getattr(persian_rummy_env, name)).parameters
    assert set(parameters) >= SHARED
    kinds = {parameter.kind for parameter in parameters.values()}
    assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}
    assert all(parameter.annotation not in (inspect.Parameter.empty, "Any") for parameter in parameters.values())


def test_the_calls_of_one_line_refuse_what_they_cannot_use() -> None:
    for call, message in (
        (lambda: persian_rummy_env.load(3), "policy 3: expected a name, a bot"),  # type: ignore[arg-type]
        (lambda: persian_rummy_env.match("greedy", 3), "policy 3: expected an object with a method act"),  # type: ignore[arg-type]
        (lambda: persian_rummy_env.match("greedy", "expert", "5"), "pairs='5': expected a whole number"),  # type: ignore[arg-type]
        (lambda: persian_rummy_env.record(3), "players=3: expected bots or other policies"),  # type: ignore[arg-type]
        (lambda: persian_rummy_env.record("greedy", 1.5), "games=1.5: expected a whole number"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=re.escape(message)):
            call()
