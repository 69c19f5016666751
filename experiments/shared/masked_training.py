"""PPO self-play without the blocks of the observation that say what seats left in the pile:

    python -m experiments.shared.masked_training --preset two-cores --seed 1 --out runs/masked

It takes the settings of ``train.selfplay``.
"""

from __future__ import annotations

from collections.abc import Sequence

from train import selfplay

BLOCKS = ("declined_left", "declined_partner", "declined_right")


def main(argv: Sequence[str] | None = None) -> int:
    return selfplay.main(argv, masked_blocks=BLOCKS)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.shared.masked_training", main))
