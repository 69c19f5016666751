"""Workers in processes of a Ray cluster: ``--workers ray:8``.

Workers receive the weights once an update and each copy of the pool once. They return packed rollouts.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.network import Actor, Critic
from persian_rummy_env.evaluation.ray_pool import RayPool

from ..config.ppo import Config
from ..data.packed import Packed, pack, unpack
from ..data.rollout import Collector, Job, Players, Rollout
from .workers import jobs_of

CPU = torch.device("cpu")
Weights = Mapping[str, np.ndarray]


class RolloutWorker:
    """A worker in its own process: plays jobs with the weights that come with them."""

    def __init__(self, config: Config) -> None:
        torch.set_num_threads(1)
        self.config = replace(config, device="cpu", threads=1)
        self.actor = Actor(config.shape)
        self.critic = Critic(config.critic_shape, config.ppo.privileged_critic)
        self._copies: dict[Any, Actor] = {}
        self._collectors: dict[int, Collector] = {}
        [small] = jobs_of(replace(self.config, deals=config.episode_deals, parts=1), 0, 0)
        pack(self._at(1).collect(Players(self.actor, self.critic), small))  # compiles

    def __call__(self, job: Job, actor: Weights, critic: Weights, copies: Sequence[Any]) -> Packed:
        """The rollout of a job. ``copies``: Ray's references to the weights of the pool."""
        load_weights(self.actor, actor)
        load_weights(self.critic, critic)
        self._copies = {reference: self._copy(reference) for reference in copies}
        players = Players(self.actor, self.critic, list(self._copies.values()))
        return pack(self._at(len(job.deals)).collect(players, job))

    def _copy(self, reference: Any) -> Actor:
        if reference in self._copies:
            return self._copies[reference]
        made = Actor(self.config.shape)
        load_weights(made, importlib.import_module("ray").get(reference))
        return made

    def _at(self, lanes: int) -> Collector:
        if lanes not in self._collectors:
            self._collectors[lanes] = Collector(self.config, lanes, CPU)
        return self._collectors[lanes]


class RayWorkers:
    """``count`` processes of a Ray cluster. They play on CPUs, also if the run learns on a GPU.

    Args:
        config: the settings of the run.
        count: processes.
        worker: makes the worker of a process from the settings.

    Raises:
        RayError: see ``RayPool``.
    """

    def __init__(
        self, config: Config, count: int, worker: Callable[[Config], Callable[..., Packed]] = RolloutWorker
    ) -> None:
        self.pool: RayPool[Job, Packed] = RayPool(count, partial(worker, config))
        self._copies: dict[Actor, Any] = {}

    def collect(self, players: Players, jobs: Sequence[Job]) -> list[Rollout]:
        """The rollouts of jobs, in their order.

        Raises:
            RayError: see ``RayPool.map``.
        """
        put = self.pool.put
        self._copies = {copy: self._copies.get(copy) or put(weights_of(copy)) for copy in players.copies}
        common = put(weights_of(players.actor)), put(weights_of(players.critic)), list(self._copies.values())
        return [unpack(packed) for packed in self.pool.map(jobs, *common)]

    def close(self) -> None:
        self.pool.close()


def weights_of(network: nn.Module) -> Weights:
    """The weights of a network as arrays, by name."""
    return {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}


def load_weights(network: nn.Module, weights: Weights) -> None:
    """The inverse of ``weights_of``; the arrays may be read-only."""
    network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
