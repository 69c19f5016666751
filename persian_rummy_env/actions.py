"""The 547 action ids (rules R52 to R56): named ranges, notation, and the cards of each action.

An id has the same meaning in every phase. The rows of ``RANGES`` are the ranges in order; all other modules take their
offsets from there.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from .cards import (
    CARD_NAMES,
    CARD_VALUES,
    JOKER,
    JOKER_NAME,
    NUM_JOKERS,
    NUM_KINDS,
    NUM_PLAIN,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    SUITS,
    bits_of,
)


class ActionRange(NamedTuple):
    """A named range of action ids, ``start <= id < stop``. A named tuple, because compiled code can read it."""

    name: str
    start: int
    stop: int
    meaning: str

    @property
    def length(self) -> int:
        return self.stop - self.start


SETS_PER_RANK = 5
"""The four sets of three of a rank, in the order CDH CDS CHS DHS, and the set of four."""
MIN_RUN = 3
RUNS_PER_SUIT = sum(NUM_RANKS - length + 1 for length in range(MIN_RUN, NUM_RANKS + 1))
"""66 runs, ordered by length, then by lowest rank."""

_ROWS = (
    ("draw", 1, "draw the top card of the stock"),
    ("pass", 1, "pass, the stock being empty"),
    ("take", NUM_PLAIN + NUM_JOKERS, "take from the pile, by card; a joker by its order from the top"),
    ("meld_set", NUM_RANKS * SETS_PER_RANK, "meld a set, by rank: CDH, CDS, CHS, DHS, CDHS"),
    ("meld_jokers", 2, "meld three jokers, four jokers"),
    ("meld_run", NUM_SUITS * RUNS_PER_SUIT, "meld a run, by suit, then length, then lowest rank"),
    ("layoff_set", NUM_PLAIN, "lay off on a set, by card"),
    ("layoff_run", NUM_PLAIN, "lay off on a run, by card"),
    ("layoff_joker", 1, "lay off a joker on the set of jokers"),
    ("discard", NUM_KINDS, "discard, by card"),
)


def _ranges() -> tuple[ActionRange, ...]:
    ranges, start = [], 0
    for name, length, meaning in _ROWS:
        ranges.append(ActionRange(name, start, start + length, meaning))
        start += length
    return tuple(ranges)


RANGES = _ranges()
DRAW, PASS, TAKE, MELD_SET, MELD_JOKERS, MELD_RUN, LAYOFF_SET, LAYOFF_RUN, LAYOFF_JOKER, DISCARD = RANGES
NUM_ACTIONS = DISCARD.stop
"""547."""

NONE, QUAD, QUAD_OF_JACKS = 0, 1, 2


def _build() -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    names: list[str] = ["draw", "pass"]
    names += [f"take {name}" for name in CARD_NAMES[:NUM_PLAIN]]
    names += [f"take {JOKER_NAME}{order}" for order in range(1, NUM_JOKERS + 1)]
    cards = np.zeros(NUM_ACTIONS, dtype=np.uint64)
    quads = np.zeros(NUM_ACTIONS, dtype=np.uint8)

    def meld(verb: str, laid: list[str], suffix: str = "", quad: int = NONE) -> None:
        cards[len(names)] = bits_of(laid)
        quads[len(names)] = quad
        names.append(" ".join((verb, *laid)) + suffix)

    for rank in RANKS:
        for suits in combinations(SUITS, 3):
            meld("meld", [rank + suit for suit in suits])
        meld("meld", [rank + suit for suit in SUITS], quad=QUAD_OF_JACKS if rank == "J" else QUAD)
    meld("meld", [JOKER_NAME] * 3)
    meld("meld", [JOKER_NAME] * 4, quad=QUAD)
    for suit in SUITS:
        for length in range(MIN_RUN, NUM_RANKS + 1):
            for low in range(NUM_RANKS - length + 1):
                meld("meld", [rank + suit for rank in RANKS[low : low + length]])
    for target in ("set", "run"):
        for name in CARD_NAMES[:NUM_PLAIN]:
            meld("layoff", [name], suffix=f" {target}")
    meld("layoff", [JOKER_NAME], suffix=" set")
    for name in CARD_NAMES:
        meld("discard", [name])
    assert len(names) == NUM_ACTIONS == len(set(names))
    return tuple(names), cards, quads


ACTION_NAMES, ACTION_CARDS, ACTION_QUAD = _build()
"""By id: notation; the cards that leave the hand, as ``uint64`` sets (547,); whether the action melds a set of four."""


def _key(text: str) -> tuple[str, ...]:
    """What an action is known by: its words in capitals, a ten as ``T``, the cards of a meld in one order."""
    verb, *rest = text.upper().replace("10", "T").split() or [""]
    return (verb, *sorted(rest))


_ACTION_IDS = {_key(name): action for action, name in enumerate(ACTION_NAMES)}


def _points() -> np.ndarray:
    value = np.array([int(CARD_VALUES[min(bit, JOKER)]) for bit in range(NUM_PLAIN + NUM_JOKERS)])
    bits = (ACTION_CARDS[:, None] >> np.arange(len(value), dtype=np.uint64)) & np.uint64(1)
    points = bits.astype(np.int64) @ value
    points[DISCARD.start :] = 0
    any_rank = points * np.where(ACTION_QUAD != NONE, 2, 1)
    only_jacks = points * np.where(ACTION_QUAD == QUAD_OF_JACKS, 2, 1)
    return np.stack([any_rank, only_jacks]).astype(np.int16)


ACTION_POINTS = _points()
"""Points of each action, (2, 547) int16: row 0 for ``quad_bonus="any"``, row 1 for ``"jacks"``."""


def encode_action(text: str) -> int:
    """The id 0..546 of an action in notation, such as ``"take 7S"`` or ``"meld JS QS KS AS"``.

    Case does not matter, ``10`` is a ten, and the cards of a meld may be in any order.

    >>> encode_action("draw"), encode_action("meld 4D 4H 4S"), encode_action("discard JK")
    (0, 71, 546)
    >>> encode_action("meld 4S 4D 4H"), encode_action("discard 10H") == encode_action("discard TH")
    (71, True)

    Raises:
        ValueError: the text names no action; the message shows the forms.
    """
    action = _ACTION_IDS.get(_key(text)) if isinstance(text, str) else None
    if action is None:
        raise ValueError(
            f"{text!r} is not an action: expected 'draw', 'pass', 'take 7S', 'take JK1', 'meld 4D 4H 4S', "
            "'meld JS QS KS AS', 'layoff 4C set', 'layoff 6S run' or 'discard 9H'"
        )
    return action


def decode_action(action: int) -> str:
    """The notation of an action id.

    >>> decode_action(0), decode_action(71)
    ('draw', 'meld 4D 4H 4S')

    Raises:
        ValueError: the number is not in 0..546.
    """
    if not isinstance(action, int | np.integer) or isinstance(action, bool) or not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"{action!r} is not an action id: expected an integer from 0 to {NUM_ACTIONS - 1}")
    return ACTION_NAMES[action]


def legal_names(action_mask: np.ndarray) -> list[str]:
    """The notation of the legal actions of a mask (547,), ordered by id."""
    return [ACTION_NAMES[action] for action in np.flatnonzero(action_mask)]
