"""Seeds: 64 bits for each game, and the seeds of the sub-environments of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .arguments import whole_number
from .arrays import integers, plain

MAX_SEED = 2**64 - 1

MAX_LANES = 2**31 - 1


def game_seed(seed: Any, name: str = "seed") -> np.uint64:
    """Check a seed and convert it to the 64 bits that start the generators of a game.

    Raises:
        TypeError, ValueError: not an integer from 0 to 2**64 - 1.
    """
    return np.uint64(whole_number(name, seed, 0, MAX_SEED, "a whole number from 0 to 2**64 - 1"))


def lane_seeds(seed: int, lanes: int) -> np.ndarray:
    """The seeds of the sub-environments of a batch with one seed: (lanes,) uint64.

    Sub-environment ``i`` plays the game of the seed ``lane_seeds(seed, n)[i]``, for any ``n > i``. The seeds come from
    numpy's ``SeedSequence``, so that batches of neighbouring seeds share no deals.

    >>> lane_seeds(0, 2).tolist()
    [15793235383387715774, 12390638538380655177]

    Raises:
        TypeError, ValueError: an invalid seed or number of sub-environments.
    """
    lanes = whole_number("lanes", lanes, 0, MAX_LANES)
    return np.random.SeedSequence(int(game_seed(seed))).generate_state(lanes, np.uint64)


def seeds_of(seed: Any, lanes: int) -> np.ndarray:
    """The seeds of ``lanes`` sub-environments, (lanes,) uint64, from one seed for the batch or one for each.

    Raises:
        TypeError, ValueError: neither of these; the message names the first invalid seed.
    """
    several = seed.ndim > 0 if isinstance(seed, np.ndarray) else isinstance(seed, Sequence)
    if not several or isinstance(seed, str | bytes):
        one: Any = seed[()] if isinstance(seed, np.ndarray) else seed
        return lane_seeds(one, lanes)
    if len(seed) != lanes:
        raise ValueError(f"seed: {len(seed)} seeds for {lanes} lanes: expected one a lane, or a single number")
    return np.array([game_seed(one, f"seed[{lane}]") for lane, one in enumerate(seed)], dtype=np.uint64)


def seed_array(seeds: Any, name: str = "seeds") -> np.ndarray:
    """Seeds of single games: (n,) uint64, ``plain``.

    Raises:
        TypeError: they are not integers.
        ValueError: another shape, or a negative seed.
    """
    expected = "whole numbers from 0 to 2**64 - 1, (n,)"
    array = integers(name, seeds, expected)
    if array.ndim != 1:
        raise ValueError(f"{name} of shape {array.shape}: expected {expected}")
    if array.dtype.kind == "i" and bool((array < 0).any()):
        raise ValueError(f"{name}[{int((array < 0).argmax())}]={array[(array < 0).argmax()]}: expected {expected}")
    return plain(array, np.uint64)


def fresh_seed() -> int:
    """A seed from the operating system."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
