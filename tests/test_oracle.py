"""The plain twin held against the rules text, sentence by sentence, in positions worked out by hand."""

import copy
import random
from collections import Counter
from typing import Any

import pytest

from tests.oracle import PACK, SUITS, OracleGame, every_action, runs_in, sets_in, shuffled_pack, value_of
from tests.oracle_play import in_turn, play, position, table_of, takes

# Table, pack and deal ---------------------------------------------------------------------------------------------


@pytest.mark.rules("R1", "R46")
@pytest.mark.parametrize(("seat", "points"), [(0, [21, 0]), (1, [0, 21]), (2, [21, 0]), (3, [0, 21])])
def test_partners_sit_opposite_and_score_together(seat: int, points: list[int]) -> None:
    game = play(position({seat: "7C 7D 7H 2C"}, seat=seat), "draw", "meld 7C 7D 7H")
    assert game.points == points
    assert game.melds[0]["owner"] == seat


@pytest.mark.rules("R2", "R5")
def test_the_pack_is_numbered_by_suit_and_rank() -> None:
    assert len(PACK) == 56
    assert PACK[0:13] == ["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC"]
    assert [PACK[13], PACK[26], PACK[39], PACK[51]] == ["2D", "2H", "2S", "AS"]
    assert PACK[52:] == ["JK"] * 4
    assert len(set(PACK)) == 53


@pytest.mark.rules("R4")
def test_card_values() -> None:
    assert [value_of(card) for card in PACK[:13]] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15]
    assert value_of("JK") == 20
    assert sum(map(value_of, PACK)) == 476


@pytest.mark.rules("R6", "R52")
def test_jokers_in_hand_are_one_card() -> None:
    game = play(position({1: "JK JK 2C"}, stock="JD"), "draw")
    assert game.legal() == ["discard 2C", "discard JD", "discard JK"]


@pytest.mark.rules("R11", "R12", "R19")
@pytest.mark.parametrize("first_dealer", range(4))
def test_a_game_is_two_deals_and_the_second_dealer_sits_left_of_the_first(first_dealer: int) -> None:
    rng = random.Random(first_dealer)
    game = OracleGame(dealer=first_dealer, decks=[shuffled_pack(rng) for _ in range(2)])
    assert (game.deal, game.dealer, game.seat) == (0, first_dealer, (first_dealer + 1) % 4)
    while game.deal == 0:
        game.step(game.legal()[-1])
    assert (game.deal, game.dealer, game.seat) == (1, (first_dealer + 1) % 4, (first_dealer + 2) % 4)
    assert (game.phase, len(game.scores), len(game.outs)) == ("draw", 1, 1)
    assert (game.points, game.melds, game.passes, game.left) == ([0, 0], [], 0, [Counter()] * 4)
    while game.phase != "over":
        game.step(game.legal()[-1])
    assert (game.deal, len(game.scores), len(game.outs), game.legal()) == (1, 2, 2, [])
    assert game.total == [game.scores[0][team] + game.scores[1][team] for team in (0, 1)]


@pytest.mark.rules("R13")
@pytest.mark.parametrize(
    ("scores", "winner"), [([[50, 0], [-20, 29]], 0), ([[50, 0], [-20, 31]], 1), ([[50, 0], [-20, 30]], None)]
)
def test_the_higher_total_wins_and_equal_totals_tie(scores: list[list[int]], winner: int | None) -> None:
    game = position({})
    game.scores = scores
    assert game.winner is None
    game.phase = "over"
    assert game.winner == winner


@pytest.mark.rules("R14", "R15")
def test_seven_cards_each_one_at_a_time_from_the_left_of_the_dealer() -> None:
    game = OracleGame(deals=1, dealer=2, decks=[PACK])
    assert game.hands[3] == ["2C", "6C", "TC", "AC", "5D", "9D", "KD"]
    assert game.hands[0] == ["3C", "7C", "JC", "2D", "6D", "TD", "AD"]
    assert game.hands[2] == ["5C", "9C", "KC", "4D", "8D", "QD", "3H"]
    assert game.pile == [("4H", None)]
    assert game.stock[:2] == ["5H", "6H"]
    assert len(game.stock) == 27
    assert play(game, "draw").hands[3][-1] == "5H"


