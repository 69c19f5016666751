"""How far a run is."""

from __future__ import annotations

from dataclasses import dataclass

from persian_rummy_env.system.stored import LARGEST

from ..algorithms.base import Step


@dataclass
class Counters:
    """How far a run is; ``stage``: that of the last update, if the algorithm has several.

    Raises:
        ValueError: a number below 0; the message names it.
    """

    update: int = 0
    decisions: int = 0
    deals: int = 0
    seconds: float = 0.0
    evaluations: int = 0
    saves: int = 0
    stage: str = ""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "stage" and not 0 <= value <= LARGEST:
                raise ValueError(f"{name}={value}: expected a number of at least 0")

    def count(self, step: Step, seconds: float) -> None:
        """Count an update that took so many seconds."""
        self.update += 1
        self.decisions += step.decisions
        self.deals += step.deals
        self.seconds += seconds
