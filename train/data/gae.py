"""Advantages of the decisions of whole deals; docs/training.md works an example by hand."""

from __future__ import annotations

import numpy as np

from persian_rummy_env.core import gae
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled


def advantages(
    lane: np.ndarray, seat: np.ndarray, time: np.ndarray, value: np.ndarray, earned: np.ndarray, gae_lambda: float
) -> np.ndarray:
    """Generalised advantage estimates with gamma = 1 along each seat's own decisions (``core.gae.advantages``).

    Args:
        lane, seat, time: (n,) integers: in which lane, by whom and at which step each decision was taken, in the order
            of time. Forced decisions are not listed.
        value: (n,) float32, the critic's value to the seat at the moment of its decision.
        earned: (steps + 1, lanes) float64: what team 0 had earned (its margin) before each step, and at the end.
        gae_lambda: weight of what follows, per decision of the seat.

    Returns:
        (n,) float32. Advantage plus value is what the value should have been.
    """
    ensure_compiled("advantages")
    nothing = np.zeros(earned.shape[1])
    return gae.advantages(
        lane, seat, value, earned[time, lane], np.ascontiguousarray(earned[-1]), nothing, 1.0, gae_lambda
    )