# Melds ------------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R16")
def test_sets_are_three_or_four_of_a_rank() -> None:
    assert sets_in(["4D", "4S", "5D", "5S"]) == []
    assert sets_in(["4S", "4D", "4H", "5S"]) == [["4D", "4H", "4S"]]
    fours = ["4C 4D 4H", "4C 4D 4S", "4C 4H 4S", "4D 4H 4S", "4C 4D 4H 4S"]
    assert [" ".join(cards) for cards in sets_in(["4S", "4H", "4D", "4C"])] == fours


@pytest.mark.rules("R3", "R17")
def test_runs_are_three_or_more_in_sequence_with_the_ace_high() -> None:
    assert runs_in(["KS", "QS", "AS"]) == [["QS", "KS", "AS"]]
    assert runs_in(["2S", "3S", "AS"]) == []
    assert runs_in(["2S", "KS", "AS"]) == []
    assert runs_in(["9S", "TH", "JS"]) == []
    assert runs_in(["9S", "TS"]) == []
    assert runs_in(["9S", "TS", "JS", "QS"]) == [["9S", "TS", "JS"], ["9S", "TS", "JS", "QS"], ["TS", "JS", "QS"]]


@pytest.mark.rules("R18")
def test_jokers_meld_only_with_each_other() -> None:
    assert sets_in(["JK", "JK"]) == []
    assert sets_in(["JK", "JK", "JK"]) == [["JK"] * 3]
    assert sets_in(["JK", "JK", "JK", "JK"]) == [["JK"] * 3, ["JK"] * 4]
    assert sets_in(["JC", "JD", "JK", "JK"]) == []
    assert runs_in(["9S", "JK", "JS", "QS"]) == []


# The turn ---------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R19")
def test_play_goes_clockwise() -> None:
    game = OracleGame(deals=1, dealer=3, decks=[PACK])
    seats = []
    for _ in range(5):
        seats.append(game.seat)
        play(game, "draw", f"discard {game.stock[0]}")
    assert seats == [0, 1, 2, 3, 0]


@pytest.mark.rules("R20")
def test_a_turn_is_draw_melds_discard() -> None:
    game = position({1: "7C 7D 7H 3S 4S 5S 9C KD"}, stock="2C 3C")
    assert (game.phase, game.legal()) == ("draw", ["draw"])
    play(game, "draw")
    assert game.phase == "meld"
    assert in_turn(game) == ["meld 3S 4S 5S", "meld 7C 7D 7H"]
    assert "discard 7C" in game.legal()
    play(game, "meld 7C 7D 7H", "meld 3S 4S 5S")
    assert game.legal() == ["discard 2C", "discard 9C", "discard KD"]
    play(game, "discard KD")
    assert (game.seat, game.phase) == (2, "draw")


@pytest.mark.rules("R21")
def test_drawing_gives_the_top_of_the_stock_unseen() -> None:
    game = play(position({1: "2C"}, stock="9D 8D"), "draw")
    assert (game.hands[1], game.stock, game.owed) == (["2C", "9D"], ["8D"], None)
    assert game.known[1] == Counter()
    assert game.legal() == ["discard 2C", "discard 9D"]


@pytest.mark.rules("R22", "R23")
def test_discards_lie_open_in_order_even_the_card_just_drawn() -> None:
    game = position({1: "2C 3C", 2: "4C 5C"}, pile="TH 9H", stock="9D 8D")
    play(game, "draw", "discard 9D", "draw", "discard 4C")
    assert game.pile == [("TH", None), ("9H", None), ("9D", 1), ("4C", 2)]


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    game = position({1: "2C 3C"}, pile="TH 9H")
    before = copy.deepcopy(vars(game))
    for action in ("pass", "take 9H", "discard 2C", "meld 2C 3C 4C", "nonsense", ""):
        with pytest.raises(ValueError, match="not legal"):
            game.step(action)
    assert vars(game) == before


# Taking from the pile ---------------------------------------------------------------------------------------------


