"""Golden games: whole games kept to the letter, replayed on the compiled engine and on the plain twin."""

import json
from pathlib import Path
from typing import Any

import pytest

from persian_rummy_env.records.record import Record, check, read
from persian_rummy_env.records.recorder import make_record
from persian_rummy_env.records.replay import replay, verify
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.stored_rules import stored_rules
from tests import oracle
from tests.golden import make
from tests.golden.games import GOLDEN

NAMES = sorted(path.stem for path in make.FOLDER.glob("*.jsonl"))


def golden(name: str) -> Record:
    [record] = read(make.FOLDER / f"{name}.jsonl")
    return record


def legal_before(record: Record, action: str, deal: int = 0) -> list[str]:
    """The legal actions before the first time an action was played."""
    played = record["deals"][deal]
    return played["legal"][played["actions"].index(action)]  # type: ignore[typeddict-item]


# All of them ----------------------------------------------------------------------------------------------------------


def test_every_file_is_a_golden_game_and_every_golden_game_a_file() -> None:
    assert sorted(GOLDEN) == NAMES
    assert len(NAMES) >= 12


def test_files_and_page_are_as_the_scripts_make_them() -> None:
    for path, text in make.contents().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python -m tests.golden.make"


@pytest.mark.rules("R57", "R58", "R59")
@pytest.mark.parametrize("name", NAMES)
def test_the_engine_replays_it_to_the_letter(name: str) -> None:
    record = golden(name)
    assert verify(record) is None
    again = make_record(
        [deal["deck"] for deal in record["deals"]],
        record["deals"][0]["dealer"],
        [action for deal in record["deals"] for action in deal["actions"]],
        rules=stored_rules(record["rules"]),
        players=record["players"],
        seed=record["seed"],
        legal="legal" in record["deals"][0],
    )
    for deal in [*again["deals"], *record["deals"]]:
        deal["legal"] = [sorted(legal) for legal in deal.get("legal", [])]
    assert again == {**record, "rules": stored_rules(record["rules"]).as_dict()}


@pytest.mark.rules("R57", "R58", "R59")
@pytest.mark.parametrize("name", NAMES)
def test_the_plain_twin_replays_it_to_the_letter_and_meets_its_corner(name: str) -> None:
    record = golden(name)
    game = oracle.replay(record)
    assert game.record(record["players"], record["seed"], legal=True)["score"] == list(GOLDEN[name].score)
    missing = [event for event in GOLDEN[name].events if game.events[event] == 0]
    assert not missing
    assert stored_rules(record["rules"]) == RuleSet(**GOLDEN[name].rules)


def test_every_event_of_the_plain_twin_is_in_a_golden_game() -> None:
    named = {event for game in GOLDEN.values() for event in game.events}
    assert named == set(oracle.EVENTS)


@pytest.mark.parametrize("name", ["four_jokers", "chain_take"])
def test_a_changed_golden_game_is_noticed(name: str) -> None:
    """Both replays see one changed action, one legal action less, another score, another player gone out."""
    changes: list[Any] = [
        lambda deal: deal["actions"].__setitem__(0, "pass"),
        lambda deal: deal["legal"][1].pop(),
        lambda deal: deal["score"].__setitem__(0, deal["score"][0] + 1),
        lambda deal: deal.__setitem__("out", 3),
    ]
    for change in changes:
        record = golden(name)
        change(record["deals"][0])
        assert verify(check(record)) is not None
        with pytest.raises(ValueError):
            oracle.replay(record)


# What each one shows --------------------------------------------------------------------------------------------------


@pytest.mark.rules("R26", "R30", "R31")
def test_a_chain_from_below_makes_the_take_legal_and_must_be_played() -> None:
    record = golden("chain_take")
    assert "take 7S" in legal_before(record, "take 7S")
    assert legal_before(record, "layoff 6S run") == ["layoff 6S run"]
    assert legal_before(record, "layoff 7S run") == ["layoff 7S run"]
    assert "meld 8C 8D 8H" in legal_before(record, "meld 8C 8D 8H")


@pytest.mark.rules("R19", "R30", "R31")
def test_a_chain_from_above_does_the_same() -> None:
    record = golden("chain_take_downwards")
    assert replay(record).states[0]["seat"] == 2
    assert legal_before(record, "layoff 9H run") == ["layoff 9H run"]
    assert legal_before(record, "layoff 8H run") == ["layoff 8H run"]


@pytest.mark.rules("R34", "R35", "R36", "R37")
def test_runs_grow_at_both_ends_and_meet_in_the_middle() -> None:
    record = golden("both_ends")
    legal = legal_before(record, "layoff 6S run")
    assert sorted(action for action in legal if action.startswith("layoff")) == [
        *("layoff 2S run", "layoff 6S run", "layoff TS run"),
    ]
    assert "layoff JS run" in legal_before(record, "layoff JS run")


@pytest.mark.rules("R18", "R35", "R48")
def test_the_fourth_joker_laid_off_is_not_doubled() -> None:
    again = replay(golden("fourth_joker"))
    before, after = again.states[-2], again.states[-1]
    assert before["points"].tolist() == [60, 45]
    assert after["last_score"].tolist() == [60 - 24 - 55, 45 + 20 + 25 - 55]


@pytest.mark.rules("R38", "R47", "R49", "R51")
def test_four_jokers_at_once_count_160_and_the_deal_ends_without_a_discard() -> None:
    record = golden("four_jokers")
    assert replay(record).states[2]["points"].tolist() == [160, 0]
    assert record["deals"][0]["actions"] == ["draw", "meld JK JK JK JK", "meld 9C 9D 9H 9S"]
    assert record["deals"][0]["out"] == 0


