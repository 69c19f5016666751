"""A whole update's play in one part, for tests of what is made of it."""

from dataclasses import replace

import torch

from train.config.ppo import Config
from train.data.rollout import Collector, Players, Rollout
from train.scale.workers import jobs_of


def played(config: Config, players: Players, update: int = 0, device: str = "cpu") -> Rollout:
    [job] = jobs_of(replace(config, parts=1), update, len(players.copies))
    return Collector(config, len(job.deals), torch.device(device)).collect(players, job)
