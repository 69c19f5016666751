"""RLlib: the game as a ``MultiAgentEnv`` that shows only the seat to move, and policy mappings for self-play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv  # pyright: ignore[reportMissingImports]

from ..actions import NUM_ACTIONS
from ..arguments import single_action
from ..arrays import shown
from ..envs.aec import env
from ..envs.aec_raw import AGENTS, SEATS
from ..observation import SIZE
from ..rules import NUM_TEAMS


class PersianRummyRLlib(MultiAgentEnv):
    """Persian Rummy for RLlib's new API stack: ``config.environment(PersianRummyRLlib)``.

    An observation is a ``Dict`` of ``observations``, (1020,) float32 in [0, 1], and ``action_mask``, (547,) float32 of
    0 and 1, the names of RLlib's masking examples. Only the seat to move gets one, so RLlib asks only it for an action;
    a step rewards all four. At the end of the episode all four get a last observation with an empty mask and the same
    flags. RLlib drops rewards from before an agent's first observation, so a seat receives them with its first
    decision. The returns of RLlib's episodes are therefore those of the game, except that a seat which never moved has
    no episode.

    Args:
        config: options of ``persian_rummy_env.env``, given as ``env_config``. The default of ``illegal_action`` is
            ``"forfeit"``, because RLlib's environment checker plays without the mask.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._waiting: dict[str, float] = {}
        self.aec = env(**{"illegal_action": "forfeit", **dict(config or {})})
        self.metadata = {"render_modes": []}  # a new dict: RLlib writes into it
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode. ``seed`` and ``options`` are those of the AEC environment."""
        self.aec.reset(seed, options)
        self._waiting = dict.fromkeys(AGENTS, 0.0)  # rewards of seats before their first decision
        return self._seen([self.aec.agent_selection]), {}

    def step(self, action_dict: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """Play the action of the seat to move.

        Raises:
            ValueError: no action, or an action of another seat.
        """
        if not isinstance(action_dict, Mapping):
            raise TypeError(f"step({shown(action_dict)}): expected a mapping from the agent to move to its action")
        agent = self.aec.agent_selection
        if set(action_dict) != {agent}:
            raise ValueError(
                f"actions of {', '.join(map(str, action_dict)) or 'nobody'}: expected one of {agent}, who is to move, "
                "and of nobody else"
            )
        self.aec.step(single_action(action_dict[agent]))
        terminated, truncated = self.aec.terminations[agent], self.aec.truncations[agent]
        over = terminated or truncated
        seen = self._seen(AGENTS if over else [self.aec.agent_selection])
        return seen, self._rewards(agent, over), _flags(terminated), _flags(truncated), {}

    def _rewards(self, agent: str, over: bool) -> dict[str, float]:
        received = dict(self.aec.rewards)
        received[agent] += self._waiting.pop(agent, 0.0)
        for seat in self._waiting:
            self._waiting[seat] += received[seat]
            received[seat] = self._waiting[seat] if over else 0.0
        return received

    def _seen(self, agents: Iterable[str]) -> dict[str, Any]:
        seen = {agent: self.aec.observe(agent) for agent in agents}
        return {
            agent: {"observations": one["observation"], "action_mask": one["action_mask"].astype(np.float32)}
            for agent, one in seen.items()
        }


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        observations=spaces.Box(0, 1, (SIZE,), np.float32), action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.float32)
    )


def _flags(flag: bool) -> dict[str, bool]:
    return {**dict.fromkeys(AGENTS, flag), "__all__": flag}


def one_module(_agent: str, _episode: Any = None, **_options: Any) -> str:
    """A ``policy_mapping_fn`` with one module ``"player"`` at all four seats."""
    return "player"


def team_modules(agent: str, _episode: Any = None, **_options: Any) -> str:
    """A ``policy_mapping_fn`` with one module for each team: ``"team_0"`` and ``"team_1"``."""
    return f"team_{SEATS[agent] % NUM_TEAMS}"


@dataclass(frozen=True)
class SelfPlay:
    """A ``policy_mapping_fn`` with the learner as one team and an opponent as the other, drawn for each episode.

    The draw depends only on the episode's id, so partners are the same module during the whole episode, in every
    process.

    Attributes:
        learner: the module that learns.
        opponents: modules, at least one.
    """

    learner: str = "player"
    opponents: tuple[str, ...] = ("past",)

    def __call__(self, agent: str, episode: Any, **_options: Any) -> str:
        drawn = crc32(str(episode.id_).encode())
        side, choice = drawn % NUM_TEAMS, drawn // NUM_TEAMS % len(self.opponents)
        return self.learner if SEATS[agent] % NUM_TEAMS == side else self.opponents[choice]


def copy_module(algorithm: Any, source: str, target: str) -> None:
    """Copy the weights of one module to another, in the learners and in all env runners, to make an opponent an earlier
    copy of the learner. (``Algorithm.set_state`` alone does not: env runners skip weights of a version they have.)"""
    weights = algorithm.get_module(source).get_state()
    algorithm.learner_group.set_state({"learner": {"rl_module": {target: weights}}})
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.module[target].set_state(weights))
