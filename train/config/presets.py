"""The presets of PPO self-play, and presets of any algorithm as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from .base import RunConfig, flat, with_settings
from .ppo import Config

QUICK = with_settings(
    Config(),
    {
        "bc.fraction": 0.2,
        "bc.logit_scale": 3.0,
        "bots.names": ("greedy", "deepest", "expert"),
        "bots.share": 0.25,
        "pool.share": 0.15,
        "optim.epochs": 1,
        "optim.lr": (3e-4, 2e-5),
        "ppo.entropy": (0.0, 0.0),
        "ppo.critic_warmup_updates": 5,
        "ppo.critic_width": 128,  # an update in 0.8 of the time; docs/notes/training.md has the matches
    },
)
TWO_CORES: Mapping[str, Any] = {
    "preset": "two-cores",
    "out": Path("runs/two-cores"),
    "minutes": 10.0,
    "deals": 384,
    "bc.fraction": 0.15,
}
SCRATCH = with_settings(Config(), {"preset": "scratch", "out": Path("runs/scratch"), "minutes": 10.0, "deals": 384})
GPU: Mapping[str, Any] = {
    "preset": "gpu",
    "out": Path("runs/gpu"),
    "device": "cuda",
    "threads": 16,
    "precision": "bf16",
    "deals": 8192,
    "network.width": 1024,
    "network.blocks": 4,
    "optim.minibatch": 16384,
    "optim.epochs": 3,
    "optim.lr": (3e-4, 3e-5),
    "ppo.entropy": (0.01, 0.002),
    "pool.teams": 4,
}
PRESETS: dict[str, Config] = {
    "quick": QUICK,
    "two-cores": with_settings(QUICK, TWO_CORES),
    "scratch": SCRATCH,
    "gpu": with_settings(SCRATCH, GPU),
}


def preset_table(presets: Mapping[str, RunConfig]) -> Table:
    """A row for each setting, a column for each preset; settings in which no preset differs from the defaults of its
    class are left out."""
    columns = {name: flat(config) for name, config in presets.items()}
    default = flat(type(next(iter(presets.values())))())
    table = Table(title="Presets; every other setting has its default, see --help")
    for heading in ("setting", *columns):
        table.add_column(heading, no_wrap=heading == "setting")
    for name in default:
        values = [settings[name] for settings in columns.values()]
        if name != "preset" and any(value != default[name] for value in values):
            table.add_row(name, *(text_of(value) for value in values))
    return table


def text_of(value: Any) -> str:
    """As it is written on the command line."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
