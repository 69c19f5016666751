"""OpenSpiel's JSON: what a state, an observation and an action say, and that an observation says nothing hidden."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: nox -s openspiel")

import pyspiel

import persian_rummy_env
from persian_rummy_env.actions import ACTION_NAMES, DRAW
from persian_rummy_env.cards import CARD_NAMES
from persian_rummy_env.drawing.contents import cards_of
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.rules import RULE_FIELDS
from persian_rummy_env.state import FIRST_TURNED
from persian_rummy_env.text import info_state, names_of
from tests.adapters import contract
from tests.adapters.spiel import Spiel, after, chance, game, walk
from tests.env.aec_play import lively, mask_of, over

SITUATION = json.loads(resources.files("persian_rummy_env.text").joinpath("schema.json").read_text(encoding="utf-8"))


def observation(state: Any, player: int) -> dict[str, Any]:
    return json.loads(state.to_observation_struct(player).to_json())


def test_a_state_is_written_with_all_cards_and_without_their_order() -> None:
    for state in walk(game(deals=2).new_initial_state(), np.random.default_rng(3)):
        struct = json.loads(state.to_json())
        assert struct == state.to_dict() == state.to_struct().to_dict()
        record = state.record[0]
        assert struct["current_player"] == state.current_player()
        assert struct["hands"] == [[CARD_NAMES[card] for card in cards_of(hand)] for hand in record["hand"]]
        assert struct["score"] == record["score"].tolist()
        assert struct["dealer"] == int(record["dealer"])
        assert struct["rules"] == {rule.name: rule.value(int(record[rule.state])) for rule in RULE_FIELDS if rule.shown}
        held = [card for hand in struct["hands"] for card in hand]
        seen = [one["card"] for one in struct["pile"]] + [card for meld in struct["melds"] for card in meld["cards"]]
        assert sorted(held + struct["stock"] + seen) == sorted([*CARD_NAMES, *["JK"] * 3])
        assert struct["stock"] == sorted(struct["stock"], key=CARD_NAMES.index)
        for card, seat in zip(struct["pile"], record["pile_seat"].tolist(), strict=False):
            assert card["by"] == (seat if 0 <= seat < 4 else None)
        laid = [(card, by) for meld in struct["melds"] for card, by in zip(meld["cards"], meld["by"], strict=True)]
        for seat in range(4):
            names = [CARD_NAMES[card] for card in cards_of(record["laid"][seat])]
            assert sorted(card for card, by in laid if by == seat) == sorted(names)
    assert json.loads(state.to_json())["phase"] == "over" or state.is_terminal()


def test_states_in_which_chance_decides_are_written_too() -> None:
    state, rng = game(deals=2).new_initial_state(), np.random.default_rng(0)
    dealers = cards = 0
    while not state.is_terminal():
        struct = state.to_dict()
        assert struct["current_player"] == state.current_player()
        if state.is_chance_node():
            for action, _ in state.chance_outcomes():
                chosen = state.action_to_struct(-1, action)
                assert chosen.to_dict() == (
                    {"dealer": action} if struct["dealer"] is None else {"card": CARD_NAMES[action]}
                )
                assert state.struct_to_actions(chosen) == [action]
            if struct["dealer"] is not None:
                kinds = {card for card, _ in state.chance_outcomes()}
                assert {CARD_NAMES[card] for card in kinds} == set(struct["stock"])
                cards += 1
            else:
                assert len(struct["stock"]) == 56
                dealers += 1
            chance_of = state.chance_outcomes()
            state.apply_action_struct(state.action_to_struct(-1, chance_of[rng.integers(len(chance_of))][0]))
        else:
            state.apply_action(lively(np.array(state.legal_actions_mask()), rng))
    assert dealers == 1
    assert cards > 2 * (FIRST_TURNED + 1)
    assert state.to_dict()["current_player"] == pyspiel.PlayerId.TERMINAL


def test_an_observation_is_the_situation_of_its_player() -> None:
    """It keeps the published schema, and the observation of the AEC environment follows from it byte for byte."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: nox -s openspiel")
    compared, histories = 0, []
    for state in walk(game(deals=2).new_initial_state(), np.random.default_rng(5)):
        for player in range(4):
            struct = observation(state, player)
            assert struct.pop("observing_player") == player
            assert struct.pop("current_player") == state.current_player()
            jsonschema.validate(struct, SITUATION)
            read = state.get_game().begun_at(info_state(struct))
            assert read.observation_tensor(0) == state.observation_tensor(player)
            if player == state.current_player():
                assert read.legal_actions() == state.legal_actions()
            compared += 1
        histories.append(observation(state, state.current_player())["history"])
    assert compared > 100
    assert {turn["deal"] for turns in histories for turn in turns} == {1, 2}


