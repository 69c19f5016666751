"""TorchRL: returns and advantages by seat."""

from __future__ import annotations

from typing import Any

import torch
from tensordict import TensorDictBase  # pyright: ignore[reportMissingImports]
from tensordict.nn import TensorDictModuleBase  # pyright: ignore[reportMissingImports]
from torch import Tensor

from ..rules import NUM_SEATS, NUM_TEAMS


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
        reward: (n, T, 4), rewards of the step by seat.
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
    rows, steps = seat.shape
    row = torch.arange(rows, device=seat.device)
    team = torch.arange(NUM_SEATS, device=seat.device) % NUM_TEAMS
    paid, following, surprises = (torch.zeros(rows, NUM_SEATS, dtype=value.dtype, device=seat.device) for _ in range(3))
    advantage = torch.zeros_like(value)
    for step in range(steps - 1, -1, -1):
        cut = ends[:, step] if step < steps - 1 else torch.ones_like(ends[:, step])
        sign = torch.where(team == (next_seat[:, step] % NUM_TEAMS).unsqueeze(-1), 1.0, -1.0)
        after = sign * next_value[:, step].unsqueeze(-1)
        cut = cut.unsqueeze(-1)
        following = torch.where(cut, after, following)
        paid = torch.where(cut, 0.0, paid) + reward[:, step]
        surprises = torch.where(cut, 0.0, surprises)
        who = seat[:, step]
        surprise = paid[row, who] + gamma * following[row, who] - value[:, step]
        estimate = surprise + gamma * lmbda * surprises[row, who]
        here = torch.ones_like(ends[:, step]) if decided is None else decided[:, step]
        advantage[:, step] = torch.where(here, estimate, 0.0)
        paid[row, who] = torch.where(here, 0.0, paid[row, who])
        following[row, who] = torch.where(here, value[:, step], following[row, who])
        surprises[row, who] = torch.where(here, estimate, surprises[row, who])
    return advantage


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
