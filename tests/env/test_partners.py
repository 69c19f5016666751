"""The draw for partners, on draws worked out by hand."""

import re
from collections import Counter
from itertools import permutations
from typing import Any

import pytest

from persian_rummy_env import draw_for_partners, encode_card
from persian_rummy_env.partners import Draw, Seating, _seating
from tests.env.play import PACK, scaled

NAMES = ("Ann", "Bob", "Cid", "Dot")


def seating_of(cards: str) -> Seating:
    """The seating by the cards that are drawn one after the other; all of them must be needed."""
    drawn = [encode_card(card) for card in cards.split()]
    result = _seating(NAMES, lambda: drawn.pop(0))
    assert not drawn
    return result


@pytest.mark.rules("R7", "R8", "R9")
@pytest.mark.parametrize(
    ("cards", "names"),
    [
        ("2C 5D 9H KS", ("Ann", "Cid", "Bob", "Dot")),
        ("KS 9H 5D 2C", ("Dot", "Bob", "Cid", "Ann")),
        ("KC AS 2D QH", ("Bob", "Dot", "Cid", "Ann")),  # the ace is lowest
        ("TC 9C JC 8C", ("Dot", "Ann", "Bob", "Cid")),
        ("JK KS AD KC", ("Cid", "Bob", "Dot", "Ann")),  # the joker is highest
        ("7S 7C 7H 7D", ("Bob", "Cid", "Dot", "Ann")),  # clubs, diamonds, hearts, spades
        ("AS AC 2C KD", ("Bob", "Cid", "Ann", "Dot")),
    ],
)
def test_the_two_lowest_are_partners_and_the_lowest_deals(cards: str, names: tuple[str, ...]) -> None:
    result = seating_of(cards)
    assert result.names == names
    assert result.dealer == 0
    assert result.rounds == (tuple(Draw(name, card) for name, card in zip(NAMES, cards.split(), strict=True)),)


@pytest.mark.rules("R9")
@pytest.mark.parametrize(
    ("cards", "names", "rounds"),
    [
        ("JK 5D JK 2S 9C 4C", ("Dot", "Cid", "Bob", "Ann"), [4, 2]),
        ("JK 5D JK 2S 4C 9C", ("Dot", "Ann", "Bob", "Cid"), [4, 2]),
        ("JK JK JK 2S AC 4H 4D", ("Dot", "Cid", "Ann", "Bob"), [4, 3]),
        ("JK JK JK JK 5S 5H 5D 5C", ("Dot", "Bob", "Cid", "Ann"), [4, 4]),
        ("JK JK 3C 4C JK JK 9C 8C", ("Cid", "Bob", "Dot", "Ann"), [4, 2, 2]),
        ("JK JK JK 4C AS JK JK 9C 8C", ("Dot", "Cid", "Ann", "Bob"), [4, 3, 2]),
        ("JK JK 3C 4C JK 8C", ("Cid", "Bob", "Dot", "Ann"), [4, 2]),  # one joker again is no tie
    ],
)
def test_jokers_draw_again_between_themselves(cards: str, names: tuple[str, ...], rounds: list[int]) -> None:
    result = seating_of(cards)
    assert result.names == names
    assert [len(draws) for draws in result.rounds] == rounds
    assert " ".join(draw.card for draws in result.rounds for draw in draws) == cards


def test_further_draws_never_overtake_those_who_drew_no_joker() -> None:
    """Even with the lowest card of all."""
    assert seating_of("JK KS JK KH AC AD").names == ("Dot", "Ann", "Bob", "Cid")


def test_a_seed_fixes_the_draw() -> None:
    drawn = [draw_for_partners(NAMES, seed) for seed in range(20)]
    assert drawn == [draw_for_partners(list(NAMES), seed) for seed in range(20)]
    assert len({seating.rounds for seating in drawn}) == 20
    # Written down once: the same on every machine and with every version.
    assert draw_for_partners(NAMES, 1).rounds == (
        (Draw("Ann", "4H"), Draw("Bob", "JK"), Draw("Cid", "9C"), Draw("Dot", "JK")),
        (Draw("Bob", "6D"), Draw("Dot", "QD")),
    )
    assert draw_for_partners(NAMES, 1).names == ("Ann", "Bob", "Cid", "Dot")


def test_draws_come_from_one_pack_and_every_order_of_players_is_as_likely() -> None:
    number = scaled(12_000, least=1_200)
    orders: Counter[tuple[str, ...]] = Counter()
    first: Counter[str] = Counter()
    for seed in range(number):
        result = draw_for_partners(NAMES, seed)
        cards = [draw.card for draws in result.rounds for draw in draws]
        assert not Counter(cards) - Counter(PACK)
        orders[result.names] += 1
        first[cards[0]] += 1
    wanted = number / 24
    assert set(orders) == set(permutations(NAMES))
    assert sum((count - wanted) ** 2 / wanted for count in orders.values()) < 53  # chi square, 23 degrees, p = 4e-4
    weight = {card: number * count / 56 for card, count in Counter(PACK).items()}
    assert sum((first[card] - weight[card]) ** 2 / weight[card] for card in weight) < 93  # 52 degrees, p = 4e-4


@pytest.mark.parametrize(
    "names",
    ["Anna", ["Ann", "Bob", "Cid"], [*NAMES, "Eve"], ["Ann", "Bob", "Cid", "Ann"], ["Ann", "Bob", "Cid", 4], []],
)
def test_names_that_are_not_four_different_ones_are_refused(names: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"names={names!r}: expected 4 different names")):
        draw_for_partners(names, 1)


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (None, TypeError), (0.5, TypeError)])
def test_seeds_that_are_none_are_refused(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed="):
        draw_for_partners(NAMES, seed)
