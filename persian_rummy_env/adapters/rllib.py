"""RLlib: a table as a ``MultiAgentEnv`` that shows only the seat to move, and who plays which seats."""

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
    """A table of Persian Rummy for RLlib's new API stack: ``config.environment(PersianRummyRLlib)``.

    An observation is a ``Dict`` of ``observations``, (1020,) float32 in [0, 1], and ``action_mask``, (547,) float32 of
    0 and 1: the names that RLlib's examples of masks use. Only the seat to move is shown one, so only it is asked for
    an action; a step pays all four. When the episode ends, all four are shown their last view, with an empty mask, and
    their flags are alike. What a seat earns before its first decision it is paid with that decision, because RLlib
    drops rewards from before an agent's first observation; so the returns of RLlib's episodes are those of the game,
    but for a seat that was never to move, of which RLlib makes no episode.

    Args:
        config: options of ``persian_rummy_env.env``, as ``env_config``. ``illegal_action`` is ``"forfeit"`` unless said
            otherwise, since RLlib's check of an environment plays blindly.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._waiting: dict[str, float] = {}
        self.aec = env(**{"illegal_action": "forfeit", **dict(config or {})})
        self.metadata = {"render_modes": []}  # its own: RLlib writes into it
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; seeds and options are those of the AEC environment."""
        self.aec.reset(seed, options)
        self._waiting = dict.fromkeys(AGENTS, 0.0)  # what those earned who have not decided yet
        return self._seen([self.aec.agent_selection]), {}

    def step(self, action_dict: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """Play the action of the seat to move.

        Raises:
            ValueError: another seat's, or none.
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
        return seen, self._paid(agent, over), _flags(terminated), _flags(truncated), {}

    def _paid(self, agent: str, over: bool) -> dict[str, float]:
        paid = dict(self.aec.rewards)
        paid[agent] += self._waiting.pop(agent, 0.0)
        for seat in self._waiting:
            self._waiting[seat] += paid[seat]
            paid[seat] = self._waiting[seat] if over else 0.0
        return paid

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


def one_module(_agent: str, _episode: Any = None, **_told: Any) -> str:
    """One network in all four seats, ``"player"``: for ``policy_mapping_fn``."""
    return "player"


def team_modules(agent: str, _episode: Any = None, **_told: Any) -> str:
    """A network a team, ``"team_0"`` and ``"team_1"``: for ``policy_mapping_fn``."""
    return f"team_{SEATS[agent] % NUM_TEAMS}"


@dataclass(frozen=True)
class SelfPlay:
    """The learner on one side of the table and one opponent on the other, drawn for each episode: for
    ``policy_mapping_fn``.

    Both are drawn from the episode's id, so partners are the same module from the first card to the last, and every
    process draws alike.

    Attributes:
        learner: the module that learns.
        opponents: modules, at least one.
    """

    learner: str = "player"
    opponents: tuple[str, ...] = ("past",)

    def __call__(self, agent: str, episode: Any, **_told: Any) -> str:
        drawn = crc32(str(episode.id_).encode())
        side, choice = drawn % NUM_TEAMS, drawn // NUM_TEAMS % len(self.opponents)
        return self.learner if SEATS[agent] % NUM_TEAMS == side else self.opponents[choice]


def copy_module(algorithm: Any, source: str, target: str) -> None:
    """Give a module the weights of another, in the learners and in all env runners: how an opponent becomes an earlier
    self. (``Algorithm.set_state`` alone does not do it: env runners take no weights of the same number again.)"""
    weights = algorithm.get_module(source).get_state()
    algorithm.learner_group.set_state({"learner": {"rl_module": {target: weights}}})
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.module[target].set_state(weights))
