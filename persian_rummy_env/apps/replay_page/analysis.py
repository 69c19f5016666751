"""The analysis of a game's decisions by a policy, as plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...actions import ACTION_NAMES
from ...rules import RuleSet

SHOWN = 5
"""Best actions of a decision that the page lists, in addition to the action that was played."""


@dataclass(frozen=True)
class Analysis:
    """The analysis of n decisions.

    Attributes:
        policy: the name of the policy.
        chosen: (n,) integers, the actions that it would choose.
        probabilities: (n, 547) float, its distribution, 0 for illegal actions; None if it has none.
        worth: (n, 547) float, the expected margin of the deal after each action, for the team of the seat to move,
            ``-inf`` for illegal actions; None if it does not evaluate actions.
        value: (n,) float, the expected margin of the decision as a whole; NaN if unknown; None without values.
        half: (n,) float, half of the 95% interval of the value; None if unknown.

    Raises:
        ValueError: arrays of other shapes.
    """

    policy: str
    chosen: np.ndarray
    probabilities: np.ndarray | None = None
    worth: np.ndarray | None = None
    value: np.ndarray | None = None
    half: np.ndarray | None = None

    def __post_init__(self) -> None:
        rows, wide = (len(self.chosen),), (len(self.chosen), len(ACTION_NAMES))
        for name, shape in (
            ("chosen", rows),
            ("probabilities", wide),
            ("worth", wide),
            ("value", rows),
            ("half", rows),
        ):
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise ValueError(f"analysis of {self.policy}: {name} has the shape {array.shape}, expected {shape}")

    def of(self, row: int, played: int, legal: int) -> list[Any]:
        """A decision for the page: ``[chosen, legal actions, value, half, [[action, number], …]]``, with None for
        unknown values.

        The list holds the best actions by probability (in thousandths) or worth (in tenths of a point), and the action
        that was played; it is empty if the policy has neither.
        """
        value, half = (
            None if array is None or np.isnan(array[row]) else round(float(array[row]), 1)
            for array in (self.value, self.half)
        )
        numbers, scale = (self.worth, 10) if self.probabilities is None else (self.probabilities, 1000)
        listed = []
        if numbers is not None:
            floor = 0 if numbers is self.probabilities else -np.inf
            best = np.argsort(-numbers[row], kind="stable")[: min(SHOWN, legal)].tolist()
            best = [action for action in best if numbers[row, action] > floor]
            listed = [
                [ACTION_NAMES[action], round(float(numbers[row, action]) * scale)]
                for action in [*best, *([] if played in best else [played])]
            ]
        return [ACTION_NAMES[int(self.chosen[row])], legal, value, half, listed]


Analyst: TypeAlias = Callable[[np.ndarray, RuleSet], Analysis]
"""Analyses the games before n decisions, (n,) STATE, played with the given rules."""
