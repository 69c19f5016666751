"""The layout of the vectors: every named block against values built by hand, in five positions of golden games."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from persian_rummy_env.core.observe import observe_full
from persian_rummy_env.envs.batch import observe_states
from persian_rummy_env.observation import BLOCK, BLOCKS, FULL_BLOCK, FULL_BLOCKS, FULL_HIGH, FULL_SIZE, HIGH, SIZE
from persian_rummy_env.records.record import Record, read
from persian_rummy_env.records.replay import replay

GOLDEN = Path(__file__).parents[1] / "golden"
Values = Mapping[int, int] | Sequence[int]


def places(cards: str) -> list[int]:
    """The places of some cards in a plane, jokers by their number."""
    found = []
    jokers = 52
    for card in cards.split():
        if card == "JK":
            found.append(jokers)
            jokers += 1
        else:
            found.append("CDHS".index(card[1]) * 13 + "23456789TJQKA".index(card[0]))
    return found


def plane(cards: str) -> dict[int, int]:
    return dict.fromkeys(places(cards), 1)


def depth(top_down: str) -> dict[int, int]:
    """The places in the pile or the stock, the top card at 1."""
    return {place: number for number, place in enumerate(places(top_down), start=1)}


def bits(*numbers: int) -> dict[int, int]:
    return dict.fromkeys(numbers, 1)


# Position 1: seat 2 looks on while seat 1, on its right, owes the 7S that seat 0, its partner, discarded.
OWING = {
    "hand": plane("2D 3D 4D 6C 7C 9D QS"),
    "known_right": plane("7S"),
    "declined_partner": plane("JD"),  # seat 0 drew instead of taking it
    "declined_right": plane("JD"),  # seat 1 took what lay above it
    "runs": plane("3S 4S 5S"),
    "laid_us": plane("3S 4S 5S"),
    "owed": plane("7S"),
    "pile": plane("JD"),
    "pile_depth": depth("JD"),
    "points_bits_us": bits(2, 3),  # 12
    "to_move": bits(3),
    "phase": bits(1),
    "dealer": bits(1),  # seat 3
    "hand_size": [7, 7, 4, 8],
    "stock_size": [26],
    "points": [12, 0],
    "score": [128, 128],
    "hand_left": plane("2C 3C 4C 6D 9H QC AD"),
    "hand_partner": plane("KD 9C 2H KC"),
    "hand_right": plane("6S 8C 8D 8H TC TD TH 7S"),
}
# The same from the other three seats.
OWING_ALIKE = {name: OWING[name] for name in ("runs", "owed", "pile", "pile_depth", "phase", "stock_size", "score")}
OWING_FROM_3 = OWING_ALIKE | {
    "hand": OWING["hand_left"],
    "known_partner": plane("7S"),
    "declined_left": plane("JD"),
    "declined_partner": plane("JD"),
    "points_bits_them": bits(2, 3),
    "to_move": bits(2),
    "dealer": bits(0),
    "hand_size": [7, 4, 8, 7],
    "points": [0, 12],
    "hand_left": OWING["hand_partner"],
    "hand_partner": OWING["hand_right"],
    "hand_right": OWING["hand"],
}
OWING_FROM_0 = OWING_ALIKE | {
    "hand": OWING["hand_partner"],
    "known_left": plane("7S"),
    "declined_left": plane("JD"),
    "declined_me": plane("JD"),
    "laid_us": plane("3S 4S 5S"),
    "points_bits_us": bits(2, 3),
    "to_move": bits(1),
    "dealer": bits(3),
    "hand_size": [4, 8, 7, 7],
    "points": [12, 0],
    "hand_left": OWING["hand_right"],
    "hand_partner": OWING["hand"],
    "hand_right": OWING["hand_left"],
}
OWING_FROM_1 = OWING_ALIKE | {
    "hand": OWING["hand_right"],
    "known_me": plane("7S"),
    "declined_right": plane("JD"),
    "declined_me": plane("JD"),
    "points_bits_them": bits(2, 3),
    "to_move": bits(0),
    "dealer": bits(2),
    "hand_size": [8, 7, 7, 4],
    "points": [0, 12],
    "hand_left": OWING["hand"],
    "hand_partner": OWING["hand_left"],
    "hand_right": OWING["hand_partner"],
}
# Position 2: two jokers on top of the pile; seat 0 looks, who discarded the lower one; its partner is to draw.
JOKERS_IN_THE_PILE = {
    "hand": plane("2C 4C 6C 8C TC QC 3D"),
    "declined_left": plane("2S JK"),
    "pile": plane("JK JK 2S"),
    "pile_depth": depth("JK JK 2S"),
    "discarded_me": bits(53),  # the second joker from the top
    "discarded_left": bits(52),
    "to_move": bits(2),
    "phase": bits(0),
    "dealer": bits(3),
    "hand_size": [7, 7, 7, 7],
    "stock_size": [25],
    "score": [128, 128],
    "hand_left": plane("2D 4D 6D 8D TD QD 3H"),
    "hand_partner": plane("JK 2H 4H 6H 8H TH QH"),
    "hand_right": plane("JK 5S 6S 7S 9S TS JS"),
    "declined_me": plane("2S"),
}
# Position 3: the second deal of two; seat 1 has melded four aces, 120; its team lost the first by -107 to 202.
SECOND_DEAL = {
    "hand": plane("TC TD TH TS"),
    "sets": plane("AC AD AH AS"),
    "laid_us": plane("AC AD AH AS"),
    "pile": plane("9C"),
    "pile_depth": depth("9C"),
    "points_bits_us": bits(3, 4, 5, 6),  # 120
    "score_bits_us": bits(0, 1, 2, 4, 6, 7),  # minus; 107 = 1 + 2 + 8 + 32 + 64
    "score_bits_them": bits(2, 4, 7, 8),  # 202 = 2 + 8 + 64 + 128
    "to_move": bits(0),
    "phase": bits(1),
    "dealer": bits(3),  # seat 0
    "out": bits(3),  # seat 0, in the first deal
    "hand_size": [4, 7, 7, 7],
    "stock_size": [26],
    "deal": [1],
    "points": [120, 0],
    "score": [128 - 27, 128 + 50],
    "declined_me": plane("9C"),
    "hand_left": plane("2C 4C 6C 8C 3H 5H 7H"),
    "hand_partner": plane("2D 4D 6D 8D 3S 5S 7S"),
    "hand_right": plane("2H 4H 6H 8H 3C 5C 7C"),
}
# Position 4: the stock is empty, three have passed, and 28 cards lie in the pile, discarded in turn from seat 0 on.
PILE = ["3D"]  # turned up
PILE += [rank + "C" for rank in "5689TJQKA"] + [rank + "D" for rank in "59JQKA"]
PILE += [rank + "H" for rank in "3579JK"] + [rank + "S" for rank in "234567"]
FULL_PILE = {
    "hand": plane("7C 7D 2D 4D 6D 8D TD"),
    **{f"declined_{who}": plane(" ".join(PILE)) for who in ("left", "partner", "right")},
    "pile": plane(" ".join(PILE)),
    "pile_depth": depth(" ".join(reversed(PILE))),
    "discarded_partner": plane(" ".join(PILE[1::4])),  # seat 0
    "discarded_right": plane(" ".join(PILE[2::4])),
    "discarded_me": plane(" ".join(PILE[3::4])),
    "discarded_left": plane(" ".join(PILE[4::4])),
    "to_move": bits(0),
    "phase": bits(0),
    "dealer": bits(1),
    "hand_size": [7, 7, 7, 7],
    "passes": [3],
    "score": [128, 128],
    "hand_left": plane("JK JK JK JK 2C 3C 4C"),
    "hand_partner": plane("2H 4H 6H 8H TH QH AH"),
    "hand_right": plane("8S 9S TS JS QS KS AS"),
    "declined_me": plane(" ".join(PILE[:-1])),  # at its last draw, the 7S that it discarded then
}
# Position 5: over by the first pass of seat 0, who dealt; seat 3 looks. Discards in turn from seat 1 on.
PILE_WITH_JOKERS = "3C " + " ".join(
    [*(f"{rank}C" for rank in "579JK"), *(rank + suit for suit in "DHS" for rank in "3579JK"), *["JK"] * 4]
)
OVER = {
    "hand": plane("2S 4S 6S 8S TS QS AS"),
    "declined_left": plane(PILE_WITH_JOKERS),  # passed with all of it there
    "declined_partner": plane(" ".join(PILE_WITH_JOKERS.split()[:25])),  # drew the 25th card of the stock
    "declined_right": plane(" ".join(PILE_WITH_JOKERS.split()[:26])),
    "pile": plane(PILE_WITH_JOKERS),
    "pile_depth": depth(" ".join(reversed(PILE_WITH_JOKERS.split()))),
    # The last four discards are the jokers, from the top: seats 3, 2, 1, 0.
    "discarded_me": plane("9C 5D KD 9H 5S KS") | bits(52),
    "discarded_right": plane("7C 3D JD 7H 3S JS") | bits(53),
    "discarded_partner": plane("5C KC 9D 5H KH 9S") | bits(54),
    "discarded_left": plane("JC 7D 3H JH 7S") | bits(55),
    "score_bits_us": bits(0, 2, 3, 4, 6, 7),  # minus; 110 = 2 + 4 + 8 + 32 + 64
    "score_bits_them": bits(0, 2, 3, 4, 6, 7),
    "phase": bits(2),
    "dealer": bits(1),
    "rules": [0, 1],
    "hand_size": [7, 7, 7, 7],
    "passes": [1],
    "score": [128 - 28, 128 - 28],
    "hand_left": plane("2C 4C 6C 8C TC QC AC"),
    "hand_partner": plane("2D 4D 6D 8D TD QD AD"),
    "hand_right": plane("2H 4H 6H 8H TH QH AH"),
    "declined_me": plane(" ".join(PILE_WITH_JOKERS.split()[:27])),
}

# Position 6: the first of four deals by both other rules, as it was dealt; the seat left of the dealer looks.
[VARIANT] = read(GOLDEN / "whole_variant.jsonl")
DECK = VARIANT["deals"][0]["deck"]
FIRST_OF_FOUR = {
    "hand": plane(" ".join(DECK[0:28:4])),
    "hand_left": plane(" ".join(DECK[1:28:4])),
    "hand_partner": plane(" ".join(DECK[2:28:4])),
    "hand_right": plane(" ".join(DECK[3:28:4])),
    "pile": plane(DECK[28]),
    "pile_depth": depth(DECK[28]),
    "to_move": bits(0),
    "phase": bits(0),
    "dealer": bits(3),
    "rules": [1, 1],
    "hand_size": [7, 7, 7, 7],
    "stock_size": [27],
    "deals_after": [3],
    "score": [128, 128],
}

POSITIONS: dict[str, tuple[str, int, int, Mapping[str, Values]]] = {
    "owing": ("chain_take", 4, 2, OWING),
    "owing, from seat 3": ("chain_take", 4, 3, OWING_FROM_3),
    "owing, from seat 0": ("chain_take", 4, 0, OWING_FROM_0),
    "owing, from seat 1": ("chain_take", 4, 1, OWING_FROM_1),
    "jokers in the pile": ("take_joker", 4, 0, JOKERS_IN_THE_PILE),
    "second deal": ("two_deals", 5, 1, SECOND_DEAL),
    "full pile": ("stock_empty_take", 57, 2, FULL_PILE),
    "over": ("first_pass", 55, 3, OVER),
    "first of four": ("whole_variant", 0, (VARIANT["deals"][0]["dealer"] + 1) % 4, FIRST_OF_FOUR),
}


def golden(name: str) -> Record:
    [record] = read(GOLDEN / f"{name}.jsonl")
    return record


def test_blocks_are_disjoint_and_cover_the_vectors() -> None:
    for blocks, size, high in ((BLOCKS, SIZE, HIGH), (FULL_BLOCKS, FULL_SIZE, FULL_HIGH)):
        covered = np.zeros(size, dtype=int)
        for block in blocks:
            covered[block.slice] += 1
            assert (high[block.slice] == block.high).all()
        assert (covered == 1).all()
    assert [block.name for block in FULL_BLOCKS[-len(BLOCKS) :]] == [block.name for block in BLOCKS]


@pytest.mark.parametrize("name", POSITIONS)
def test_every_block_is_as_built_by_hand(name: str) -> None:
    game, number, seat, built = POSITIONS[name]
    record = golden(game)
    state = replay(record).states[number : number + 1].copy()
    full = np.zeros(FULL_SIZE, dtype=np.uint8)
    observe_full(state, np.array([seat]), full, 0, 1)
    seen = observe_states(state, np.array([seat]))[0]
    left = int(state["stock_size"][0])
    stock = record["deals"][int(state["deal"][0])]["deck"][56 - left :]
    wanted = {"stock_depth": depth(" ".join(stock)), **built}
    assert not set(wanted) - set(FULL_BLOCK)
    for block in FULL_BLOCKS:
        values = wanted.get(block.name, {})
        expected = np.zeros(block.length, dtype=int)
        for place, value in values.items() if isinstance(values, Mapping) else enumerate(values):
            expected[place] = value
        assert full[block.slice].tolist() == expected.tolist(), block.name
        if block.name in BLOCK:
            assert seen[BLOCK[block.name].slice].tolist() == expected.tolist(), block.name


def test_the_positions_together_fill_every_block() -> None:
    filled = {name for _, _, _, built in POSITIONS.values() for name, values in built.items() if values}
    assert filled | {"stock_depth"} == set(FULL_BLOCK)
