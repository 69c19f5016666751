"""TorchRL: what each decision of a seat led to, for that seat."""

from __future__ import annotations

from typing import Any

import torch
from tensordict import TensorDictBase  # pyright: ignore[reportMissingImports]
from tensordict.nn import TensorDictModuleBase  # pyright: ignore[reportMissingImports]
from torch import Tensor

from ..rules import NUM_SEATS, NUM_TEAMS


def seat_returns(reward: Tensor, done: Tensor) -> Tensor:
    """What each seat is still paid in its episode, from each step on: its return where it decided there (gamma = 1).

    All that a seat is paid between two of its decisions, whoever earned it, is in the return of the earlier one. For
    the wrapped AEC environment, where every step has a row of each seat.

    Args:
        reward: (steps, …) of the single steps, ``("next", group, "reward")`` of one table.
        done: (steps, …) bool of the same shape, the episode ended in that step.

    Returns:
        (steps, …). After the last ``done`` it is cut off: leave those rows out.
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
    """Generalised advantages along each seat's own decisions, for rows that belong to the seat to move.

    A decision is followed by the next of the *same seat*; it is paid all that its seat got until then, whoever earned
    it. Discounts count a seat's decisions.

    Args:
        seat: (n, T) int64, who decides.
        reward: (n, T, 4), paid by the step to each seat.
        value: (n, T), the critic's value to the seat that decides.
        ends: (n, T) bool, the episode ended in that step.
        next_seat, next_value: (n, T), read where ``ends`` and in the last column: a seat and the value to it of what
            came after; 0 where nothing did. For its partner it is the same and for the opponents its negative.
        decided: (n, T) bool, the steps to learn from; what the others earn is part of the way between. Default: all.

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
    """``seat_advantages`` of what a collector brings from ``PersianRummyTorchRL``, in the place of TorchRL's ``GAE``.

    Reads ``seat``, ``action_mask``, and under ``next`` ``seat``, ``reward``, ``done``, ``terminated``, of batch size
    (n, T). Writes ``advantage``, ``value_target`` and ``state_value``, (n, T, 1), without gradients, and ``decided``,
    (n, T) bool: the rows with more than one legal action. Learn from those alone, ``batch[batch["decided"]]``.
    An episode that the batch cuts, or ``max_decisions``, goes on with the critic's value of what came next.

    Args:
        value_network: a module that writes ``state_value``, (…, 1), for the seat that sees.
        gamma: discount a decision of the seat. The game is undiscounted.
        lmbda: of the estimate, 0..1.
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
