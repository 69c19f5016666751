"""What a team earns where the aim is to win games of several deals."""

from __future__ import annotations

import numpy as np
from scipy.special import erf


def win_value(margin: np.ndarray, left: np.ndarray, sd: float) -> np.ndarray:
    """The chance to win less the chance to lose, from -1 to 1: what is paid is how much a step changes it.

    The margin of a game is the lead so far plus what the deals that are left bring, taken for normal with mean 0 and a
    standard deviation of ``sd`` a deal. So a lead of ``m`` with ``k`` deals left is worth ``2 Phi(m / (sd sqrt k)) -
    1``, and at the end the sign of the margin. It is odd: what a team earns is what the other loses. From wherever one
    begins, steps sum to the result of the game; so whatever ``sd`` is, what pays best is what wins most.

    Args:
        margin: (...) team 0's points less team 1's so far, those of the deal under way included.
        left: (...) integers, deals that are not finished, the one under way included; 0: the game is over.
    """
    spread = sd * np.sqrt(2 * np.maximum(left, 1))
    return np.where(left > 0, erf(margin / spread), np.sign(margin))  # 2 Phi(x) - 1 is erf(x / sqrt 2)
