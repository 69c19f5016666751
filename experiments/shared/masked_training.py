"""PPO self-play without the blocks of the observation that say what seats left in the pile:

    python -m experiments.shared.masked_training --preset two-cores --seed 1 --out runs/masked

It takes the settings of ``train.selfplay``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from persian_rummy_env.observation import BLOCK
from train.config import presets
from train.config.ppo import Config
from train.run.course import command
from train.selfplay import SelfPlay

BLOCKS = ("declined_left", "declined_partner", "declined_right")


@dataclass(frozen=True)
class MaskedConfig(Config):
    """Train one policy for all four seats by PPO self-play, without what seats left in the pile."""

    algorithm: ClassVar[str] = "experiments.shared.masked_training"

    @property
    def masked_bytes(self) -> np.ndarray:
        return np.concatenate([np.arange(BLOCK[name].offset, BLOCK[name].stop) for name in BLOCKS])


PRESETS = {name: MaskedConfig(**vars(preset)) for name, preset in presets.PRESETS.items()}


def main(argv: Sequence[str] | None = None) -> int:
    return command(SelfPlay, PRESETS, argv)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.shared.masked_training", main))