@pytest.mark.rules("R24", "R25", "R32", "R23")
def test_a_take_brings_every_card_above_and_its_lowest_card_must_be_melded() -> None:
    game = position({1: "7C 7D KD"}, pile="AH 7S QC 9D 2S")
    assert game.legal() == ["draw", "take 7S"]
    play(game, "take 7S")
    assert game.hands[1] == ["7C", "7D", "KD", "7S", "QC", "9D", "2S"]
    assert (game.pile, game.owed, game.phase) == ([("AH", None)], "7S", "meld")
    play(game, "meld 7C 7D 7S")
    assert game.owed is None
    assert game.legal() == ["discard 2S", "discard 9D", "discard KD", "discard QC"]
    play(game, "discard 9D")
    assert game.hands[1] == ["KD", "QC", "2S"]
    assert game.pile == [("AH", None), ("9D", 1)]
    assert game.events == Counter(owed_set=1)


@pytest.mark.rules("R25")
def test_the_top_card_too_must_be_melded() -> None:
    assert takes(position({1: "7C 8D KD"}, pile="7S")) == []
    assert takes(position({1: "7C 7D KD"}, pile="7S")) == ["take 7S"]


@pytest.mark.rules("R26")
def test_the_cards_taken_above_count() -> None:
    game = position({1: "KD"}, pile="7S 8S 9S")
    assert takes(game) == ["take 7S"]
    play(game, "take 7S")
    assert game.legal() == ["meld 7S 8S 9S"]
    assert takes(position({1: "7C"}, pile="7S 7D")) == ["take 7S"]


@pytest.mark.rules("R27")
@pytest.mark.parametrize("hand", ["7C 7D", "5S 6S", "6S 8S", "8S 9S"])
def test_a_set_or_a_run_of_the_hand_allows_a_take(hand: str) -> None:
    game = play(position({1: hand + " 2C"}, pile="7S"), "take 7S")
    (meld,) = game.legal()
    play(game, meld)
    assert game.events == Counter(["owed_set" if hand == "7C 7D" else "owed_run"])


@pytest.mark.rules("R28")
def test_the_fourth_of_a_set_on_the_table_may_be_taken() -> None:
    game = position({1: "2C"}, pile="7S", table=[(0, "7C 7D 7H")])
    play(game, "take 7S")
    assert game.legal() == ["layoff 7S set"]
    play(game, "layoff 7S set")
    assert table_of(game) == ["7C 7D 7H 7S"]
    assert game.events == Counter(owed_layoff=1, three_plus_one=1, opponent_meld_layoff=1)


@pytest.mark.rules("R29")
@pytest.mark.parametrize(("pile", "legal"), [("6S", True), ("TS", True), ("5S", False), ("JS", False), ("6H", False)])
def test_a_card_that_continues_a_run_on_the_table_may_be_taken(pile: str, legal: bool) -> None:
    game = position({1: "2C"}, pile=pile, table=[(3, "7S 8S 9S")])
    assert takes(game) == ([f"take {pile}"] if legal else [])
    if legal:
        play(game, f"take {pile}", f"layoff {pile} run")
        end = "low_end_layoff" if pile == "6S" else "high_end_layoff"
        assert game.events == Counter({"owed_layoff": 1, end: 1})


@pytest.mark.rules("R30", "R31")
@pytest.mark.parametrize(
    ("pile", "hand", "table", "steps"),
    [
        ("7S", "6S", "3S 4S 5S", ["layoff 6S run", "layoff 7S run"]),
        ("7S", "8S", "9S TS JS", ["layoff 8S run", "layoff 7S run"]),
        ("2S", "3S", "4S 5S 6S", ["layoff 3S run", "layoff 2S run"]),
        ("AS", "KS", "TS JS QS", ["layoff KS run", "layoff AS run"]),
        ("7S 6S", "", "3S 4S 5S", ["layoff 6S run", "layoff 7S run"]),
    ],
)
def test_a_chain_to_a_run_on_the_table_allows_a_take(pile: str, hand: str, table: str, steps: list[str]) -> None:
    wanted = pile.split(maxsplit=1)[0]
    game = position({1: f"{hand} KC"}, pile=pile, table=[(2, table)])
    assert f"take {wanted}" in takes(game)
    play(game, f"take {wanted}")
    for action in steps:
        assert game.legal() == [action]
        play(game, action)
    assert (game.owed, game.legal()) == (None, ["discard KC"])
    assert [game.events[name] for name in ("chain_take", "chain_layoff", "owed_layoff")] == [1, 1, 1]


