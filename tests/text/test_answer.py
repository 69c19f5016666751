"""Answers in text: what they mean, and that nothing is guessed, changed or told."""

import numpy as np
import pytest

from persian_rummy_env.actions import NUM_ACTIONS, encode_action
from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.cards import bits_of
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.state import OVER, STATE
from persian_rummy_env.text import STANDARD, AnswerError, Notation, legal_actions, parse
from persian_rummy_env.text.answer import CODES, MARK
from tests.env.play import scaled
from tests.text.situations import positions


def meld_position(hand: str, pile: str = "9C", owed: str | None = None, sets: str = "", runs: str = "") -> np.void:
    """Seat 0 has drawn and holds these cards; the rest is set so far as the engine reads it for legality."""
    game = TableGame(RuleSet(deals=1), seed=1, dealer=3).games()[0].copy()
    game["phase"] = 1
    game["hand"][0] = bits_of(hand.split())
    game["pile"], game["pile_size"] = bits_of(pile.split()), len(pile.split())
    game["sets"], game["runs"] = bits_of(sets.split()), bits_of(runs.split())
    game["run_low"] = bits_of(runs.split()[:1])
    game["owed"] = 255 if owed is None else bits_of([owed]).bit_length() - 1
    return game


HAND = meld_position("TS JS QS 4D 4H 4C 9H JK", sets="9C 9D 9S", runs="6H 7H 8H")
MEANT = {
    "discard 4D": ["discard 4D"],
    "Discard 4d.": ["discard 4D"],
    "`discard 4♦`": ["discard 4D"],
    "discard the 4d": ["discard 4D"],
    "meld QS, JS, TS": ["meld TS JS QS"],
    "meld 10S JS QS": ["meld TS JS QS"],
    "MELD 4h 4c 4d; discard jk": ["meld 4C 4D 4H", "discard JK"],
    "meld TS JS QS\nmeld 4C 4D 4H\nlay off 9H on set\ndiscard JK": [
        "meld TS JS QS",
        "meld 4C 4D 4H",
        "layoff 9H set",
        "discard JK",
    ],
    "lay-off 9H run": ["layoff 9H run"],
    "I hold a run, so I meld it.\nMOVE: meld TS JS QS; discard 9H": ["meld TS JS QS", "discard 9H"],
    "**Move:** discard 9H": ["discard 9H"],
}
REFUSED = {
    "": "empty",
    " ;\n; ": "empty",
    "MOVE:": "empty",
    "I think that discarding is best": "unreadable",
    "discard": "unreadable",
    "discard 4D 9H": "unreadable",
    "discard 1Z": "unreadable",
    "meld 4D 4H 4S": "illegal",
    "meld 4D 4H": "illegal",
    "meld 4D 4D 4H": "illegal",
    "discard AS": "illegal",
    "draw": "illegal",
    "pass": "illegal",
    "take 9C": "illegal",
    "layoff 9H": "ambiguous",
    "layoff 4D": "illegal",
    "discard 4D; meld TS JS QS": "too_much",
    "MOVE: discard 4D\nMOVE: discard 9H": "ambiguous",
    "discard 4D;" * 80: "unreadable",
}


@pytest.mark.parametrize("answer", MEANT)
def test_an_answer_means(answer: str):
    assert parse(answer, HAND, 0) == [encode_action(name) for name in MEANT[answer]]


@pytest.mark.parametrize("answer", REFUSED)
def test_an_answer_is_refused_in_one_sentence(answer: str):
    before = HAND.tobytes()
    with pytest.raises(AnswerError) as refused:
        parse(answer, HAND, 0)
    assert refused.value.code == REFUSED[answer]
    sentence = str(refused.value)
    assert sentence[-1] in ".!"
    assert "\n" not in sentence
    assert len(sentence) < 250
    assert HAND.tobytes() == before


OWING = meld_position("9C TC JC 9H 9D 4S", pile="2C", owed="9C")
REASONS = [
    ("discard AS", HAND, "you do not hold AS"),
    ("meld 4C 4D 4H 4S", HAND, "you do not hold 4S"),
    ("layoff 4D run", HAND, "no run on the table takes 4D"),
    ("take 9C", HAND, "you have drawn"),
    ("discard 4S", OWING, "you owe 9C"),
    ("meld 9C 9D 9S", OWING, "you do not hold 9S"),
]


@pytest.mark.parametrize(("answer", "game", "reason"), REASONS, ids=[row[0] for row in REASONS])
def test_a_refusal_says_why(answer: str, game: np.void, reason: str):
    with pytest.raises(AnswerError, match=reason):
        parse(answer, game, 0)


