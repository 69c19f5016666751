"""The engine held against docs/rules.md, rule by rule, in positions worked out by hand."""

import pytest

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.cards import cards_in
from persian_rummy_env.state import PHASES
from tests.env.play import game_of, laying, legal, play, position, takes

# Melds ----------------------------------------------------------------------------------------------------------------


def melds(hand: str) -> list[str]:
    """What a hand can meld on an empty table."""
    return laying(play(position({1: hand}, stock="2H", pile="3H"), "draw"))


@pytest.mark.rules("R16")
def test_a_set_is_three_or_four_of_a_rank() -> None:
    assert melds("4D 4S 5D 5S") == []
    assert melds("4S 4D 4H 5S") == ["meld 4D 4H 4S"]
    fours = ["4C 4D 4H", "4C 4D 4H 4S", "4C 4D 4S", "4C 4H 4S", "4D 4H 4S"]
    assert melds("4S 4H 4D 4C") == [f"meld {cards}" for cards in fours]


@pytest.mark.rules("R3", "R17")
def test_a_run_is_three_or_more_in_sequence_and_the_ace_is_high() -> None:
    assert melds("KS QS AS") == ["meld QS KS AS"]
    for no_run in ("2S 3S AS", "2S KS AS", "9S TH JS", "9S TS", "9S TS QS", "KC AC 2D", "AD 2H"):
        assert melds(no_run) == []
    assert melds("QS 9S JS TS") == ["meld 9S TS JS", "meld 9S TS JS QS", "meld TS JS QS"]
    suit = [rank + "D" for rank in "23456789TJQKA"]
    assert len(melds(" ".join(suit))) == 66


@pytest.mark.rules("R18")
def test_jokers_meld_only_with_each_other() -> None:
    assert melds("JK JK") == []
    assert melds("JC JD JK JK 9S TS QS") == []
    assert melds("JK JK JK") == ["meld JK JK JK"]
    assert melds("JK JK JK JK") == ["meld JK JK JK", "meld JK JK JK JK"]


# The turn -------------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R1", "R19", "R20", "R22")
def test_a_turn_is_draw_melds_discard_and_play_goes_clockwise() -> None:
    env = position({1: "7C 7D 7H 3S 4S 5S 9C KD"}, stock="2C 3C 4C 5C 6C")
    assert legal(env) == ["draw"]
    play(env, "draw")
    assert laying(env) == ["meld 3S 4S 5S", "meld 7C 7D 7H"]
    play(env, "meld 7C 7D 7H")
    assert "meld 3S 4S 5S" in legal(env)
    assert {"discard 3S", "discard 2C"} < set(legal(env))
    play(env, "discard KD")
    seats = []
    for card in ("3C", "4C", "5C", "6C"):
        assert legal(env)[0] == "draw"
        seats.append(int(game_of(env)["seat"]))
        play(env, "draw", f"discard {card}")
    assert seats == [2, 3, 0, 1]
    game = game_of(env)
    size = int(game["pile_size"])
    assert game["pile_card"][:size].tolist() == [26, 24, 1, 2, 3, 4]
    assert game["pile_seat"][:size].tolist() == [4, 1, 2, 3, 0, 1]


@pytest.mark.rules("R21", "R23")
def test_any_card_may_be_discarded_also_the_one_just_drawn_or_taken() -> None:
    env = play(position({1: "KC JK"}, stock="9S"), "draw")
    assert legal(env) == ["discard 9S", "discard JK", "discard KC"]
    env = play(position({1: "7C 7D"}, pile="7H 9C KD"), "take 7H", "meld 7C 7D 7H")
    assert legal(env) == ["discard 9C", "discard KD"]


# Taking from the pile -------------------------------------------------------------------------------------------------


@pytest.mark.rules("R24", "R25", "R32")
def test_a_card_is_taken_with_all_above_it_and_is_melded_first() -> None:
    env = position({1: "7C 7D 2C"}, pile="9C 7H 3D KD")
    assert takes(env) == ["take 7H"]
    play(env, "take 7H")
    game = game_of(env)
    assert cards_in(game["pile"]) == ["9C"]
    assert cards_in(game["hand"][1]) == ["2C", "7C", "3D", "7D", "KD", "7H"]
    assert cards_in(game["known"][1]) == ["3D", "KD", "7H"]
    assert legal(env) == ["meld 7C 7D 7H"]
    play(env, "meld 7C 7D 7H")
    assert legal(env) == ["discard 2C", "discard 3D", "discard KD"]


@pytest.mark.rules("R25")
def test_the_top_card_is_no_exception() -> None:
    assert takes(position({1: "7C 8D 2C"}, pile="7H")) == []


