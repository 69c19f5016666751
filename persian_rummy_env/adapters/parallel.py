"""PettingZoo's parallel interface, for libraries that need it: all four agents step at once, and one action counts.

Three rows of four are wasted, and each of them needs a dummy action. ``PersianRummyVecEnv`` is the interface that fits
the game; see docs/parallel.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from gymnasium import spaces
from pettingzoo import ParallelEnv

from ..arguments import single_action
from ..arrays import shown
from ..envs.aec import env
from ..envs.aec_raw import AGENTS
from ..envs.options import AECOptions


class PersianRummyParallel(ParallelEnv[str, Any, Any]):
    """The AEC environment with all four agents present in every step; an episode is a deal.

    Each agent has its own observation of the AEC environment. The mask is all zeros for the three agents that are not
    to move, and their actions are ignored. All four agents have the rewards of the step, and their episodes end in the
    same step.

    Args:
        options: options of ``persian_rummy_env.env``.
    """

    metadata = {"name": "persian_rummy_parallel_v0", "render_modes": ["human", "ansi", "rgb_array"]}

    def __init__(self, **options: Unpack[AECOptions]) -> None:
        self.aec = env(**{"episode": "deal", **options})
        self.render_mode = self.aec.render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.aec.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.aec.action_space(agent)

    @property
    def acting(self) -> str:
        """The agent whose action counts."""
        return self.aec.agent_selection

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        self.aec.reset(seed=seed, options=options)
        self.agents = list(AGENTS)
        return self._observations(), {agent: {} for agent in AGENTS}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play the action of the agent to move.

        Raises:
            ValueError: the agent has no action, or an illegal one (under ``illegal_action="raise"``).
        """
        if not isinstance(actions, Mapping):
            raise TypeError(f"step({shown(actions)}): expected a mapping from agents to actions")
        acting = self.acting
        if acting not in actions:
            raise ValueError(
                f"step(): expected an action for {acting}, who is to move; there are some for "
                f"{', '.join(map(str, actions)) or 'nobody'}"
            )
        self.aec.step(single_action(actions[acting]))
        results = (
            self._observations(),
            dict(self.aec.rewards),
            dict(self.aec.terminations),
            dict(self.aec.truncations),
            {agent: {} for agent in AGENTS},
        )
        if self.over:
            self.agents = []
        return results

    @property
    def over(self) -> bool:
        agent = self.aec.agent_selection
        return self.aec.terminations[agent] or self.aec.truncations[agent]

    def _observations(self) -> dict[str, Any]:
        return {agent: self.aec.observe(agent) for agent in AGENTS}

    def render(self) -> Any:
        return self.aec.render()

    def close(self) -> None:
        self.aec.close()
