"""Suit symmetry: the rules do not change if the suits are permuted.

An order ``o`` of ``ORDERS`` renames suit ``s`` to ``ORDERS[o][s]``. The arrays below permute views and actions, and are
computed from the blocks of the observation and the cards of the actions.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numba import njit

from persian_rummy_env.actions import ACTION_CARDS, NUM_ACTIONS, RANGES, TAKE
from persian_rummy_env.cards import NUM_CARDS, NUM_KINDS, NUM_PLAIN, NUM_RANKS, NUM_SUITS
from persian_rummy_env.core.compiler.intrinsics import lowest
from persian_rummy_env.observation import BLOCKS
from persian_rummy_env.players.inputs import SIZE, VIEW_SIZE

ORDERS = np.array(list(permutations(range(NUM_SUITS))), dtype=np.int64)
NUM_ORDERS = len(ORDERS)
"""24; order 0 is the identity."""
CARD_BLOCKS = (NUM_CARDS, NUM_PLAIN, NUM_KINDS)
"""Lengths of the blocks that hold a place for each card; no other block has one of these."""


def _renamed(order: np.ndarray, card: int) -> int:
    return int(order[card // NUM_RANKS]) * NUM_RANKS + card % NUM_RANKS if card < NUM_PLAIN else card


def _renamed_bits(order: np.ndarray, bits: int) -> int:
    return sum(1 << _renamed(order, card) for card in range(NUM_CARDS) if bits >> card & 1)


def _columns() -> np.ndarray:
    starts = [block.offset for block in BLOCKS if block.length in CARD_BLOCKS] + list(range(SIZE, VIEW_SIZE, NUM_CARDS))
    columns = np.tile(np.arange(VIEW_SIZE), (NUM_ORDERS, 1))
    for row, order in enumerate(ORDERS):
        for start in starts:
            for card in range(NUM_PLAIN):
                columns[row, start + _renamed(order, card)] = start + card
    return columns


def _actions() -> np.ndarray:
    where = {(r.name, int(ACTION_CARDS[action])): action for r in RANGES for action in range(r.start, r.stop)}
    actions = np.tile(np.arange(NUM_ACTIONS), (NUM_ORDERS, 1))
    for row, order in enumerate(ORDERS):
        for card in range(NUM_PLAIN):
            actions[row, TAKE.start + card] = TAKE.start + _renamed(order, card)
        for r in RANGES:
            for action in range(r.start, r.stop):
                if ACTION_CARDS[action]:
                    actions[row, action] = where[r.name, _renamed_bits(order, int(ACTION_CARDS[action]))]
    return actions


COLUMNS = _columns()
"""(24, VIEW_SIZE): in the new order, column ``j`` is column ``COLUMNS[o, j]`` of the old."""
ACTIONS = _actions()
"""(24, 547): action ``a`` of the old order is ``ACTIONS[o, a]`` in the new."""
BACK = np.argsort(ACTIONS, axis=1)
"""(24, 547): the inverse of ``ACTIONS``."""


@njit(cache=True, nogil=True)
def _reorder(view, legal, order, columns, actions, new_view, new_legal):
    for r in range(len(order)):
        for column in range(view.shape[1]):
            new_view[r, column] = view[r, columns[order[r], column]]
        new_legal[r] = np.uint64(0)
        for word in range(legal.shape[1]):
            bits = legal[r, word]
            while bits != 0:
                action = actions[order[r], 64 * word + lowest(bits)]
                new_legal[r, action // 64] |= np.uint64(1) << np.uint64(action % 64)
                bits &= bits - np.uint64(1)


def reorder(view: np.ndarray, legal: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Views (k, SIZE or VIEW_SIZE) uint8 and packed masks (k, 9) uint64, with the suits of row ``i`` permuted by
    ``order[i]``; ``order``: (k,) int64 in [0, 24)."""
    new_view, new_legal = np.empty_like(view), np.empty_like(legal)
    _reorder(view, legal, order, COLUMNS, ACTIONS, new_view, new_legal)
    return new_view, new_legal
