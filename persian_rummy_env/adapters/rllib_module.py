"""RLlib: a network with action masks in sampling and in the loss."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.core.columns import Columns  # pyright: ignore[reportMissingImports]
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI  # pyright: ignore[reportMissingImports]
from ray.rllib.core.rl_module.rl_module import RLModule  # pyright: ignore[reportMissingImports]
from ray.rllib.core.rl_module.torch import TorchRLModule  # pyright: ignore[reportMissingImports]
from torch import nn

ILLEGAL = torch.finfo(torch.float32).min
"""The logit of an illegal action: its probability and its share of entropy and divergence are 0."""


class MaskedActorCritic(TorchRLModule, ValueFunctionAPI):
    """Actor and critic for ``PersianRummyRLlib``, each with one layer of ``model_config["hidden"]`` units (default
    128).

    Sampling and the PPO loss read the same masked logits.
    """

    def setup(self) -> None:
        size = self.observation_space["observations"].shape[0]
        hidden = self.model_config.get("hidden", 128)
        self.actor = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, int(self.action_space.n)))
        self.critic = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def _forward(self, batch: dict[str, Any], **_options: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.actor(seen["observations"]).masked_fill(seen["action_mask"] == 0, ILLEGAL)
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:  # noqa: ARG002
        return self.critic(batch[Columns.OBS]["observations"]).squeeze(-1)


class LegalAtRandom(RLModule):
    """Plays legal actions uniformly. It has no weights, so leave it out of ``policies_to_train``."""

    def _forward(self, batch: dict[str, Any], **_options: Any) -> dict[str, Any]:
        mask = torch.as_tensor(batch[Columns.OBS]["action_mask"])
        return {Columns.ACTIONS: torch.multinomial(mask, 1).squeeze(-1)}

    def compile(self, *_args: Any, **_options: Any) -> None:
        """Does nothing; RLlib calls it on every module."""
