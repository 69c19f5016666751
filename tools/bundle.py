"""Make a bundled player of a training run.

    python -m tools.bundle runs/minutes-10 minutes-10 --commit 1a2b3c4d5e6f

Rounds the weights of ``RUN/policy.safetensors`` to float16 and writes them to ``players/weights``. The header
says how the player was made: the command, the experience and the commit. Then the name is added to ``FROZEN`` of
``persian_rummy_env/players/bundled.py``, and ``python -m experiments.networks.bundled`` measures it for the card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.shared.result_file import fail
from persian_rummy_env.players.bundled import WEIGHTS
from persian_rummy_env.players.policy_file import policy_copy, read_policy_file
from persian_rummy_env.players.tensor_file import NotFiniteError, read_tensor_file
from persian_rummy_env.system.files import write_whole
from train import dmc, expert_iteration, selfplay
from train.config.base import RunConfig, flat
from train.config.presets import text_of
from train.run.checkpoint import FILE, POLICY

PRESETS: dict[str, Mapping[str, RunConfig]] = {
    "selfplay": selfplay.PRESETS,
    "expert_iteration": expert_iteration.PRESETS,
    "dmc": dmc.PRESETS,
}
LEFT_OUT = ("preset", "out", "if_exists", "resume", "pause_after", "parts")
"""Settings that the command names by itself, that follow from others, or that do not change the player."""
NAME = re.compile(r"[a-z]+(-[a-z0-9]+)+")


class Facts(NamedTuple):
    """How a player was made."""

    made_by: str
    experience: str


def facts_of(run: Path) -> Facts:
    """How the player of a run was made.

    Raises:
        FileNotFoundError, ValueError: no complete run; the message names the file.
    """
    policy, checkpoint = read_policy_file(run / POLICY), read_tensor_file(run / FILE, "checkpoint", {})
    if policy.metadata.get("run") != checkpoint.metadata.get("run"):
        raise ValueError(f"{run}: {POLICY} and {FILE} are of different runs")
    algorithm = checkpoint.metadata.get("algorithm", "")
    if algorithm not in PRESETS:
        raise ValueError(f"{run / FILE}: its algorithm is {algorithm!r}; expected {', '.join(PRESETS)}")
    presets = PRESETS[algorithm]
    config = type(next(iter(presets.values()))).from_dict(json.loads(checkpoint.metadata["config"]))
    counters = json.loads(checkpoint.metadata["counters"])
    cores = f"{config.threads} core{'s' if config.threads > 1 else ''}"
    minutes = round(counters["seconds"] / 60)
    time = f"{minutes} minute{'' if minutes == 1 else 's'}"
    experience = f"{counters['decisions'] / 1e6:.1f} M decisions in {time} on {cores}"
    return Facts(command_of(algorithm, config, presets[config.preset]), experience)


def command_of(algorithm: str, config: RunConfig, preset: RunConfig) -> str:
    """The command that makes the same run: the preset, and every setting that differs from it."""
    words = ["python", "-m", f"train.{algorithm}", "--preset", config.preset]
    own, default = flat(config), flat(preset)
    for name, value in own.items():
        if name not in LEFT_OUT and value != default[name]:
            text = f"{value:g}" if isinstance(value, float) else text_of(value)
            words += [f"--{name.replace('_', '-')}", text]
    return " ".join(words)


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bundle", description="make a bundled player of a run")
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("name", help="the frozen name, such as minutes-10")
    parser.add_argument("--commit", required=True, help="of the code that made the run")
    options = parser.parse_args(sys.argv[1:] if given is None else given)
    if not NAME.fullmatch(options.name):
        fail(f"name {options.name!r}: expected lower case words and numbers with - between them")
    path = WEIGHTS / f"{options.name}.safetensors"
    if path.exists():
        fail(f"{path}: exists, and a frozen name never changes; expected a new name")
    try:
        made_by, experience = facts_of(options.run)
        about = {"made by": made_by, "experience": experience, "commit": options.commit}
        content = policy_copy(options.run / POLICY, np.dtype(np.float16), about)
    except (FileNotFoundError, ValueError, NotFiniteError) as error:
        fail(str(error))
    write_whole(path, content)
    print(f"{path}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()[:16]}")
    print(f"made by: {made_by}\nexperience: {experience}")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.bundle", main))
