"""A trained player as a file for others: one that runs without this repository, or a policy file half as long.

    python -m train.export runs/a/policy.safetensors --format torchscript --out player.pt
    python -m train.export runs/a/policy.safetensors --format onnx --out player.onnx
    python -m train.export runs/a/policy.safetensors --format policy --dtype float16 --out player.safetensors

Inputs: ``observation`` (b, 1020) uint8 and ``action_mask`` (b, 547) int8, as ``PersianRummyVecEnv`` gives them.
Outputs: ``logits`` (b, 547) float32, of an illegal action the lowest float32, and ``action`` (b,) int64, the likeliest,
-1 where nothing is legal. A TorchScript file needs torch to run, an ONNX file a runtime such as onnxruntime; writing
ONNX needs ``pip install onnx onnxscript``. A policy file plays by the name ``file:player.safetensors``.
"""

from __future__ import annotations

import copy
import importlib
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import numpy as np
import torch
import tyro
from torch import Tensor, nn

from agents.inputs import MASKED, DenseInputs
from agents.learned import read_policy
from agents.network import Actor
from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.observation import SIZE
from persian_rummy_env.players.bundled import BUNDLED
from persian_rummy_env.players.policy_file import policy_copy
from persian_rummy_env.players.tensor_file import NotFiniteError
from persian_rummy_env.system.command_line import say_on_error
from persian_rummy_env.system.files import write_whole

from .run.command import fail, settings_of


@dataclass(frozen=True)
class ExportConfig:
    """Write a trained player as a file for others.

    Attributes:
        policy: the ``policy.safetensors`` of a run, or the name of a bundled policy, such as ``champion``.
        out: the file to write.
        format: ``torchscript``, for torch; ``onnx``, for onnxruntime and others; ``policy``, for this package.
        dtype: of the stored weights of a policy file: ``float16`` rounds them. Players compute in float32.
    """

    policy: Annotated[Path, tyro.conf.Positional]
    out: Path
    format: Literal["torchscript", "onnx", "policy"] = "torchscript"
    dtype: Literal["float32", "float16"] = "float32"


class Standalone(nn.Module):
    """The actor's own layers, from raw bytes to masked logits and the likeliest action; whatever layers it has, they
    are those that play."""

    def __init__(self, actor: Actor) -> None:
        super().__init__()
        self.actor = copy.deepcopy(actor).cpu()
        self.masked = float(MASKED)

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        legal = action_mask != 0
        logits = torch.where(legal, self.actor.logits(DenseInputs(observation, legal)), self.masked)
        return logits, torch.where(legal.any(-1), logits.argmax(-1), -1)


def example() -> tuple[Tensor, Tensor]:
    """Inputs of the right form."""
    return torch.zeros(2, SIZE, dtype=torch.uint8), torch.ones(2, NUM_ACTIONS, dtype=torch.int8)


def torchscript(module: Standalone) -> bytes:
    with warnings.catch_warnings():
        # torch calls TorchScript old; torch.export's files, its successor, still change from release to release.
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        buffer = io.BytesIO()
        torch.jit.save(torch.jit.trace(module, example()), buffer)
    return buffer.getvalue()


def onnx(module: Standalone) -> bytes:
    """
    Raises:
        ModuleNotFoundError: onnx or onnxscript is not installed.
    """
    for library in ("onnx", "onnxscript"):
        importlib.import_module(library)
    batch = torch.export.Dim("batch")
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter, about its own insides
        path = Path(folder) / "player.onnx"
        torch.onnx.export(
            module,
            example(),
            str(path),
            input_names=["observation", "action_mask"],
            output_names=["logits", "action"],
            dynamic_shapes={"observation": {0: batch}, "action_mask": {0: batch}},
            dynamo=True,
            external_data=False,
            verbose=False,
        )
        return path.read_bytes()


def content_of(config: ExportConfig) -> bytes:
    """The content of the file that is asked for."""
    policy = BUNDLED.get(str(config.policy), config.policy)
    actor = read_policy(policy)
    if config.format == "policy":
        return policy_copy(policy, np.dtype(config.dtype))
    module = Standalone(actor).eval()
    return torchscript(module) if config.format == "torchscript" else onnx(module)


def main(argv: Sequence[str] | None = None) -> int:
    config = settings_of(ExportConfig, argv, "python -m train.export")
    if config.format != "policy" and config.dtype != "float32":
        fail(f"--dtype {config.dtype}: expected --format policy; the other formats store float32")
    try:
        content = content_of(config)
    except ModuleNotFoundError as error:
        fail(f"--format {config.format}: {error.name} is not installed; pip install onnx onnxscript")
    except (FileNotFoundError, ValueError, NotFiniteError) as error:
        fail(str(error))
    if not config.out.parent.is_dir():
        fail(f"out={config.out}: there is no folder {config.out.parent}")
    write_whole(config.out, content)
    say_on_error(f"wrote {config.out}")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.export", main))
