"""The folder of a run: it belongs to one run, and one process at a time writes into it.

Every command that writes a run folder uses this module. A new run is refused in a folder with files of another run, and
the files of a run hold its identity as ``run``. The folder is locked while a process writes into it; the lock ends with
the process.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from .escaping import shortened
from .files import explained
from .stored import parsed

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
try:
    import msvcrt
except ImportError:
    msvcrt = None

LOCK = "run.lock"
CHECKPOINT = "checkpoint.safetensors"
OF_A_RUN = (
    *(CHECKPOINT, "policy.safetensors", "best.safetensors", "config.json", "metrics.csv", "results.json"),
    *("weights.json", "tensorboard", "curve.png", "wandb-id", "wandb"),
)
"""Names of the files of runs."""
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
FAR = 1 << 30
"""Offset of the byte that Windows locks: behind the content of the file, so that others can read it."""


class FolderError(ValueError):
    """A run cannot use a folder; the message names the folder, the reason and the way out."""


def new_id() -> str:
    """A new identity for a run."""
    return secrets.token_hex(8)


def lying_in(folder: Path, but: tuple[str, ...] = ()) -> list[str]:
    """The names of files of any run in a folder, except those in ``but``."""
    return [name for name in OF_A_RUN if name not in but and os.path.lexists(folder / name)]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes. It is created if it is missing, and removed at the end if it is empty.

    Raises:
        FolderError: another process holds the lock, or the folder cannot be created.
    """
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _lock(folder)
    except FileExistsError:
        raise FolderError(f"{folder}: is a file, expected a folder; give another --out") from None
    except OSError as error:
        raise FolderError(f"{folder}: cannot be used for a run ({explained(error)})") from error
    try:
        yield
    finally:
        with suppress(OSError):
            if fcntl is not None:
                os.unlink(folder / LOCK)  # noqa: PTH108
        os.close(descriptor)
        with suppress(OSError):
            (folder / LOCK).unlink(missing_ok=True)
        if made:
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def claimed(folder: Path, exists: str = "refuse", but: tuple[str, ...] = ()) -> Iterator[Path]:
    """Lock a folder for a new run: ``folder``, or with ``exists="number"`` the first of ``OUT-2``, ``OUT-3`` … without
    files of a run.

    Args:
        folder: the folder that was asked for.
        exists: ``"refuse"`` or ``"number"``.
        but: names of files that may be in the folder, because the command continues from them.

    Raises:
        FolderError: the folder holds files of another run, or cannot be locked.
    """
    for number in count(1):
        place = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        try:
            _refuse_others(place, but)
            with locked(place):
                _refuse_others(place, but)  # check again under the lock
                yield place
            return
        except _TakenError as taken:
            if exists != "number":
                raise FolderError(str(taken)) from None


class _TakenError(FolderError):
    """Another run or process uses the folder."""


def _refuse_others(folder: Path, but: tuple[str, ...]) -> None:
    names = lying_in(folder, but)
    if CHECKPOINT in names:
        raise _TakenError(
            f"{folder}: holds a run already ({', '.join(names)}); --resume {folder} continues it, if the command has "
            "this option; --if-exists number, or another --out, starts a new run elsewhere"
        )
    if names:
        raise _TakenError(
            f"{folder}: holds files of another run ({', '.join(names)}) and no checkpoint to continue from; remove "
            "them, or give another --out (or --if-exists number, if the command has it)"
        )


def refuse_strangers(folder: Path, run: str) -> None:
    """Raise if ``config.json`` or ``results.json`` in the folder belong to another run. A file that cannot be read is
    ignored: it will be written again."""
    for name in ("config.json", "results.json"):
        try:
            content = parsed((folder / name).read_bytes())
        except FileNotFoundError:
            continue
        except IsADirectoryError:
            raise FolderError(f"{folder / name}: is a folder, expected a file of the run") from None
        except (OSError, ValueError):
            continue
        if isinstance(content, dict) and content.get("run", run) != run:
            raise FolderError(
                f"{folder / name}: of another run ({shortened(str(content['run']), 20)}) than the checkpoint beside it "
                f"({run or 'from before runs had names'}); move it away to continue"
            )


def _lock(folder: Path) -> int:
    """Lock the folder and return the descriptor, which holds the lock until it is closed."""
    path = folder / LOCK
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            if _held(descriptor):
                raise _TakenError(f"{folder}: {_holder(path)} writes into it at this moment; wait for it, or stop it")
            if msvcrt is not None or _same(descriptor, path):
                about = {"pid": os.getpid(), "host": socket.gethostname(), "started": time.strftime("%F %T")}
                os.truncate(descriptor, 0)
                os.write(descriptor, json.dumps(about).encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another process removed the lock file between opening and locking


def _held(descriptor: int) -> bool:
    """Try to lock; True if another process holds the lock. False on a file system without locks."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            windows: Any = msvcrt
            os.lseek(descriptor, FAR, os.SEEK_SET)
            windows.locking(descriptor, windows.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
    except OSError as error:
        return error.errno in BUSY
    return False


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))  # noqa: PTH116
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    try:
        content = parsed(path.read_bytes())
        holder = f"process {content['pid']} on {content['host']}, since {content['started']},"
    except (OSError, ValueError, TypeError, KeyError):
        return "another process"
    return shortened(holder, 120)