@pytest.mark.rules("R30")
def test_a_broken_chain_allows_nothing() -> None:
    assert takes(position({1: "7S"}, pile="8S", table=[(2, "3S 4S 5S")])) == []
    assert takes(position({1: "6H"}, pile="7S", table=[(2, "3S 4S 5S")])) == []
    assert takes(position({1: "6S"}, pile="7S", table=[(2, "5C 5D 5S")])) == []
    assert takes(position({1: "KS"}, pile="AS", table=[(2, "2S 3S 4S")])) == []


@pytest.mark.rules("R31")
def test_what_may_be_played_while_a_card_is_owed() -> None:
    hand = "6S 8S 7C 7D 7H 2C 2D 2S AD"
    table = [(2, "3S 4S 5S"), (3, "9S TS JS"), (0, "AC AH AS")]
    game = play(position({1: hand}, pile="7S", table=table), "take 7S")
    melds = ["7C 7D 7H 7S", "7C 7D 7S", "7C 7H 7S", "7D 7H 7S", "6S 7S 8S"]
    links = ["layoff 6S run", "layoff 8S run"]
    assert game.legal() == sorted([f"meld {cards}" for cards in melds] + links)
    play(game, "layoff 8S run")
    assert game.legal() == sorted(["layoff 6S run", "layoff 7S run"] + [f"meld {cards}" for cards in melds[:4]])
    play(game, "layoff 7S run")
    assert in_turn(game) == ["layoff 2S run", "layoff 6S run", "layoff AD set", "meld 2C 2D 2S", "meld 7C 7D 7H"]
    assert len(game.legal()) == 5 + 8
    assert game.events["chain_take"] == 0


@pytest.mark.rules("R31")
def test_a_card_that_fits_the_table_may_still_be_reached_by_the_chain_on_its_other_side() -> None:
    game = play(position({1: "8S 2C"}, pile="7S", table=[(2, "4S 5S 6S"), (3, "9S TS JS")]), "take 7S")
    assert game.legal() == ["layoff 7S run", "layoff 8S run"]


@pytest.mark.rules("R33", "R53")
def test_jokers_are_taken_by_their_order_from_the_top_and_paid_with_any() -> None:
    game = position({1: "JK 2C"}, pile="JK 9D JK 5C JK 3D")
    assert takes(game) == ["take JK2", "take JK3"]
    play(game, "take JK2")
    assert game.pile == [("JK", None), ("9D", None)]
    assert (game.owed, game.legal()) == ("JK", ["meld JK JK JK"])
    play(game, "meld JK JK JK")
    assert (game.owed, game.points, game.events) == (None, [0, 60], Counter(owed_set=1, joker_set=1))
    assert in_turn(game) == []

    four = play(position({1: "JK 2C"}, pile="JK JK JK"), "take JK3")
    assert four.legal() == ["meld JK JK JK", "meld JK JK JK JK"]

    last = position({1: "2C"}, pile="JK 3D", table=[(2, "JK JK JK")])
    assert takes(last) == ["take JK1"]
    play(last, "take JK1")
    assert last.legal() == ["layoff JK set"]
    assert play(last, "layoff JK set").points == [0, 20]

    assert takes(position({1: "JK JK 2C"}, pile="JK JK")) == ["take JK1", "take JK2"]
    assert takes(position({1: "JK 2C"}, pile="JK")) == []


# Laying off -------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R34", "R36")
@pytest.mark.parametrize(("owner", "opponent"), [(0, 1), (1, 0), (2, 1), (3, 0)])
def test_cards_are_laid_off_on_any_meld_and_score_for_the_layer(owner: int, opponent: int) -> None:
    game = position({1: "6S 8S KC"}, table=[(owner, "3S 4S 5S"), (owner, "8C 8D 8H")], stock="2C")
    play(game, "draw", "layoff 6S run", "layoff 8S set")
    assert game.points == [0, 14]
    assert table_of(game) == ["3S 4S 5S 6S", "8C 8D 8H 8S"]
    assert game.melds[0]["seats"] == [owner] * 3 + [1]
    assert game.events["opponent_meld_layoff"] == 2 * opponent