@pytest.mark.rules("R26", "R27")
@pytest.mark.parametrize(
    ("hand", "pile", "taken"),
    [
        ("7C", "7H 7D", ["take 7H"]),
        ("", "7H 8H 9H", ["take 7H"]),
        ("7C", "7D 7H", ["take 7D"]),
        ("5H", "6H 2C 7H", ["take 6H"]),
        ("5H 7H", "6H 2C", ["take 6H"]),
        ("5H 6H", "7H", ["take 7H"]),
        ("6H 7H", "5H", ["take 5H"]),
        ("KH AH", "QH", ["take QH"]),
        ("QH KH", "AH", ["take AH"]),
        ("2H 3H", "AH", []),
        ("KH AH", "2H", []),
        ("7H", "7C 7D", ["take 7C"]),
        ("JK JK", "JK", ["take JK1"]),
        ("7C JK", "7H", []),
    ],
)
def test_the_whole_new_hand_counts(hand: str, pile: str, taken: list[str]) -> None:
    assert takes(position({1: f"{hand} 4S"}, pile=pile)) == taken


@pytest.mark.rules("R28")
def test_the_fourth_card_of_a_set_may_be_taken() -> None:
    table = [(0, "7C 7D 7H"), (3, "9C 9D 9H 9S"), (1, "6S 7S 8S")]
    assert takes(position({1: "2C"}, pile="7C", table=[(0, "7D 7H 7S")])) == ["take 7C"]
    assert takes(position({1: "2C"}, pile="TS", table=table)) == []
    assert takes(position({1: "2C"}, pile="JK", table=[(0, "JK JK JK")])) == ["take JK1"]


@pytest.mark.rules("R29")
def test_a_card_that_continues_a_run_may_be_taken() -> None:
    table = [(0, "4S 5S 6S"), (1, "QD KD AD")]
    for card, allowed in (("3S", True), ("7S", True), ("2S", False), ("8S", False), ("3H", False), ("JD", True)):
        assert takes(position({1: "KC"}, pile=card, table=table)) == [f"take {card}"] * allowed
    for table, card in (("QC KC AC", "2D"), ("QD KD AD", "2H"), ("2H 3H 4H", "AD"), ("2S 3S 4S", "AS")):
        assert takes(position({1: "KS"}, pile=card, table=[(0, table)])) == []
        assert laying(play(position({1: card}, pile="KS", table=[(0, table)], stock="9C"), "draw")) == []


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
def test_a_chain_allows_a_take_and_must_be_laid(pile: str, hand: str, table: str, steps: list[str]) -> None:
    wanted = pile.split(maxsplit=1)[0]
    env = position({1: f"{hand} KC"}, pile=pile, table=[(2, table)])
    assert f"take {wanted}" in takes(env)
    play(env, f"take {wanted}")
    for action in steps:
        assert legal(env) == [action]
        play(env, action)
    assert legal(env) == ["discard KC"]


@pytest.mark.rules("R30")
@pytest.mark.parametrize(
    ("hand", "pile", "table"),
    [("7S", "8S", "3S 4S 5S"), ("6H", "7S", "3S 4S 5S"), ("6S", "7S", "5C 5D 5S"), ("KS", "AS", "2S 3S 4S")],
)
def test_a_broken_chain_allows_nothing(hand: str, pile: str, table: str) -> None:
    assert takes(position({1: hand}, pile=pile, table=[(2, table)])) == []


@pytest.mark.rules("R31")
def test_what_may_be_played_while_a_card_is_owed() -> None:
    table = [(2, "3S 4S 5S"), (3, "9S TS JS"), (0, "AC AH AS")]
    env = position({1: "6S 8S 7C 7D 7H 2C 2D 2S AD"}, pile="7S", table=table)
    play(env, "take 7S")
    sets = ["7C 7D 7H 7S", "7C 7D 7S", "7C 7H 7S", "7D 7H 7S"]
    links = ["layoff 6S run", "layoff 8S run"]
    assert legal(env) == sorted([*(f"meld {cards}" for cards in [*sets, "6S 7S 8S"]), *links])
    play(env, "layoff 8S run")
    assert legal(env) == sorted([*(f"meld {cards}" for cards in sets), "layoff 6S run", "layoff 7S run"])
    play(env, "layoff 7S run")
    assert laying(env) == ["layoff 2S run", "layoff 6S run", "layoff AD set", "meld 2C 2D 2S", "meld 7C 7D 7H"]
    assert "discard 2C" in legal(env)


@pytest.mark.rules("R31")
def test_a_card_that_fits_may_also_be_reached_by_the_chain_on_its_other_side() -> None:
    env = play(position({1: "8S 2C"}, pile="7S", table=[(2, "4S 5S 6S"), (3, "9S TS JS")]), "take 7S")
    assert legal(env) == ["layoff 7S run", "layoff 8S run"]


