"""The settings of imitation alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self

from persian_rummy_env.players.load import load

from ..data.labels import EPSILON
from .base import Optim, RunConfig, with_settings
from .checks import share, whole


@dataclass(frozen=True)
class Imitate:
    """Imitation.

    Attributes:
        teacher: the policy to imitate, by name: a bot, ``champion``, ``search(deepest, worlds=10)`` …
        batch_size: labelled decisions per update.
        epsilon: share of random decisions in the play that is labelled.
        permute_suits: permute the suits of every decision at random.
    """

    group: ClassVar[str] = "imitate"
    teacher: str = "expert"
    batch_size: int = 16384
    epsilon: float = EPSILON
    permute_suits: bool = True

    def __post_init__(self) -> None:
        whole(self, "batch_size", 1)
        try:
            load(self.teacher)
        except FileNotFoundError as error:
            raise ValueError(f"imitate.teacher={self.teacher!r}: {error}") from error
        share(self, "epsilon")


OPTIM = Optim(lr=(2e-3, 3e-5), epochs=1)


@dataclass(frozen=True)
class ImitateConfig(RunConfig):
    """Train a policy to choose as a given policy does.

    Attributes:
        preset: there is one, ``quick``: a minute on 2 cores.
        deals: deals that are played at once.
        imitate: imitation.
    """

    algorithm: ClassVar[str] = "imitate"
    preset: Literal["quick"] = "quick"  # type: ignore[assignment]
    out: Path = Path("runs/imitate")
    minutes: float | None = 1.0
    deals: int = 1024
    optim: Optim = OPTIM
    imitate: Imitate = Imitate()

    def small(self) -> Self:
        return with_settings(super().small(), {"deals": 64 * self.threads, "imitate.batch_size": 128})


PRESETS: dict[str, ImitateConfig] = {"quick": ImitateConfig()}
