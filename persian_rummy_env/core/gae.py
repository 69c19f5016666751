"""Generalised advantage estimation, seat by seat."""

from __future__ import annotations

import numpy as np

from ..rules import NUM_SEATS, NUM_TEAMS
from .compiler.jit import compiled


@compiled
def advantages(lane, seat, value, before, end, after, gamma, gae_lambda):
    """What each decision was worth to its seat.

    A turn is several decisions of one seat, and three other seats move before that seat decides again. So each seat has
    a trajectory of its own: from one of its decisions to its next. All that was earned in between, by itself, its
    partner or (as a loss) the opponents, is the reward of the earlier decision. After its last decision a seat is paid
    until the episode ends.

    Args:
        lane, seat: (n,) integers: in which episode and by whom each decision was taken, those of an episode in the
            order of time. Decisions that are not listed (forced ones) are parts of the way from one to the next.
        value: (n,) float32 or float64, the critic's value to the seat at the moment of its decision.
        before: (n,) float64, what team 0 had earned in the episode before each decision. The two teams earn opposite
            amounts.
        end: (lanes,) float64, what team 0 had earned at the end of each episode.
        after: (lanes,) float64, the value to team 0 of what comes after that; 0 where the episode is over.
        gamma: discount per decision of the seat. gae_lambda: weight of what follows, per decision of the seat.

    Returns:
        (n,) like ``value``. Advantage plus value is what the value should have been.
    """
    advantage = np.empty_like(value)
    following = np.full((len(end), NUM_SEATS), -1, dtype=np.int64)
    for i in range(len(lane) - 1, -1, -1):
        episode, who = int(lane[i]), int(seat[i])
        sign = 1.0 if who % NUM_TEAMS == 0 else -1.0
        later = following[episode, who]
        if later < 0:
            reward = sign * (end[episode] - before[i])
            advantage[i] = reward + gamma * sign * after[episode] - value[i]
        else:
            reward = sign * (before[later] - before[i])
            advantage[i] = reward + gamma * value[later] - value[i] + gamma * gae_lambda * advantage[later]
        following[episode, who] = i
    return advantage
