"""The settings of expert iteration: those of self-play, which begins it, and of the search that goes on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from persian_rummy_env.bots import bot_codes

from . import settings as selfplay
from .settings import Config, at_least, pair


@dataclass(frozen=True)
class ExpertConfig(Config):
    """Train one player for all four seats by expert iteration: self-play first, and then rounds in which search that
    leans on the player says what to do where the player's own play leads, and the player learns it.

    Attributes:
        preset: where the defaults come from: ``quick`` (5 minutes on 2 cores, to see it work: in so short a time
            ``train.selfplay`` makes a stronger player), ``two-cores`` (60 minutes).
        searched: share of the budget, the last one, for the rounds; what is before it goes to ``train.selfplay``.
        rounds: of equal length. In each of them search leans on the player as it was when the round began.
        worlds: sampled worlds that a decision is searched in.
        playouts: bot that plays them to the end.
        prior_worlds: worlds in whose stead the player's opinion counts.
        passes: over the decisions of an update, each time with the suits in other orders.
        search_lr: learning rate (Adam) of a round, at its start and at its end.
    """

    algorithm: ClassVar[str] = "expert_iteration"
    preset: Literal["quick", "two-cores"] = "quick"  # type: ignore[assignment]
    searched: float = 0.2
    rounds: int = 2
    worlds: int = 20
    playouts: str = "deepest"
    prior_worlds: float = 10.0
    passes: int = 4
    search_lr: tuple[float, float] = (2e-4, 1e-5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective != "margin":
            raise ValueError(
                f"objective={self.objective!r}: search looks for points of single deals; finish the player by "
                "train.selfplay --start FILE --objective win"
            )
        if not 0 < self.searched <= 1:
            raise ValueError(f"searched={self.searched}: expected a number above 0 and at most 1")
        if self.settled:
            raise ValueError(f"settled={self.settled}: the rounds settle the player as well; expected 0")
        for name in ("rounds", "worlds", "passes"):
            at_least(self, name, 1)
        bot_codes(self.playouts)
        pair(self, "search_lr")
        if not self.prior_worlds >= 0:
            raise ValueError(f"prior_worlds={self.prior_worlds}: expected a number of at least 0")


def of(preset: Config, minutes: float) -> ExpertConfig:
    """A preset of self-play, with rounds of search."""
    settings = {**vars(preset), "out": Path(f"runs/expert-{preset.preset}"), "minutes": minutes, "settled": 0.0}
    return ExpertConfig(**settings)


PRESETS: dict[str, ExpertConfig] = {
    "quick": of(selfplay.PRESETS["quick"], 5.0),
    "two-cores": of(selfplay.PRESETS["two-cores"], 60.0),
}