def test_the_history_is_what_was_played_since() -> None:
    state, rng = game(deals=2).new_initial_state(), np.random.default_rng(11)
    played: list[tuple[int, int, str]] = []
    while not chance(state, rng).is_terminal():
        for player in range(4):
            mine = [place for place, one in enumerate(played) if one[1] == player]
            own = next((p for p in range(len(played), 0, -1) if played[p - 1][1] != player), 0)
            last = max((place for place in mine if place < own), default=-1)
            since = [
                (turn["deal"] - 1, ("you", "left", "partner", "right").index(turn["seat"]), action)
                for turn in observation(state, player)["history"]
                for action in turn["actions"]
            ]
            assert [(deal, (seat + player) % 4, action) for deal, seat, action in since] == played[last + 1 :]
        action = lively(np.array(state.legal_actions_mask()), rng)
        played.append((int(state.record["deal"][0]), state.current_player(), ACTION_NAMES[action]))
        state.apply_action(action)


def test_nothing_hidden_is_in_an_observation() -> None:
    def show(record: np.ndarray, seat: int) -> list[str]:
        return [game().state_from(record).to_observation_struct(seat).to_json()]

    contract.nothing_hidden(show)


def test_actions_are_read_as_they_are_written() -> None:
    for state in walk(game().new_initial_state(), np.random.default_rng(7)):
        for action in state.legal_actions():
            struct = state.action_to_struct(action)
            assert struct.to_dict() == {"move": ACTION_NAMES[action]}
            assert state.struct_to_actions(struct) == [action]
            assert state.validate_action_struct(struct).ok()


def test_a_whole_turn_is_one_struct() -> None:
    turns, rng = 0, np.random.default_rng(2)
    for state in walk(after(0, seed=3), rng):
        player, clone = state.current_player(), state.clone()
        if DRAW.start in clone.legal_actions():
            continue
        turn = []
        while clone.current_player() == player and DRAW.start not in clone.legal_actions():
            turn.append(lively(np.array(clone.legal_actions_mask()), rng))
            clone.apply_action(turn[-1])
        assert state._struct_to_actions({"move": names_of(turn)}) == turn
        turns += len(turn) > 1
    assert turns > 3


@pytest.mark.parametrize(
    ("struct", "message"),
    [
        ({"move": "fold"}, "fold"),
        ({"move": "discard 2C 3C"}, "names 2 cards"),
        ({"card": "7S"}, "expected one key, 'move'"),
        ({"move": "draw", "seat": 1}, "expected one key, 'move'"),
        ({}, "expected one key, 'move'"),
    ],
)
def test_no_action_is_guessed(struct: dict[str, Any], message: str) -> None:
    state = after(12)
    before = state.record.copy()
    with pytest.raises(ValueError, match=message):
        state._struct_to_actions(struct)
    assert (state.record == before).all()


def test_an_outcome_that_chance_cannot_choose_is_refused() -> None:
    state = game().new_initial_state()
    with pytest.raises(ValueError, match="dealer 7: expected one of 0, 1, 2, 3"):
        state._struct_to_actions({"dealer": 7})
    state.apply_action(0)
    with pytest.raises(ValueError, match="card '1S': expected one of 2C"):
        state._struct_to_actions({"card": "1S"})


@pytest.mark.parametrize("deals", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_a_player_of_observations_scores_the_points_of_the_aec_environment(deals: int) -> None:
    """The champion reads the JSON alone, and answers in JSON."""
    champion = persian_rummy_env.load("champion")
    for seed in range(deals):
        table, aec = Spiel(), persian_rummy_env.env(episode="deal")
        table.begin(seed, None)
        aec.reset(seed=seed)
        while not table.state.is_terminal():
            known = observation(table.state, table.seat())
            answer = json.dumps({"move": names_of(choose(info_state(known), champion).tolist())})
            [action] = table.state._struct_to_actions(json.loads(answer))
            assert table.state.action_to_struct(action).to_json().replace(" ", "") == answer.replace(" ", "")
            table.step(action)
            assert mask_of(aec).any()
            aec.step(int(choose(aec.get_state(), champion)[0]))
        assert over(aec)
        first, second = aec.get_state()["score"][0].tolist()
        assert 100 * table.state.returns()[0] == pytest.approx(first - second)
