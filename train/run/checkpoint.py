"""What a run needs to go on as if it had never stopped, in one file that is whole or is not there.

Everything is tensors and JSON in one safetensors file, so that reading one runs no code of it. A digest over all of it
shows every damage (``players.tensor_file``). Checkpoints of format 4 have none; what they say is held against types,
ranges and their own tensors.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.learned import policy_bytes
from agents.network import checked_shape
from agents.tensor_file import tensor_bytes, torch_tensors
from persian_rummy_env.observation import VERSION
from persian_rummy_env.players.policy_file import with_later_rules
from persian_rummy_env.players.tensor_file import one_line, read_tensor_file
from persian_rummy_env.state import STATE
from persian_rummy_env.system.files import write_whole
from persian_rummy_env.system.run_folder import CHECKPOINT as FILE
from persian_rummy_env.system.stored import parsed, settings_of

from ..algorithms.base import Resumable
from ..algorithms.learner import NetworkLearner
from ..config.base import RunConfig, module_of
from ..config.old_names import algorithm_of, stages_today
from ..config.ppo import Config
from .counters import Counters
from .old_games import converted, layout_of, layout_of_state

POLICY = "policy.safetensors"
FORMAT, WITHOUT_DIGEST = "persian-rummy-training/5", "persian-rummy-training/4"


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from; the message names the file and the reason."""


def versions() -> dict[str, str]:
    """What a checkpoint must agree on with the code that reads it; but for ``state``, the fields of a game, where it is
    enough that those of then are known (``old_games``)."""
    return {"format": FORMAT, "observation": str(VERSION), "state": state_of(STATE)}


def state_of(dtype: np.dtype[np.void]) -> str:
    """A short name for the fields of a game."""
    return hashlib.sha256(repr(dtype.descr).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint read: ``config``, ``counters``, and the rest as it stands in the file.

    Attributes:
        run: the identity of the run; empty for one from before runs had one.
        log: the digest of the log of its updates (``log.Log.digest``); empty likewise.
        layout: of the games in it.
    """

    path: Path
    config: RunConfig
    counters: Counters
    streams: dict[str, Any]
    tensors: dict[str, Tensor]
    run: str
    log: str
    layout: np.dtype[np.void]

    @classmethod
    def read(cls, folder: Path, config_type: type[RunConfig] = Config) -> Checkpoint:
        """The checkpoint of a run's folder, by a script whose settings are a ``config_type``.

        Raises:
            CheckpointError: there is none, or it is damaged, foreign or of other versions.
        """
        path = folder / FILE
        if not path.exists():
            raise CheckpointError(f"{path}: no such checkpoint")
        here = versions()
        try:
            wanted = {"format": [FORMAT, WITHOUT_DIGEST], "observation": [here["observation"]]}
            file = read_tensor_file(path, "checkpoint", wanted)
        except (FileNotFoundError, ValueError) as error:
            raise CheckpointError(str(error)) from error
        metadata = file.metadata
        if metadata["format"] == FORMAT and not file.digest:
            raise CheckpointError(f"{path}: damaged: there is no digest in it")
        try:
            layout = layout_of(parsed(metadata["layout"])) if "layout" in metadata else layout_of(None)
            if metadata.get("state") != state_of(layout):
                raise CheckpointError(
                    f"{path}: its state is {metadata.get('state')!r}, and here it is {here['state']!r}: of no use here"
                )
            settings = parsed(metadata["config"])
            algorithm = metadata.get("algorithm") or algorithm_of(settings)
            if algorithm != config_type.algorithm:
                module = module_of(algorithm)
                raise CheckpointError(f"{path}: a run of {module}; continue it by python -m {module} --resume {folder}")
            config = config_type.from_dict(settings)
            counters = Counters(**settings_of(Counters, stages_today(parsed(metadata["counters"]))))
            if not re.fullmatch(config_type.stages, counters.stage):
                raise ValueError(f"stage={counters.stage[:20]!r}: there is no such stage")
            tensors = torch_tensors(with_later_rules(file.tensors, "actor."))
            checked_shape(asdict(config.network), tensors, "actor.")
            streams = parsed(metadata["streams"])
            if not isinstance(streams, dict):
                raise ValueError("streams: expected an object")
        except CheckpointError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path}: what it says of itself cannot be read ({one_line(error)})") from error
        run, log = metadata.get("run", ""), metadata.get("log", "")
        return cls(path, config, counters, streams, tensors, run, log, layout)

    def restore(self, learner: NetworkLearner, collectors: Sequence[Resumable]) -> None:
        """Put everything back where ``save_run`` found it.

        Raises:
            CheckpointError: the tensors are not those of this run.
        """
        try:
            learner.restore(self.tensors, self.streams["learner"])
            for part, collector in enumerate(collectors):
                games = converted(self.tensors[f"games.{part}"].numpy().view(self.layout))
                collector.restore(games, self.streams["collectors"][part])
        except (AttributeError, KeyError, IndexError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            raise CheckpointError(f"{self.path}: not of a run with these settings ({one_line(error)})") from error


def save_run(
    config: RunConfig,
    counters: Counters,
    learner: NetworkLearner,
    collectors: Sequence[Resumable],
    run: str,
    log: str,
) -> None:
    """Write the checkpoint and the policy of a run into its folder, ``config.out``.

    Args:
        run: its identity; log: the digest of its log.

    Raises:
        NotFiniteError: there is NaN in it, or an infinity; nothing is written.
    """
    tensors, learner_metadata = learner.state()
    streams: dict[str, Any] = {"learner": learner_metadata, "collectors": []}
    for part, collector in enumerate(collectors):
        games, stream = collector.state()
        tensors[f"games.{part}"] = torch.from_numpy(_bytes_of(games))
        streams["collectors"].append(stream)
    metadata = versions() | {
        "algorithm": config.algorithm,
        "config": json.dumps(config.as_dict()),
        "counters": json.dumps(asdict(counters)),
        "streams": json.dumps(streams),
        "layout": json.dumps(layout_of_state()),
        "run": run,
        "log": log,
    }
    about = {
        "rules": json.dumps(config.rule_set.as_dict()),
        "counters": metadata["counters"],
        "config": metadata["config"],
    }
    checkpoint, policy = tensor_bytes(tensors, metadata), policy_bytes(learner.actor, about | {"run": run})
    write_whole(config.out / FILE, checkpoint)
    write_whole(config.out / POLICY, policy)


def _bytes_of(games: np.ndarray) -> np.ndarray:
    """Games as bytes; the gaps between their fields, which hold whatever was in memory, as zeros."""
    clean = np.zeros(len(games), dtype=STATE)
    for name in STATE.names or ():
        clean[name] = games[name]
    return clean.view(np.uint8)


def config_text(config: RunConfig, about: Mapping[str, Any], run: str) -> str:
    """What ``config.json`` of a run's folder holds: whose it is, the settings, and the versions they ran with."""
    facts = {"run": run, "settings": config.as_dict(), "versions": versions() | dict(about)}
    return json.dumps(facts, indent=2) + "\n"