def test_all_codes_are_tried():
    assert {*REFUSED.values(), "not_your_turn"} == set(CODES)


def test_only_the_seat_to_move_is_asked():
    with pytest.raises(AnswerError, match="not your turn") as refused:
        parse("discard 4D", HAND, 1)
    assert refused.value.code == "not_your_turn"


def test_after_a_draw_the_card_is_seen_first():
    game = TableGame(seed=1).games()[0]
    seat = int(game["seat"])
    assert parse("draw", game, seat) == [0]
    answers = []
    for card in STANDARD.cards[:53]:
        with pytest.raises(AnswerError) as refused:
            parse(f"draw; discard {card}", game, seat)
        answers.append(str(refused.value))
    assert len(set(answers)) == 1, "the answer tells which card lies on the stock"


def test_one_joker_of_the_pile_needs_no_order_and_several_do():
    game = meld_position("JK JK 2C 3D 5H 7S 9S", pile="9C JK")
    game["phase"], game["pile_card"][:2], game["pile_seat"][:2] = 0, [7, 52], [4, 3]
    assert parse("take JK", game, 0) == [encode_action("take JK1")]
    game = meld_position("JK JK 2C 3D 5H 7S 9S", pile="9C JK JK")
    game["phase"], game["pile_card"][:3], game["pile_seat"][:3] = 0, [7, 52, 52], [4, 3, 3]
    with pytest.raises(AnswerError, match="take JK1' or 'take JK2"):
        parse("take jk", game, 0)
    assert parse("take jk2", game, 0) == [encode_action("take JK2")]
    with pytest.raises(AnswerError, match="JK3 is not in the pile"):
        parse("take JK3", game, 0)


@pytest.mark.parametrize("notation", [STANDARD, Notation(4)], ids=["standard", "renamed"])
def test_names_mean_the_engine_s_legal_actions_in_any_order_and_case(notation: Notation):
    rng = np.random.default_rng(1)
    for game in positions(scaled(60, least=6), seed=11):
        legal = set(legal_actions(game))
        for action in rng.choice(NUM_ACTIONS, 60, replace=False).tolist() + sorted(legal):
            verb, *rest = notation.actions[action].split()
            if verb == "meld":
                rng.shuffle(rest)
            try:
                found = parse(" ".join([verb, *rest]).lower(), game, int(game["seat"]), notation=notation)
                assert found == [action]
                assert action in legal
            except AnswerError:
                assert action not in legal


def test_fuzzed_answers_change_nothing_and_get_one_sentence():
    rng = np.random.default_rng(2)
    words = [
        "draw",
        "pass",
        "take",
        "meld",
        "layoff",
        "lay off",
        "discard",
        "set",
        "run",
        "JK",
        "JK1",
        ";",
        "\n",
        "MOVE:",
    ]
    words += ["move: ", "\x00", "\ud800", "🂡", "  ", "{}", "10S", "the", "'", '"', "\\", "%s", "1" * 50, "x" * 5000]
    refused: list[str] = []
    for number, game in enumerate(positions(scaled(2000, least=40), seed=12)):
        picked = rng.integers(0, len(words) + 53, rng.integers(0, 9))
        answer = " ".join((words + list(STANDARD.cards[:53]))[index] for index in picked)
        if number % 5 == 0:
            answer = "".join(map(chr, rng.integers(1, 0xD7FF, rng.integers(0, 40))))
        before = game.tobytes()
        try:
            actions = parse(answer, game, int(game["seat"]))
            assert actions
            assert actions[0] in legal_actions(game)
        except AnswerError as error:
            refused.append(str(error))
        assert game.tobytes() == before
    assert refused
    assert not [sentence for sentence in refused if len(sentence) > 300 or not sentence.isprintable()]


def test_a_refusal_does_not_depend_on_hidden_cards():
    rng = np.random.default_rng(3)
    for game in positions(scaled(60, least=6), seed=13):
        if int(game["phase"]) == OVER:
            continue
        seat = int(game["seat"])
        other = exchange_hidden(np.array([game], dtype=STATE), seat, rng)[0]
        for action in rng.choice(NUM_ACTIONS, 40, replace=False):
            report = []
            for one in (game, other):
                try:
                    report.append(str(parse(STANDARD.actions[action], one, seat)))
                except AnswerError as error:
                    report.append(str(error))
            assert report[0] == report[1]


def test_the_mark_is_in_the_rules():
    from persian_rummy_env.text import rules

    assert MARK in rules()
