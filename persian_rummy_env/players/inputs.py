"""What a network is given of a decision, and its form for compiled loops: lists of what is there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import plain
from ..cards import NUM_CARDS
from ..core import masks, network_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..observation import BLOCKS, HIGH, OTHERS, SIZE

HIDDEN_SIZE = len(OTHERS) * NUM_CARDS
"""Bytes of the other three hands, which only a critic is given: a plane each for left, partner, right."""
VIEW_SIZE = SIZE + HIDDEN_SIZE
"""Bytes of a view: an observation, then the other three hands."""
OTHER_DEALS = ("score_bits_us", "score_bits_them", "out", "deal", "deals_after", "score")
"""Blocks that tell of other deals than the one under way. Where the aim is the margin of each deal they do not matter
and are not read, so that a player that was trained on single deals plays games of several the same way. A network whose
aim is to win games reads them."""


def input_scale(games: bool = False) -> np.ndarray:
    """What each byte of a view is multiplied by: shape (VIEW_SIZE,), float32; 0 for one that is not read.

    Args:
        games: read the blocks of other deals as well.
    """
    scale = np.ones(VIEW_SIZE, dtype=np.float32)
    scale[:SIZE] = 1 / HIGH.astype(np.float32)
    for block in BLOCKS:
        if block.name in OTHER_DEALS and not games:
            scale[block.slice] = 0
    return scale


SCALE, GAME_SCALE = input_scale(), input_scale(games=True)
OF_OTHER_DEALS = np.flatnonzero(SCALE != GAME_SCALE)
"""The bytes of those blocks."""


class SparseInputs(NamedTuple):
    """Decisions as lists, for compiled loops on a CPU.

    Attributes:
        start: (b + 1,) int64, where the list of set bytes of each row begins; ``middle`` (b,): its hidden bytes.
        column, value: int16 and float32, where the set bytes stand and what they are worth.
        actions: (b, most) int16, the legal actions of each row from the left; ``counts`` (b,) int64, how many.
    """

    start: np.ndarray
    middle: np.ndarray
    column: np.ndarray
    value: np.ndarray
    actions: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, view: np.ndarray, legal: np.ndarray, games: bool = False) -> SparseInputs:
        """From views (b, SIZE or VIEW_SIZE) uint8 and packed masks (b, 9) uint64; ``games`` as in ``input_scale``."""
        ensure_compiled("trained networks")
        rows = len(view)
        words = plain(view, np.uint8).view(np.uint32)
        column = np.empty(view.size + 1, dtype=np.int16)
        value = np.empty(view.size + 1, dtype=np.float32)
        start, middle = np.empty(rows + 1, dtype=np.int64), np.empty(rows, dtype=np.int64)
        network_kernels.list_bytes(words, SIZE, GAME_SCALE if games else SCALE, start, middle, column, value)
        legal, counts = plain(legal, np.uint64), np.empty(rows, dtype=np.int64)
        actions = np.zeros((rows, masks.count_rows(legal, counts)), dtype=np.int16)
        masks.list_rows(legal, actions)
        return cls(start, middle, column, value, actions, counts)
