"""What a seat knows of a game, as a record, and worlds that agree with it."""

from __future__ import annotations

import numpy as np

from persian_rummy_env.core import belief
from persian_rummy_env.core.notice import ensure_compiled
from persian_rummy_env.state import STATE


def views_of(games: np.ndarray, lanes: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Games as seats know them: (k,) STATE in which the cards a seat does not see lie in the order of their index.

    Whatever the truth is, what looks alike to the seat gives the same record, so that a search which is handed this
    cannot cheat. Hand sizes, known cards and everything public are as they were.

    Args:
        games: (n,) STATE; lanes: (k,) which of them; seats: (k,) who looks.
    """
    ensure_compiled("search")
    views = np.empty(len(lanes), dtype=STATE)
    belief.views_of(games, lanes.astype(np.int64), seats.astype(np.int64), views)
    return views


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
    belief.sample_worlds(np.ascontiguousarray(views), seats.astype(np.int64), seeds, found)
    return found