@pytest.mark.rules("R47", "R48")
def test_four_at_once_are_doubled_and_three_and_one_are_not() -> None:
    again = replay(golden("three_and_one"))
    assert again.states["points"][:4, 0].tolist() == [0, 0, 80, 110]
    assert again.states[-1]["last_score"].tolist() == [80 + 30 + 10 + 25 - 55, -106]


@pytest.mark.rules("R49")
def test_only_jacks_are_doubled_where_the_rules_say_so() -> None:
    again = replay(golden("only_jacks"))
    assert again.states["points"].tolist()[2:6] == [[80, 0], [80, 0], [80, 0], [80, 40]]
    assert again.states[-1]["score"][1] == 40 + 80 + 25 - 52


@pytest.mark.rules("R23", "R39")
def test_a_hand_emptied_by_a_discard_goes_on_drawing() -> None:
    record = golden("empty_hand")
    again = replay(record)
    empty = [index for index in range(len(again.actions)) if again.states[index]["hand"][0] == 0]
    assert len([index for index in empty if again.states[index]["seat"] == 0]) == 2
    assert record["deals"][0]["actions"].index("discard KS") + 1 == empty[0]
    assert record["deals"][0]["out"] == 0


@pytest.mark.rules("R36", "R38", "R51")
def test_laying_off_on_the_opponents_meld_goes_out_and_scores_for_the_one_who_lays() -> None:
    again = replay(golden("out_by_layoff"))
    assert again.states[-2]["points"].tolist() == [18, 30 + 6 + 8]
    assert int(again.states[-1]["out"]) == 1


@pytest.mark.rules("R24", "R32")
def test_what_lay_above_the_card_taken_is_kept() -> None:
    record = golden("deep_take")
    again = replay(record)
    index = record["deals"][0]["actions"].index("take 7S")
    hand = {oracle.PACK[card] for card in range(52) if int(again.states[index + 3]["hand"][0]) >> card & 1}
    assert {"3D", "5D", "8D"} <= hand
    assert again.states[index]["pile_size"] == 5
    assert again.states[index + 1]["pile_size"] == 0


@pytest.mark.rules("R28", "R31")
def test_a_card_taken_for_a_set_on_the_table_must_go_there_first() -> None:
    assert legal_before(golden("take_fourth"), "layoff 9S set") == ["layoff 9S set"]


@pytest.mark.rules("R25", "R33", "R53")
def test_jokers_are_taken_by_their_order_from_the_top() -> None:
    record = golden("take_joker")
    takes = [action for action in legal_before(record, "take JK2") if action.startswith("take")]
    assert takes == ["take JK2"]
    assert legal_before(record, "meld JK JK JK") == ["meld JK JK JK"]


@pytest.mark.rules("R27", "R31")
def test_the_card_owed_may_be_paid_in_any_meld_that_holds_it() -> None:
    legal = legal_before(golden("owed_choice"), "meld 6H 7H 8H 9H")
    assert legal == ["meld 6C 6D 6H", "meld 6H 7H 8H", "meld 6H 7H 8H 9H"]


@pytest.mark.rules("R3", "R17")
def test_the_ace_is_high_only() -> None:
    record = golden("ace_high")
    melds = {action for legal in record["deals"][0]["legal"] for action in legal if action.startswith("meld")}  # type: ignore[typeddict-item]
    assert "meld QH KH AH" in melds
    assert not [action for action in melds if {"AC", "2C"} <= set(action.split())]
    assert "layoff 2H run" not in legal_before(record, "discard 9C")


@pytest.mark.rules("R40", "R41", "R42", "R45")
def test_four_passes_end_the_deal_and_nobody_gets_the_bonus() -> None:
    record = golden("four_passes")
    [deal] = record["deals"]
    assert deal["actions"][-5:] == ["discard JK", "pass", "pass", "pass", "pass"]
    assert (deal["out"], deal["score"]) == (None, [-110, -110])
    again = replay(record)
    assert int(again.states["pile_size"].max()) == 28
    assert not [legal for legal in deal["legal"][:54] if "pass" in legal]  # type: ignore[typeddict-item]


@pytest.mark.rules("R43")
def test_the_first_pass_ends_the_deal_where_the_rules_say_so() -> None:
    [deal] = golden("first_pass")["deals"]
    assert deal["actions"].count("pass") == 1
    assert (deal["out"], deal["score"]) == (None, [-110, -110])


@pytest.mark.rules("R40", "R42")
def test_a_take_from_the_pile_starts_the_count_of_passes_anew() -> None:
    record = golden("stock_empty_take")
    again = replay(record)
    taken = record["deals"][0]["actions"].index("take 7S")
    assert again.states["passes"][taken : taken + 2].tolist() == [3, 0]
    assert "pass" in legal_before(record, "take 7S")
    assert record["deals"][0]["actions"][taken + 1 :].count("pass") == 4


@pytest.mark.rules("R11", "R12", "R13")
def test_the_deal_passes_to_the_left() -> None:
    record = golden("two_deals")
    assert [deal["dealer"] for deal in record["deals"]] == [3, 0]
    again = replay(record)
    assert again.states["dealer"][[0, 3]].tolist() == [3, 0]
    assert again.states["seat"][[0, 3]].tolist() == [0, 1]
    assert record["score"] == [202 - 70, -107 + 150]


def test_golden_games_are_json_lines_of_one_game() -> None:
    for name in NAMES:
        text = Path(make.FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
        assert text.count("\n") == 1
        assert text == json.dumps(json.loads(text)) + "\n"
