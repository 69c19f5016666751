"""The AEC environment, PettingZoo's turn-based interface: ``env`` and ``raw_env``.

``env()`` does itself what PettingZoo's stock wrappers would do around ``raw_env()``, at a fraction of their cost.
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
    """Counts steps and resets, for ``agent_iter``."""

    def step(self, action: int | None) -> None:
        super().step(action)
        self._moves += 1

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._moves += 1

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Each agent in turn; ``step`` or ``reset`` must be called before the next.

        Raises:
            RuntimeError: before the first ``reset``; and from the loop, if nothing was played in its last round.
        """
        max_iter = whole_number("max_iter", max_iter, 0)
        self._guard.need("agent_iter()")
        return _Turns(self, max_iter)


class _Turns(AECIterable[str, Any, Any]):
    """The agents to move, one after the other; refuses to go on where nothing was played in between."""

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
    render_view: str | int = "all",
    seed: int | None = None,
) -> PersianRummyAEC:
    """The table without the checks of ``env`` on the order of calls and the type of actions; same options.

    It is safe all the same: an action that is not legal never reaches the game.
    """
    return PersianRummyAEC(
        rules=rules,
        episode=episode,
        reward=reward,
        reward_timing=reward_timing,
        illegal_action=illegal_action,
        max_decisions=max_decisions,
        render_mode=render_mode,
        render_view=render_view,
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
    render_view: str | int = "all",
    seed: int | None = None,
) -> CheckedPersianRummyAEC:
    """A table of Persian Rummy, as PettingZoo's ``AECEnv``.

    Args:
        rules: a ``RuleSet``, a mapping of its fields, or None for the default.
        episode: ``"game"``, all deals of the rule set (default), or ``"deal"``, one.
        reward: ``"margin"`` (default), own team's points less the other's, over 100; ``"win"``, +1, -1, or 0 for a tie,
            at the end of the episode.
        reward_timing: ``"dense"`` (default), margins are paid to all four agents as points are made, those of the cards
            left in hands and of going out at the end of the deal; ``"end"``, all at the end of each deal.
        illegal_action: ``"raise"`` (default), a ``ValueError``, and the table is unchanged; ``"forfeit"``, the episode
            ends, terminated, with -1 for both of the offender's team and +1 for the others.
        max_decisions: truncate the episode, for all four agents, after so many decisions; None (default): never.
        render_mode: ``"human"``, ``"ansi"``, ``"rgb_array"`` or None.
        render_view: whose cards ``render`` shows: ``"all"`` (default), or a seat 0..3 or agent, with what it may see.
        seed: used by the first ``reset`` that is given none.

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
        TypeError, ValueError: an unknown option, or a value that it does not take; the message says what it takes.
    """
    return CheckedPersianRummyAEC(
        rules=rules,
        episode=episode,
        reward=reward,
        reward_timing=reward_timing,
        illegal_action=illegal_action,
        max_decisions=max_decisions,
        render_mode=render_mode,
        render_view=render_view,
        seed=seed,
    )
