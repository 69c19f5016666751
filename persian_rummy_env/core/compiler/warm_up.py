"""Compiles the kernels that are called from outside the core, by one call of each on a tiny batch."""

from __future__ import annotations

import numpy as np

from ... import observation_bits
from ...actions import DRAW, NUM_ACTIONS
from ...observation import FULL_SIZE, SIZE
from ...rules import NUM_SEATS
from ...state import STATE
from .. import (
    agent_kernels,
    arena_kernels,
    batch_kernels,
    belief_kernels,
    bot_kernels,
    check,
    expert,
    gae,
    masks,
    network_kernels,
    replay_kernels,
    search_kernels,
)
from ..masks import WORDS
from ..observe import observe_float, observe_full, observe_full_float
from .intrinsics import PRODUCT_COLUMNS, PRODUCT_ROWS


def new_game() -> np.ndarray:
    games = np.zeros(1, dtype=STATE)
    games["deals"] = 1
    batch_kernels.reset(
        games, np.ones(1, dtype=bool), np.zeros(1, dtype=np.uint64), True, np.zeros(1, dtype=np.int8), 0, 1
    )
    return games


def compile_engine() -> None:
    """Compile the kernels of the environments: one decision of one game."""
    games = new_game()
    final, legal = games.copy(), np.zeros((1, WORDS), dtype=np.uint64)
    done, terminated, truncated = (np.zeros(1, dtype=bool) for _ in range(3))
    observation, mask = np.zeros(SIZE, dtype=np.uint8), np.zeros(NUM_ACTIONS, dtype=np.int8)
    seat = np.zeros(1, dtype=np.int8)
    reward, actions = np.zeros((1, NUM_SEATS), dtype=np.float32), np.zeros(1, dtype=np.int64)
    bits = np.zeros(observation_bits.WORDS, dtype=np.uint64)
    shown = (legal, observation, mask, bits, seat)
    check.first_broken(games, 0, 1)
    batch_kernels.write_all_outputs(games, *shown, 0, 1)
    batch_kernels.sample(games, legal, actions, 0, 1)
    batch_kernels.sample_from(legal, np.zeros(1), actions, 0, 1)
    batch_kernels.first_illegal(games, actions, legal, 0, 1)
    batch_kernels.step(
        games, actions, legal, games.copy(), final, done, observation, mask, bits, seat, reward, terminated, truncated,
        batch_kernels.MARGIN_DENSE, batch_kernels.SAME_STEP, 0, 0, 1,
    )  # fmt: skip
    batch_kernels.observe_seats(games, seat.astype(np.int64), observation, 0, 1)
    batch_kernels.observe_seats_bits(games, seat.astype(np.int64), bits, 0, 1)
    batch_kernels.legal_words(games, legal, 0, 1)
    full = np.zeros(FULL_SIZE, dtype=np.uint8)
    observe_float(games, 0, 0, observation, observation.astype(np.float32))
    observe_full_float(games, full, full.astype(np.float32))
    observe_full(games, seat.astype(np.int64), full, 0, 1)


def compile_matches() -> np.ndarray:
    """Compile the kernels of matches: a game between bots, which is returned.

    This is a separate group, so that a first match need not wait for the slower kernels of the environments."""
    games = new_game()
    lanes, decisions = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    codes = np.full((1, NUM_SEATS), arena_kernels.OUTSIDE, dtype=np.int8)
    observation, legal = np.zeros(SIZE, dtype=np.uint8), np.zeros((1, WORDS), dtype=np.uint64)
    arena_kernels.advance(games, codes, decisions, 0, 1)
    arena_kernels.show_lanes(games, lanes, observation, legal)
    arena_kernels.play_lanes(games, lanes, np.zeros(1, dtype=np.int64))
    codes[:] = bot_kernels.GREEDY
    arena_kernels.advance(games, codes, decisions, 0, 1)
    return games


def compile_bots() -> None:
    """Compile the other kernels of bots: one decision, and a game with recorded actions."""
    games = compile_matches()
    decisions, codes = np.zeros(1, dtype=np.int64), np.full((1, NUM_SEATS), bot_kernels.GREEDY, dtype=np.int8)
    # The game is over: nothing is played, but everything is compiled.
    words, actions = np.zeros((1, WORDS), dtype=np.uint64), np.zeros((1, 1), dtype=np.int16)
    bot_kernels.choose_many(games, words, codes, decisions, 0, 0)
    replay_kernels.play_recorded(games, codes, words, actions, decisions, 0, 1)


def compile_records() -> None:
    """Compile the kernels of records: a game without actions."""
    games = new_game()
    replay_kernels.replay(games, 0, np.zeros(0, dtype=np.int64), np.zeros((1, WORDS), dtype=np.uint64), games.copy())


