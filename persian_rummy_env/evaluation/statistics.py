"""Statistics for matches: the interval of a mean, and Bradley-Terry strengths.

The tests compare both with scipy and choix; the package does not need those libraries.
"""

from __future__ import annotations

import functools
import math

import numpy as np

CONFIDENCE = 0.95
NEWTON_STEPS = 100
CONVERGED = 1e-12


def mean_interval(values: np.ndarray) -> tuple[float, float, float]:
    """The mean of independent values (n,), and the bounds of its 95% Student t interval.

    Returns:
        (mean, low, high); with a single value the bounds are infinite.
    """
    mean = float(values.mean())
    if len(values) < 2:
        return mean, float("-inf"), float("inf")
    half = t_quantile(0.5 + CONFIDENCE / 2, len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean, mean - half, mean + half


@functools.lru_cache(maxsize=1024)  # a quantile takes a millisecond, and the same few are asked for again and again
def t_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t distribution.

    Args:
        probability: 0.5 <= p < 1. freedom: degrees of freedom, at least 1.
    """
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError(f"probability={probability!r}, freedom={freedom!r}: expected 0.5 <= p < 1 and at least 1")
    low, high = 0.0, 1.0
    while _t_cdf(high, freedom) < probability:
        high *= 2
    for _ in range(200):  # bisection: half the interval each time, to the last bit
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_cdf(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _t_cdf(t: float, freedom: int) -> float:
    """P(T <= t) for t >= 0, by the regularised incomplete beta function."""
    return 1 - 0.5 * _beta_regularised(freedom / (freedom + t * t), freedom / 2, 0.5)


def _beta_regularised(x: float, a: float, b: float) -> float:
    """I_x(a, b), by Lentz's evaluation of its continued fraction (Numerical Recipes, section 6.4)."""
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - _beta_regularised(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * result


def bradley_terry(wins: np.ndarray) -> np.ndarray:
    """Maximum-likelihood strengths of the model of Bradley and Terry (1952), by Newton's method.

    Args:
        wins: (k, k), wins of the row's player over the column's; a tie is half a win for each. Without a path of wins
            from every player to every other the likelihood has no maximum.

    Returns:
        (k,) float64 with mean 0: the log-odds that i beats j are ``strength[i] - strength[j]``.

    Raises:
        ValueError: there is no maximum, or Newton's method did not reach it.
    """
    played = wins + wins.T
    count = len(wins)
    strength = np.zeros(count)
    for _ in range(NEWTON_STEPS):
        likely = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = wins.sum(axis=1) - (played * likely).sum(axis=1)
        weight = played * likely * likely.T
        # The strengths are determined up to a constant. The added ones fix their mean, so that the system is regular.
        curvature = np.diag(weight.sum(axis=1)) - weight + np.ones((count, count))
        try:
            step = np.linalg.solve(curvature, gradient)
        except np.linalg.LinAlgError as error:
            raise ValueError("players that never met, or one that always won: no finite strengths fit") from error
        strength += step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < CONVERGED * max(1.0, float(np.abs(strength).max())):
            return strength - strength.mean()
    raise ValueError("players that never met, or one that always won: no finite strengths fit")
