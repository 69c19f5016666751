"""Compiling every kernel that the faces call, by calling each once on a tiny batch."""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..observation import SIZE
from ..rules import NUM_SEATS
from ..state import STATE
from . import batch
from .deal import ANY_DEALER
from .legal import WORDS


def compile_all() -> None:
    """Play one decision of one game through every kernel of ``batch``."""
    games = np.zeros(1, dtype=STATE)
    games["deals"] = 1
    final, legal = games.copy(), np.zeros((1, WORDS), dtype=np.uint64)
    done, terminated, truncated = (np.zeros(1, dtype=bool) for _ in range(3))
    observation, mask = np.zeros(SIZE, dtype=np.uint8), np.zeros(NUM_ACTIONS, dtype=np.int8)
    seat, dealers = np.zeros(1, dtype=np.int8), np.full(1, ANY_DEALER, dtype=np.int8)
    reward, actions = np.zeros((1, NUM_SEATS), dtype=np.float32), np.zeros(1, dtype=np.int64)
    shown = (legal, observation, mask, seat)
    batch.reset(games, ~done, np.zeros(1, dtype=np.uint64), True, dealers, 0, 1)
    batch.show_all(games, *shown, 0, 1)
    batch.sample(games, legal, actions, 0, 1)
    batch.pick(legal, np.zeros(1), actions, 0, 1)
    batch.first_illegal(games, actions, legal, 0, 1)
    batch.step(
        games, actions, legal, final, done, observation, mask, seat, reward, terminated, truncated,
        batch.MARGIN_DENSE, batch.SAME_STEP, 0, 0, 1,
    )  # fmt: skip
    batch.observe_seats(games, seat, observation, 0, 1)
    batch.legal_words(games, legal, 0, 1)
