"""The observation as bits: 21 words of 64 bits instead of 1,020 bytes.

``PersianRummyVecEnv(observation="bits")`` returns rows of this form. ``unpack`` makes the bytes of
``observation.BLOCKS`` of them, ``adapters.tensor_bits`` does so with PyTorch on any device. Nothing is lost.

Word ``PLANES[name]`` holds the block of that name: its place ``i`` is bit ``i``. Five words from ``DEPTH`` hold the
bits of ``pile_depth``, the lowest first. Word ``FLAGS`` holds the blocks from ``points_bits_us`` to ``rules``. The
eight highest bits of the other words hold the numbers of ``NUMBERS``, one a word, then ``OWED`` and the later rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .actions import NUM_ACTIONS
from .arrays import shown
from .observation import BLOCK, BLOCKS, LATER_RULES, SIZE

DEPTH_BITS = int(BLOCK["pile_depth"].high).bit_length()
_NAMES = (
    "hand", "known_left", "known_partner", "known_right", "declined_left", "declined_partner", "declined_right",
    "sets", "runs", "laid_us", "pile", "discarded_me", "discarded_left", "discarded_partner", "discarded_right",
)  # fmt: skip
PLANES = {name: word for word, name in enumerate(_NAMES)}
"""The word of each block of cards."""
DEPTH = len(PLANES)
"""The first of the ``DEPTH_BITS`` words of ``pile_depth``."""
FLAGS = DEPTH + DEPTH_BITS
"""The word of the blocks of single bits."""
WORDS = FLAGS + 1
"""Words of an observation."""
NUMBERS = (
    *(("hand_size", place) for place in range(BLOCK["hand_size"].length)),
    *(("stock_size", 0), ("passes", 0), ("deal", 0), ("deals_after", 0)),
    *(("points", 0), ("points", 1), ("score", 0), ("score", 1)),
)
"""The block and the place in it of the number in each word, from word 0."""
OWED = len(NUMBERS)
"""The word whose number is the card of the block ``owed`` plus 1; 0: no card is owed."""
LATER = OWED + 1
"""The word of the first later rule, whose code is the number; the others follow."""
NUMBER = 56
"""The first of the bits of a number in its word."""
MASK_WORDS = -(-NUM_ACTIONS // 64)
"""Words of a packed action mask."""

_FLAG_BLOCKS = [block for block in BLOCKS if BLOCK["points_bits_us"].offset <= block.offset < BLOCK["hand_size"].offset]
assert LATER + len(LATER_RULES) <= FLAGS, "every number needs a word of its own, beside the word of flags"
assert BLOCK["pile_depth"].length <= NUMBER


def _columns() -> np.ndarray:
    """The bit of each byte of an observation; for a byte that is no single bit, a bit that is always 0."""
    columns = np.full(SIZE, 64 * PLANES["runs"] + BLOCK["runs"].length)
    for name, word in PLANES.items():
        columns[BLOCK[name].slice] = 64 * word + np.arange(BLOCK[name].length)
    for block in _FLAG_BLOCKS:
        columns[block.slice] = 64 * FLAGS + block.offset - _FLAG_BLOCKS[0].offset + np.arange(block.length)
    return columns


COLUMNS = _columns()
_RULES = [(f"rule_{rule.name}", 0) for rule in LATER_RULES]
PLACES = np.array([BLOCK[name].offset + place for name, place in (*NUMBERS, *_RULES)])
NUMBER_BYTES = np.array([8 * word + NUMBER // 8 for word in (*range(OWED), *range(LATER, LATER + len(_RULES)))])
OWED_BYTE = 8 * OWED + NUMBER // 8


def unpack(words: np.ndarray) -> np.ndarray:
    """The bytes of observations in bits.

    Args:
        words: (..., 21) uint64.

    Returns:
        (..., 1020) uint8, as ``observation="bytes"`` has them.

    Raises:
        TypeError, ValueError: no array of that form.
    """
    check_form(words, WORDS, np.uint64, isinstance(words, np.ndarray), "a numpy array")
    raw = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    bits = np.unpackbits(raw, axis=-1, bitorder="little")
    out = bits[..., COLUMNS]
    depth = bits[..., 64 * DEPTH : 64 * FLAGS].reshape(*words.shape[:-1], DEPTH_BITS, 64)
    weights = (1 << np.arange(DEPTH_BITS, dtype=np.uint8))[:, None]
    length = BLOCK["pile_depth"].length
    out[..., BLOCK["pile_depth"].slice] = (depth[..., :length] * weights).sum(axis=-2, dtype=np.uint8)
    out[..., PLACES] = raw[..., NUMBER_BYTES]
    out[..., BLOCK["owed"].slice] = raw[..., OWED_BYTE, None] == np.arange(1, BLOCK["owed"].length + 1)
    return out


def unpack_mask(words: np.ndarray) -> np.ndarray:
    """The bytes of packed action masks.

    Args:
        words: (..., 9) uint64.

    Returns:
        (..., 547) int8, 1 where an action is legal.

    Raises:
        TypeError, ValueError: no array of that form.
    """
    check_form(words, MASK_WORDS, np.uint64, isinstance(words, np.ndarray), "a numpy array")
    raw = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(raw, axis=-1, bitorder="little", count=NUM_ACTIONS).view(np.int8)


def check_form(words: Any, count: int, dtype: Any, kind: bool, what: str) -> None:
    if not kind:
        raise TypeError(f"words={shown(words)}: expected {what} of shape (..., {count}), {dtype}")
    if words.dtype != dtype or words.ndim < 1 or words.shape[-1] != count:
        raise ValueError(f"words: {words.dtype}{list(words.shape)}: expected shape (..., {count}), {dtype}")
