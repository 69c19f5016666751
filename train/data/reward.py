"""The reward for winning games of several deals."""

from __future__ import annotations

import numpy as np
from scipy.special import erf


def win_value(margin: np.ndarray, left: np.ndarray, sd: float) -> np.ndarray:
    """Team 0's chance to win less its chance to lose, in [-1, 1]. The reward of a step is the change of this value.

    The deals that are left are taken to be normal with mean 0 and standard deviation ``sd`` each. A lead of ``m`` with
    ``k`` deals left is worth ``2 Phi(m / (sd sqrt k)) - 1``; at the end the value is the sign of the margin. The
    rewards of the teams are opposite. The rewards of a game sum to its result, so the best policy does not depend on
    ``sd``.

    Args:
        margin: (...) float64, team 0's points less team 1's so far, with those of the current deal.
        left: (...) integers, deals that are not finished, with the current one; 0: the game is over.
        sd: standard deviation of the margin of a deal, in points.

    Returns:
        (...) float64.
    """
    spread = sd * np.sqrt(2 * np.maximum(left, 1))
    return np.where(left > 0, erf(margin / spread), np.sign(margin))  # 2 Phi(x) - 1 is erf(x / sqrt 2)
