"""The vector environment: many games at once, one decision of each game per step.

Each sub-environment is an AEC environment: ``agent_selection`` is ``seat``; ``last()`` is its row of ``observation``
and ``action_mask``; ``rewards`` is its row of ``reward``, by absolute seat; ``observe(agent)`` is ``observe(seats)``.
Sub-environment ``i`` plays the AEC game of its seed bit for bit.
"""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..actions import NUM_ACTIONS, decode_action, legal_names
from ..arguments import choice, flag, positive
from ..arrays import as_array, integers, plain, shown, whole_numbers
from ..bots import BOTS
from ..core import batch_kernels, masks
from ..observation_bits import WORDS as BIT_WORDS
from ..observation_bits import unpack_mask
from ..rules import NUM_SEATS, RuleSet, as_rules
from ..seeds import MAX_LANES, game_seed, seeds_of
from .batch import GameBatch, check_partial_reset, observe_states
from .guard import exclusive, mending
from .options import (
    FORMS,
    MAX_THREADS,
    AutoresetName,
    Deals,
    Episode,
    IllegalAction,
    ObservationForm,
    Options,
    Reward,
    RewardTiming,
    Rules,
    autoreset_name,
    reset_mask,
    reset_options,
)

if TYPE_CHECKING:
    import gymnasium

AUTORESET = {
    "SAME_STEP": batch_kernels.SAME_STEP,
    "NEXT_STEP": batch_kernels.NEXT_STEP,
    "DISABLED": batch_kernels.DISABLED,
}


class StepResult(NamedTuple):
    """The outputs of a reset or a step, a row for each sub-environment.

    Attributes:
        observation: (n, 1020) uint8, of the seat to move (``observation.BLOCKS``); with ``observation="bits"``
            (n, 21) uint64 (``observation_bits``).
        action_mask: (n, 547) int8, 1 where that seat may play the action; with ``observation="bits"`` (n, 9) uint64,
            action ``a`` is bit ``a % 64`` of word ``a // 64``.
        seat: (n,) int8, the seat to move, 0..3; -1 in a sub-environment that waits for a reset.
        reward: (n, 4) float32, of this step, by absolute seat; partners have equal rewards and a row sums to 0.
        terminated: (n,) bool, the episode ended in this step.
        truncated: (n,) bool, ``max_decisions`` truncated the episode in this step.
    """

    observation: np.ndarray
    action_mask: np.ndarray
    seat: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class Final(NamedTuple):
    """The last states of the k episodes that ended in the last step.

    Attributes:
        env_index: (k,) int64, the indices of their sub-environments.
        observation: (k, 4, 1020) uint8, the last observation of each seat; with ``observation="bits"`` (k, 4, 21)
            uint64.
        seat: (k,) int8, the seat to move in a truncated episode, the seat that moved last in a terminated one.
        score: (k, 2) int32, the points of the finished deals, by team.
        state: (k,) STATE, the final states.
    """

    env_index: np.ndarray
    observation: np.ndarray
    seat: np.ndarray
    score: np.ndarray
    state: np.ndarray


