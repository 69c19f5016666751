"""The settings of expert iteration: those of self-play, and of the rounds of search that follow."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from persian_rummy_env.bots import bot_codes

from . import presets
from .base import with_settings
from .checks import not_negative, refuse, schedule, whole
from .ppo import Config


@dataclass(frozen=True)
class Search:
    """The last stage, in rounds: the actor learns what search chooses; the actor of the round's start is the prior.

    Attributes:
        fraction: share of the budget, at its end; what is before goes to self-play.
        rounds: rounds of equal length.
        worlds: sampled worlds per decision.
        playouts: bot that plays them to the end.
        prior_worlds: pseudo-count of the prior: it weighs as much as this many sampled worlds.
        passes: passes over the decisions of an update, with the suits permuted again each time.
        lr: learning rate of a round, at its start and at its end.
    """

    group: ClassVar[str] = "search"
    fraction: float = 0.2
    rounds: int = 2
    worlds: int = 20
    playouts: str = "deepest"
    prior_worlds: float = 10.0
    passes: int = 4
    lr: tuple[float, float] = (2e-4, 1e-5)

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            refuse(self, "fraction", "a number above 0 and at most 1")
        for name in ("rounds", "worlds", "passes"):
            whole(self, name, 1)
        bot_codes(self.playouts)
        schedule(self, "lr")
        not_negative(self, "prior_worlds")


@dataclass(frozen=True)
class ExpertConfig(Config):
    """Train one policy for all four seats by expert iteration: self-play, then rounds of search-guided improvement.

    Attributes:
        preset: ``quick`` (5 minutes on 2 cores, to see it work), ``two-cores`` (60 minutes).
        search: the rounds of search.
    """

    algorithm: ClassVar[str] = "expert_iteration"
    stages: ClassVar[str] = Config.stages + r"|round [1-9][0-9]{0,8}"
    preset: Literal["quick", "two-cores"] = "quick"  # type: ignore[assignment]
    search: Search = Search()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reward.kind != "margin":
            raise ValueError(
                f"reward.kind={self.reward.kind!r}: search maximises points of single deals; continue the policy by "
                "train.selfplay --init-from FILE --reward.kind win"
            )
        if self.distill.fraction:
            raise ValueError(f"distill.fraction={self.distill.fraction}: the rounds do the same; expected 0")


def of(preset: Config, minutes: float) -> ExpertConfig:
    """A preset of self-play, with rounds of search."""
    changes = {"out": Path(f"runs/expert-{preset.preset}"), "minutes": minutes, "distill.fraction": 0.0}
    return ExpertConfig(**vars(with_settings(preset, changes)))


PRESETS: dict[str, ExpertConfig] = {
    "quick": of(presets.PRESETS["quick"], 5.0),
    "two-cores": of(presets.PRESETS["two-cores"], 60.0),
}
