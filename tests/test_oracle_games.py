"""Whole games of the plain twin: one worked out by hand, their records, and random play."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle import (
    EVENTS,
    PACK,
    Meld,
    OracleGame,
    can_be_melded,
    every_action,
    joins_a_run,
    neighbour,
    replay,
    run_beginning_at,
    run_ending_at,
    runs_in,
    set_that_takes,
    sets_in,
    value_of,
)
from tests.oracle_play import all_cards, play, random_game, table_of

# A deal worked by hand --------------------------------------------------------------------------------------------


GOLDEN_HANDS = {
    1: "2C 3C 4C 7D 7H 7S KC",
    2: "JC JD JH JS 2D 3D 4D",
    3: "JK JK JK 9H TH AH 2H",
    0: "AC AD AS 8S 8D 3H KD",
}
GOLDEN_ACTIONS = [
    *("take 5C", "meld 2C 3C 4C 5C", "meld 7D 7H 7S", "discard KC"),  # team 1: 14 + 21 = 35, and a hand is empty
    *("draw", "meld JC JD JH JS", "discard 4D"),  # team 0: 80, doubled
    *("draw", "meld JK JK JK", "discard 2H"),  # team 1: 60 more, 95
    *("draw", "layoff JK set", "meld AC AD AS", "discard KD"),  # team 0: 20 and 45 more, 145
    *("draw", "layoff 6C run"),  # team 1: 6 more, 101, and out
]
# Hands: seat 0 8S 8D 3H = 19, seat 2 2D 3D 4S = 9, seat 3 9H TH AH 5D = 39.
GOLDEN_SCORE = [145 - 19 - 9, 101 - 39 + 25]


def golden_deck() -> list[str]:
    hands = {seat: text.split() for seat, text in GOLDEN_HANDS.items()}
    dealt = [hands[(1 + place) % 4][place // 4] for place in range(28)]
    front = [*dealt, "5C", "4S", "5D", "JK", "6C"]
    return front + list((Counter(PACK) - Counter(front)).elements())


@pytest.mark.rules("R14", "R38", "R39", "R46", "R47", "R50", "R51", "R57", "R59")
def test_a_whole_deal_worked_by_hand() -> None:
    game = play(OracleGame(deals=1, dealer=0, decks=[golden_deck()]), *GOLDEN_ACTIONS)
    assert game.points == [145, 101]
    assert (game.outs, game.scores, game.total) == ([1], [GOLDEN_SCORE], [117, 87])
    assert table_of(game) == ["2C 3C 4C 5C 6C", "7D 7H 7S", "JC JD JH JS", "JK JK JK JK", "AC AD AS"]
    assert game.melds[3]["seats"] == [3, 3, 3, 0]
    assert [card for card, _ in game.pile] == ["KC", "4D", "2H", "KD"]
    assert game.record(["Ann", "Ben", "Cem", "Dia"], 7) == {
        "format": "persian-rummy/1",
        "rules": {"deals": 1, "quad_bonus": "any", "stock_out": "pass"},
        "players": ["Ann", "Ben", "Cem", "Dia"],
        "seed": 7,
        "deals": [{"dealer": 0, "deck": golden_deck(), "actions": GOLDEN_ACTIONS, "out": 1, "score": [117, 87]}],
        "score": [117, 87],
    }


# Records ----------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R57", "R58", "R59")
@pytest.mark.parametrize("seed", range(8))
def test_a_record_is_one_line_and_replays(seed: int) -> None:
    rules = {"quad_bonus": ("any", "jacks")[seed % 2], "stock_out": ("pass", "end")[seed // 2 % 2]}
    *_, game = random_game(seed, deals=2, **rules)
    record = game.record(["a", "b", "c", "d"], None, legal=True)
    line = json.dumps(record)
    assert "\n" not in line
    again = replay(json.loads(line))
    assert (again.scores, again.outs, again.total, again.events) == (game.scores, game.outs, game.total, game.events)
    assert again.record(["a", "b", "c", "d"], None, legal=True) == record
    for deal in record["deals"]:
        assert all(action in legal for action, legal in zip(deal["actions"], deal["legal"], strict=True))
    assert "legal" not in game.record(["a", "b", "c", "d"], None)["deals"][0]


def _second_dealer(record: dict[str, Any]) -> None:
    record["deals"][1]["dealer"] = record["deals"][0]["dealer"]


def _legal_list(record: dict[str, Any]) -> None:
    record["deals"][0]["legal"][3] = ["draw"]


WAYS_TO_DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another format": (lambda record: record.update(format="persian-rummy/0"), "the format is"),
    "another score": (lambda record: record["deals"][1].update(score=[0, 0]), "deal 1 ends with"),
    "another total": (lambda record: record.update(score=[1, 2]), "the total is"),
    "another player out": (lambda record: record["deals"][0].update(out=3), "deal 0 ends with"),
    "another second dealer": (_second_dealer, "deal 1 does not follow"),
    "an action missing": (lambda record: record["deals"][0]["actions"].pop(), "deal 0 stops before its end"),
    "an action missing at the end": (lambda record: record["deals"][1]["actions"].pop(), "deal 1 stops before its end"),
    "an action too many": (lambda record: record["deals"][0]["actions"].append("draw"), "deal 0 goes on after its end"),
    "an illegal action": (lambda record: record["deals"][0]["actions"].insert(0, "pass"), "'pass' is not legal"),
    "other legal actions": (_legal_list, "deal 0, action 3: the legal actions differ"),
    "a card twice": (lambda record: record["deals"][0].update(deck=[*PACK[1:], "JK"]), "each of the 56 cards once"),
    "a deal missing": (lambda record: record["deals"].pop(), "2 deals need as many decks, not 1"),
}


@pytest.mark.rules("R59")
@pytest.mark.parametrize("damage", WAYS_TO_DAMAGE)
def test_a_damaged_record_is_refused(damage: str) -> None:
    *_, game = random_game(1, deals=2)
    record = json.loads(json.dumps(game.record(["a", "b", "c", "d"], 1, legal=True)))
    do_damage, message = WAYS_TO_DAMAGE[damage]
    do_damage(record)
    with pytest.raises(ValueError, match=message):
        replay(record)


def test_only_a_finished_game_of_four_players_has_a_record() -> None:
    game = OracleGame(deals=1, decks=[golden_deck()])
    with pytest.raises(ValueError, match="a finished game"):
        game.record(["a", "b", "c", "d"], 1)
    play(game, *GOLDEN_ACTIONS)
    with pytest.raises(ValueError, match="four players"):
        game.record(["a", "b"], 1)


# Random play ------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R2", "R25", "R40", "R44", "R45", "R46", "R47", "R56")
@pytest.mark.parametrize("prefer", ["", "take", "layoff", "meld", "discard", "draw"])
def test_random_play_keeps_the_cards_and_ends(prefer: str) -> None:
    named = set(every_action())
    for seed in range(12):
        actions: list[str] = []
        for game in random_game(seed, prefer):
            actions, legal = game.history[0]["actions"], game.legal()
            assert all_cards(game) == Counter(PACK)
            assert len(game.pile) + len(game.stock) <= 28
            assert all(game.known[seat] <= Counter(game.hands[seat]) for seat in range(4))
            assert sum(game.points) == sum(laid_value(action) for action in actions)
            assert legal == sorted(set(legal))
            assert named.issuperset(legal)
            assert bool(legal) == (game.phase != "over")
            if game.phase == "draw":
                assert ("draw" in legal, "pass" in legal) == (bool(game.stock), not game.stock)
        assert 20 < len(actions) <= 400
        assert actions.count("draw") <= 27
        for action, following in itertools.pairwise(actions):
            assert not action.startswith("take") or following.startswith(("meld", "layoff"))


def laid_value(action: str) -> int:
    """What an action brings its team, read from its words alone."""
    verb, *words = action.split()
    if verb == "layoff":
        return value_of(words[0])
    if verb != "meld":
        return 0
    four_at_once = len(words) == 4 and len({card[0] for card in words}) == 1
    return sum(map(value_of, words)) * (2 if four_at_once else 1)


@pytest.mark.rules("R42")
def test_the_fourth_pass_in_a_row_is_the_last_action() -> None:
    blocked = 0
    for seed in range(60):
        *_, game = random_game(seed)
        actions = game.history[0]["actions"]
        fours = [end for end in range(4, len(actions) + 1) if actions[end - 4 : end] == ["pass"] * 4]
        assert fours == ([len(actions)] if game.outs == [None] else [])
        blocked += len(fours)
    assert 10 < blocked < 60


def test_random_play_reaches_every_rare_branch() -> None:
    seen = Counter[str]()
    for seed in range(60):
        for prefer in ("", "meld"):
            *_, game = random_game(seed, prefer, stock_out=("pass", "end")[seed % 2])
            seen += game.events
    assert set(seen) == set(EVENTS)


@pytest.mark.rules("R25", "R26", "R27", "R28", "R29", "R30")
def test_a_take_is_legal_exactly_when_some_free_play_would_meld_the_card() -> None:
    """The ways listed in the rules are all there are: no other order of melds and lay-offs finds another."""
    verdicts = Counter[bool]()
    for seed in range(25):
        for game in random_game(seed):
            if game.phase != "draw":
                continue
            cards = [card for card, _ in game.pile]
            for place, card in enumerate(cards):
                hand = game.hands[game.seat] + cards[place:]
                if len(hand) <= 12:
                    verdict = some_play_melds(card, hand, game.melds)
                    assert can_be_melded(card, hand, game.melds) == verdict, (card, hand, game.melds)
                    verdicts[verdict] += 1
    assert min(verdicts.values()) > 300


def without(hand: list[str], played: list[str]) -> list[str]:
    return list((Counter(hand) - Counter(played)).elements())


def some_play_melds(card: str, hand: list[str], table: list[Meld]) -> bool:
    """Try every order of melds and lay-offs of the hand until one lays this card."""
    melds = sets_in(hand) + runs_in(hand)
    if any(card in cards for cards in melds) or set_that_takes(card, table) or joins_a_run(card, table):
        return True
    for cards in melds:
        kind = "set" if cards in sets_in(hand) else "run"
        if some_play_melds(card, without(hand, cards), [*table, {"kind": kind, "cards": cards}]):
            return True
    for other in set(hand):
        below, above = run_ending_at(neighbour(other, -1), table), run_beginning_at(neighbour(other, +1), table)
        for meld in (set_that_takes(other, table), below, above):
            if meld is not None:
                grown = {**meld, "cards": sorted([*meld["cards"], other], key=PACK.index)}
                rest = [grown if laid is meld else laid for laid in table]
                if some_play_melds(card, without(hand, [other]), rest):
                    return True
    return False
