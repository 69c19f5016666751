"""The settings of expert iteration: those of self-play, which ends it, and of the stages before."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal

from persian_rummy_env.bots import BOTS

from .config import Config, at_least

STAGES = ("imitate", "search", "critic", "ppo")
"""In order: the values of a bot are taught, then those of search; then the critic learns what play is worth, and then
both networks learn from self-play."""


@dataclass(frozen=True)
class ExpertConfig(Config):
    """Train one player for all four seats by expert iteration: search in sampled worlds says what actions are worth,
    the network learns it, and plays on to the decisions that are searched next. PPO self-play makes the end.

    Attributes:
        imitate: share of the budget in which values are those of the bot ``expert``: as good as that bot in seconds.
        ppo: share of the budget, the last one, for PPO; its first part goes to the critic alone.
        critic: share of the budget that the critic has to itself.
        labels: decisions labelled for an update.
        worlds: sampled worlds for a label. The more, the surer; the fewer, the more labels.
        near: bot that goes on in a playout.
        plies: for so many decisions.
        far: bot that ends it.
        tables: deals at once while labels are collected.
        random_share: of the decisions played then, at random.
        passes: over the labels of an update.
        reorder: teach the suits of every decision in an order of chance.
        temperature: points of value that make an action e times likelier in the policy.
        label_lr: learning rate (Adam) of teaching, at the start and before PPO.
    """

    preset: Literal["quick", "two-cores"] = "quick"  # type: ignore[assignment]
    out: Path = Path("runs/expert-quick")
    minutes: float | None = 1.0
    lr: tuple[float, float] = (2e-4, 3e-5)
    entropy: tuple[float, float] = (0.003, 0.001)
    imitate: float = 0.4
    ppo: float = 0.0
    critic: float = 0.0
    labels: int = 16384
    worlds: int = 1
    near: str = "expert"
    plies: int = 1000
    far: str = "deepest"
    tables: int = 1024
    random_share: float = 0.05
    passes: int = 1
    reorder: bool = True
    temperature: float = 3.0
    label_lr: tuple[float, float] = (2e-3, 3e-5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective != "margin":
            raise ValueError(
                f"objective={self.objective!r}: labels are points of single deals; finish the player by "
                "train.selfplay --start FILE --objective win"
            )
        if self.workers != "local":
            raise ValueError(f"workers={self.workers!r}: expert iteration plays in its own threads; expected 'local'")
        if self.taught or self.sharpen != 1:
            raise ValueError(
                f"taught={self.taught}, sharpen={self.sharpen}: here labels teach the player; see imitate and ppo"
            )
        for name in ("labels", "worlds", "tables", "passes"):
            at_least(self, name, 1)
        at_least(self, "plies", 0)
        for name in ("imitate", "ppo", "critic", "random_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}={getattr(self, name)}: expected a number from 0 to 1")
        if self.imitate + self.ppo > 1:
            raise ValueError(
                f"imitate={self.imitate}, ppo={self.ppo}: expected shares of one budget, at most 1 together"
            )
        if self.critic > self.ppo:
            raise ValueError(f"critic={self.critic}, ppo={self.ppo}: the critic's share is a part of PPO's")
        for name in ("near", "far"):
            if getattr(self, name) not in BOTS:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected a bot, one of {', '.join(BOTS)}")
        if not self.temperature > 0:
            raise ValueError(f"temperature={self.temperature}: expected a number above 0")
        if len(self.label_lr) != 2 or min(self.label_lr) <= 0:
            raise ValueError(f"label_lr={self.label_lr}: expected two numbers above 0, at the start and at the end")
        if self.tables < self.threads:
            raise ValueError(f"tables={self.tables}, threads={self.threads}: every thread must have a deal to play")

    def stage(self, progress: float) -> str:
        """Which of ``STAGES`` runs at a share of the budget."""
        if progress < self.imitate:
            return "imitate"
        if progress < 1 - self.ppo:
            return "search"
        return "critic" if progress < 1 - self.ppo + self.critic else "ppo"

    def way(self, progress: float) -> float:
        """The share of its way that the schedule in force has gone: teaching's, or PPO's."""
        before = 1 - self.ppo
        if progress < before:
            return progress / before
        first = before + self.critic
        return max(0.0, (progress - first) / (1 - first)) if first < 1 else 1.0


assert {field.name for field in fields(Config)} < {field.name for field in fields(ExpertConfig)}

QUICK = ExpertConfig()
PRESETS: dict[str, ExpertConfig] = {
    "quick": QUICK,
    "two-cores": replace(
        QUICK, preset="two-cores", out=Path("runs/expert-two-cores"), minutes=10.0, imitate=0.1, ppo=0.3
    ),
}
