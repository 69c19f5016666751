"""Training against a frozen policy: it plays one team, and the learner decides for the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.core import arena_kernels
from persian_rummy_env.core.batch_kernels import MARGIN_SCALE
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.envs.vector import StepResult
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.players.policy_io import answer_of
from persian_rummy_env.rules import NUM_SEATS, NUM_TEAMS
from persian_rummy_env.state import OVER

from ..config.ppo import Config
from .rollout import Collector

SIGNS = np.array([1, -1, 1, -1], dtype=np.float32)
"""Sign of team 0's reward, by absolute seat."""


class FrozenOpponents:
    """A vector environment in which the opponents are played by a policy: a step ends at the learner's next decision.

    It has the methods of an environment that ``data.rollout.Collector`` uses (``collectors_versus``).

    Args:
        env: in mode ``DISABLED``, with the reward ``"margin"``.
        policy: plays team 1 in the even lanes and team 0 in the odd ones.

    Raises:
        ValueError: the environment has another mode.
    """

    def __init__(self, env: PersianRummyVecEnv, policy: BasePolicy) -> None:
        if env.autoreset_mode != "DISABLED":
            raise ValueError(f"autoreset_mode={env.autoreset_mode!r}: expected 'DISABLED'")
        ensure_compiled("scripted players")
        self.env = env
        self.policy = policy
        self.learner_team = np.arange(env.num_envs) % NUM_TEAMS
        opponent_turn = np.arange(NUM_SEATS) % NUM_TEAMS != self.learner_team[:, None]
        self.codes = np.where(opponent_turn, policy.code, arena_kernels.OUTSIDE).astype(np.int8)

    def reset(self, seed: int | Sequence[int] | np.ndarray | None = None) -> StepResult:
        """As the environment's; ``reward`` is what was earned before the learner's first decision."""
        self.env.reset(seed=seed)
        games = self.env.get_state()
        return self._show(games, margins(games))

    def step(self, actions: np.ndarray) -> StepResult:
        """Play the learner's actions (lanes,), then the opponents' until the learner is to move in every lane;
        ``reward`` sums all of this.

        Raises:
            ValueError: an action is not legal; the message names lane, seat and action.
        """
        games = self.env.get_state()
        before = margins(games)
        lanes = np.flatnonzero(games["phase"] != OVER)
        self._play(games, lanes, actions[lanes])
        return self._show(games, before)

    def get_state(self) -> np.ndarray:
        return self.env.get_state()

    def set_state(self, states: np.ndarray) -> StepResult:
        return self.env.set_state(states)

    @property
    def packed_mask(self) -> np.ndarray:
        return self.env.packed_mask

    def _show(self, games: np.ndarray, before: np.ndarray) -> StepResult:
        """Let the opponents move where it is their turn, then return the games; ``before``: margins (lanes,) at the
        start of the step."""
        decisions = np.zeros(len(games), dtype=np.int64)
        while True:
            arena_kernels.advance(games, self.codes, decisions, 0, len(games))  # bots, if that is what they are
            opponent_turn = np.flatnonzero((games["phase"] != OVER) & (games["seat"] % NUM_TEAMS != self.learner_team))
            if not len(opponent_turn):
                break
            arena_kernels.play_lanes(games, opponent_turn, answer_of(self.policy, games, opponent_turn))
        games["ended"] = games["phase"] == OVER
        earned = ((margins(games) - before) / MARGIN_SCALE).astype(np.float32)
        return self.env.set_state(games)._replace(reward=earned[:, None] * SIGNS)

    def _play(self, games: np.ndarray, lanes: np.ndarray, actions: np.ndarray) -> None:
        refused = arena_kernels.play_lanes(games, lanes, np.asarray(actions).astype(np.int64))
        if refused >= 0:
            lane = lanes[refused]
            raise ValueError(f"lane {lane}, seat {games['seat'][lane]}: action {actions[refused]} is not legal")


def collectors_versus(name: str) -> Callable[[Config, int, torch.device], Collector]:
    """A function that makes collectors whose opponents are the policy of that name (``LocalWorkers``)."""

    def make(config: Config, lanes: int, device: torch.device) -> Collector:
        collector = Collector(config, lanes, device)
        collector.env = FrozenOpponents(collector.env, load(name, config.device))  # type: ignore[assignment]
        return collector

    return make


def margins(games: np.ndarray) -> np.ndarray:
    """Team 0's points less team 1's so far: (n,) float64 for games (n,) STATE."""
    points = (games["score"].astype(np.int64) + games["points"]).astype(np.float64)
    return points[:, 0] - points[:, 1]
