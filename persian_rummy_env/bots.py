"""The scripted bots by name. They are compiled (``core.bot_kernels``) and read only what their seat sees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import shown
from .core import bot_kernels as compiled_bots
from .rules import NUM_SEATS

BOTS: dict[str, int] = {
    "random": compiled_bots.RANDOM,
    "greedy": compiled_bots.GREEDY,
    "deepest": compiled_bots.DEEPEST,
    "expert": compiled_bots.EXPERT,
}
"""Codes by name, the weakest bot first."""


def bot_codes(names: str | Sequence[str]) -> np.ndarray:
    """The codes of the bots at the four seats, (4,) int8.

    Args:
        names: four names by seat; two names, of team 0 and team 1; or one for all. A string is split at commas.

    Raises:
        ValueError: an unknown name (the message lists the names), or another number of names.
        TypeError: they are not names.
    """
    several = names.split(",") if isinstance(names, str) else names
    listed = several.ndim == 1 if isinstance(several, np.ndarray) else isinstance(several, Sequence)
    if not listed or isinstance(several, bytes):
        raise TypeError(f"bots={shown(names)}: expected one, two (by team) or four (by seat) of {', '.join(BOTS)}")
    given = [name.strip() if isinstance(name, str) else name for name in several]
    unknown = [name for name in given if not isinstance(name, str) or name not in BOTS]
    if unknown:
        raise ValueError(f"unknown bot {', '.join(map(shown, unknown[:NUM_SEATS]))}: known are {', '.join(BOTS)}")
    if len(given) not in (1, 2, NUM_SEATS):
        raise ValueError(f"{len(given)} bots ({', '.join(given)}): expected one, two (by team) or four (by seat)")
    return np.array([BOTS[given[seat % len(given)]] for seat in range(NUM_SEATS)], dtype=np.int8)
