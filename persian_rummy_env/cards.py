"""Cards: names, values, and the bit each card takes in a hand.

A card is an index ``suit * 13 + rank``: suits C D H S are 0..3, ranks 2..A are 0..12 (aces are always high). The four
jokers are the same card for play, so the package has one joker, ``JOKER`` = 52; arguments may also use the ids 53..55.

A set of cards is a ``uint64``: bit ``c`` is card ``c``. Jokers are counted in unary from bit 52 up (two jokers are bits
52 and 53), so that equal hands are equal numbers and a population count still counts cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from .arrays import shown

RANKS = "23456789TJQKA"
SUITS = "CDHS"
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
NUM_PLAIN = NUM_RANKS * NUM_SUITS
"""The cards that are not jokers: 52."""
NUM_JOKERS = 4
NUM_CARDS = NUM_PLAIN + NUM_JOKERS
"""The pack: 56."""
JOKER = NUM_PLAIN
"""The index of every joker: 52."""
NUM_KINDS = NUM_PLAIN + 1
"""Number of distinguishable cards: 53."""
JOKER_NAME = "JK"

CARD_NAMES: tuple[str, ...] = (*(rank + suit for suit in SUITS for rank in RANKS), JOKER_NAME)
"""The 53 names by index: ``2C`` … ``AS``, ``JK``."""
_INDEX = {name: index for index, name in enumerate(CARD_NAMES)}

RANK_VALUES: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15)
JOKER_VALUE = 20
CARD_VALUES = np.array([*RANK_VALUES * NUM_SUITS, JOKER_VALUE], dtype=np.int16)
"""Points by card index, shape (53,), int16."""

Card: TypeAlias = "str | int | np.integer"


def encode_card(name: str) -> int:
    """The index 0..52 of a card in notation (``"7S"``, ``"JK"``).

    >>> encode_card("2C"), encode_card("7S"), encode_card("JK")
    (0, 44, 52)

    Raises:
        ValueError: the text names no card.
    """
    index = _INDEX.get(name) if isinstance(name, str) else None
    if index is None:
        raise ValueError(
            f"{shown(name)} is not a card: expected a rank of {RANKS} and a suit of {SUITS}, such as '7S', or "
            f"'{JOKER_NAME}'"
        )
    return index


def decode_card(card: int) -> str:
    """The notation of a card index; 52..55 are all ``JK``.

    >>> decode_card(44), decode_card(55)
    ('7S', 'JK')

    Raises:
        ValueError: the number is not in 0..55.
    """
    if not isinstance(card, int | np.integer) or isinstance(card, bool) or not 0 <= card < NUM_CARDS:
        raise ValueError(f"{shown(card)} is not a card index: expected an integer from 0 to {NUM_CARDS - 1}")
    return CARD_NAMES[min(int(card), JOKER)]


def card_index(card: Card) -> int:
    """The index 0..52 of a card given in notation or as an id 0..55."""
    return encode_card(card) if isinstance(card, str) else _INDEX[decode_card(card)]  # type: ignore[arg-type]


def parse_deck(deck: Sequence[Card]) -> np.ndarray:
    """The card indices of a whole pack, given in notation or ids: (56,) uint8; all jokers are 52.

    >>> deck = parse_deck(range(56))
    >>> deck.shape, deck.dtype.name, int(deck[55])
    ((56,), 'uint8', 52)

    Raises:
        ValueError: not 56 cards, or a card twice or missing; the message names the cards.
        TypeError: it is not a sequence.
    """
    listed = deck.ndim == 1 if isinstance(deck, np.ndarray) else isinstance(deck, Sequence)
    if not listed or isinstance(deck, str | bytes):
        raise TypeError(f"deck {shown(deck)}: expected a sequence of {NUM_CARDS} cards, in notation or ids")
    cards = [card_index(card) for card in deck]
    count = np.bincount(cards, minlength=NUM_KINDS) if cards else np.zeros(NUM_KINDS, dtype=int)
    wanted = np.ones(NUM_KINDS, dtype=int)
    wanted[JOKER] = NUM_JOKERS
    faults = []
    for word, wrong in (("too often", count > wanted), ("missing", count < wanted)):
        if wrong.any():
            faults.append(f"{word}: {' '.join(CARD_NAMES[index] for index in np.flatnonzero(wrong))}")
    if faults:
        raise ValueError(
            f"a deck holds each of the 52 cards once and JK four times; this one has {len(cards)} cards, "
            + "; ".join(faults)
        )
    return np.array(cards, dtype=np.uint8)


def cards_in(bits: int | np.integer) -> list[str]:
    """The names of the cards of a ``uint64`` set, by index, jokers last."""
    bits = int(bits)
    return [CARD_NAMES[min(index, JOKER)] for index in range(NUM_CARDS) if bits >> index & 1]


def bits_of(cards: Iterable[Card]) -> int:
    """The set of the given cards as a number (jokers in unary from bit 52).

    Raises:
        ValueError: a card twice, or more than four jokers.
    """
    bits = 0
    for card in cards:
        index = card_index(card)
        if index == JOKER:
            while bits >> index & 1:
                index += 1
        if index >= NUM_CARDS or bits >> index & 1:
            raise ValueError(f"{decode_card(min(index, JOKER))} occurs too often in {list(cards)!r}")
        bits |= 1 << index
    return bits
