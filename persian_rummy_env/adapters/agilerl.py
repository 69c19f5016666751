"""AgileRL: a parallel environment that shows only the seat to move, and IPPO with masks that fit its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from agilerl.algorithms import IPPO  # pyright: ignore[reportMissingImports]
from gymnasium import spaces
from pettingzoo import ParallelEnv

from ..actions import NUM_ACTIONS, PASS
from ..arguments import single_action
from ..arrays import shown
from ..envs.aec import env
from ..envs.aec_raw import AGENTS
from ..envs.options import AECOptions
from ..observation import SIZE

NAMES = ("south_0", "west_0", "north_0", "east_0")
"""Names of the seats, clockwise: south and north are partners. The text before the ``_`` differs for all."""


class AgileTable(ParallelEnv[str, Any, Any]):
    """The AEC environment for AgileRL's turn-based training; an episode is a deal.

    ``reset`` and ``step`` return the observation, (1020,) float32, and ``info["action_mask"]``, (547,) int8, of only
    the agent to move, and the rewards and flags of all four.

    The training loop keeps the reward of the step in which an agent acted and drops the other rewards. So an agent
    receives with each action its rewards since its last action. After the end of the deal each of the other three acts
    once more, with ``pass`` as the only legal action, to receive the rest; then all four end together. A deal that
    ``max_decisions`` cuts ends as both terminated and truncated, because a wrapper of the library starts the next deal
    only on terminations.

    Args:
        names: names of the four seats. Seats with the same text before the last ``_`` share a network in AgileRL.
            Version 2.58.0 cannot train such a network where agents take turns: it needs equally many decisions of each.
        options: options of ``persian_rummy_env.env``.
    """

    metadata = {"name": "persian_rummy_agilerl_v0", "render_modes": ["human", "ansi", "rgb_array"]}

    def __init__(self, names: tuple[str, ...] = NAMES, **options: Unpack[AECOptions]) -> None:
        if len(set(names)) != len(AGENTS):
            raise ValueError(f"names={names!r}: expected {len(AGENTS)} different names, one a seat")
        self.aec = env(**{"episode": "deal", **options})
        self.render_mode = self.aec.render_mode
        self.possible_agents = list(names)
        self.agents: list[str] = []
        self._observation_space = spaces.Box(0, 1, (SIZE,), np.float32)
        self._action_space = spaces.Discrete(NUM_ACTIONS)
        self._owed = np.zeros(len(names))
        self._left: list[int] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:  # noqa: ARG002  # the same for all
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:  # noqa: ARG002
        return self._action_space

    @property
    def seat(self) -> int:
        """The seat to act."""
        return self._left[0] if self._left else int(self.aec.agent_selection[-1])

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        self.aec.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        self._owed[:] = 0
        self._left = []
        return self._shown()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play the action of the agent to act; actions of the other agents are ignored."""
        if not isinstance(actions, Mapping):
            raise TypeError(f"step({shown(actions)}): expected a mapping from agents to actions")
        seat = self.seat
        name = self.possible_agents[seat]
        if name not in actions:
            raise ValueError(
                f"step(): no action for {name}, who is to act; actions for {', '.join(map(str, actions)) or 'nobody'}"
            )
        cut = done = False
        if self._left:
            self._left.pop(0)
            done = not self._left
            cut = self.aec.truncations[AGENTS[0]]
        else:
            self.aec.step(single_action(actions[name]))
            self._owed += [self.aec.rewards[agent] for agent in AGENTS]
            if self.aec.terminations[AGENTS[0]] or self.aec.truncations[AGENTS[0]]:
                self._left = [(seat + turn) % len(AGENTS) for turn in range(1, len(AGENTS))]
        received = dict.fromkeys(self.possible_agents, 0.0)
        received[name] = float(self._owed[seat])
        self._owed[seat] = 0
        seen, infos = ({}, {}) if done else self._shown()
        if done:
            self.agents = []
        names = self.possible_agents
        return seen, received, dict.fromkeys(names, done), dict.fromkeys(names, done and cut), infos

    def _shown(self) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        seen = self.aec.observe(AGENTS[self.seat])
        mask = seen["action_mask"]
        if self._left:
            mask = np.zeros_like(mask)
            mask[PASS.start] = 1
        name = self.possible_agents[self.seat]
        return {name: seen["observation"]}, {name: {"action_mask": mask}}

    def render(self) -> Any:
        return self.aec.render()

    def close(self) -> None:
        self.aec.close()


class SeatIPPO(IPPO):
    """The library's IPPO with the masks of the acting agents only, env by env, in the order of its rows.

    The library itself collects the masks of all agents of a group, which do not fit the rows of the acting agents. The
    loss is the library's; docs/agilerl.md says what it lacks.
    """

    def extract_action_masks(self, infos: Any) -> dict[str, Any]:
        rows: dict[str, list[np.ndarray]] = {group: [] for group in self.observation_space}
        for agent in self.agent_ids:
            info = infos.get(agent) or {}
            if info.get("action_mask") is None:
                continue
            masks = np.asarray(info["action_mask"])
            acts = np.asarray(info.get("_action_mask", True)).reshape(-1)
            group = self.get_group_id(agent) if self.has_grouped_agents() else agent
            rows[group] += list(np.atleast_2d(masks)[acts])
        return {group: np.stack(masks).astype(bool) if masks else None for group, masks in rows.items()}
