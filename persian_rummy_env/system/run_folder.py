"""The folder of a run: whose it is, and that one process at a time writes into it.

Every command that fills a folder comes through here, so that no two runs mix: a new run is refused where anything of
another one lies, and what a run leaves says by its ``run`` whose it is. The folder is locked while it is written into.
The lock goes with the process that holds it, whatever ends it.
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
"""What runs leave in their folders."""
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
FAR = 1 << 30
"""Where the byte stands that Windows locks: behind what the file says, so that others can read it."""


class FolderError(ValueError):
    """A folder that a run cannot go to; the message names it, what is in the way, and the way out."""


def new_id() -> str:
    """The identity of a new run."""
    return secrets.token_hex(8)


def lying_in(folder: Path, but: tuple[str, ...] = ()) -> list[str]:
    """What lies in a folder of any run, by name; ``but`` these."""
    return [name for name in OF_A_RUN if name not in but and os.path.lexists(folder / name)]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Within it, no other process writes into the folder; it is made if it is not there, and removed if nothing came
    into it.

    Raises:
        FolderError: another process does, or there can be no such folder.
    """
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _lock(folder)
    except FileExistsError:
        raise FolderError(f"{folder}: is a file, and expected is a folder; give another --out") from None
    except OSError as error:
        raise FolderError(f"{folder}: no run can go there ({explained(error)})") from error
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
    """A folder for a new run, locked: this one, or with ``exists`` "number" the first of ``OUT-2``, ``OUT-3`` … where
    there is nothing of a run.

    Args:
        but: names of what may lie in it all the same, since the command goes on from it.

    Raises:
        FolderError: there is something of another run in it, or ``locked`` refuses it.
    """
    for number in count(1):
        place = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        try:
            _refuse_others(place, but)
            with locked(place):
                _refuse_others(place, but)  # nobody can have come in between any more
                yield place
            return
        except _TakenError as taken:
            if exists != "number":
                raise FolderError(str(taken)) from None


class _TakenError(FolderError):
    """A run, or a process, has the folder."""


def _refuse_others(folder: Path, but: tuple[str, ...]) -> None:
    names = lying_in(folder, but)
    if CHECKPOINT in names:
        raise _TakenError(
            f"{folder}: there is a run already ({', '.join(names)}); --resume {folder} goes on with it, if the command "
            "has it, and --if-exists number, or another --out, begins a new one elsewhere"
        )
    if names:
        raise _TakenError(
            f"{folder}: there are files of another run ({', '.join(names)}) and no checkpoint to go on from; remove "
            "them, or give another --out (or --if-exists number, if the command has it)"
        )


def refuse_strangers(folder: Path, run: str) -> None:
    """Refuse to go on with a run in a folder where ``config.json`` or ``results.json`` are another run's. What cannot
    be read there is written again."""
    for name in ("config.json", "results.json"):
        try:
            content = parsed((folder / name).read_bytes())
        except FileNotFoundError:
            continue
        except IsADirectoryError:
            raise FolderError(f"{folder / name}: is a folder, and expected is a file of the run") from None
        except (OSError, ValueError):
            continue
        if isinstance(content, dict) and content.get("run", run) != run:
            raise FolderError(
                f"{folder / name}: of another run ({shortened(str(content['run']), 20)}) than the checkpoint beside it "
                f"({run or 'of before runs had names'}); take it away to go on"
            )


def _lock(folder: Path) -> int:
    """The descriptor of the folder's lock, which holds it until it is closed."""
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
        os.close(descriptor)  # another process gave it up, and removed it, between opening and locking


def _held(descriptor: int) -> bool:
    """Lock it; True: somebody else has. Where a file system knows no locks, nobody has."""
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
