"""Tianshou: environments for self-play and for a single agent, and masks and returns for policy gradients.

Tianshou keeps the mask of an observation, but only its Q-learning uses it; ``MaskedActor`` uses it for policy-gradient
algorithms such as PPO. In self-play the row after a decision belongs to another seat; ``PerSeat`` groups the rows of
each seat before returns are computed.
"""

from __future__ import annotations

from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from tianshou.data import Batch, ReplayBuffer, to_torch_as  # pyright: ignore[reportMissingImports]
from tianshou.env import PettingZooEnv  # pyright: ignore[reportMissingImports]
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic  # pyright: ignore[reportMissingImports]

from ..arguments import single_action
from ..envs.aec import env
from ..envs.aec_raw import SEATS
from ..envs.gym import PersianRummyGymEnv
from ..envs.options import AECOptions, AgentOptions

MASKED = -1e9
"""The logit of an illegal action: its probability and its share of the entropy are 0."""


class TianshouTable(PettingZooEnv):
    """The AEC environment with four seats that take turns; an episode is a deal.

    Observations: ``agent_id``, the seat to move; ``obs``, (1020,) float32; ``mask``, 547 bools. Rewards: a list by
    seat, a new one in each step (the library's own wrapper returns the same list object every time).

    Args:
        options: options of ``persian_rummy_env.env``.
    """

    def __init__(self, **options: Unpack[AECOptions]) -> None:
        super().__init__(env(**{"episode": "deal", **options}))

    def step(self, action: Any) -> tuple[dict[str, Any], list[float], bool, bool, dict[str, Any]]:
        observation, rewards, terminated, truncated, info = super().step(single_action(action))
        return observation, list(rewards), terminated, truncated, info


class TianshouLearner(gymnasium.Wrapper):
    """The Gymnasium environment, one agent among bots, with the mask in the observation as Tianshou expects it.

    Observations: ``obs``, (1020,) float32; ``mask``, (547,) bool. The row after a decision is the agent's next
    decision, so every algorithm of the library is correct here, also with n-step targets.

    Args:
        options: options of ``persian_rummy_env.PersianRummyGymEnv``.
    """

    def __init__(self, **options: Unpack[AgentOptions]) -> None:
        table = PersianRummyGymEnv(observation="dict", **options)
        super().__init__(table)
        parts = table.observation_space.spaces  # type: ignore[attr-defined]
        self.observation_space = spaces.Dict(
            obs=parts["observation"], mask=spaces.MultiBinary(parts["action_mask"].shape[0])
        )

    def reset(self, **asked: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        observation, info = self.env.reset(**asked)
        return _renamed(observation), info

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(single_action(action))
        return _renamed(observation), float(reward), terminated, truncated, info


def _renamed(observation: Any) -> dict[str, np.ndarray]:
    return {"obs": observation["observation"], "mask": observation["action_mask"].astype(bool)}


class MaskedActor(DiscreteActor):
    """The library's ``DiscreteActor`` for observations with a mask: illegal actions have the logit ``MASKED``.

    It reads the mask from the stored observation, so that sampling and the loss use the same distribution.

    Args:
        options: arguments of ``DiscreteActor`` except ``softmax_output``: ``preprocess_net``, a network of observations
            (k, 1020), and ``action_shape``, 547.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(softmax_output=False, **options)

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        logits, hidden = super().forward(obs.obs, state, info)
        return logits.masked_fill(to_torch_as(np.asarray(obs.mask), logits) == 0, MASKED), hidden


class SeenCritic(DiscreteCritic):
    """The library's ``DiscreteCritic`` for observations with a mask. Its arguments are those of ``DiscreteCritic``:
    ``preprocess_net``, a network of observations (k, 1020)."""

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        return super().forward(obs.obs, state, info)


class PerSeat:
    """A mixin for on-policy algorithms that learns from each seat's own decisions: ``class SeatPPO(PerSeat, PPO)``.

    One network plays all four seats. Collect whole episodes (``collection_step_num_episodes``); rows of unfinished
    episodes are dropped.
    """

    def update(self, buffer: Any, **options: Any) -> Any:
        return super().update(buffer=seat_transitions(buffer), **options)  # type: ignore[misc]


def seat_transitions(buffer: Any) -> Any:
    """The decisions of a buffer of ``TianshouTable``, one seat after the other within each episode.

    The reward of a row is the sum of the seat's rewards until its next decision or the end of the episode; the next
    observation is the seat's next one. The last row of each seat ends the episode. In a truncated episode the value is
    bootstrapped from the seat's last observation, because there is no later one.

    Args:
        buffer: a ``ReplayBuffer`` or ``VectorReplayBuffer`` with rewards (n, 4).

    Returns:
        A ``ReplayBuffer`` with rewards (k,), of the k decisions in finished episodes.

    Raises:
        ValueError: no episode in the buffer has ended.
    """
    rows, indices = buffer.sample(0)
    done = np.asarray(rows.done, dtype=bool)
    stops = np.flatnonzero(done | np.isin(indices, buffer.unfinished_index()))
    episode = np.searchsorted(stops, np.arange(len(done)))
    finished = np.flatnonzero(np.append(done[stops], False)[episode])
    if not len(finished):
        raise ValueError("no episode in the buffer has ended: collect whole episodes (collection_step_num_episodes)")
    seat = np.array([SEATS[agent] for agent in rows.obs.agent_id])
    order = finished[np.lexsort((finished, seat[finished], episode[finished]))]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (episode[order[1:]] != episode[order[:-1]]) | (seat[order[1:]] != seat[order[:-1]])
    following = np.append(order[1:], 0)
    until = np.where(last, stops[episode[order]] + 1, following)
    totals = np.concatenate([np.zeros((1, len(SEATS))), np.cumsum(rows.rew, axis=0, dtype=np.float64)])
    own = seat[order]
    cut = np.asarray(rows.truncated, dtype=bool)[stops[episode[order]]]
    return ReplayBuffer.from_data(
        obs=_seen(rows.obs[order]),
        act=np.asarray(rows.act)[order],
        rew=totals[until, own] - totals[order, own],
        terminated=last & ~cut,
        truncated=last & cut,
        done=last,
        obs_next=_seen(rows.obs[np.where(last, order, following)]),
    )


def _seen(observations: Any) -> Any:
    return Batch(obs=np.asarray(observations.obs), mask=np.asarray(observations.mask))
