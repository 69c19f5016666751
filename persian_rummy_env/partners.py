"""The draw for partners of people (rule R7 in docs/rules.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .arrays import shown
from .cards import CARD_NAMES, JOKER, JOKER_NAME, NUM_CARDS, NUM_RANKS
from .rules import NUM_SEATS
from .seeds import game_seed


class Draw(NamedTuple):
    """A card drawn by a player, in notation."""

    name: str
    card: str


class Seating(NamedTuple):
    """The result of a draw for partners.

    Attributes:
        names: the players by seat 0..3, partners opposite: the lowest draw at seat 0, the next at seat 2, and of the
            other team the lower at seat 1.
        dealer: the seat of the lowest draw, which deals first: 0.
        rounds: all draws in order. Each player draws in the first round, in the order of the names. Each further round
            is among the players who drew a joker in the round before, if there were several.
    """

    names: tuple[str, str, str, str]
    dealer: int
    rounds: tuple[tuple[Draw, ...], ...]


def draw_for_partners(names: Sequence[str], seed: int) -> Seating:
    """Draw cards for partners and for the first deal.

    Each player draws one card from a shuffled pack: aces are low, jokers high. Equal ranks are broken by suit, clubs
    lowest, then diamonds, hearts, spades; equal jokers by a further draw from the rest of the pack.

    Args:
        names: four different names.
        seed: 0..2**64 - 1; the same seed gives the same cards in all versions of Python and numpy.

    Raises:
        ValueError, TypeError: not four different names, or an invalid seed.
    """
    source = np.random.PCG64(int(game_seed(seed)))
    pack = list(range(NUM_CARDS))

    def next_card() -> int:
        return pack.pop(int(source.random_raw()) * len(pack) >> 64)

    return _seating(_four_names(names), next_card)


def _four_names(names: Sequence[str]) -> tuple[str, ...]:
    several = names.ndim == 1 if isinstance(names, np.ndarray) else isinstance(names, Sequence)
    listed = list(names) if several and not isinstance(names, str | bytes) else []
    if len(listed) != NUM_SEATS or not all(isinstance(name, str) for name in listed) or len(set(listed)) != NUM_SEATS:
        raise ValueError(f"names={shown(names)}: expected {NUM_SEATS} different names")
    return tuple(map(str, listed))


def _strength(card: int) -> tuple[int, int]:
    """The order of a card in the draw: rank with the ace lowest, then suit; all jokers equal, above the rest."""
    if card >= JOKER:
        return NUM_RANKS, 0
    return (card % NUM_RANKS + 1) % NUM_RANKS, card // NUM_RANKS


def _seating(names: tuple[str, ...], next_card: Callable[[], int]) -> Seating:
    """Seat the players by the cards that ``next_card`` returns, ids 0..55."""
    strength: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    rounds: list[tuple[Draw, ...]] = []
    group = names
    while group:
        drawn = []
        for name in group:
            card = next_card()
            strength[name].append(_strength(card))
            drawn.append(Draw(name, CARD_NAMES[min(card, JOKER)]))
        rounds.append(tuple(drawn))
        jokers = tuple(draw.name for draw in drawn if draw.card == JOKER_NAME)
        group = jokers if len(jokers) > 1 else ()
    lowest, second, third, highest = sorted(names, key=strength.__getitem__)
    return Seating((lowest, third, second, highest), 0, tuple(rounds))
