"""The Gymnasium environment for one table: ``gymnasium.make("persian_rummy_env:PersianRummy-v0")``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import gymnasium
import numpy as np
from gymnasium import spaces

from ..actions import NUM_ACTIONS
from ..arguments import action_id, choice
from ..seeds import game_seed
from .gym_vector import PersianRummyGymVectorEnv
from .options import Episode, IllegalAction, ObservationKind, Reward, RewardTiming, Rules, reset_options

if TYPE_CHECKING:
    from ..players.policy import Policy

GymRenderMode: TypeAlias = Literal["ansi", "rgb_array"]
RENDER_MODES = get_args(GymRenderMode)


class PersianRummyGymEnv(gymnasium.Env[Any, Any]):
    """A single-agent environment; bots or policies play the other seats.

    A step plays the agent's action and then the other seats, until the agent is to move again or the episode is over.
    The reward is the change of the margin over the whole step. Margin that arose before the agent's first decision is
    part of the first reward, so that the rewards of an episode sum to its margin.

    One call at a time, from one thread. After an exception in the middle of ``step`` or ``reset``, for example in an
    opponent, every method except ``reset`` raises a ``RuntimeError`` that names the exception.

    Args:
        seats: the seats of the agent: a seat 0..3; ``"rotate"`` (default), one seat that changes in each episode and
            is ``seed % 4`` after a reset with a seed; a team ``(0, 2)`` or ``(1, 3)``, both seats; or ``"team"``, both
            seats of a team that changes in each episode.
        opponents: the name of a policy, such as ``"champion"`` (``persian_rummy_env.players.load``), or a policy with
            ``act(batch)`` (``persian_rummy_env.players.policy.Policy``).
        partner: the same; None (default): the same as ``opponents``.
        observation: ``"dict"`` (default), ``{"observation": (1020,) float32 in [0, 1], "action_mask": (547,) int8}``;
            ``"flat"``, the observation alone. The mask is in ``info["action_mask"]`` and ``action_masks()`` either way.
        raw: True: observations are the engine's bytes, ``uint8``; ``observation.as_float`` converts them.
        episode: ``"deal"`` (default), one deal; ``"game"``, all deals of the rule set.
        illegal_action: ``"forfeit"`` (default): the episode terminates with reward -1, because environment checkers
            play without the mask. ``"raise"``: a ``ValueError``, and the game is unchanged.
        max_decisions: truncates the episode after this many decisions of all seats; None (default): never.
        render_mode: ``"ansi"``, ``"rgb_array"`` or None; a picture shows what the agent may see.

    ``rules``, ``reward``, ``reward_timing`` and ``seed`` are those of ``persian_rummy_env.env``.

    >>> import gymnasium
    >>> env = gymnasium.make("persian_rummy_env:PersianRummy-v0", opponents="greedy")
    >>> observation, info = env.reset(seed=1)
    >>> observation["observation"].shape, observation["observation"].dtype.name
    ((1020,), 'float32')
    >>> observation, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))

    Raises:
        ValueError, TypeError: an option with an invalid value; the message names the valid ones.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
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
        render_mode: GymRenderMode | None = None,
        seed: int | None = None,
    ) -> None:
        self.render_mode = None if render_mode is None else choice("render_mode", render_mode, RENDER_MODES)
        self._vector = PersianRummyGymVectorEnv(
            1, autoreset_mode="DISABLED", seats=seats, opponents=opponents, partner=partner, observation=observation,
            raw=raw, rules=rules, episode=episode, reward=reward, reward_timing=reward_timing,
            illegal_action=illegal_action, max_decisions=max_decisions, seed=seed,
        )  # fmt: skip
        self.observation_space = self._vector.single_observation_space
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new episode.

        Args:
            seed: 0..2**64 - 1; None continues the generators.
            options: ``dealer`` and ``decks``, as in ``persian_rummy_env.env().reset``.

        Returns:
            The observation, and info: ``action_mask`` (547,) int8; ``seat``, the agent's seat; ``skipped``, the number
            of episodes that were over before the agent's first decision and were replaced by the next one.
        """
        reset_options(options)
        super().reset(seed=None if seed is None else int(game_seed(seed)) % 2**63)  # for the stream of the action space
        observation, infos = self._vector.reset(seed=None if seed is None else [seed], options=options)
        return self._first(observation), self._info(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the agent's action, an integer 0..546, and then the other seats.

        Raises:
            RuntimeError: before the first ``reset``, or after the end of the episode.
            TypeError: the action is not an integer.
            ValueError: an illegal action under ``illegal_action="raise"``.
        """
        if self._vector.ended[0]:
            raise RuntimeError("step() after the end of the episode: call reset()")
        observation, rewards, terminations, truncations, infos = self._vector.step(np.array([action_id(action)]))
        terminated, truncated = bool(terminations[0]), bool(truncations[0])
        return self._first(observation), float(rewards[0]), terminated, truncated, self._info(infos)

    def _first(self, observation: Any) -> Any:
        if isinstance(observation, dict):
            return {name: array[0] for name, array in observation.items()}
        return observation[0]

    def _info(self, infos: dict[str, Any]) -> dict[str, Any]:
        mask, seat, skipped = infos["action_mask"][0].copy(), int(infos["seat"][0]), int(infos["skipped"][0])
        return {"action_mask": mask, "seat": seat, "skipped": skipped}

    def action_masks(self) -> np.ndarray:
        """(547,) bool, True for legal actions; all False after the end of the episode."""
        return self._vector.action_masks()[0]

    def get_state(self) -> np.ndarray:
        """A copy of the game: (1,) ``STATE``, with hidden cards and generators."""
        return self._vector.get_state()

    def render(self) -> Any:
        """Draw the table as the agent may see it: ``"ansi"``, a text, in colour and in the terminal's width if standard
        output is a terminal; ``"rgb_array"``, a picture (800, 1280, 3) uint8."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() without a render_mode shows nothing: make it with one of {RENDER_MODES}")
            return None
        return self._vector.draw(0, self.render_mode)
