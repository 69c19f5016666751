"""The numbers of a run: a CSV file always, TensorBoard's where it is installed, Weights & Biases on demand."""

from __future__ import annotations

import csv
import hashlib
import importlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env.system.escaping import shortened
from persian_rummy_env.system.files import whole_file, write_whole

from ..config.old_names import COLUMNS as OLD_COLUMNS
from ..config.old_names import columns_today

FILE = "metrics.csv"
EVALUATION_BOTS = ("random", "greedy", "deepest", "expert")
"""The bots that a run is measured against. A bot that comes into the package later is none of them by itself."""
RUN_COLUMNS = (
    *("update", "decisions", "deals", "seconds", "progress", "decisions_per_second"),
    *("collect_seconds", "learn_seconds", "kept", "lr", "actor_norm"),
)
DEAL_COLUMNS = ("deal_length", "deal_margin", "out_rate")
MATCH_COLUMNS = tuple(f"{word}_{bot}" for bot in EVALUATION_BOTS for word in ("margin", "low", "high", "won"))
COLUMNS = (*RUN_COLUMNS, *DEAL_COLUMNS, *MATCH_COLUMNS)
"""The columns of every log."""
RUN = "run"
"""The last column of every log: the identity of the run."""
TIMED = ("seconds", "progress", "decisions_per_second", "collect_seconds", "learn_seconds", RUN)
"""Columns that depend on the clock or the run; with a budget in updates all others repeat from run to run."""


def columns_of(own: Sequence[str]) -> tuple[str, ...]:
    """The columns of the log of an algorithm that has these of its own."""
    return (*RUN_COLUMNS, *DEAL_COLUMNS, *own, *MATCH_COLUMNS)


class LogError(ValueError):
    """A log that a run cannot go on from; the message names the file and the reason."""


def read(path: Path, columns: Sequence[str] = COLUMNS) -> list[dict[str, str]]:
    """The rows of a ``metrics.csv``, by the names of its columns. Of ``columns`` that it does not have, the cells are
    empty: they came later.

    Raises:
        LogError: there is none, or it is no log.
    """
    if path.is_dir():
        raise LogError(f"{path}: a folder, and expected is the log of a run")
    if not path.is_file():
        raise LogError(f"{path}: no such log")
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names = [OLD_COLUMNS.get(name, name) for name in reader.fieldnames or ()]
            rows = [columns_today(row) for row in reader]
    except (OSError, UnicodeError, csv.Error) as error:
        raise LogError(f"{path}: damaged ({error})") from error
    if "update" not in names or len(set(names)) < len(names):
        raise LogError(f"{path}: damaged: its first line names no columns of a log")
    later = [name for name in columns if name not in names]
    return [{**row, **dict.fromkeys(later, "")} for row in rows]


def digest_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """A digest of rows: of what they say, whatever columns are empty."""
    whole = hashlib.sha256()
    for row in rows:
        _add(whole, row)
    return whole.hexdigest()


def _add(whole: Any, row: Mapping[str, Any]) -> None:
    whole.update(json.dumps(sorted((k, str(v)) for k, v in row.items() if v not in (None, ""))).encode())


def _rows_until(
    path: Path, update: int, columns: Sequence[str], run: str, digest: str
) -> tuple[list[str], list[dict[str, str]]]:
    """The rows of updates 1 to ``update``: all of them, and of this run, or it is an error; before them the columns of
    the file that are none of ``columns`` and say something. ``digest``: that of the rows; empty: nobody knows."""
    read_rows = read(path, columns)
    rows = read_rows[:update]
    for number, row in enumerate(rows, 1):
        if row["update"] != str(number):
            break
        if None in row or None in row.values():
            raise LogError(f"{path}: damaged: the row of update {number} has too many or too few cells")
        if row.get(RUN, "") != run:
            whose = shortened(row[RUN], 20) or "of before runs had names"
            raise LogError(f"{path}: row {number} is of another run ({whose}) than the checkpoint ({run})")
        if not digest:
            _refuse_words(path, number, row)
    else:
        if len(rows) == update:
            if digest and digest_of(rows) != digest:
                raise LogError(
                    f"{path}: damaged: its rows 1 to {update} are not those that the checkpoint was saved with; put "
                    "back a copy that is whole"
                )
            others = [name for name in (rows[0] if rows else ()) if name not in columns]
            return [name for name in others if any(row[name] for row in rows)], rows
    raise LogError(f"{path}: not the updates 1 to {update} that the checkpoint goes on from")


