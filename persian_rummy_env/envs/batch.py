"""A batch of games and its output arrays. Every environment holds one, and only it calls the compiled loop.

It does not check arguments: the environments do.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from itertools import pairwise
from typing import Any

import numpy as np

from ..actions import NUM_ACTIONS
from ..arrays import plain
from ..core import batch_kernels
from ..core.bot_kernels import choose_many
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..observation import SIZE
from ..observation_bits import WORDS as BIT_WORDS
from ..rules import NUM_SEATS
from ..seeds import fresh_seed, lane_seeds
from ..state import STATE, write_rules
from ..state_check import checked_states
from ..system.threads import Threads
from .guard import Guard
from .options import NOT_GIVEN, Deals, Options

MIN_ENVS_PER_CHUNK = 64
"""Below this, handing sub-environments to a thread costs more than playing them."""
CHUNKS_PER_THREAD = 6
NO_BITS = np.empty(0, dtype=np.uint64)


def check_partial_reset(batch: Any, chosen: np.ndarray) -> None:
    """Raise if only some sub-environments are to be reset while others hold no whole game.

    Args:
        batch: a ``GameBatch`` or ``AgentBatch``.
        chosen: (n,) bool.

    Raises:
        ValueError: nothing was dealt yet; the first reset starts every sub-environment.
        RuntimeError: an exception left the games half played.
    """
    if chosen.all():
        return
    if not batch.started:
        raise ValueError("options['reset_mask']: the first reset must start every sub-environment")
    batch.guard.need("reset() of some sub-environments")


def observe_states(states: np.ndarray, seats: np.ndarray, *, bits: bool = False) -> np.ndarray:
    """The observation of seat ``seats[i]`` in game ``states[i]``: (n, 1020) uint8 from (n,) STATE, or (n, 21) uint64 as
    bits."""
    games, seats, count = plain(states, STATE), plain(seats, np.int64), len(states)
    if bits:
        words = np.empty((count, BIT_WORDS), dtype=np.uint64)
        batch_kernels.observe_seats_bits(games, seats, words.reshape(-1), 0, count)
        return words
    observation = np.empty((count, SIZE), dtype=np.uint8)
    batch_kernels.observe_seats(games, seats, observation.reshape(-1), 0, count)
    return observation


class GameBatch:
    """``num_envs`` games: their states, and the observation and mask of each seat to move.

    Attributes:
        games: (n,) STATE.
        own: (1,) STATE before any deal: the rules of every episode that begins in this batch.
        legal: (n, 9) uint64, the packed legal actions.
        observation: (n, 1020) uint8; action_mask: (n, 547) int8; seat: (n,) int8. With ``bits``, ``observation`` is
            (n, 21) uint64 (``observation_bits``) and ``action_mask`` has no rows.
        reward: (n, 4) float32; terminated, truncated, done: (n,) bool.
        final: (n,) STATE, the last state of the sub-environments that are ``done`` and were reset at once.
        guard: marks the games as half played while they change; the environments' methods are ``exclusive``.
    """

    def __init__(
        self, num_envs: int, options: Options, autoreset: int, threads: int = 1, *, bits: bool = False
    ) -> None:
        ensure_compiled("game engine")
        self.num_envs = num_envs
        self.options = options
        self.autoreset = autoreset
        self.threads = threads
        self.bits = bits
        self.started = False
        self.guard = Guard()
        self.games = np.zeros(num_envs, dtype=STATE)
        write_rules(self.games, options.rules, options.deals)
        self.own = self.games[:1].copy()
        self.done = np.zeros(num_envs, dtype=bool)
        self.legal = np.zeros((num_envs, WORDS), dtype=np.uint64)
        self.final = np.zeros(num_envs if autoreset == batch_kernels.SAME_STEP else 0, dtype=STATE)
        self.allocate_output()
        self._chunks = self._split(num_envs, threads)
        self.guard.whole = None
        self._helpers = Threads(max(1, min(threads, len(self._chunks)) - 1), "persian-rummy")

    def allocate_output(self) -> None:
        """Allocate new output arrays; arrays that were returned before are not changed. A ``MemoryError`` changes
        nothing."""
        num_envs = self.num_envs
        observation = np.empty((num_envs, BIT_WORDS), np.uint64) if self.bits else np.empty((num_envs, SIZE), np.uint8)
        action_mask = np.empty((0 if self.bits else num_envs, NUM_ACTIONS), dtype=np.int8)
        seat = np.empty(num_envs, dtype=np.int8)
        reward = np.zeros((num_envs, NUM_SEATS), dtype=np.float32)
        terminated, truncated = np.zeros(num_envs, dtype=bool), np.zeros(num_envs, dtype=bool)
        self.guard.whole = False
        self.observation, self.action_mask, self.seat = observation, action_mask, seat
        self.reward, self.terminated, self.truncated = reward, terminated, truncated

    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The outputs as the kernels take them: bytes of observations and masks, flat, and observations in bits."""
        if self.bits:
            return np.empty(0, dtype=np.uint8), self.action_mask.reshape(-1), self.observation.reshape(-1)
        return self.observation.reshape(-1), self.action_mask.reshape(-1), NO_BITS

    @staticmethod
    def _split(num_envs: int, threads: int) -> list[tuple[int, int]]:
        chunks = max(1, min(CHUNKS_PER_THREAD * threads, num_envs // MIN_ENVS_PER_CHUNK)) if threads > 1 else 1
        edges = [num_envs * chunk // chunks for chunk in range(chunks + 1)]
        return list(pairwise(edges))

    def _over_chunks(self, kernel: Callable[..., Any], *args: Any) -> None:
        """Call a kernel on all sub-environments. Threads take the chunks in turn, because waking a thread takes as long
        as playing hundreds of sub-environments: a thread that wakes late takes fewer chunks."""
        if len(self._chunks) == 1:
            kernel(*args, 0, self.num_envs)
            return
        pool = self._helpers.pool
        chunks = iter(self._chunks)

        def work() -> None:
            for chunk in chunks:  # one iterator for all threads: each chunk is taken once
                kernel(*args, *chunk)

        try:
            waiting: list[Future[Any]] = [pool.submit(work) for _ in range(self._helpers.count)]
            work()
            for future in waiting:
                while not future.done():  # a chunk is shorter than a sleep
                    time.sleep(0)
                future.result()
        except BaseException:
            for _ in chunks:  # no thread begins another
                pass
            self._helpers.close()  # and none is at work when this returns
            raise

    def reset(self, chosen: np.ndarray, seeds: np.ndarray | None, deals: Deals) -> None:
        """Start new episodes in the ``chosen`` sub-environments.

        The caller has called ``check_partial_reset`` before.

        Args:
            chosen: (n,) bool.
            seeds: (n,) uint64, or None to continue the generators.
            deals: dealers and decks.
        """
        assert self.started or chosen.all(), "the first reset starts every sub-environment"
        if seeds is None and not self.started:
            seeds = lane_seeds(fresh_seed(), self.num_envs)
        self.guard.whole = False
        self._clear(chosen)
        self._give_decks(chosen, deals.decks)
        seeded = seeds is not None
        seeds = np.zeros(self.num_envs, dtype=np.uint64) if seeds is None else seeds
        self._over_chunks(batch_kernels.reset, self.games, chosen, seeds, seeded, deals.dealers)
        self.done[chosen] = False
        self.reward[chosen] = 0
        self.terminated[chosen] = False
        self.truncated[chosen] = False
        self.started = True
        self.write_outputs()

    def _clear(self, chosen: np.ndarray) -> None:
        """Reset the records to the rules of this batch, except for their generators."""
        blank = np.repeat(self.own, int(chosen.sum()))
        for name in ("rng", "sample_rng"):
            blank[name] = self.games[name][chosen]
        self.games[chosen] = blank

    def _give_decks(self, chosen: np.ndarray, decks: np.ndarray) -> None:
        given = np.zeros(len(decks), dtype=np.uint8)
        for deal in range(decks.shape[1]):
            given |= (decks[:, deal, 0] != NOT_GIVEN).astype(np.uint8) << deal
        self.games["given"][chosen] = np.broadcast_to(given, self.num_envs)[chosen]
        spread = np.broadcast_to(decks, (self.num_envs, *decks.shape[1:]))
        self.games["decks"][chosen, : decks.shape[1]] = spread[chosen]

    def first_illegal(self, actions: np.ndarray) -> int:
        """The index of the first sub-environment whose action is illegal, or -1."""
        return batch_kernels.first_illegal(self.games, actions, self.legal, 0, self.num_envs)

    def step(self, actions: np.ndarray) -> None:
        """Play ``actions``, (n,) int64. They are legal, except under ``illegal_action="forfeit"``."""
        self.guard.whole = False
        self._over_chunks(
            batch_kernels.step, self.games, actions, self.legal, self.own, self.final, self.done,
            *self._rows(), self.seat,
            self.reward, self.terminated, self.truncated,
            self.options.reward_kind, self.autoreset, self.options.max_decisions or 0,
        )  # fmt: skip

    def write_outputs(self) -> None:
        """Write the output arrays again after the states were changed from outside."""
        self._over_chunks(
            batch_kernels.write_all_outputs, self.games, self.legal,
            *self._rows(), self.seat,
        )  # fmt: skip

    def bot_actions(self, bots: np.ndarray, actions: np.ndarray) -> None:
        """Write the action of each bot that is to move into ``actions``; ``bots`` (n, 4) int8 are codes by seat."""
        ensure_compiled("scripted players")
        choose_many(self.games, self.legal, bots, actions, 0, self.num_envs)

    def sample(self) -> np.ndarray:
        """Uniform legal actions from the sub-environments' own sampling streams: (n,) int64."""
        actions = np.empty(self.num_envs, dtype=np.int64)
        self._over_chunks(batch_kernels.sample, self.games, self.legal, actions)
        return actions

    def sample_from(self, fractions: np.ndarray) -> np.ndarray:
        """As ``sample``, from given random numbers (n,) in [0, 1)."""
        actions = np.empty(self.num_envs, dtype=np.int64)
        self._over_chunks(batch_kernels.sample_from, self.legal, fractions, actions)
        return actions

    def set_games(self, states: Any) -> None:
        """Replace the games by ``states``, (n,) STATE, and write the outputs.

        Raises:
            ValueError: a record is not a game (``state_check``); the games are unchanged.
        """
        self.set_games_unchecked(checked_states(states, self.num_envs))

    def set_games_unchecked(self, states: np.ndarray) -> None:
        """As ``set_games`` without the check, for records that the engine has made."""
        self.allocate_output()
        self.games[:] = states
        self.done[:] = False
        self.started = True
        self.write_outputs()

    def close(self) -> None:
        """End the worker threads."""
        self._helpers.close()
