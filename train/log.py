"""The numbers of a run: a CSV file always, TensorBoard's where it is installed, Weights & Biases on demand."""

from __future__ import annotations

import csv
import importlib
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env.bots import BOTS
from persian_rummy_env.files import whole_file

FILE = "metrics.csv"
RUNGS = tuple(BOTS)
"""The bots that a run is measured against."""
RUN_COLUMNS = (
    *("update", "decisions", "deals", "seconds", "progress", "decisions_per_second"),
    *("collect_seconds", "learn_seconds", "kept", "lr", "actor_norm"),
)
DEAL_COLUMNS = ("deal_length", "deal_margin", "out_rate")
MATCH_COLUMNS = tuple(f"{word}_{rung}" for rung in RUNGS for word in ("margin", "low", "high", "won"))
COLUMNS = (
    *RUN_COLUMNS,
    *DEAL_COLUMNS,
    *("policy_loss", "kl", "clipped", "entropy", "value_loss", "explained", "ratio_error", "rested"),
    *("entropy_weight", "critic_norm", "magnet_kl", "pool", "pool_margin", "teaching_loss", "agreement"),
    *MATCH_COLUMNS,
)
TIMED = ("seconds", "progress", "decisions_per_second", "collect_seconds", "learn_seconds")
"""Columns that hang on the clock; with a budget in updates all others repeat from run to run."""


class LogError(ValueError):
    """A log that a run cannot go on from; the message names the file and the reason."""


def read(path: Path, columns: Sequence[str] = COLUMNS) -> list[dict[str, str]]:
    """The rows of a ``metrics.csv``.

    Raises:
        LogError: there is none, or its columns are not these.
    """
    if not path.is_file():
        raise LogError(f"{path}: no such log")
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != tuple(columns):
            raise LogError(f"{path}: its columns are not those of this version")
        return list(rows)


def _rows_until(path: Path, update: int, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of updates 1 to ``update``: all of them, or it is an error."""
    rows = [row for row in read(path, columns) if row["update"].isdecimal() and int(row["update"]) <= update]
    if [int(row["update"]) for row in rows] != list(range(1, update + 1)):
        raise LogError(f"{path}: not the updates 1 to {update} that the checkpoint goes on from")
    return rows


class Log:
    """A row an update.

    Args:
        folder: of the run.
        after: the update that the run goes on from; rows that a cut-off run wrote after it are dropped. 0: a new run.
        decisions: taken by then.
        columns: of the file.
        wandb: the settings of the run, to log to Weights & Biases as well; None: not.

    Raises:
        LogError: the log of the updates before is not there, or Weights & Biases is not installed.
    """

    def __init__(
        self,
        folder: Path,
        after: int,
        decisions: int,
        columns: Sequence[str] = COLUMNS,
        wandb: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = folder / FILE
        self._wandb = None if wandb is None else _wandb(folder, wandb)
        kept = _rows_until(self.path, after, columns) if after else []
        with whole_file(self.path) as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(kept)
        self._file = self.path.open("a", newline="")
        self._writer = csv.DictWriter(self._file, columns, restval="")
        if not after:  # what a run left that never came to its first checkpoint
            shutil.rmtree(folder / "tensorboard", ignore_errors=True)
        self._board = _tensorboard(folder / "tensorboard", decisions if after else None)

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row; what it leaves out of the columns stays empty."""
        self._writer.writerow(row)
        self._file.flush()
        if self._board is not None:
            for name, value in row.items():
                self._board.add_scalar(_group(name), value, row["decisions"])
        if self._wandb is not None:
            self._wandb.log({"decisions": row["decisions"], **{_group(name): value for name, value in row.items()}})

    def close(self) -> None:
        self._file.close()
        if self._board is not None:
            self._board.close()
        if self._wandb is not None:
            self._wandb.finish()


def _group(name: str) -> str:
    """TensorBoard's group: margins apart from the rest."""
    return f"against/{name}" if name.startswith(("margin_", "low_", "high_", "won_")) else f"train/{name}"


def _wandb(folder: Path, settings: Mapping[str, Any]) -> Any:
    """A run of Weights & Biases, the same one when it is gone on with. Its numbers stand over decisions, so that what
    is logged anew after a kill lies over what was logged before."""
    try:
        wandb = importlib.import_module("wandb")
    except ImportError as error:
        raise LogError(
            "wandb=True: Weights & Biases is not installed; pip install wandb, or leave --wandb out"
        ) from error
    name = folder / "wandb-id"
    if not name.exists():
        name.write_text(f"{secrets.token_hex(4)}\n")
    run = wandb.init(
        project="persian-rummy-rl", id=name.read_text().strip(), name=folder.name, dir=str(folder), resume="allow",
        config=dict(settings),
    )  # fmt: skip
    run.define_metric("decisions")
    run.define_metric("*", step_metric="decisions")
    return run


def _tensorboard(folder: Path, after: int | None) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=None if after is None else after + 1, flush_secs=30)