@pytest.mark.rules("R35", "R55")
def test_what_fits_where() -> None:
    table = [(0, "7C 7D 7H"), (0, "8S 9S TS"), (0, "9C 9D 9H"), (0, "JK JK JK"), (0, "QH KH AH"), (0, "2D 3D 4D")]
    hand = "7S JS QS JH 2H 5D 6D AD JC JD JK AS"
    game = play(position({1: hand}, pile="3C", table=table, stock="5C"), "draw")
    assert in_turn(game) == sorted(
        f"layoff {words}" for words in ("7S run", "7S set", "JS run", "JH run", "5D run", "JK set")
    ) + sorted(f"meld {cards}" for cards in ("JC JD JH", "JC JD JS", "JC JH JS", "JD JH JS", "JC JD JH JS"))
    play(game, "layoff 7S set")
    assert "layoff 7S run" not in game.legal()
    play(game, "layoff JS run", "layoff 5D run")
    assert {"layoff QS run", "layoff 6D run"} < set(game.legal())
    assert "layoff AS run" not in game.legal()
    assert play(game, "layoff JK set").events["joker_fourth"] == 1
    assert table_of(game)[3] == "JK JK JK JK"


@pytest.mark.rules("R35")
def test_a_full_set_takes_no_more_and_a_set_is_no_run() -> None:
    game = play(position({1: "5S 3S 2C"}, pile="3C", table=[(0, "4C 4D 4H 4S")], stock="KD"), "draw")
    assert in_turn(game) == []


@pytest.mark.rules("R37")
def test_a_card_between_two_runs_is_one_action_and_goes_on_the_lower() -> None:
    hands = {1: "6S 2S TS KC"}
    game = play(position(hands, table=[(3, "7S 8S 9S"), (0, "3S 4S 5S")], stock="KD"), "draw")
    assert in_turn(game) == ["layoff 2S run", "layoff 6S run", "layoff TS run"]
    play(game, "layoff 6S run")
    assert table_of(game) == ["7S 8S 9S", "3S 4S 5S 6S"]
    assert game.melds[1]["seats"] == [0, 0, 0, 1]
    on_the_upper = position({1: "2S TS KC"}, table=[(3, "6S 7S 8S 9S"), (0, "3S 4S 5S")], stock="KD")
    assert game.legal() == play(on_the_upper, "draw").legal()
    assert game.events == Counter(bridging_layoff=1, opponent_meld_layoff=1)
    play(game, "layoff 2S run", "layoff TS run")
    assert game.events["low_end_layoff"] == game.events["high_end_layoff"] == 1


# The end of a deal ------------------------------------------------------------------------------------------------


@pytest.mark.rules("R38", "R50", "R51")
@pytest.mark.parametrize("last", ["meld 7C 7D 7H", "layoff 6S run"])
def test_playing_the_last_card_ends_the_deal_at_once(last: str) -> None:
    hands = {0: "AC 2C", 1: "7C 7D" if "meld" in last else "", 2: "JK", 3: "9C TC"}
    game = position(hands, table=[(0, "3S 4S 5S")], stock="7H KD" if "meld" in last else "6S KD")
    play(game, "draw", last)
    assert (game.phase, game.outs, game.legal()) == ("over", [1], [])
    laid = 21 if "meld" in last else 6
    assert game.scores == [[-15 - 2 - 20, laid - 9 - 10 + 25]]
    assert game.events["out_by_meld" if "meld" in last else "out_by_layoff"] == 1


@pytest.mark.rules("R39")
def test_discarding_the_last_card_does_not_end_the_deal() -> None:
    game = position({2: "2C", 3: "3C", 0: "4C"}, stock="KD KH QH AD 9S TS", pile="JC")
    play(game, "draw", "discard KD")
    assert (game.hands[1], game.phase, game.outs, game.seat) == ([], "draw", [], 2)
    play(game, "draw", "discard KH", "draw", "discard QH", "draw", "discard AD")
    assert (game.seat, game.legal()) == (1, ["draw"])
    assert play(game, "draw").legal() == ["discard 9S"]
    assert game.events == Counter(empty_hand_turn=2, last_card_discarded=1)


@pytest.mark.rules("R38", "R39")
def test_a_player_with_an_empty_hand_may_take_and_go_out() -> None:
    game = position({}, pile="7C 6S", table=[(2, "3S 4S 5S")])
    play(game, "take 6S", "layoff 6S run")
    assert (game.outs, game.scores) == ([1], [[0, 31]])


