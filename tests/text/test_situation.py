"""What a seat knows, as text and JSON: it holds every block of the observation, and nothing that is hidden."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from persian_rummy_env.cards import cards_in
from persian_rummy_env.core import batch_kernels
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.observation import blocks_of
from persian_rummy_env.state import OVER, STATE
from persian_rummy_env.text import (
    STANDARD,
    Notation,
    ReadingError,
    info_state,
    legal_actions,
    render,
    rules,
    situation,
    to_json,
)
from tests.env.play import scaled
from tests.text.situations import observed, positions

RENAMED = Notation(11)
POSITIONS = scaled(600, least=60)


def different(one: np.ndarray, other: np.ndarray) -> list[str]:
    names = blocks_of(one), blocks_of(other)
    return [name for name in names[0] if (names[0][name] != names[1][name]).any()]


@pytest.mark.parametrize("notation", [STANDARD, RENAMED], ids=["standard", "renamed"])
def test_the_observation_is_read_back_from_text_byte_for_byte(notation: Notation):
    over = 0
    for number, game in enumerate(positions(POSITIONS)):
        seat = number % 4
        again = info_state(situation(render(game, seat, notation=notation)), notation=notation)
        wanted, found = observed(game, seat), observed(again, 0)
        assert (wanted == found).all(), (different(wanted, found), render(game, seat))
        over += int(game["phase"]) == OVER
    assert over, "no ended game was among them"


@pytest.mark.parametrize("notation", [STANDARD, RENAMED], ids=["standard", "renamed"])
def test_the_same_record_is_read_from_json(notation: Notation):
    for number, game in enumerate(positions(POSITIONS // 3, seed=1)):
        known = json.loads(json.dumps(to_json(game, number % 4, notation=notation)))
        from_json = info_state(known, notation=notation)
        from_text = info_state(situation(render(game, number % 4, notation=notation)), notation=notation)
        assert from_json.tobytes() == from_text.tobytes()


def test_the_legal_actions_follow_from_the_text():
    for game in positions(POSITIONS // 2, seed=2):
        if int(game["phase"]) == OVER:
            continue
        again = info_state(situation(render(game, int(game["seat"]))))
        words = np.zeros((2, WORDS), dtype=np.uint64)
        batch_kernels.legal_words(np.array([game]), words[:1], 0, 1)
        batch_kernels.legal_words(again, words[1:], 0, 1)
        assert (words[0] == words[1]).all()


def test_hidden_cards_change_neither_text_nor_json():
    rng = np.random.default_rng(3)
    changed = 0
    for number, game in enumerate(positions(POSITIONS // 3, seed=3)):
        seat = number % 4
        other = exchange_hidden(np.array([game], dtype=STATE), seat, rng)[0]
        changed += other["hand"].tolist() != game["hand"].tolist()
        assert render(other, seat) == render(game, seat)
        assert to_json(other, seat) == to_json(game, seat)
    assert changed > POSITIONS // 6, "hidden cards were hardly exchanged"


def test_json_keeps_to_the_schema_of_its_format():
    schema = json.loads(resources.files("persian_rummy_env.text").joinpath("schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for number, game in enumerate(positions(POSITIONS // 6, seed=4)):
        for notation in (STANDARD, RENAMED):
            history = [(0, seat, 0) for seat in range(4)]
            known = to_json(game, number % 4, history, notation=notation, legal=legal_actions(game))
            validator.validate(json.loads(json.dumps(known)))
    for key in known:
        assert not validator.is_valid({**known, key: object}), f"the schema takes anything for {key!r}"
        assert not validator.is_valid({name: value for name, value in known.items() if name != key})


def test_who_laid_each_card_is_told_where_several_did():
    game = positions(1, seed=5)[0].copy()
    game["sets"], game["runs"], game["run_low"] = 0, 0b1111, 0b1
    game["laid"] = [0b0011, 0b0100, 0b1000, 0]
    assert "- run: 2C 3C (you) 4C (left) 5C (partner)" in render(game, 0).splitlines()


def test_history_begins_after_the_own_last_turn_and_names_no_drawn_card():
    draw, discard = 0, 494
    game = positions(1, seed=6)[0]
    history = [(0, 0, draw), (0, 0, discard), (0, 1, draw), (0, 1, discard + 1), (0, 2, 2), (0, 2, discard + 2)]
    report = to_json(game, 0, history)["history"]
    assert [(turn["seat"], turn["actions"]) for turn in report] == [
        ("left", ["draw", "discard 3C"]),
        ("partner", ["take 2C", "discard 4C"]),
    ]
    under_way = to_json(game, 0, [*history, (0, 0, draw)])["history"]
    assert [turn["seat"] for turn in under_way] == ["left", "partner", "you"]
    assert to_json(game, 3, history)["history"][0]["seat"] == "left"  # seat 3 has not played yet: all is told
    lines = render(game, 0, history).splitlines()
    assert lines[-2:] == ["- left: draw; discard 3C", "- partner: take 2C; discard 4C"]
    second = game.copy()
    second["deals"], second["deal"] = 2, 1
    lines = render(second, 0, [*history, (1, 3, draw)]).splitlines()
    assert lines[-3:] == [
        "- left in deal 1: draw; discard 3C",
        "- partner in deal 1: take 2C; discard 4C",
        "- right: draw",
    ]


def test_legal_actions_are_shown_when_they_are_given():
    game = next(game for game in positions(50, seed=7) if int(game["phase"]) != OVER)
    seat, legal = int(game["seat"]), legal_actions(game)
    shown = render(game, seat, legal=legal).splitlines()[-1]
    assert shown == f"Legal actions: {'; '.join(STANDARD.actions[action] for action in legal)}."
    assert to_json(game, seat)["legal"] is None


def test_renaming_keeps_all_names_different_and_repeats_for_a_seed():
    for seed in range(20):
        notation = Notation(seed)
        assert len(set(notation.cards)) == 53
        assert len(set(notation.actions)) == 547
        assert notation.actions == Notation(seed).actions
        assert all(name in rules(notation=notation) for name in (*notation.ranks, *notation.suits, notation.joker))
    assert Notation(0).ranks != Notation(1).ranks


@pytest.mark.parametrize(
    "text", ["", "hello", "Deal 1 of 2, dealer: nobody.", "Deal 1 of 2, dealer: you. To move: you, phase: draw."]
)
def test_a_text_that_is_no_situation_is_refused(text: str):
    with pytest.raises(ReadingError):
        situation(text)


def test_every_cut_of_a_text_is_refused_or_read():
    text = render(positions(1, seed=8)[0], 0)
    refused = 0
    for length in range(len(text)):
        try:
            info_state(situation(text[:length]))
        except ReadingError:
            refused += 1
    assert refused > len(text) // 2


def test_the_example_of_the_page_is_a_situation():
    page = Path(__file__).parents[2] / "docs" / "text.md"
    shown = page.read_text().split("```text\n")[1].split("```")[0]
    assert cards_in(info_state(situation(shown))["hand"][0, 0]) == ["9C", "TC", "JC", "5D", "9H", "QS", "AS"]


def test_arguments_are_checked():
    game = positions(1, seed=9)[0]
    with pytest.raises(ValueError, match="seat"):
        render(game, 4)
    with pytest.raises(TypeError, match="STATE record"):
        render({}, 0)  # type: ignore[arg-type]