@pytest.mark.rules("R33", "R53")
def test_jokers_are_taken_by_their_order_from_the_top_and_paid_with_any() -> None:
    env = position({1: "JK 2C"}, pile="JK 9D JK 5C JK 3D")
    assert takes(env) == ["take JK2", "take JK3"]
    play(env, "take JK2")
    assert cards_in(game_of(env)["pile"]) == ["9D", "JK"]
    assert legal(env) == ["meld JK JK JK"]
    play(env, "meld JK JK JK")
    assert laying(env) == []
    assert game_of(env)["points"].tolist() == [0, 60]
    four = play(position({1: "JK 2C"}, pile="JK JK JK"), "take JK3")
    assert legal(four) == ["meld JK JK JK", "meld JK JK JK JK"]
    last = position({1: "2C"}, pile="JK 3D", table=[(2, "JK JK JK")])
    assert takes(last) == ["take JK1"]
    assert legal(play(last, "take JK1")) == ["layoff JK set"]
    assert takes(position({1: "JK JK 2C"}, pile="JK JK")) == ["take JK1", "take JK2"]
    assert takes(position({1: "JK 2C"}, pile="JK")) == []


# Laying off -----------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R34", "R36", "R46")
@pytest.mark.parametrize("owner", range(4))
@pytest.mark.parametrize("seat", range(4))
def test_cards_are_laid_off_on_any_meld_and_score_for_the_layer(owner: int, seat: int) -> None:
    table = [(owner, "3S 4S 5S"), (owner, "8C 8D 8H")]
    env = position({seat: "6S 8S KC"}, table=table, stock="2C", seat=seat)
    play(env, "draw", "layoff 6S run", "layoff 8S set")
    points = [0, 0]
    points[seat % 2] = 14
    game = game_of(env)
    assert game["points"].tolist() == points
    assert {"6S", "8S"} <= set(cards_in(game["laid"][seat]))
    assert cards_in(game["runs"]) == ["3S", "4S", "5S", "6S"]
    assert cards_in(game["sets"]) == ["8C", "8D", "8H", "8S"]


@pytest.mark.rules("R35", "R55")
def test_what_fits_where() -> None:
    table = [(0, "7C 7D 7H"), (0, "8S 9S TS"), (0, "9C 9D 9H"), (0, "JK JK JK"), (0, "QH KH AH"), (0, "2D 3D 4D")]
    env = position({1: "7S JS QS JH 2H 5D 6D AD JC JD JK AS"}, pile="3C", table=table, stock="5C")
    play(env, "draw")
    offs = [f"layoff {words}" for words in ("5D run", "7S run", "7S set", "JH run", "JK set", "JS run")]
    jacks = ("JC JD JH", "JC JD JH JS", "JC JD JS", "JC JH JS", "JD JH JS")
    assert laying(env) == [*offs, *(f"meld {cards}" for cards in jacks)]
    play(env, "layoff 7S set")
    assert "layoff 7S run" not in legal(env)
    play(env, "layoff JS run", "layoff 5D run")
    assert {"layoff QS run", "layoff 6D run"} < set(legal(env))
    assert "layoff AS run" not in legal(env)
    play(env, "layoff JK set")
    assert cards_in(game_of(env)["sets"])[-4:] == ["JK"] * 4
    full = position({1: "5S 3S 2C"}, pile="3C", table=[(0, "4C 4D 4H 4S")], stock="KD")
    assert laying(play(full, "draw")) == []


@pytest.mark.rules("R37")
def test_a_card_between_two_runs_is_one_action_and_lies_on_the_lower() -> None:
    env = position({1: "6S 2S TS KC"}, table=[(3, "7S 8S 9S"), (0, "3S 4S 5S")], stock="KD")
    assert laying(play(env, "draw")) == ["layoff 2S run", "layoff 6S run", "layoff TS run"]
    play(env, "layoff 6S run")
    assert cards_in(game_of(env)["run_low"]) == ["3S", "7S"]
    upper = position({1: "2S TS KC"}, table=[(3, "6S 7S 8S 9S"), (0, "3S 4S 5S")], stock="KD")
    assert legal(env) == legal(play(upper, "draw"))
    play(env, "layoff 2S run", "layoff TS run")
    assert cards_in(game_of(env)["run_low"]) == ["2S", "7S"]


# The end of a deal ----------------------------------------------------------------------------------------------------


def ended(env: PersianRummyVecEnv) -> bool:
    return PHASES[game_of(env)["phase"]] == "over"


