"""Deals by number: whoever plays deal 4711 of a run, in whatever process and beside whatever others, deals the same
cards and draws by the same chance.

A run counts the episodes that it plays. The number of one, with the run's seed, gives the seed of its game; that seed
gives the cards, as in every environment, and here the fraction by which the action of each step is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from persian_rummy_env.core.compiler.jit import compiled_modular
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.rules import NUM_SEATS

from .symmetry import NUM_ORDERS

ACTIONS, SUITS = np.uint64(0x9FB21C651E98DF25), np.uint64(0xC13FA9A902A6328F)
"""Set the streams of a game's actions and orders of suits apart from each other, and from its cards."""
U11, UNIT = np.uint64(11), 2.0**-53


@compiled_modular
def _seeds(base, numbers, seeds):
    for i in range(len(numbers)):
        seeds[i] = mixed(base + GOLDEN * np.uint64(numbers[i] + 1))


@compiled_modular
def _fractions(seeds, stream, time, out):
    for i in range(len(seeds)):
        out[i] = (mixed(mixed(seeds[i] ^ stream) + GOLDEN * np.uint64(time + 1)) >> U11) * UNIT


def game_seeds(seed: int, numbers: np.ndarray) -> np.ndarray:
    """The seeds of the games of episodes (n,) int64 of a run: (n,) uint64."""
    base = np.random.SeedSequence([seed, 0xDEA15]).generate_state(1, np.uint64)[0]
    seeds = np.empty(len(numbers), dtype=np.uint64)
    _seeds(base, numbers, seeds)
    return seeds


def next_deals(updates: int, lanes: Sequence[int]) -> list[np.ndarray]:
    """The numbers of the deals of an update, a part for each collector: int64 arrays of lengths ``lanes``.

    Args:
        updates: made before, with as many deals.
        lanes: deals of each part.
    """
    edges = np.cumsum([updates * sum(lanes), *lanes])
    return [np.arange(start, stop) for start, stop in pairwise(edges)]


def fractions(seeds: np.ndarray, time: int) -> np.ndarray:
    """What the actions of step ``time`` are drawn by in games of these seeds: (k,) float64 in [0, 1)."""
    out = np.empty(len(seeds))
    _fractions(seeds, ACTIONS, time, out)
    return out


def orders(seeds: np.ndarray) -> np.ndarray:
    """The order in which each seat sees the suits (``symmetry.ORDERS``): (n, 4) int64."""
    out = np.empty((NUM_SEATS, len(seeds)))
    for seat in range(NUM_SEATS):
        _fractions(seeds, SUITS, seat, out[seat])
    return (out.T * NUM_ORDERS).astype(np.int64)