@pytest.mark.rules("R40", "R41")
def test_with_an_empty_stock_one_takes_or_passes() -> None:
    game = position({1: "7C 7D 2C 2D 2S", 2: "3C"}, pile="7H", stock="9C")
    assert game.legal() == ["draw", "take 7H"]
    game.stock = []
    assert game.legal() == ["pass", "take 7H"]
    play(game, "pass")
    assert (game.seat, game.phase, game.legal()) == (2, "draw", ["pass"])
    assert game.hands[1] == ["7C", "7D", "2C", "2D", "2S"]
    assert game.pile == [("7H", None)]
    assert game.events == Counter({"pass": 1})
    game.seat = 1
    assert play(game, "take 7H").events["stock_empty_take"] == 1


@pytest.mark.rules("R42", "R50", "R51")
def test_four_passes_in_a_row_end_the_deal_without_the_bonus() -> None:
    game = play(position({0: "AC", 1: "JK", 2: "2C", 3: "KC"}, stock="", pile="9C"), *["pass"] * 3)
    assert (game.phase, game.passes, game.seat) == ("draw", 3, 0)
    play(game, "pass")
    assert (game.phase, game.outs, game.scores) == ("over", [None], [[-17, -30]])
    assert game.events["four_passes"] == 1


@pytest.mark.rules("R42")
def test_a_take_begins_the_count_of_passes_anew() -> None:
    game = position({0: "7C 7D AC KC", 1: "2C", 2: "3C", 3: "4C"}, pile="7H", stock="")
    play(game, "pass", "pass", "pass", "take 7H", "meld 7C 7D 7H", "discard AC")
    play(game, "pass", "pass", "pass")
    assert (game.phase, game.passes, game.seat) == ("draw", 3, 0)
    assert play(game, "pass").outs == [None]


@pytest.mark.rules("R43")
def test_the_first_pass_ends_the_deal_in_the_variant() -> None:
    game = play(position({0: "AC", 1: "JK"}, stock="", pile="9C", stock_out="end"), "pass")
    assert (game.phase, game.outs, game.scores) == ("over", [None], [[-15, -20]])
    assert game.events == Counter({"pass": 1, "end_by_first_pass": 1})


@pytest.mark.rules("R43", "R49")
def test_the_rule_set_has_defaults_and_refuses_nonsense() -> None:
    assert OracleGame(decks=[PACK, PACK]).rules == {"deals": 2, "quad_bonus": "any", "stock_out": "pass"}
    refused: list[dict[str, Any]] = [
        {"quad_bonus": "aces"},
        {"stock_out": "shuffle"},
        {"dealer": 4},
        {"deals": 0, "decks": []},
        {"deals": 3},
        {"decks": [PACK, PACK[1:]]},
        {"decks": [PACK, [*PACK[1:], "2D"]]},
        {"decks": [PACK, [*PACK, "2C"]]},
    ]
    for wrong in refused:
        with pytest.raises(ValueError):
            OracleGame(**{"decks": [PACK, PACK], **wrong})


# Scoring ----------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R47", "R48", "R49")
@pytest.mark.parametrize(
    ("hand", "at_once", "three_and_one", "jacks_only"),
    [
        ("JC JD JH JS", 80, 40, 80),
        ("JK JK JK JK", 160, 80, 80),
        ("9C 9D 9H 9S", 72, 36, 36),
        ("AC AD AH AS", 120, 60, 60),
    ],
)
def test_four_at_once_count_double(hand: str, at_once: int, three_and_one: int, jacks_only: int) -> None:
    def start(quad_bonus: str) -> OracleGame:
        return play(position({1: hand + " KC"}, quad_bonus=quad_bonus, stock="5C"), "draw")

    fourth = hand.split()[3]
    slow = ("meld " + hand[:8], f"layoff {fourth} set")
    assert play(start("any"), "meld " + hand).points == [0, at_once]
    assert play(start("any"), *slow).points == [0, three_and_one]
    assert play(start("jacks"), "meld " + hand).points == [0, jacks_only]
    assert play(start("jacks"), *slow).points == [0, three_and_one]
    jokers = hand.startswith("JK")
    assert play(start("any"), "meld " + hand).events == Counter(quad_at_once=1, joker_quad=int(jokers))
    later = Counter(three_plus_one=1, joker_set=int(jokers), joker_fourth=int(jokers))
    assert play(start("any"), *slow).events == later


