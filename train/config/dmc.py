"""The settings of deep Monte Carlo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from .settings import RunConfig, above, pair


@dataclass(frozen=True)
class DmcConfig(RunConfig):
    """Train one player for all four seats by deep Monte Carlo: learn what each action was followed by, play the best.

    Attributes:
        preset: where the defaults come from: ``quick`` (5 minutes on 2 cores), ``two-cores`` (10 minutes).
        points: points of margin that the network gives out as 1.
        epsilon: share of the decisions that are played at random, at the start and at the end.
    """

    algorithm: ClassVar[str] = "dmc"
    preset: Literal["quick", "two-cores"] = "quick"  # type: ignore[assignment]
    out: Path = Path("runs/dmc-quick")
    epochs: int = 1
    lr: tuple[float, float] = (1e-3, 1e-4)
    points: float = 50.0
    epsilon: tuple[float, float] = (0.05, 0.01)

    def __post_init__(self) -> None:
        super().__post_init__()
        above(self, "points")
        pair(self, "epsilon")
        if max(self.epsilon) > 1:
            raise ValueError(f"epsilon={self.epsilon}: expected shares, from 0 to 1")


QUICK = DmcConfig()
PRESETS: dict[str, DmcConfig] = {
    "quick": QUICK,
    "two-cores": replace(QUICK, preset="two-cores", out=Path("runs/dmc-two-cores"), minutes=10.0, deals=384),
}
