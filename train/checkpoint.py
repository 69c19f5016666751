"""What a run needs to go on as if it had never stopped, in one file that is whole or is not there.

Everything is tensors and JSON in one safetensors file, so that reading one runs no code of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from agents.learned import policy_bytes
from persian_rummy_env.files import write_whole
from persian_rummy_env.observation import VERSION
from persian_rummy_env.state import STATE

from .config import Config, RunConfig
from .learner import NetworkLearner

FILE = "checkpoint.safetensors"
POLICY = "policy.safetensors"
FORMAT = "persian-rummy-training/4"


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from; the message names the file and the reason."""


def versions() -> dict[str, str]:
    """What a checkpoint must agree on with the code that reads it."""
    state = hashlib.sha256(repr(STATE.descr).encode()).hexdigest()[:16]
    return {"format": FORMAT, "observation": str(VERSION), "state": state}


class Tables(Protocol):
    """Tables that go on where they were: the games with their generators, and a stream of draws."""

    def state(self) -> tuple[np.ndarray, dict[str, Any]]: ...

    def restore(self, games: np.ndarray, rng: dict[str, Any]) -> None: ...


@dataclass
class Counters:
    """How far a run is. ``stage``: of a run that has several, the one it is in."""

    update: int = 0
    decisions: int = 0
    deals: int = 0
    seconds: float = 0.0
    evaluations: int = 0
    saves: int = 0
    stage: str = ""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint read: ``config``, ``counters``, and the rest as it stands in the file."""

    path: Path
    config: RunConfig
    counters: Counters
    streams: dict[str, Any]
    tensors: dict[str, Tensor]

    @classmethod
    def read(cls, folder: Path, config_type: type[RunConfig] = Config) -> Checkpoint:
        """The checkpoint of a run's folder, by a script whose settings are a ``config_type``.

        Raises:
            CheckpointError: there is none, or it is damaged, foreign or of other versions.
        """
        path = folder / FILE
        if not path.is_file():
            raise CheckpointError(f"{path}: no such checkpoint")
        try:
            with safe_open(path, framework="pt") as file:
                says = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{path}: not a checkpoint, or damaged ({error})") from error
        for name, here in versions().items():
            if says.get(name) != here:
                raise CheckpointError(f"{path}: its {name} is {says.get(name)!r}, and here it is {here!r}")
        try:
            config = config_type.from_dict(json.loads(says["config"]))
            counters = Counters(**json.loads(says["counters"]))
            streams = json.loads(says["streams"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path}: what it says of itself cannot be read ({error})") from error
        return cls(path, config, counters, streams, tensors)

    def restore(self, learner: NetworkLearner, collectors: Sequence[Tables]) -> None:
        """Put everything back where ``save_run`` found it.

        Raises:
            CheckpointError: the tensors are not those of this run.
        """
        try:
            learner.restore(self.tensors, self.streams["learner"])
            for part, collector in enumerate(collectors):
                games = self.tensors[f"games.{part}"].numpy().view(STATE)
                collector.restore(games, self.streams["collectors"][part])
        except (KeyError, IndexError, RuntimeError, TypeError, ValueError) as error:
            raise CheckpointError(f"{self.path}: not of a run with these settings ({error})") from error


def save_run(
    folder: Path, config: RunConfig, counters: Counters, learner: NetworkLearner, collectors: Sequence[Tables]
) -> None:
    """Write the checkpoint and the policy of a run into its folder."""
    tensors, says_learner = learner.state()
    streams: dict[str, Any] = {"learner": says_learner, "collectors": []}
    for part, collector in enumerate(collectors):
        games, stream = collector.state()
        tensors[f"games.{part}"] = torch.from_numpy(_bytes_of(games))
        streams["collectors"].append(stream)
    says = versions() | {
        "config": json.dumps(config.as_dict()),
        "counters": json.dumps(asdict(counters)),
        "streams": json.dumps(streams),
    }
    write_whole(folder / FILE, save({name: tensor.cpu().contiguous() for name, tensor in tensors.items()}, says))
    about = {"rules": json.dumps(config.rules.as_dict()), "counters": says["counters"], "config": says["config"]}
    write_whole(folder / POLICY, policy_bytes(learner.actor, about))


def _bytes_of(games: np.ndarray) -> np.ndarray:
    """Games as bytes; the gaps between their fields, which hold whatever was in memory, as zeros."""
    clean = np.zeros(len(games), dtype=STATE)
    for name in STATE.names or ():
        clean[name] = games[name]
    return clean.view(np.uint8)


def config_text(config: RunConfig, about: Mapping[str, Any]) -> str:
    """What ``config.json`` of a run's folder holds: the settings, and the versions they ran with."""
    return json.dumps({"settings": config.as_dict(), "versions": versions() | dict(about)}, indent=2) + "\n"
