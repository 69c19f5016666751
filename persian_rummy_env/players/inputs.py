"""The inputs of a network, and their sparse form for compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import plain
from ..cards import NUM_CARDS
from ..core import masks, network_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..observation import BLOCKS, HIGH, OTHERS, SIZE
from ..rules import NUM_SEATS

HIDDEN_SIZE = len(OTHERS) * NUM_CARDS
"""Bytes of the other three hands, which only a critic reads: one plane each for left, partner, right."""
VIEW_SIZE = SIZE + HIDDEN_SIZE
"""Bytes of the critic's input: an observation, then the other three hands."""
OTHER_DEALS = ("score_bits_us", "score_bits_them", "out", "deal", "deals_after", "score")
"""Blocks about other deals of the game. They do not matter for the margin of a deal, so a network with that reward does
not read them: a player trained on single deals then plays games of several deals in the same way. A network that is
rewarded for won games reads them."""


def input_scale(games: bool = False) -> np.ndarray:
    """The factor of each input byte: shape (VIEW_SIZE,), float32; 0 for a byte that is not read.

    Args:
        games: read the blocks of ``OTHER_DEALS`` too.
    """
    scale = np.ones(VIEW_SIZE, dtype=np.float32)
    scale[:SIZE] = 1 / HIGH.astype(np.float32)
    for block in BLOCKS:
        if block.name in OTHER_DEALS and not games:
            scale[block.slice] = 0
    return scale


SCALE, GAME_SCALE = input_scale(), input_scale(games=True)
OF_OTHER_DEALS = np.flatnonzero(SCALE != GAME_SCALE)
"""The columns of the blocks of ``OTHER_DEALS``."""


def write_hidden_hands(hand: np.ndarray, seat: np.ndarray, view: np.ndarray) -> None:
    """Write the other three hands, from the left of ``seat``, into the last ``HIDDEN_SIZE`` columns of ``view``.

    Args:
        hand: (k, 4) uint64 by absolute seat, ``STATE``'s field.
        seat: (k,) integers.
        view: (k, VIEW_SIZE) uint8.
    """
    others = (seat[:, None].astype(np.int64) + np.arange(1, NUM_SEATS)) % NUM_SEATS
    cards = np.take_along_axis(hand, others, axis=1).astype("<u8")
    bits = np.unpackbits(cards.view(np.uint8), axis=1, bitorder="little").reshape(len(seat), len(OTHERS), 64)
    view[:, SIZE:] = bits[:, :, :NUM_CARDS].reshape(len(seat), HIDDEN_SIZE)


class SparseInputs(NamedTuple):
    """Decisions as lists of non-zero inputs and legal actions, for compiled loops on a CPU.

    Attributes:
        start: (b + 1,) int64, the start of the list of each row; ``middle`` (b,): the start of its hidden-hand bytes.
        column, value: int16 and float32, the columns and scaled values of the non-zero bytes.
        actions: (b, most) int16, the legal actions of each row, left-aligned; ``counts`` (b,) int64, their number.
    """

    start: np.ndarray
    middle: np.ndarray
    column: np.ndarray
    value: np.ndarray
    actions: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, view: np.ndarray, legal: np.ndarray, games: bool = False) -> SparseInputs:
        """Build from inputs (b, SIZE or VIEW_SIZE) uint8 and packed masks (b, 9) uint64; ``games`` as in
        ``input_scale``."""
        ensure_compiled("trained networks")
        rows = len(view)
        view = plain(view, np.uint8)
        column = np.empty(view.size + 1, dtype=np.int16)
        value = np.empty(view.size + 1, dtype=np.float32)
        start, middle = np.empty(rows + 1, dtype=np.int64), np.empty(rows, dtype=np.int64)
        network_kernels.list_bytes(view, SIZE, GAME_SCALE if games else SCALE, start, middle, column, value)
        legal, counts = plain(legal, np.uint64), np.empty(rows, dtype=np.int64)
        actions = np.zeros((rows, masks.count_rows(legal, counts)), dtype=np.int16)
        masks.list_rows(legal, actions)
        return cls(start, middle, column, value, actions, counts)
