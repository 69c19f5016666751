"""TorchRL: returns and advantages by seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from tensordict import TensorDictBase  # pyright: ignore[reportMissingImports]
from tensordict.nn import TensorDictModuleBase  # pyright: ignore[reportMissingImports]
from torch import Tensor

from ..core import gae
from ..core.compiler.compile_on_demand import ensure_compiled
from ..rules import NUM_TEAMS


def seat_returns(reward: Tensor, done: Tensor) -> Tensor:
    """The sum of each seat's rewards from each step to the end of its episode: the return of its decision (gamma = 1).

    Rewards between two decisions of a seat belong to the earlier one. For the wrapped AEC environment, where every step
    has a row for each seat.

    Args:
        reward: (steps, …), rewards of the single steps, ``("next", group, "reward")`` of one game.
        done: (steps, …) bool of the same shape, True where the episode ended.

    Returns:
        (steps, …). Drop the rows after the last ``done``: their returns are incomplete.
    """
    returns = reward.clone()
    following = 0 * reward[0]
    for step in range(len(reward) - 1, -1, -1):
        following = reward[step] + following * ~done[step]
        returns[step] = following
    return returns


def seat_advantages(
    seat: Tensor,
    reward: Tensor,
    value: Tensor,
    ends: Tensor,
    next_seat: Tensor,
    next_value: Tensor,
    *,
    decided: Tensor | None = None,
    gamma: float = 1.0,
    lmbda: float = 0.95,
) -> Tensor:
    """Generalised advantage estimates along each seat's own decisions, for rows that belong to the seat to move.

    The next decision is that of the *same seat*. The reward of a decision is the sum of the seat's rewards until then.
    The discount applies once for each decision of the seat.

    Args:
        seat: (n, T) int64, the seat that decides.
        reward: (n, T, 4), rewards of the step by seat: the same for partners, and the negative for opponents.
        value: (n, T), the critic's value to the seat that decides.
        ends: (n, T) bool, True where the episode ended.
        next_seat, next_value: (n, T), read where ``ends`` is True and in the last column: a seat, and the value to it
            of the following state; 0 after a terminal state. The partner has the same value, the opponents its
            negative.
        gamma: discount.
        lmbda: lambda of the estimate, 0..1.
        decided: (n, T) bool, the decisions to learn from; rewards of other steps go to the decision before them. None:
            all.

    Returns:
        (n, T), 0 where ``decided`` is False.
    """
    ensure_compiled("advantages")
    cut = ends.cpu().numpy().copy()
    cut[:, -1] = True
    episode = np.cumsum(cut).reshape(cut.shape) - cut
    earned = np.pad(np.cumsum(reward[..., 0].double().cpu().numpy(), axis=1), ((0, 0), (1, 0)))
    row, step = np.nonzero(np.ones_like(cut) if decided is None else decided.cpu().numpy())
    mover, worth = next_seat.cpu().numpy()[cut], next_value.double().cpu().numpy()[cut]
    estimates = gae.advantages(
        episode[row, step],
        seat.long().cpu().numpy()[row, step],
        value.double().cpu().numpy()[row, step],
        earned[row, step],
        earned[:, 1:][cut],
        np.where(mover % NUM_TEAMS == 0, worth, -worth),
        gamma,
        lmbda,
    )
    advantage = np.zeros(cut.shape)
    advantage[row, step] = estimates
    return torch.from_numpy(advantage).to(value)


class SeatGAE(TensorDictModuleBase):
    """``seat_advantages`` for the batches of a collector on ``PersianRummyTorchRL``; replaces TorchRL's ``GAE``.

    Reads ``seat``, ``action_mask``, and under ``next`` ``seat``, ``reward``, ``done``, ``terminated``, of batch size
    (n, T). Writes ``advantage``, ``value_target`` and ``state_value``, (n, T, 1), without gradients, and ``decided``,
    (n, T) bool: the rows with more than one legal action. Learn only from those, ``batch[batch["decided"]]``.
    An episode that is cut by the batch or by ``max_decisions`` is bootstrapped with the critic's value.

    Args:
        value_network: a module that writes ``state_value``, (…, 1), the value to the seat of the observation.
        gamma: discount per decision of the seat. The game is undiscounted.
        lmbda: lambda of the estimate, 0..1.
    """

    def __init__(self, value_network: Any, *, gamma: float = 1.0, lmbda: float = 0.95) -> None:
        super().__init__()
        self.in_keys = ["seat", "action_mask", *(("next", key) for key in ("seat", "reward", "done", "terminated"))]
        self.out_keys = ["advantage", "value_target", "state_value", "decided"]
        self.value_network = value_network
        self.gamma, self.lmbda = gamma, lmbda

    @torch.no_grad()
    def forward(self, tensordict: TensorDictBase) -> TensorDictBase:
        following = tensordict["next"]
        ends = following["done"].squeeze(-1)
        value = self._value(tensordict)
        asked = ends & ~following["terminated"].squeeze(-1)
        asked[:, -1] = ~following["terminated"][:, -1, 0]
        next_value = torch.zeros_like(value)
        if asked.any():
            next_value[asked] = self._value(following[asked])
        decided = tensordict["action_mask"].sum(-1) > 1
        advantage = seat_advantages(
            tensordict["seat"].squeeze(-1), following["reward"], value, ends,
            following["seat"].squeeze(-1), next_value,
            decided=decided, gamma=self.gamma, lmbda=self.lmbda,
        )  # fmt: skip
        tensordict["advantage"] = advantage.unsqueeze(-1)
        tensordict["state_value"] = value.unsqueeze(-1)
        tensordict["value_target"] = (advantage + value).unsqueeze(-1)
        tensordict["decided"] = decided
        return tensordict

    def _value(self, seen: TensorDictBase) -> Tensor:
        return self.value_network(seen.select(*self.value_network.in_keys))["state_value"].squeeze(-1)
