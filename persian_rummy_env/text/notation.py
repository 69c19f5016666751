"""How cards and actions are written: in the standard notation, or renamed by a seed.

A language model can know the game from what it has read. A renamed notation keeps the game and changes the symbols, so
that a player must follow the rules that the prompt states.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..actions import ACTION_NAMES
from ..cards import CARD_NAMES, JOKER, JOKER_NAME, NUM_JOKERS, NUM_PLAIN, NUM_RANKS, RANKS, SUITS
from ..seeds import game_seed

RENAMED_RANKS = "BCDFGHKLMNPQRSTVW"
"""Letters that stand for ranks; none reads as a number, and ``XX`` stays free for the joker."""
RENAMED_SUITS = "1234"
RENAMED_JOKER = "XX"


class Notation:
    """The names of cards and actions.

    >>> Notation().cards[44], Notation().actions[71]
    ('7S', 'meld 4D 4H 4S')

    Args:
        seed: None for the standard notation; 0..2**64 - 1 draws other symbols for ranks and suits. The order of the
            ranks and the values stay.

    Attributes:
        seed: as given.
        ranks: 13 symbols of one character, low to high.
        suits: 4 symbols of one character, in the order of the card indices.
        joker: the name of every joker.
        cards: names by bit of a set of cards, 56; bits 52 to 55 are jokers.

    Raises:
        ValueError, TypeError: no such seed.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = None if seed is None else int(game_seed(seed))
        self.ranks, self.suits, self.joker = RANKS, SUITS, JOKER_NAME
        if self.seed is not None:
            rng = np.random.default_rng(self.seed)
            self.ranks = "".join(rng.permutation(list(RENAMED_RANKS))[:NUM_RANKS])
            self.suits = "".join(rng.permutation(list(RENAMED_SUITS)))
            self.joker = RENAMED_JOKER
        plain = [rank + suit for suit in self.suits for rank in self.ranks]
        self.cards: tuple[str, ...] = (*plain, *[self.joker] * NUM_JOKERS)

    def names(self, bits: int) -> list[str]:
        """The names of a set of cards (one bit a card, see ``cards``), by index, jokers last."""
        names, cards = [], self.cards
        while bits:
            low = bits & -bits
            names.append(cards[low.bit_length() - 1])
            bits ^= low
        return names

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The names of the 547 actions, by id."""
        words = dict(zip(CARD_NAMES, self.cards, strict=False))
        words |= {f"{JOKER_NAME}{order}": f"{self.joker}{order}" for order in range(1, NUM_JOKERS + 1)}
        return tuple(" ".join(words.get(word, word) for word in name.split()) for name in ACTION_NAMES)

    @cached_property
    def card_index(self) -> dict[str, int]:
        """The index 0..52 of a card, by its name."""
        return {name: min(bit, JOKER) for bit, name in enumerate(self.cards)}

    @cached_property
    def action_ids(self) -> dict[tuple[str, ...], int]:
        """The id of an action, by the words of its name; the cards of a meld are sorted as text."""
        ids = {}
        for action, name in enumerate(self.actions):
            verb, *rest = name.split()
            ids[(verb, *(sorted(rest) if verb == "meld" else rest))] = action
        return ids


STANDARD = Notation()
"""The notation of the rules and of game records."""
assert STANDARD.actions == ACTION_NAMES
assert len(CARD_NAMES) == NUM_PLAIN + 1
