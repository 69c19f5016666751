"""Advantages: what each decision was worth, seat by seat.

A turn is several decisions of one seat, and three other seats move before that seat decides again. So each seat has a
trajectory of its own: from one of its decisions to its next, with everything that was earned in between, by itself, its
partner or (as a loss) the opponents, as the reward of the earlier decision. After its last decision a seat is paid
until the deal ends. docs/training.md works an example by hand.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from persian_rummy_env.rules import NUM_SEATS, NUM_TEAMS


@njit(cache=True, nogil=True)
def advantages(lane, seat, time, value, earned, gae_lambda):
    """Generalised advantage estimates with gamma = 1, of decisions in whole deals.

    Args:
        lane, seat, time: (n,) integers: at which table, by whom and at which step each decision was taken, in the order
            of time. Decisions that are not listed (forced ones) are parts of the way from one to the next.
        value: (n,) float32, the critic's value to the seat at the moment of its decision.
        earned: (steps + 1, lanes) float64: what team 0 had earned (its margin) before each step, and at the end. The
            two teams earn opposite amounts.
        gae_lambda: weight of what follows, per decision of the seat.

    Returns:
        (n,) float32. Advantage plus value is what the value should have been.
    """
    lanes = earned.shape[1]
    advantage = np.empty(len(lane), dtype=np.float32)
    following = np.full((lanes, NUM_SEATS), -1, dtype=np.int64)
    for i in range(len(lane) - 1, -1, -1):
        table, who = int(lane[i]), int(seat[i])
        sign = 1.0 if who % NUM_TEAMS == 0 else -1.0
        after = following[table, who]
        if after < 0:
            reward = sign * (earned[len(earned) - 1, table] - earned[int(time[i]), table])
            advantage[i] = reward - value[i]
        else:
            reward = sign * (earned[int(time[after]), table] - earned[int(time[i]), table])
            advantage[i] = reward + value[after] - value[i] + gae_lambda * advantage[after]
        following[table, who] = i
    return advantage
