"""Deals by number: the number of an episode and the seed of the run set its cards and its draws, in any process.

A run counts its episodes. The number of an episode gives the seed of its game. That seed gives the cards, as in every
environment, and here also the fraction by which the action of each step is drawn.
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
"""Constants that separate the streams of actions and of suit orders from each other and from the cards."""
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
    """The seeds (n,) uint64 of the games of episodes ``numbers`` (n,) int64 of a run with this seed."""
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
    """Fractions (k,) float64 in [0, 1) by which the actions of step ``time`` are drawn, for games with ``seeds`` (k,)
    uint64."""
    out = np.empty(len(seeds))
    _fractions(seeds, ACTIONS, time, out)
    return out


def orders(seeds: np.ndarray) -> np.ndarray:
    """The order (n, 4) int64, an index into ``symmetry.ORDERS``, in which each seat sees the suits of games with
    ``seeds`` (n,) uint64."""
    out = np.empty((NUM_SEATS, len(seeds)))
    for seat in range(NUM_SEATS):
        _fractions(seeds, SUITS, seat, out[seat])
    return (out.T * NUM_ORDERS).astype(np.int64)
