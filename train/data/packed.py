"""Lossless compression of rollouts for the network: some 220 bytes a decision instead of 1,300."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from persian_rummy_env.core.compiler.jit import compiled
from persian_rummy_env.core.masks import WORDS, list_legal, pack_lists
from persian_rummy_env.observation import HIGH
from persian_rummy_env.players.inputs import SIZE, VIEW_SIZE

from .rollout import Rollout

WIDTHS = np.array([*(int(high).bit_length() for high in HIGH), *[1] * (VIEW_SIZE - SIZE)], dtype=np.int64)
"""Bits of each byte of a view: the length of its highest value."""
FIRST = np.cumsum(WIDTHS) - WIDTHS
"""Their first bits in a packed view."""
BYTES = -(-int(WIDTHS.sum()) // 8)
COLUMN, SHIFT = np.zeros(8 * BYTES, dtype=np.int16), np.zeros(8 * BYTES, dtype=np.uint8)
"""For each bit of a packed view: the byte of the view and the bit of that byte."""
for _byte, (_first, _width) in enumerate(zip(FIRST, WIDTHS, strict=True)):
    COLUMN[_first : _first + _width] = _byte
    SHIFT[_first : _first + _width] = np.arange(_width)


class Packed(NamedTuple):
    """A packed ``Rollout``.

    Attributes:
        view: (n, BYTES) uint8, the bits of the views.
        choices: (n,) uint16, number of legal actions of each decision.
        legal: (m,) int16, the legal actions of all decisions, in order.
        action, log_p, lane, seat, time, value, advantage, margin, out, length, side: as in ``Rollout``, smaller types.
    """

    view: np.ndarray
    choices: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    log_p: np.ndarray
    lane: np.ndarray
    seat: np.ndarray
    time: np.ndarray
    value: np.ndarray
    advantage: np.ndarray
    margin: np.ndarray
    out: np.ndarray
    length: np.ndarray
    side: np.ndarray

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self)


def pack(rollout: Rollout) -> Packed:
    """The inverse of ``unpack``."""
    view = np.zeros((len(rollout), BYTES), dtype=np.uint8)
    _pack_views(np.ascontiguousarray(rollout.view).view(np.uint32), FIRST, view)
    start = np.empty(len(rollout) + 1, dtype=np.int64)
    legal = np.empty(int(np.bitwise_count(rollout.legal).sum()), dtype=np.int16)
    list_legal(np.ascontiguousarray(rollout.legal), start, legal)
    return Packed(
        view, np.diff(start).astype(np.uint16), legal, rollout.action.astype(np.int16), rollout.log_p,
        rollout.lane.astype(np.int32), rollout.seat.astype(np.int8), rollout.time.astype(np.int16),
        rollout.value, rollout.advantage,
        rollout.margin, rollout.out, rollout.length.astype(np.int16), rollout.side.astype(np.int8),
    )  # fmt: skip


def unpack(packed: Packed) -> Rollout:
    """The rollout that was packed."""
    rows = len(packed.view)
    view, legal = np.zeros((rows, VIEW_SIZE), dtype=np.uint8), np.zeros((rows, WORDS), dtype=np.uint64)
    _unpack_views(packed.view, COLUMN, SHIFT, view)
    pack_lists(packed.choices, packed.legal, legal)
    wide = (column.astype(np.int64) for column in (packed.action, packed.lane, packed.seat, packed.time))
    action, lane, seat, time = wide
    return Rollout(
        view, legal, action, packed.log_p, lane, seat, time, packed.value, packed.advantage,
        packed.margin, packed.out, packed.length.astype(np.int64), packed.side.astype(np.int64),
    )  # fmt: skip


@compiled
def _pack_views(words, first, packed):
    """Write the bits of views; ``words`` (n, VIEW_SIZE / 4) uint32, four bytes each, most of which are 0."""
    for row in range(len(words)):
        for word in range(words.shape[1]):
            left = int(words[row, word])
            column = 4 * word
            while left != 0:
                value, bit = left & 255, first[column]
                while value != 0:
                    if value & 1:
                        packed[row, bit >> 3] |= 1 << (bit & 7)
                    value >>= 1
                    bit += 1
                left >>= 8
                column += 1


@compiled
def _unpack_views(packed, column, shift, view):
    for row in range(len(packed)):
        for place in range(packed.shape[1]):
            left, bit = int(packed[row, place]), 8 * place
            while left != 0:
                if left & 1:
                    view[row, column[bit]] |= 1 << shift[bit]
                left >>= 1
                bit += 1