@pytest.mark.rules("R47")
def test_a_run_of_four_is_not_doubled() -> None:
    assert play(position({1: "2C 3C 4C 5C KC"}, stock="9D"), "draw", "meld 2C 3C 4C 5C").points == [0, 14]


# What everyone knows ----------------------------------------------------------------------------------------------


@pytest.mark.rules("R22", "R24")
def test_cards_taken_in_public_are_known_until_played() -> None:
    game = play(position({1: "7C 7D 7H KC JK"}, pile="7S 9C JK JK", stock="2C 3C 4C"), "take 7S")
    assert game.known[1] == Counter({"7S": 1, "9C": 1, "JK": 2})
    play(game, "meld 7C 7D 7S")
    assert game.known[1] == Counter({"9C": 1, "JK": 2})
    play(game, "meld JK JK JK")
    assert game.known == [Counter()] + [Counter({"9C": 1})] + [Counter()] * 2
    play(game, "layoff 7H set", "discard 9C")
    assert game.known == [Counter()] * 4

    game = play(position({1: "JK JK KC"}, pile="JK", stock="2C"), "take JK1", "meld JK JK JK")
    assert game.known[1] == Counter()
    game = play(position({1: "7C 7D JK"}, pile="7S JK JK", stock="2C"), "take 7S", "meld 7C 7D 7S", "discard JK")
    assert game.known[1] == Counter(JK=1)


@pytest.mark.rules("R22")
def test_cards_left_in_the_pile_are_remembered() -> None:
    game = position({1: "7C 7D KC", 2: "2C", 3: "AC", 0: "JK"}, pile="JK 9C JK 7S", stock="3C 4D 5H 6S")
    play(game, "draw", "discard 7D")
    assert game.left[1] == Counter({"JK": 2, "9C": 1, "7S": 1})
    assert game.left[2] == Counter()
    play(game, "draw", "discard 4D", "draw", "discard 5H", "draw", "discard JK")
    assert game.left[0] == Counter({"JK": 2, "9C": 1, "7S": 1, "7D": 1, "4D": 1, "5H": 1})
    game.hands[1] += ["7H"]
    play(game, "take 7S")
    assert game.left[1] == Counter({"JK": 2, "9C": 1})
    play(game, "meld 7C 7H 7S", "discard KC")
    game.stock = []
    play(game, "pass")
    assert game.left[2] == Counter({"JK": 2, "9C": 1, "7S": 1, "7D": 1, "KC": 1})


@pytest.mark.rules("R22")
def test_a_seat_that_takes_jokers_has_left_those_that_remain() -> None:
    game = position({1: "JK KC", 2: "2C"}, pile="JK JK 9C JK", stock="3C 4D")
    game.left[1] = Counter(JK=3)
    game.left[2] = Counter(JK=3)
    play(game, "take JK2", "meld JK JK JK", "discard KC", "draw")
    assert game.left[1] == Counter(JK=1)
    assert game.left[2] == Counter(JK=3, KC=1)


# Notation ---------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R56", "R52", "R53", "R54", "R55")
def test_there_are_547_actions() -> None:
    actions = every_action()
    assert len(actions) == len(set(actions)) == 547
    parts = Counter(action.split()[0] for action in actions)
    assert parts == Counter(draw=1, take=56, meld=67 + 264, layoff=105, discard=53) + Counter({"pass": 1})
    assert sum(action.endswith(" set") for action in actions) == 53
    assert [len(runs_in([card for card in PACK if card[1] == suit])) for suit in SUITS] == [66] * 4
    for action in (
        *("draw", "pass", "take 7S", "take JK1", "take JK4", "meld 4D 4H 4S", "meld JK JK JK", "meld JS QS KS AS"),
        *("layoff 4C set", "layoff JK set", "layoff 6S run", "discard 9H", "discard JK", "take TD"),
    ):
        assert action in actions


@pytest.mark.rules("R54")
def test_melds_are_written_in_order() -> None:
    game = play(position({1: "JK JK 4S AS KS JK 4D QS"}, stock="4H"), "draw")
    assert in_turn(game) == ["meld 4D 4H 4S", "meld JK JK JK", "meld QS KS AS"]
