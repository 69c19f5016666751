"""The observation: the named blocks of the vector of what a seat sees.

An observation is a flat ``uint8`` vector; ``BLOCKS`` lists its parts in order, and offsets follow from their lengths.
Seats are relative to the seat that observes: me, left (who plays after me), partner, right. A plane of cards has 56
places: the 52 cards by index, then "at least one, two, three, four jokers". In the planes of the pile the last four are
the jokers by their order from the top, as in ``take JK1``.

``as_float`` divides by ``HIGH`` and returns ``float32`` in [0, 1], the numbers of the AEC environment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cards import NUM_CARDS, NUM_KINDS, NUM_PLAIN
from .rules import MAX_DEALS, NUM_SEATS, NUM_TEAMS, PASSES_TO_END, RULE_FIELDS, RuleField
from .state import MAX_PILE, PHASES, STOCK_SIZE

VERSION = 1
"""The version of layout and meaning of the vector; a trained policy of another version does not fit. A rule that is
added later does not raise it: the byte of the rule comes at the end, and is 0 without the rule (``LATER_RULES``)."""

RELATIVE_SEATS = ("me", "left", "partner", "right")
OTHERS = RELATIVE_SEATS[1:]
TEAMS = ("us", "them")
POINT_BITS = 10
SCORE_BITS = 12
SCALED_MAX = 255
SCORE_ZERO = 128
SCORE_STEP = 4
ALIGNMENT = 4
"""The length of an observation is a multiple of this: networks and packed rollouts read four bytes at a time."""
FLAG_BITS = 64
"""The blocks of single bits from ``points_bits_us`` to ``rules`` are written as one word (``core.observe.flags``)."""
_SHOWN = tuple(rule for rule in RULE_FIELDS if rule.shown)
FLAG_RULES, LATER_RULES = _SHOWN[:2], _SHOWN[2:]
"""The two rules with a bit in the block ``rules``; and all later rules, each with its own block ``rule_NAME`` at the
end, which holds the code of the state."""


@dataclass(frozen=True)
class Block:
    """A named part of the vector: ``length`` bytes from ``offset``, each in 0..``high``."""

    name: str
    offset: int
    length: int
    high: int
    owner: str
    meaning: str

    @property
    def stop(self) -> int:
        return self.offset + self.length

    @property
    def slice(self) -> slice:
        return slice(self.offset, self.stop)


_KNOWN = "cards known to be in the hand: taken in public, not yet played"
_DECLINED = "cards left in the pile at the seat's last chance to take them"
_SCORE_BITS = "score of the finished deals: sign (1: negative), then the size, lowest bit first"
_SCORE = "128 + score of the finished deals / 4, rounded down, clipped to 0..255, us and them"


def _later_rules(rules: tuple[RuleField, ...]) -> list[tuple[str, int, int, str, str]]:
    """The blocks of the later rules, and spare bytes for the alignment."""
    rows = [
        (f"rule_{rule.name}", 1, rule.last, "table", f"{rule.name}: {', '.join(map(str, rule.values))} as 0, 1, …")
        for rule in rules
    ]
    spare = -len(rows) % ALIGNMENT
    return [*rows, ("spare", spare, 1, "table", "always 0: room for further rules")] if spare else rows


_ROWS = (
    ("hand", NUM_CARDS, 1, "me", "cards in my hand"),
    *((f"known_{who}", NUM_CARDS, 1, who, _KNOWN) for who in OTHERS),
    *((f"declined_{who}", NUM_CARDS, 1, who, _DECLINED) for who in OTHERS),
    ("sets", NUM_CARDS, 1, "table", "cards that lie in sets"),
    ("runs", NUM_PLAIN, 1, "table", "cards that lie in runs"),
    ("laid_us", NUM_CARDS, 1, "table", "cards on the table that my team laid"),
    ("owed", NUM_KINDS, 1, "table", "the card taken that the seat to move must meld first; 52 is a joker"),
    ("pile", NUM_CARDS, 1, "table", "cards in the discard pile"),
    ("pile_depth", NUM_CARDS, MAX_PILE, "table", "place of a card in the pile, 1 on top; 0: not there"),
    *((f"discarded_{who}", NUM_CARDS, 1, who, "cards of the pile that this seat discarded") for who in RELATIVE_SEATS),
    *((f"points_bits_{who}", POINT_BITS, 1, who, "points laid in this deal, lowest bit first") for who in TEAMS),
    *((f"score_bits_{who}", 1 + SCORE_BITS, 1, who, _SCORE_BITS) for who in TEAMS),
    ("to_move", NUM_SEATS, 1, "table", "the seat to move, one-hot by relative seat; empty once the episode is over"),
    ("phase", len(PHASES), 1, "table", "draw, meld, over: one-hot"),
    ("dealer", NUM_SEATS, 1, "table", "the dealer, one-hot by relative seat"),
    ("out", NUM_SEATS, 1, "table", "who went out in the deal finished last, one-hot by relative seat"),
    ("rules", len(FLAG_RULES), 1, "table", "; ".join(f"{rule.name} is {rule.values[1]!r}" for rule in FLAG_RULES)),
    ("hand_size", NUM_SEATS, NUM_CARDS, "table", "cards in each hand, by relative seat"),
    ("stock_size", 1, STOCK_SIZE, "table", "cards left in the stock"),
    ("passes", 1, PASSES_TO_END, "table", "passes in a row"),
    ("deal", 1, MAX_DEALS - 1, "table", "deals finished before this one"),
    ("deals_after", 1, MAX_DEALS - 1, "table", "deals of the game that follow this one"),
    ("points", NUM_TEAMS, SCALED_MAX, "table", "points laid in this deal by us and them, at most 255"),
    ("score", NUM_TEAMS, SCALED_MAX, "table", _SCORE),
    *_later_rules(LATER_RULES),
)  # fmt: skip

_HIDDEN_ROWS = (
    *((f"hand_{who}", NUM_CARDS, 1, who, "cards in the hand") for who in OTHERS),
    ("known_me", NUM_CARDS, 1, "me", "cards that the others know to be in my hand"),
    ("declined_me", NUM_CARDS, 1, "me", "cards left in the pile at my last chance to take them"),
    ("stock_depth", NUM_CARDS, STOCK_SIZE, "nobody", "place of a card in the stock, 1 is drawn next; 0: not there"),
)


def _blocks(rows: tuple[tuple[str, int, int, str, str], ...]) -> tuple[Block, ...]:
    blocks, offset = [], 0
    for name, length, high, owner, meaning in rows:
        blocks.append(Block(name, offset, length, high, owner, meaning))
        offset += length
    return tuple(blocks)


def _high(blocks: tuple[Block, ...]) -> np.ndarray:
    high = np.concatenate([np.full(block.length, block.high, dtype=np.uint8) for block in blocks])
    high.flags.writeable = False
    return high


BLOCKS = _blocks(_ROWS)
BLOCK = {block.name: block for block in BLOCKS}
SIZE = BLOCKS[-1].stop
"""Bytes of an observation."""
HIGH = _high(BLOCKS)
"""The largest value of each byte, shape (SIZE,), uint8."""

assert SIZE % ALIGNMENT == 0, (
    f"an observation of {SIZE} bytes: make it a multiple of {ALIGNMENT} by spare bytes at the end of _ROWS, since "
    "networks and packed rollouts read so many at a time"
)
assert BLOCK["rules"].stop - BLOCK["points_bits_us"].offset <= FLAG_BITS, (
    f"the blocks from 'points_bits_us' to 'rules' are more than {FLAG_BITS} bits, and core.observe.flags writes them"
    " as one word: put the new block after 'rules', with a line of its own in core.observe.observe_numbers"
)

FULL_BLOCKS = _blocks((*_HIDDEN_ROWS, *_ROWS))
"""The full information, for critics: what the seat cannot see, and then its observation. Never give this to a policy
that plays."""
FULL_BLOCK = {block.name: block for block in FULL_BLOCKS}
FULL_SIZE = FULL_BLOCKS[-1].stop
"""Bytes of the full information."""
FULL_HIGH = _high(FULL_BLOCKS)
"""The largest value of each of its bytes, shape (FULL_SIZE,), uint8."""


def as_float(observation: np.ndarray) -> np.ndarray:
    """Raw observations (..., SIZE) as ``float32`` in [0, 1]: ``float32(raw) / float32(high)``."""
    return observation.astype(np.float32) / HIGH.astype(np.float32)


def blocks_of(observation: np.ndarray) -> dict[str, np.ndarray]:
    """The blocks of observations (..., SIZE) by name, as numpy views of the same memory."""
    if observation.shape[-1] != SIZE:
        raise ValueError(f"observation of shape {observation.shape}: expected the last dimension to be {SIZE}")
    return {block.name: observation[..., block.slice] for block in BLOCKS}
