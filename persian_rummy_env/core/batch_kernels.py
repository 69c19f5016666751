"""The compiled functions of the environments: each is one loop over games.

Arrays by lane: ``games`` (n,) STATE, ``legal`` (n, WORDS) uint64, ``observation`` flat uint8 of n rows of ``SIZE``,
``mask`` flat int8 of n rows of ``NUM_ACTIONS``, ``bits`` flat uint64 of n rows of ``observation_bits.WORDS``,
``seat`` (n,) int8, ``reward`` (n, 4) float32, flags (n,) bool.
All functions work on lanes ``start <= lane < stop``, so that threads can share a batch. Lanes are independent.
"""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import OVER
from .apply import apply
from .compiler.jit import compiled
from .deal import ANY_DEALER, start_episode
from .legal import legal_actions
from .masks import WORDS, count_legal, is_legal, nth_legal, unpack_row
from .observe import observe
from .observe_bits import observe_bits
from .rng import sample_below, seed_game
from .score import margin

NO_SEAT = -1

SAME_STEP, NEXT_STEP, DISABLED = 0, 1, 2
MARGIN_DENSE, MARGIN_END, WIN = 0, 1, 2
MARGIN_SCALE = 100.0
TILE = 64
"""Lanes that are played, then get their legal actions, then their observations. One loop for all three took 1.05 times
as long at n = 256 and 1,024, and 1.13 times at 4,096. Tiles of 32 and 128 lanes were as fast."""


@compiled
def write_outputs(games, legal, observation, mask, bits, seat, start, stop):
    """Write mask, observation and seat to move of lanes. A lane that waits for a reset has the last observation of the
    seat that moved last, an empty mask, and the seat -1.

    If ``bits`` is not empty, the observation is written there, and ``observation`` and ``mask`` are not written."""
    for lane in range(start, stop):
        game = games[lane]
        if game["ended"]:
            for word in range(WORDS):
                legal[lane, word] = np.uint64(0)
            seat[lane] = NO_SEAT
        else:
            legal_actions(game, legal, lane)
            seat[lane] = int(game["seat"])
    if len(bits) > 0:
        for lane in range(start, stop):
            observe_bits(games[lane], int(games[lane]["seat"]), bits, lane)
        return
    for lane in range(start, stop):
        unpack_row(legal, lane, mask)
        observe(games[lane], int(games[lane]["seat"]), observation, lane)


@compiled
def reset(games, chosen, seeds, seeded, dealers, start, stop):
    """Start a new episode in the chosen lanes.

    Args:
        chosen: (n,) bool.
        seeds: (n,) uint64, used if ``seeded`` is True; else the lane's generator continues.
        dealers: (n,) int8, a seat or ``ANY_DEALER``.
    """
    for lane in range(start, stop):
        if chosen[lane]:
            if seeded:
                seed_game(games[lane], seeds[lane])
            start_episode(games[lane], int(dealers[lane]))


@compiled
def first_illegal(games, actions, legal, start, stop):
    """The first lane whose action is out of range or illegal, or -1. Waiting lanes are skipped."""
    for lane in range(start, stop):
        action = int(actions[lane])
        legal_here = action >= 0 and action < NUM_ACTIONS and is_legal(legal, lane, action)
        if not legal_here and not games[lane]["ended"]:
            return lane
    return -1


@compiled
def pay(reward, lane, value):
    """Write the rewards by absolute seat: ``value`` for team 0, its negative for team 1."""
    for seat in range(NUM_SEATS):
        reward[lane, seat] = value if seat % NUM_TEAMS == 0 else 0.0 - value  # never -0.0


@compiled
def play(game, action, reward_kind):
    """Play a legal action; returns the reward of team 0."""
    before = margin(game)
    finished = int(game["score"][0]) - int(game["score"][1])
    apply(game, action)
    if reward_kind == MARGIN_DENSE:
        return (margin(game) - before) / MARGIN_SCALE
    if reward_kind == MARGIN_END:
        return (int(game["score"][0]) - int(game["score"][1]) - finished) / MARGIN_SCALE
    if int(game["phase"]) == OVER:
        return float(np.sign(margin(game)))
    return 0.0