def compile_search() -> None:
    """Compile the kernels of search: one decision in one world."""
    games = new_game()
    sampled, worlds = games.copy(), games.copy().reshape(1, 1)
    lanes, seats, seeds = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros((1, 1), dtype=np.uint64)
    alive = np.zeros((1, NUM_ACTIONS), dtype=bool)
    total = np.zeros((1, NUM_ACTIONS))
    belief_kernels.views_of(games, lanes, seats, sampled)
    belief_kernels.sample_worlds(sampled, seats, seeds, worlds)
    search_kernels.world_seeds(sampled, np.uint64(0), seeds[0])
    search_kernels.evaluate(sampled, seeds[0], 0, 1, bot_kernels.GREEDY, alive, total, total.copy(), 0, 1)


def compile_prior() -> None:
    """Compile the kernels of the prior ``expert``: one action of one game."""
    row = np.zeros(1, dtype=np.int64)
    expert.features_of(new_game(), row, row + DRAW.start, np.empty((1, expert.NUM_FEATURES)))


def compile_agent() -> None:
    """Compile the kernels of the Gymnasium environments: one step of one game."""
    games = new_game()
    flag, number = np.zeros(1, dtype=bool), np.zeros(1, dtype=np.int64)
    base_seat, seat = np.zeros(1, dtype=np.int8), np.zeros(1, dtype=np.int8)
    legal, mask = np.zeros((1, WORDS), dtype=np.uint64), np.zeros(NUM_ACTIONS, dtype=np.int8)
    raw, observation = np.zeros(SIZE, dtype=np.uint8), np.zeros((1, SIZE), dtype=np.float32)
    seat_codes = np.array([agent_kernels.AGENT, 0, 0, 0], dtype=np.int8)
    agent_kernels.begin(games, flag, base_seat, np.zeros(1, dtype=np.uint64), True, True, flag, number, number, 0, 1)
    agent_kernels.decide(games, number, legal, base_seat, True, flag, number, number, flag, flag.copy(), True, 0, 1)
    skips_forced = np.zeros(NUM_SEATS, dtype=bool)
    agent_kernels.play_others(games, seat_codes, skips_forced, base_seat, True, flag.copy(), number, number, 0, 0, 1)
    agent_kernels.pay(
        games, base_seat, True, flag, number, flag, flag, games.copy(), seat, seat, flag, np.zeros(1), flag, flag,
        batch_kernels.MARGIN_DENSE, batch_kernels.SAME_STEP, 0, 1,
    )  # fmt: skip
    agent_kernels.write_outputs(games, legal, mask, seat, raw, observation, True, 0, 1)
    agent_kernels.waiting_for(games, seat_codes, base_seat, flag, number, number.copy())


def compile_advantages() -> None:
    """What training calls, with values in either precision: one decision."""
    number, amount = np.zeros(1, dtype=np.int64), np.zeros(1)
    for value in (amount, amount.astype(np.float32)):
        gae.advantages(number, number, value, amount, amount, amount, 1.0, 1.0)


def compile_networks() -> None:
    """What trained networks call: one decision with one legal action, by a network of one feature."""
    view, scale = np.ones((1, SIZE), dtype=np.uint8), np.ones(SIZE, dtype=np.float32)
    start, middle, counts = np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    column, value = np.zeros(SIZE + 1, dtype=np.int16), np.zeros(SIZE + 1, dtype=np.float32)
    network_kernels.list_bytes(view, SIZE, scale, start, middle, column, value)
    legal, actions = np.zeros((1, WORDS), dtype=np.uint64), np.zeros((1, 1), dtype=np.int16)
    legal[0, 0] = 1
    masks.count_rows(legal, counts)
    masks.list_rows(legal, actions)
    row, weight, features = (np.zeros(shape, dtype=np.float32) for shape in (1, (SIZE, 1), (1, 1)))
    network_kernels.first_layer(start, middle, column, value, weight, row, features)
    network_kernels.norm_gelu(features, row, row, features.copy())
    tile = np.zeros((PRODUCT_ROWS, PRODUCT_COLUMNS), dtype=np.float32)
    network_kernels.add_dense(tile, network_kernels.panels(tile[:1, :1]), tile[0], tile.copy())
    network_kernels.last_layer(features, weight, np.zeros(SIZE, dtype=np.float32), actions, counts, features.copy())
    network_kernels.draw(actions, counts, features, np.zeros(1), counts.copy(), row)
    network_kernels.likeliest(actions, counts, features, counts.copy(), row)


KERNEL_GROUPS = {
    "game engine": compile_engine,
    "match loop": compile_matches,
    "scripted players": compile_bots,
    "games of an agent": compile_agent,
    "game records": compile_records,
    "search": compile_search,
    "prior of search": compile_prior,
    "trained networks": compile_networks,
    "advantages": compile_advantages,
}
"""The groups of kernels that are compiled together, by name."""
