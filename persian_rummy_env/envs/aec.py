"""The AEC environment, PettingZoo's turn-based interface: ``env`` and ``raw_env``.

``env()`` makes the checks of PettingZoo's stock wrappers itself, because the wrappers cost more than a step of the
game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pettingzoo.utils.env import AECIterable

from ..arguments import whole_number
from .aec_raw import PersianRummyAEC
from .guard import ResetNeededError
from .options import Episode, IllegalAction, RenderMode, Reward, RewardTiming, Rules

__all__ = ["CheckedPersianRummyAEC", "PersianRummyAEC", "ResetNeededError", "env", "raw_env"]


class CheckedPersianRummyAEC(PersianRummyAEC):
    """``PersianRummyAEC`` with the checks of PettingZoo's stock wrappers: order of calls, type of actions."""

    _moves = 0
    """Number of steps and resets, for ``agent_iter``."""

    def step(self, action: int | None) -> None:
        super().step(action)
        self._moves += 1

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._moves += 1

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Each agent in turn; ``step`` or ``reset`` must be called before the next.

        Raises:
            RuntimeError: before the first ``reset``; in the loop, if the last round called neither ``step`` nor
                ``reset``.
        """
        max_iter = whole_number("max_iter", max_iter, 0)
        self._guard.need("agent_iter()")
        return _Turns(self, max_iter)


class _Turns(AECIterable[str, Any, Any]):
    """Iterates over the agents to move; raises if a round called neither ``step`` nor ``reset``."""

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        env: CheckedPersianRummyAEC = self.env
        before = None
        for _ in range(self.max_iter):
            if not env.agents:
                return
            if env._moves == before:
                raise RuntimeError("agent_iter(): call step() or reset() once in each round of the loop")
            before = env._moves
            yield env.agent_selection


def raw_env(
    *,
    rules: Rules = None,
    episode: Episode = "game",
    reward: Reward = "margin",
    reward_timing: RewardTiming = "dense",
    illegal_action: IllegalAction = "raise",
    max_decisions: int | None = None,
    render_mode: RenderMode | None = None,
    viewer: str | int = "all",
    seed: int | None = None,
) -> PersianRummyAEC:
    """``env`` without the checks of PettingZoo's wrappers on the order of calls; same options.

    Illegal actions raise here too.
    """
    return PersianRummyAEC(
        rules=rules,
        episode=episode,
        reward=reward,
        reward_timing=reward_timing,
        illegal_action=illegal_action,
        max_decisions=max_decisions,
        render_mode=render_mode,
        viewer=viewer,
        seed=seed,
    )


def env(
    *,
    rules: Rules = None,
    episode: Episode = "game",
    reward: Reward = "margin",
    reward_timing: RewardTiming = "dense",
    illegal_action: IllegalAction = "raise",
    max_decisions: int | None = None,
    render_mode: RenderMode | None = None,
    viewer: str | int = "all",
    seed: int | None = None,
) -> CheckedPersianRummyAEC:
    """One game of Persian Rummy as PettingZoo's ``AECEnv``.

    Args:
        rules: a ``RuleSet``, a mapping of its fields, or None for the default.
        episode: ``"game"``, all deals of the rule set (default), or ``"deal"``, one.
        reward: ``"margin"`` (default), (points of the own team - points of the other team) / 100; ``"win"``, +1, -1, or
            0 for a tie, at the end of the episode.
        reward_timing: ``"dense"`` (default): rewards follow when points are scored, and at the end of the deal for the
            cards left in hands and for going out. ``"end"``: the whole reward of a deal follows at its end. The sums
            are equal.
        illegal_action: ``"raise"`` (default): a ``ValueError``, and the game is unchanged. ``"forfeit"``: the episode
            terminates with reward -1 for both agents of the offending team and +1 for the other two.
        max_decisions: truncates the episode for all four agents after this many decisions; None (default): never.
        render_mode: ``"human"``, ``"ansi"``, ``"rgb_array"`` or None.
        viewer: who looks at what ``render`` draws: ``"all"`` (default) shows every hand; a seat 0..3 or an agent name
            shows what that player may see.
        seed: the seed of the first ``reset`` without a seed.

    An observation is ``{"observation": (1020,) float32 in [0, 1], "action_mask": (547,) int8}``.

    >>> from persian_rummy_env import decode_action, env
    >>> table = env(episode="deal")
    >>> table.reset(seed=1)
    >>> for agent in table.agent_iter():
    ...     observation, reward, terminated, truncated, info = table.last()
    ...     ended = terminated or truncated
    ...     table.step(None if ended else int(observation["action_mask"].argmax()))
    >>> table.agents
    []

    Raises:
        TypeError, ValueError: an unknown option or a wrong value. The message names the expected values.
    """
    return CheckedPersianRummyAEC(
        rules=rules,
        episode=episode,
        reward=reward,
        reward_timing=reward_timing,
        illegal_action=illegal_action,
        max_decisions=max_decisions,
        render_mode=render_mode,
        viewer=viewer,
        seed=seed,
    )
