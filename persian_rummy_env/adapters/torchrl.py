"""TorchRL: the AEC face under ``PettingZooWrapper``, with the settings that it needs."""

from __future__ import annotations

from typing import Any

from torchrl.envs.libs.pettingzoo import PettingZooWrapper  # pyright: ignore[reportMissingImports]

from ..aec_env import env
from ..aec_raw import AGENTS, TEAMS

TEAM_GROUPS = {f"team_{team}": list(agents) for team, agents in enumerate(TEAMS)}
"""One group a team: its two seats share a network, and are stacked in the dimension before the last."""
ONE_GROUP = {"seats": list(AGENTS)}
"""One group of all four seats, for self-play with one network."""


def torchrl_env(group_map: dict[str, list[str]] | None = None, **options: Any) -> PettingZooWrapper:
    """A table as a TorchRL environment.

    Per group: ``observation.observation``, (agents, 1020) float32; ``action_mask``, (agents, 547) bool, all True for a
    seat that is not to move; ``mask``, (agents,) bool, who is. A reward is that of the single step. Whoever learns
    has to leave out the rows where ``mask`` is False, and to carry the rewards that fell in them to the seat's decision
    before: generalised advantages over the time axis are wrong here.

    Args:
        group_map: ``TEAM_GROUPS`` (default), ``ONE_GROUP`` or another.
        options: of ``persian_rummy_env.env``.
    """
    groups = TEAM_GROUPS if group_map is None else group_map
    # The masks lie in the observations; use_mask also says who is to move, without which a turn-based table is refused.
    return PettingZooWrapper(env=env(**options), use_mask=True, group_map=groups, return_state=False)


def seat_returns(reward: Any, done: Any) -> Any:
    """What each seat is still paid in its episode, from each step on: its return where it decided there (gamma = 1).

    All that a seat is paid between two of its decisions, whoever earned it, is in the return of the earlier one.

    Args:
        reward: tensor (steps, …) of the single steps, ``("next", group, "reward")`` of one table.
        done: tensor (steps, …) bool of the same shape, the episode ended in that step.

    Returns:
        (steps, …). After the last ``done`` it is cut off: leave those rows out.
    """
    returns = reward.clone()
    following = 0 * reward[0]
    for step in range(len(reward) - 1, -1, -1):
        following = reward[step] + following * ~done[step]
        returns[step] = following
    return returns
