"""The random generators in the record of a game.

Decks and dealers come from xoroshiro128++ (Blackman and Vigna 2021), seeded from the game's 64-bit seed through
splitmix64 as its authors advise. Sampled actions and bots use a separate splitmix64, so that play never changes the
deals.
"""

from __future__ import annotations

import numpy as np

from .compiler.jit import compiled, compiled_modular

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX1 = np.uint64(0xBF58476D1CE4E5B9)
MIX2 = np.uint64(0x94D049BB133111EB)
SAMPLING = np.uint64(0x5851F42D4C957F2D)
"""Makes the sampling stream of a seed differ from its deal stream."""
U17, U21, U27, U28, U30, U31, U32, U36, U43, U49, U64 = (
    np.uint64(number) for number in (17, 21, 27, 28, 30, 31, 32, 36, 43, 49, 64)
)
ZERO = np.uint64(0)
LOW32 = np.uint64(0xFFFFFFFF)


@compiled_modular
def mixed(x):
    """The finaliser of splitmix64."""
    x = (x ^ (x >> U30)) * MIX1
    x = (x ^ (x >> U27)) * MIX2
    return x ^ (x >> U31)


@compiled_modular
def seed_game(game, seed):
    """Start both generators of a game from a 64-bit seed."""
    game["rng"][0] = mixed(seed + GOLDEN)
    game["rng"][1] = mixed(seed + GOLDEN + GOLDEN)
    game["sample_rng"] = mixed(seed ^ SAMPLING)


@compiled_modular
def next_bits(game):
    """The next 64 bits of the game's deal stream."""
    a = game["rng"][0]
    b = game["rng"][1]
    total = a + b
    drawn = ((total << U17) | (total >> (U64 - U17))) + a
    b ^= a
    game["rng"][0] = ((a << U49) | (a >> (U64 - U49))) ^ b ^ (b << U21)
    game["rng"][1] = (b << U28) | (b >> (U64 - U28))
    return drawn


@compiled
def scaled(bits32, count):
    """A number below ``count`` from 32 random bits; its bias, below count / 2**32, is negligible."""
    return int(np.int64((np.uint64(bits32) * np.uint64(count)) >> U32))


@compiled_modular
def sample_below(game, count):
    """A number in 0..count-1 from the game's sampling stream."""
    game["sample_rng"] = game["sample_rng"] + GOLDEN
    return scaled(mixed(game["sample_rng"]) >> U32, count)


@compiled_modular
def next_below(game, count):
    """An exactly uniform number in 0..count-1 from the deal stream: Lemire's multiplication with rejection (2019).

    A generator of zeros returns only zeros, which would be rejected forever, so it is started from seed 0 here. (No
    seed leads to zeros, but an infostate and a game that was never dealt have them.)
    """
    size = np.uint64(count)
    product = (next_bits(game) >> U32) * size
    if (product & LOW32) < size:
        if game["rng"][0] | game["rng"][1] == ZERO:
            game["rng"][0] = mixed(GOLDEN)
            game["rng"][1] = mixed(GOLDEN + GOLDEN)
            product = (next_bits(game) >> U32) * size
        threshold = (LOW32 + np.uint64(1) - size) % size
        while (product & LOW32) < threshold:
            product = (next_bits(game) >> U32) * size
    return int(np.int64(product >> U32))  # numba: int(uint64) would stay unsigned