class PersianRummyVecEnv:
    """``num_envs`` games of Persian Rummy, stepped together by compiled code.

    Before the first ``reset`` or ``set_state`` there is no game, and methods that need one raise ``ResetNeededError``
    (a ``RuntimeError``). The first ``reset`` starts every sub-environment.

    One call at a time: a call that changes games during a call from another thread raises ``RuntimeError``. After an
    exception in the middle of a call (an interrupt, no memory), every method except ``set_state`` and a ``reset`` of
    all sub-environments raises a ``RuntimeError`` that names the exception.

    Args:
        num_envs: number of games (sub-environments), at least 1.
        rules: a ``RuleSet``, a mapping of its fields, or None for the default.
        episode: ``"game"``, all deals of the rule set, or ``"deal"``, one.
        reward: ``"margin"``, (points of the own team - points of the other team) / 100; ``"win"``, +1, -1, or 0 for a
            tie, at the end of the episode.
        reward_timing: ``"dense"``: rewards follow when points are scored; ``"end"``: at the end of each deal.
        illegal_action: ``"raise"``: an error, and no sub-environment changes; ``"forfeit"``: the episode terminates
            with reward -1 for the team of the offender and +1 for the other.
        max_decisions: truncates an episode after this many decisions; None: never.
        autoreset_mode: Gymnasium's autoreset mode, for a sub-environment whose episode has ended. ``"SAME_STEP"``: it
            starts the next episode at once, and ``final`` holds the last state. ``"NEXT_STEP"``: its row has seat -1
            and an empty mask; its next action is ignored and starts the next episode, with reward 0. ``"DISABLED"``: it
            waits for ``reset(options={"reset_mask": …})``.
        observation: ``"bytes"``: observations (n, 1020) uint8 and masks (n, 547) int8. ``"bits"``: the same facts in
            240 bytes a decision, (n, 21) and (n, 9) uint64, which ``persian_rummy_env.observation_bits`` unpacks.
        threads: threads that share the sub-environments of a step.
        copy: True: each call returns new arrays. False: the next step overwrites them.
        seed: the seed of the first ``reset`` without a seed.

    >>> from persian_rummy_env import PersianRummyVecEnv
    >>> envs = PersianRummyVecEnv(8)
    >>> result = envs.reset(seed=1)
    >>> result.observation.shape, result.action_mask.shape
    ((8, 1020), (8, 547))
    >>> result = envs.step(envs.sample_actions())
    >>> result.reward.shape, bool(result.terminated.any())
    ((8, 4), False)

    Raises:
        ValueError, TypeError: an option with an invalid value; the message names the valid ones.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules = None,
        episode: Episode = "game",
        reward: Reward = "margin",
        *,
        reward_timing: RewardTiming = "dense",
        illegal_action: IllegalAction = "raise",
        max_decisions: int | None = None,
        autoreset_mode: AutoresetName | Enum = "SAME_STEP",
        observation: ObservationForm = "bytes",
        threads: int = 1,
        copy: bool = True,
        seed: int | None = None,
    ) -> None:
        self.num_envs = positive("num_envs", num_envs, MAX_LANES)
        self.autoreset_mode = autoreset_name(autoreset_mode)
        self.options = Options(as_rules(rules), episode, reward, reward_timing, illegal_action, max_decisions)
        self.copy = flag("copy", copy)
        self._seed = None if seed is None else int(game_seed(seed))
        self._raises = illegal_action == "raise"
        self._bits = choice("observation", observation, FORMS) == "bits"
        threads = positive("threads", threads, MAX_THREADS)
        autoreset = AUTORESET[self.autoreset_mode]
        self._batch = GameBatch(self.num_envs, self.options, autoreset, threads, bits=self._bits)
        self._guard = self._batch.guard

    @property
    def rules(self) -> RuleSet:
        """The rule set that is played."""
        return self.options.rules

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """The autoreset mode as Gymnasium's ``AutoresetMode`` (its name, before Gymnasium 1.1)."""
        from gymnasium import vector

        modes = getattr(vector, "AutoresetMode", None)
        return {"autoreset_mode": self.autoreset_mode if modes is None else modes[self.autoreset_mode]}

    @cached_property
    def single_observation_space(self) -> gymnasium.spaces.Dict:
        """The space of one row: ``observation`` and ``action_mask`` as ``step`` returns them."""
        from gymnasium import spaces

        from ..observation import HIGH

        if self._bits:
            most = np.iinfo(np.uint64).max
            return spaces.Dict(
                observation=spaces.Box(0, most, (BIT_WORDS,), np.uint64),
                action_mask=spaces.Box(0, most, (masks.WORDS,), np.uint64),
            )
        return spaces.Dict(
            observation=spaces.Box(np.zeros_like(HIGH), HIGH.copy(), dtype=np.uint8),
            action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        )

    @cached_property
    def single_action_space(self) -> gymnasium.spaces.Discrete:
        """``Discrete(547)``."""
        from gymnasium import spaces

        return spaces.Discrete(NUM_ACTIONS)

    @mending
    def reset(
        self, seed: int | Sequence[int] | np.ndarray | None = None, options: Mapping[str, Any] | None = None
    ) -> StepResult:
        """Start new episodes.

        Args:
            seed: one seed for the batch, from which ``lane_seeds`` derives one for each env; or a sequence of one for
                each env; or None to continue the generators (the first time: seeds of the operating system).
            options: ``dealer``, the first dealer, a seat or one for each env; ``decks``, one deck for each deal (56
                cards in notation or ids, dealt from index 0; None draws a deck from the seed), or a list of these for
                each env; ``reset_mask``, (n,) bool, the sub-environments to reset (default all). Other keys are
                ignored.

        Raises:
            ValueError, TypeError: an invalid seed, seat, deck or mask; no sub-environment has changed.
        """
        options = reset_options(options)
        batch = self._batch
        chosen = reset_mask(options, self.num_envs)
        check_partial_reset(batch, chosen)
        deals = Deals.parse(options, self.num_envs, self.options.deals)
        if seed is None and not batch.started:
            seed = self._seed
        seeds = None if seed is None else seeds_of(seed, self.num_envs)
        if self.copy:
            batch.allocate_output()
        batch.reset(chosen, seeds, deals)
        return self._result()

    def step(self, actions: np.ndarray | Sequence[int]) -> StepResult:
        """Play one action in every sub-environment.

        Args:
            actions: (n,) integers, legal for the seat to move; ignored in a sub-environment that waits for a reset.

        Raises:
            RuntimeError: before the first ``reset``.
            TypeError, ValueError: wrong type or shape, or an illegal action under ``illegal_action="raise"``; the
                message names env index, seat, action and the legal actions; no sub-environment has changed.
        """
        guard, batch = self._guard, self._batch
        if guard.inside or not guard.whole:
            guard.refuse("step()")
        guard.inside = True
        try:
            if (
                type(actions) is not np.ndarray
                or actions.dtype != np.int64
                or actions.shape != (self.num_envs,)
                or not actions.flags.carray
            ):
                actions = self._checked_actions(actions)
            if self._raises:
                index = batch.first_illegal(actions)
                if index >= 0:
                    raise ValueError(self._illegal(index, int(actions[index])))
            if self.copy:
                batch.allocate_output()
            batch.step(actions)
            shown = self._result()
            guard.whole = True
            return shown
        except BaseException as error:
            guard.note("step()", error)
            raise
        finally:
            guard.inside = False

    def _checked_actions(self, actions: Any) -> np.ndarray:
        return whole_numbers("actions", actions, self.num_envs, f"integers, shape ({self.num_envs},), one for each env")

    def _illegal(self, index: int, action: int) -> str:
        seat = int(self._batch.games["seat"][index])
        name = repr(decode_action(action)) if 0 <= action < NUM_ACTIONS else "an id outside 0..546"
        legal = ", ".join(legal_names(unpack_mask(self._batch.legal[index])))
        return f"env {index}, seat {seat}: action {action} ({name}) is not legal; legal: {legal}"

    def _result(self) -> StepResult:
        batch = self._batch
        mask = batch.action_mask
        if self._bits:
            mask = batch.legal.copy() if self.copy else batch.legal
        return StepResult(batch.observation, mask, batch.seat, batch.reward, batch.terminated, batch.truncated)

    @exclusive
    def sample_actions(self, rng: np.random.Generator | None = None) -> np.ndarray:
        """Draw legal actions uniformly: (n,) int64, 0 in a sub-environment without a legal action.

        Args:
            rng: source of the draws; None: each sub-environment's own sampling stream, which is separate from its
                deals.
        """
        if rng is None:
            return self._batch.sample()
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng={shown(rng)}: expected a numpy.random.Generator, such as default_rng(1), or None")
        return self._batch.sample_from(rng.random(self.num_envs))

    @exclusive
    def bot_actions(self, bots: np.ndarray, actions: np.ndarray | None = None) -> np.ndarray:
        """The actions of scripted bots where a bot is to move: (n,) int64, a new array.

        Args:
            bots: (n, 4) int8, codes of the bots by seat (``bots.BOTS``); negative at a seat without a bot.
            actions: (n,), the values for the other sub-environments; None: 0.
        """
        expected = f"int8[{self.num_envs}, {NUM_SEATS}] of codes of bots ({BOTS}), or negative where somebody else sits"
        given = as_array("bots", bots, expected)
        if given.dtype != np.int8 or given.shape != (self.num_envs, NUM_SEATS) or given.max() > max(BOTS.values()):
            raise ValueError(f"bots: {given.dtype}{list(given.shape)}: expected {expected}")
        played = np.zeros(self.num_envs, dtype=np.int64)
        if actions is not None:
            played[:] = self._checked_actions(actions)
        self._batch.bot_actions(plain(given, np.int8), played)
        return played

    def observe(self, seats: int | Sequence[int] | np.ndarray) -> np.ndarray:
        """The observation of any seat, whoever is to move: a new array in the form of ``step``.

        Args:
            seats: one seat 0..3 for all sub-environments, or (n,) seats.
        """
        self._guard.need("observe()")
        expected = f"a seat 0..{NUM_SEATS - 1}, or {self.num_envs} of them"
        wanted = integers("seats", seats, expected)
        if wanted.shape not in ((), (self.num_envs,)) or not _are_seats(wanted):
            raise ValueError(f"seats={shown(seats)}: expected {expected}")
        return observe_states(self._batch.games, np.broadcast_to(wanted, self.num_envs), bits=self._bits)

    @property
    def packed_mask(self) -> np.ndarray:
        """The action masks as bits, (n, 9) uint64: action ``a`` is bit ``a % 64`` of word ``a // 64``."""
        self._guard.need("packed_mask")
        return self._batch.legal.copy() if self.copy else self._batch.legal

    @property
    def last_seat(self) -> np.ndarray:
        """(n,) int8, the seat to move; in a sub-environment that waits for a reset, the seat of its last
        observation."""
        self._guard.need("last_seat")
        return self._batch.games["seat"].astype(np.int8)

    @property
    def final(self) -> Final:
        """The last states of the episodes that ended in the last step (under SAME_STEP, before the next one began)."""
        batch = self._batch
        self._guard.need("final")
        ended_envs = np.flatnonzero(batch.done)
        source = batch.final if self.autoreset_mode == "SAME_STEP" else batch.games
        states = source[ended_envs]
        observations = [
            observe_states(states, np.full(len(states), seat), bits=self._bits) for seat in range(NUM_SEATS)
        ]
        return Final(
            ended_envs, np.stack(observations, axis=1), states["seat"].astype(np.int8), states["score"].copy(), states
        )

    def get_state(self) -> np.ndarray:
        """A copy of the games: (n,) ``STATE`` with everything, including hidden cards and generators."""
        self._guard.need("get_state()")
        return self._batch.games.copy()

    @mending
    def set_state(self, states: np.ndarray) -> StepResult:
        """Replace the games, for example by those of ``get_state``, and return their outputs.

        The games keep their own rules and number of deals. The next episode of each sub-environment follows the
        ``rules`` and ``episode`` of this environment again. A game that has ended waits for a reset under
        ``DISABLED``; else the sub-environment's next action is ignored and starts the next episode, with reward 0.

        Args:
            states: (n,) STATE.

        Raises:
            ValueError: another dtype or shape, or a record that is not a game (docs/state.md, "What is a game"). The
                message names env index, field, value and expectation; the games are unchanged.
        """
        self._batch.set_games(states)
        return self._result()

    def clone(self) -> PersianRummyVecEnv:
        """An independent copy with the same states, options and generators."""
        return copying.deepcopy(self)

    def close(self) -> None:
        """End the worker threads."""
        self._batch.close()


def _are_seats(seats: np.ndarray) -> bool:
    return bool(((seats >= 0) & (seats < NUM_SEATS)).all())
