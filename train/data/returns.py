"""Decisions of whole episodes and the returns that followed them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from persian_rummy_env.players.inputs import SIZE
from persian_rummy_env.rules import NUM_SEATS

from .gae import advantages
from .rollout import Played


@dataclass(frozen=True)
class Returns:
    """n decisions and what followed.

    Attributes:
        view: (n, SIZE) uint8, the observations.
        legal: (n, 9) uint64, packed masks.
        action: (n,) int64.
        target: (n,) float32, the return: what the seat's team earned from then on.
        margin: (episodes,) float64, team 0's points less team 1's.
        out: (episodes,) bool, somebody went out in the last deal.
        length: (episodes,) int64, decisions, forced ones included.
    """

    view: np.ndarray
    legal: np.ndarray
    action: np.ndarray
    target: np.ndarray
    margin: np.ndarray
    out: np.ndarray
    length: np.ndarray

    def __len__(self) -> int:
        return len(self.action)


def returns_of(played: Played, final: np.ndarray, scale: float) -> Returns:
    """The returns of what was played.

    Args:
        final: (lanes,) STATE, the games at their end.
        scale: points of margin per unit of return.
    """
    no_value = np.zeros(len(played.action), dtype=np.float32)
    return Returns(
        np.ascontiguousarray(played.view[:, :SIZE]),
        played.legal,
        played.action,
        advantages(played.lane, played.seat, played.time, no_value, played.earned / scale, 1.0),
        margin=played.earned[-1],
        out=final["out"] < NUM_SEATS,
        length=final["episode_decisions"].astype(np.int64),
    )