def _refuse_words(path: Path, number: int, row: Mapping[str, str]) -> None:
    """Of a log without a digest: each cell is empty or a number."""
    for name, cell in row.items():
        try:
            if cell and name != RUN:
                float(cell)
        except ValueError:
            raise LogError(
                f"{path}: damaged: {shortened(name, 40)}={shortened(repr(cell), 40)} of update {number} is no number"
            ) from None


class Log:
    """A row an update.

    Args:
        folder: of the run.
        after: the update that the run goes on from; rows that a cut-off run wrote after it are dropped. 0: a new run.
        decisions: taken by then.
        columns: of the file. Those that it has besides, of other code, stay.
        wandb: the settings of the run, to log to Weights & Biases as well; None: not.
        run: the identity of the run.
        digest: that of the rows until ``after``, as the checkpoint knows it; empty: it does not.

    Raises:
        LogError: the log of the updates before is not there, damaged or another run's, or Weights & Biases is not
            installed. Nothing has been written then.
    """

    def __init__(
        self,
        folder: Path,
        after: int,
        decisions: int,
        columns: Sequence[str] = COLUMNS,
        wandb: Mapping[str, Any] | None = None,
        run: str = "",
        digest: str = "",
    ) -> None:
        self.path = folder / FILE
        self.run = run
        columns = [*columns, RUN]
        others, kept = _rows_until(self.path, after, columns, run, digest) if after else ([], [])
        columns += others
        self._wandb = None if wandb is None else _wandb(folder, wandb, run)
        self._digest = hashlib.sha256()
        with whole_file(self.path) as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(kept)
        for row in kept:
            _add(self._digest, row)
        self._file = self.path.open("a", newline="", encoding="utf-8")
        self._writer = csv.DictWriter(self._file, columns, restval="", lineterminator="\n")
        self._board = _tensorboard(folder / "tensorboard", decisions if after else None, run)

    @property
    def digest(self) -> str:
        """Of all rows so far; see ``digest_of``."""
        return self._digest.hexdigest()

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a row; what it leaves out of the columns stays empty."""
        named = {name: str(value) for name, value in {**row, RUN: self.run}.items()}
        self._writer.writerow(named)
        self._file.flush()
        _add(self._digest, named)
        if self._board is not None:
            for name, value in row.items():
                self._board.add_scalar(_group(name), value, row["decisions"])
        if self._wandb is not None:
            self._wandb.log({"decisions": row["decisions"], **{_group(name): value for name, value in row.items()}})

    def close(self) -> None:
        if self._file.closed:
            return
        self._file.close()
        if self._board is not None:
            self._board.close()
        if self._wandb is not None:
            self._wandb.finish()


def _group(name: str) -> str:
    """TensorBoard's group: margins apart from the rest."""
    return f"against/{name}" if name.startswith(("margin_", "low_", "high_", "won_")) else f"train/{name}"


def _wandb(folder: Path, settings: Mapping[str, Any], run: str) -> Any:
    """A run of Weights & Biases, the same one when it is gone on with: its id is that of the run. Its numbers stand
    over decisions, so that what is logged again after a kill lies over what was logged before."""
    try:
        wandb = importlib.import_module("wandb")
    except ImportError as error:
        raise LogError(
            "wandb=True: Weights & Biases is not installed; pip install wandb, or leave --wandb out"
        ) from error
    name = folder / "wandb-id"  # of runs from before they had a name of their own
    if not run and not name.exists():
        write_whole(name, f"{secrets.token_hex(4)}\n")
    known = run or shortened(name.read_bytes().decode(errors="replace").strip(), 64)
    logged = wandb.init(
        project="persian-rummy-rl", id=known, name=folder.name, dir=str(folder), resume="allow", config=dict(settings)
    )
    logged.define_metric("decisions")
    logged.define_metric("*", step_metric="decisions")
    return logged


def _tensorboard(folder: Path, after: int | None, run: str) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    purge = None if after is None else after + 1
    return SummaryWriter(str(folder), purge_step=purge, flush_secs=30, filename_suffix=f".{run}" if run else "")