@compiled
def step(
    games, actions, legal, own, final, done, observation, mask, bits, seat, reward, terminated, truncated,
    reward_kind, autoreset, max_decisions, start, stop,
):  # fmt: skip
    """Play one decision in every lane. A lane whose episode has ended waits for a reset (DISABLED), or starts the next
    episode; under SAME_STEP this occurs only for a game that was set from outside.

    Args:
        actions: (n,) integers. An illegal action forfeits the episode, unless ``first_illegal`` was called before.
        own: (1,) STATE before any deal, with the rules of the next episodes.
        final: (n,) STATE, receives the last state of the lanes that end in this step (``done``) under SAME_STEP.
        done: (n,) bool, lanes that ended in this step.
        max_decisions: the episode is truncated after this many decisions; 0: never.
    """
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        play_lanes(
            games, actions, legal, own, final, done, reward, terminated, truncated, reward_kind, autoreset,
            max_decisions, first, last,
        )  # fmt: skip
        write_outputs(games, legal, observation, mask, bits, seat, first, last)


@compiled
def play_lanes(
    games, actions, legal, own, final, done, reward, terminated, truncated, reward_kind, autoreset, max_decisions,
    start, stop,
):  # fmt: skip
    """The part of ``step`` before the outputs."""
    for lane in range(start, stop):
        game = games[lane]
        over = False
        cut = False
        value = 0.0
        if game["ended"]:
            if autoreset != DISABLED:
                restart_as(games, lane, own)
        else:
            action = int(actions[lane])
            if action >= 0 and action < NUM_ACTIONS and is_legal(legal, lane, action):
                value = play(game, action, reward_kind)
                over = int(game["phase"]) == OVER
                cut = not over and max_decisions > 0 and int(game["episode_decisions"]) >= max_decisions
            else:
                value = -1.0 if int(game["seat"]) % NUM_TEAMS == 0 else 1.0
                over = True
            if over or cut:
                game["ended"] = 1
                if autoreset == SAME_STEP:
                    final[lane] = game
                    restart_as(games, lane, own)
        terminated[lane] = over
        truncated[lane] = cut
        done[lane] = over or cut
        pay(reward, lane, value)


@compiled
def restart(game):
    """Start the next episode of a lane, without given decks."""
    game["given"] = 0
    start_episode(game, ANY_DEALER)


@compiled
def restart_as(games, lane, own):
    """As ``restart``, with the rules of ``own`` instead of those of the game before. Only its generators continue."""
    game = games[lane]
    low, high, sampling = game["rng"][0], game["rng"][1], game["sample_rng"]
    games[lane] = own[0]
    game["rng"][0] = low
    game["rng"][1] = high
    game["sample_rng"] = sampling
    restart(game)


@compiled
def write_all_outputs(games, legal, observation, mask, bits, seat, start, stop):
    """Write mask, observation and seat of every lane from its state."""
    for first in range(start, stop, TILE):
        write_outputs(games, legal, observation, mask, bits, seat, first, min(first + TILE, stop))


@compiled
def sample(games, legal, actions, start, stop):
    """Draw uniformly among the legal actions, from each lane's sampling stream; 0 in a lane without a legal action."""
    for lane in range(start, stop):
        count = count_legal(legal, lane)
        actions[lane] = nth_legal(legal, lane, sample_below(games[lane], count)) if count > 0 else 0


@compiled
def sample_from(legal, fractions, actions, start, stop):
    """As ``sample``, from given random numbers ``fractions`` (n,) in [0, 1)."""
    for lane in range(start, stop):
        count = count_legal(legal, lane)
        order = min(int(fractions[lane] * count), count - 1)
        actions[lane] = nth_legal(legal, lane, order) if count > 0 else 0


@compiled
def observe_seats(games, seats, observation, start, stop):
    """Write the observation of seat ``seats[lane]`` of each game, whoever is to move."""
    for lane in range(start, stop):
        observe(games[lane], int(seats[lane]), observation, lane)


@compiled
def observe_seats_bits(games, seats, bits, start, stop):
    """As ``observe_seats``, as bits."""
    for lane in range(start, stop):
        observe_bits(games[lane], int(seats[lane]), bits, lane)


@compiled
def legal_words(games, legal, start, stop):
    """Write the packed legal actions of each game."""
    for lane in range(start, stop):
        legal_actions(games[lane], legal, lane)
