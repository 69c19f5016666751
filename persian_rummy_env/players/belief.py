"""What a seat knows of a game, as a record, and worlds that agree with it."""

from __future__ import annotations

import numpy as np

from ..arrays import plain
from ..core import belief_kernels
from ..core.compile_on_demand import ensure_compiled
from ..state import STATE
from .policy_io import views_of

__all__ = ["sample_worlds", "views_of"]


def sample_worlds(views: np.ndarray, seats: np.ndarray, worlds: int, rng: np.random.Generator) -> np.ndarray:
    """Worlds that agree with all that seats know, every arrangement of the unseen cards equally likely.

    Known cards stay in their hands, hands keep their sizes, the stock is in uniform order.

    Args:
        views: (k,) STATE, of ``views_of`` (or any game: the truth in it is not looked at).
        seats: (k,) who looks.

    Returns:
        (k, worlds) STATE.
    """
    ensure_compiled("search")
    found = np.empty((len(views), worlds), dtype=STATE)
    seeds = rng.integers(0, 2**64, size=found.shape, dtype=np.uint64)
    belief_kernels.sample_worlds(plain(views, STATE), plain(seats, np.int64), seeds, found)
    return found
