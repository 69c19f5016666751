"""The Gymnasium vector environment: ``gymnasium.make_vec("persian_rummy_env:PersianRummy-v0", num_envs=…)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces, vector
from gymnasium.vector.utils import batch_space

from ..actions import NUM_ACTIONS, decode_action
from ..arguments import choice, flag, positive
from ..arrays import whole_numbers
from ..observation import HIGH, SIZE, as_float
from ..rules import as_rules
from ..seeds import MAX_LANES, game_seed, seeds_of
from .agent_batch import AgentBatch, Lineup
from .batch import check_partial_reset, observe_states
from .guard import exclusive, mending
from .options import (
    OBSERVATIONS,
    AutoresetName,
    Deals,
    Episode,
    IllegalAction,
    ObservationKind,
    Options,
    Reward,
    RewardTiming,
    Rules,
    autoreset_name,
    reset_mask,
    reset_options,
)
from .vector import AUTORESET

if TYPE_CHECKING:
    from ..players.policy import Policy


def observation_space(observation: str, raw: bool) -> spaces.Space[Any]:
    """The space of one agent: ``Dict`` of observation and mask, or the observation alone."""
    box = spaces.Box(np.zeros(SIZE, np.uint8), HIGH.copy(), dtype=np.uint8) if raw else spaces.Box(0, 1, (SIZE,))
    if observation == "flat":
        return box
    return spaces.Dict(observation=box, action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.int8))


class PersianRummyGymVectorEnv(vector.VectorEnv[Any, Any, Any]):
    """``num_envs`` single-agent environments. ``PersianRummyGymEnv`` documents the other options.

    Args:
        num_envs: the number of sub-environments, at least 1. After a reset with one seed, sub-environment ``i`` plays
            as the single environment with seed ``lane_seeds(seed, n)[i]``.
        autoreset_mode: as in ``PersianRummyVecEnv``. With ``"SAME_STEP"`` (default) ``infos["final_obs"]`` and
            ``infos["final_info"]`` hold the last observations and infos.
        raw: True: observations are the engine's bytes, ``uint8``, a quarter of the memory; ``observation.as_float``
            converts them.

    One call at a time: a call that changes games during another call, from another thread or from a policy, raises
    ``RuntimeError``. After an exception in the middle of a call (in a policy, or an interrupt), everything except a
    ``reset`` of all sub-environments raises a ``RuntimeError`` that names the exception.

    ``step`` returns observations (n, 1020), rewards (n,) float64, terminations and truncations (n,) bool, and infos:
    ``action_mask`` (n, 547) int8, ``seat`` (n,) int8, ``skipped`` (n,) int64, each with its ``_name`` (n,) bool.

    >>> from persian_rummy_env import PersianRummyGymVectorEnv
    >>> envs = PersianRummyGymVectorEnv(4, opponents="greedy", observation="flat")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(envs.sample_actions())
    >>> observations.shape, rewards.shape
    ((4, 1020), (4,))

    Raises:
        ValueError, TypeError: an option with an invalid value; the message names the valid ones.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        seats: int | Sequence[int] | str = "rotate",
        opponents: str | Policy = "greedy",
        partner: str | Policy | None = None,
        observation: ObservationKind = "dict",
        raw: bool = False,
        rules: Rules = None,
        episode: Episode = "deal",
        reward: Reward = "margin",
        reward_timing: RewardTiming = "dense",
        illegal_action: IllegalAction = "forfeit",
        max_decisions: int | None = None,
        autoreset_mode: AutoresetName | Enum = "SAME_STEP",
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self.num_envs = positive("num_envs", num_envs, MAX_LANES)
        self.autoreset_mode = autoreset_name(autoreset_mode)
        modes = getattr(vector, "AutoresetMode", None)  # since Gymnasium 1.1
        self.metadata = {"autoreset_mode": self.autoreset_mode if modes is None else modes[self.autoreset_mode]}
        self.observation_kind = choice("observation", observation, OBSERVATIONS)
        self.raw = flag("raw", raw)
        self.options = Options(as_rules(rules), episode, reward, reward_timing, illegal_action, max_decisions)
        self.single_observation_space = observation_space(observation, self.raw)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seed = None if seed is None else int(game_seed(seed))
        lineup = Lineup.parse(seats, partner, opponents)
        mode = AUTORESET[self.autoreset_mode]
        self._batch = AgentBatch(self.num_envs, self.options, lineup, mode, not self.raw)
        self._guard = self._batch.guard

    @mending
    def reset(  # type: ignore[override]
        self, *, seed: int | Sequence[int] | np.ndarray | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start new episodes. ``seed`` and ``options`` are those of ``PersianRummyVecEnv.reset``; the first reset must
        start every sub-environment.

        An episode that is over before the agent's first decision is replaced by the next one; ``infos["skipped"]``
        counts such episodes.
        """
        options = reset_options(options)
        batch = self._batch
        chosen = reset_mask(options, self.num_envs)
        check_partial_reset(batch, chosen)
        deals = Deals.parse(options, self.num_envs, self.options.deals)
        if seed is None and not batch.started:
            seed = self._seed
        seeds = None if seed is None else seeds_of(seed, self.num_envs)
        batch.allocate_output()
        batch.reset(chosen, seeds, deals)
        return self._observation(), self._infos()

    @exclusive
    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the agent's actions, (n,) integers, and then the other seats until the agent is to move again.

        Raises:
            RuntimeError: before the first ``reset``.
            TypeError, ValueError: wrong dtype or shape, or an illegal action under ``illegal_action="raise"``; no
                sub-environment has changed.
        """
        batch = self._batch
        expected = f"integers, shape ({self.num_envs},), one for each env"
        chosen = whole_numbers("actions", actions, self.num_envs, expected)
        if self.options.illegal_action == "raise":
            index = batch.first_illegal(chosen)
            if index >= 0:
                action = int(chosen[index])
                name = repr(decode_action(action)) if 0 <= action < NUM_ACTIONS else "an id outside 0..546"
                raise ValueError(f"env {index}, seat {batch.seat[index]}: action {action} ({name}) is not legal")
        batch.allocate_output()
        batch.step(chosen)
        infos = self._infos()
        if self.autoreset_mode == "SAME_STEP" and batch.done.any():
            self._add_final(infos)
        return self._observation(), batch.reward, batch.terminated, batch.truncated, infos

    def _observation(self) -> Any:
        batch = self._batch
        if self.observation_kind == "flat":
            return batch.observation
        return {"observation": batch.observation, "action_mask": batch.action_mask}

    def _infos(self) -> dict[str, Any]:
        batch = self._batch
        values = {"action_mask": batch.action_mask, "seat": batch.seat.copy(), "skipped": batch.skipped}
        every = np.ones(self.num_envs, dtype=bool)
        return {**values, **{f"_{name}": every.copy() for name in values}}

    def _add_final(self, infos: dict[str, Any]) -> None:
        """Add the last observations and infos of the episodes that ended, in Gymnasium's form."""
        batch = self._batch
        ended_envs = np.flatnonzero(batch.done)
        last_observations = observe_states(batch.final[ended_envs], batch.final_seat[ended_envs])
        seen = last_observations if self.raw else as_float(last_observations)
        nothing = np.zeros(NUM_ACTIONS, dtype=np.int8)
        observations = np.full(self.num_envs, None, dtype=object)
        for index, last in zip(ended_envs, seen, strict=True):
            flat = self.observation_kind == "flat"
            observations[index] = last if flat else {"observation": last, "action_mask": nothing.copy()}
        empty = np.zeros((self.num_envs, NUM_ACTIONS), dtype=np.int8)
        ended = batch.done.copy()
        infos["final_obs"], infos["_final_obs"] = observations, ended
        final = {"action_mask": empty, "seat": batch.final_seat.copy(), "skipped": np.zeros_like(batch.skipped)}
        infos["final_info"] = {**final, **{f"_{name}": ended.copy() for name in final}}
        infos["_final_info"] = ended.copy()

    @property
    def ended(self) -> np.ndarray:
        """(n,) bool, True for sub-environments whose episode is over and that wait for a reset."""
        return self._batch.games["ended"].astype(bool)

    def draw(self, index: int, render_mode: str) -> str | np.ndarray:
        """Draw the table of one sub-environment as the agent may see it: a text for ``"ansi"``, else a picture."""
        from ..drawing import ansi, raster

        self._guard.need("render()")
        drawn = ansi.for_stdout if render_mode == "ansi" else raster.rgb_array
        return drawn(self._batch.games[index], int(self._batch.seat[index]))

    def action_masks(self) -> np.ndarray:
        """(n, 547) bool, True for legal actions; all False in a sub-environment that waits for a reset."""
        self._guard.need("action_masks()")
        return self._batch.action_mask.astype(bool)

    @exclusive
    def sample_actions(self) -> np.ndarray:
        """Uniform legal actions from the sub-environments' own sampling streams, (n,) int64; 0 in a sub-environment
        that waits for a reset."""
        return self._batch.sample()

    def get_state(self) -> np.ndarray:
        """A copy of the games: (n,) ``STATE`` with everything, including hidden cards and generators."""
        self._guard.need("get_state()")
        return self._batch.games.copy()