@pytest.mark.rules("R39")
def test_discarding_the_last_card_does_not_end_the_deal() -> None:
    env = position({2: "2C", 3: "3C", 0: "4C"}, stock="KD KH QH AD 9S TS", pile="JC")
    play(env, "draw", "discard KD")
    assert not ended(env)
    play(env, "draw", "discard KH", "draw", "discard QH", "draw", "discard AD")
    assert (int(game_of(env)["seat"]), legal(env)) == (1, ["draw"])
    assert legal(play(env, "draw")) == ["discard 9S"]


@pytest.mark.rules("R38", "R39")
def test_a_player_with_an_empty_hand_may_take_and_go_out() -> None:
    env = play(position({}, pile="7C 6S", table=[(2, "3S 4S 5S")]), "take 6S", "layoff 6S run")
    assert ended(env)
    assert (int(game_of(env)["out"]), game_of(env)["score"].tolist()) == (1, [0, 31])


@pytest.mark.rules("R40", "R41")
def test_with_an_empty_stock_one_takes_or_passes() -> None:
    hands = {1: "7C 7D 2C 2D 2S", 2: "3C"}
    assert legal(position(hands, pile="7H", stock="9C")) == ["draw", "take 7H"]
    env = position(hands, pile="7H", stock="")
    assert legal(env) == ["pass", "take 7H"]
    play(env, "pass")
    assert (int(game_of(env)["seat"]), legal(env)) == (2, ["pass"])
    assert cards_in(game_of(env)["hand"][1]) == ["2C", "7C", "2D", "7D", "2S"]


@pytest.mark.rules("R42", "R50", "R51")
def test_four_passes_in_a_row_end_the_deal_without_the_bonus() -> None:
    env = play(position({0: "AC", 1: "JK", 2: "2C", 3: "KC"}, stock="", pile="9C"), *["pass"] * 3)
    assert not ended(env)
    play(env, "pass")
    assert ended(env)
    assert (int(game_of(env)["out"]), game_of(env)["score"].tolist()) == (4, [-17, -30])


@pytest.mark.rules("R42")
def test_a_take_begins_the_count_of_passes_anew() -> None:
    env = position({0: "7C 7D AC KC", 1: "2C", 2: "3C", 3: "4C"}, pile="7H", stock="")
    play(env, "pass", "pass", "pass", "take 7H", "meld 7C 7D 7H", "discard AC", "pass", "pass", "pass")
    assert not ended(env)
    assert ended(play(env, "pass"))


@pytest.mark.rules("R43")
def test_the_first_pass_ends_the_deal_in_the_variant() -> None:
    env = play(position({0: "AC", 1: "JK"}, stock="", pile="9C", stock_out="end"), "pass")
    assert ended(env)
    assert (int(game_of(env)["out"]), game_of(env)["score"].tolist()) == (4, [-15, -20])


@pytest.mark.rules("R44", "R45")
def test_the_longest_deal_there_can_be_without_melds() -> None:
    """27 draws and discards, then four passes: pile and stock hold 28 cards all the time."""
    env = position({0: "AC", 1: "2C", 2: "3D", 3: "4S"}, pile="9H", stock=" ".join(ALTERNATING))
    for card in ALTERNATING:
        play(env, "draw", f"discard {card}")
        game = game_of(env)
        assert int(game["pile_size"]) + int(game["stock_size"]) == 28
    play(env, *["pass"] * 4)
    assert ended(env)
    assert int(game_of(env)["decisions"]) == 2 * 27 + 4


ALTERNATING = (
    "5C 7D 9S JH KC 6D 8S TH QC 5D 7S 9C JD KS 6H 8C TD QS 5H 7C 9D JS KH 6C 8D TS QH".split()  # noqa: SIM905
)


# Scoring --------------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R4", "R46")
def test_what_cards_are_worth_when_laid() -> None:
    for cards, worth in (("2D 3D 4D", 9), ("8D 9D TD", 27), ("TD JD QD", 30), ("QD KD AD", 35), ("JK JK JK", 60)):
        env = play(position({1: f"{cards} 9C"}, stock="5C"), "draw", f"meld {cards}")
        assert game_of(env)["points"].tolist() == [0, worth]


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
    def points(quad_bonus: str, *actions: str) -> list[int]:
        env = position({1: hand + " KC"}, quad_bonus=quad_bonus, stock="5C")
        return game_of(play(env, "draw", *actions))["points"].tolist()

    slow = ("meld " + hand[:8], f"layoff {hand.split()[3]} set")
    assert points("any", "meld " + hand) == [0, at_once]
    assert points("jacks", "meld " + hand) == [0, jacks_only]
    assert points("any", *slow) == points("jacks", *slow) == [0, three_and_one]


@pytest.mark.rules("R47")
def test_a_run_of_four_is_not_doubled() -> None:
    env = play(position({1: "2C 3C 4C 5C KC"}, stock="9D"), "draw", "meld 2C 3C 4C 5C")
    assert game_of(env)["points"].tolist() == [0, 14]
