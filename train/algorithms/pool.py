"""The pool: earlier copies of the actor as opponents.

A copy plays both seats of a team for a whole deal. Its decisions are not learnt from, and its weights do not change.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from agents.network import Actor
from persian_rummy_env.bots import BOTS
from persian_rummy_env.rules import NUM_SEATS, NUM_TEAMS

LEARNER = -1
"""In place of the number of an opponent: the learner plays this seat."""


def frozen(actor: Actor) -> Actor:
    """A copy of an actor that shares no memory with it and has no gradients."""
    return copy.deepcopy(actor).requires_grad_(False)


class Pool:
    """A ring of copies: a new one every ``every`` updates, the last ``size`` of them.

    Attributes:
        teams: the copies, the oldest first.
    """

    def __init__(self, size: int, every: int) -> None:
        self.size = size
        self.every = every
        self.teams: list[Actor] = []

    def offer(self, actor: Actor, updates: int) -> None:
        """Copy the actor if a copy is due after ``updates`` updates."""
        if updates % self.every == 0:
            self.teams = [*self.teams, frozen(actor)][-self.size :]

    def state(self) -> dict[str, Tensor]:
        return {
            f"{i}.{name}": tensor for i, team in enumerate(self.teams) for name, tensor in team.state_dict().items()
        }

    def restore(self, tensors: Mapping[str, Tensor], like: Actor) -> None:
        """The inverse of ``state``; ``like``: an actor of the same shape."""
        count = len({name.split(".")[0] for name in tensors})
        self.teams = [frozen(like) for _ in range(count)]
        for i, team in enumerate(self.teams):
            team.load_state_dict({n.removeprefix(f"{i}."): t for n, t in tensors.items() if n.startswith(f"{i}.")})


def assign_opponents(lanes: int, opponents: Sequence[tuple[float, np.ndarray]]) -> np.ndarray:
    """The player of each absolute seat: (lanes, 4) int64, ``LEARNER`` or the number of an opponent.

    Args:
        lanes: episodes.
        opponents: pairs of a share of the lanes and the opponents (k,) int64 that play in them, in turn. Shares are
            taken from the first lane on. The learner is team 0 in even lanes and team 1 in odd ones.
    """
    who = np.full((lanes, NUM_SEATS), LEARNER, dtype=np.int64)
    first = 0
    for share, numbers in opponents:
        if len(numbers):
            count = round(share * lanes)
            for lane in range(first, min(first + count, lanes)):
                opponent_seats = np.arange(NUM_SEATS) % NUM_TEAMS != lane % NUM_TEAMS
                who[lane, opponent_seats] = numbers[(lane - first) // NUM_TEAMS % len(numbers)]
            first += count
    return who


def bot_numbers(names: Sequence[str]) -> np.ndarray:
    """The numbers (k,) int64 of scripted bots as opponents: below ``LEARNER``, by their codes."""
    return LEARNER - 1 - np.array([BOTS[name] for name in names], dtype=np.int64)


def codes_of(who: np.ndarray) -> np.ndarray:
    """The codes of the bots among ``who``, int8 of the same shape; -1 where no bot sits."""
    return np.where(who < LEARNER, LEARNER - 1 - who, -1).astype(np.int8)
