"""The settings of deep Monte Carlo."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from .base import Optim, RunConfig, with_settings
from .checks import above_zero, refuse, schedule


@dataclass(frozen=True)
class Dmc:
    """Deep Monte Carlo.

    Attributes:
        reward_scale: points of margin per unit of the network's values.
        epsilon: share of random decisions, at the start and at the end.
    """

    group: ClassVar[str] = "dmc"
    reward_scale: float = 50.0
    epsilon: tuple[float, float] = (0.05, 0.01)

    def __post_init__(self) -> None:
        above_zero(self, "reward_scale")
        schedule(self, "epsilon")
        if max(self.epsilon) > 1:
            refuse(self, "epsilon", "shares, from 0 to 1")


OPTIM = Optim(lr=(1e-3, 1e-4), epochs=1)


@dataclass(frozen=True)
class DmcConfig(RunConfig):
    """Train one policy for all four seats by deep Monte Carlo: regress the return of each action, play the best.

    Attributes:
        preset: ``quick`` (5 minutes on 2 cores), ``two-cores`` (10 minutes).
        dmc: deep Monte Carlo.
    """

    algorithm: ClassVar[str] = "dmc"
    preset: Literal["quick", "two-cores"] = "quick"  # type: ignore[assignment]
    out: Path = Path("runs/dmc-quick")
    optim: Optim = OPTIM
    dmc: Dmc = Dmc()


QUICK = DmcConfig()
TWO_CORES = {"preset": "two-cores", "out": Path("runs/dmc-two-cores"), "minutes": 10.0, "deals": 384}
PRESETS: dict[str, DmcConfig] = {"quick": QUICK, "two-cores": with_settings(QUICK, TWO_CORES)}
