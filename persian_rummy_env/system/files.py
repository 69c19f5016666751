"""Atomic writing of files; all files of the project are written here.

A file is written beside its target as ``.NAME.TOKEN.unfinished`` and then renamed to the target. On an error, or a
signal that becomes an exception, it is removed. A process that is killed leaves it behind. The next process that writes
into the folder removes it, because nobody holds its lock any more.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows cannot remove an open file, so it needs no lock
    fcntl = None

StrPath = str | os.PathLike[str]

_SUFFIX = ".unfinished"
_UNFINISHED = re.compile(r"\..+\.[0-9a-z]+\.unfinished", re.DOTALL)
_OWN_OUTPUT = re.compile(r"/dev/(?:fd/(\d+)|stdout|stderr)|/proc/self/fd/(\d+)")
_LONGEST = 40
"""Characters of the target's name in the name of the unfinished file, which must not be too long."""


class FileError(OSError):
    """A file cannot be written or read. The text is one line that names the file or folder."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def explained(error: OSError) -> str:
    """An error of the operating system in one line: the file and the fault, without the number of the error."""
    if error.strerror is None:
        return str(error)
    reason = _reason(error)
    return reason if error.filename is None else f"{_name(error.filename)}: {reason}"


def _reason(error: OSError) -> str:
    if isinstance(error, FileError):
        return str(error.strerror)
    reason = error.strerror or str(error)
    return _REASONS.get(error.errno or 0) or reason[:1].lower() + reason[1:]


def _name(of: object) -> str:
    return os.fsdecode(of) if isinstance(of, bytes) else str(of)


_REASONS = {
    errno.ENOENT: "no such file or folder",
    errno.EISDIR: "is a folder, not a file",
    errno.ENOTDIR: "what should be a folder in it is a file",
    errno.EACCES: "permission denied",
    errno.ENOSPC: "no space left on the device",
}
_OF_WRITING = (errno.ENOSPC, errno.EIO, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of the operating system that can only come from writing."""


# Writing --------------------------------------------------------------------------------------------------------------


def write_whole(path: StrPath, content: str | bytes, *, make_folder: bool = True) -> None:
    """Write a file atomically; see ``whole_file``."""
    with whole_file(path, binary=True, make_folder=make_folder) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole_file(path: StrPath, *, binary: bool = False, make_folder: bool = False) -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete. An exception leaves the old file.

    A target that is not a regular file (a pipe, a device, the process's own output) is written directly.

    Args:
        path: the target.
        binary: open for bytes, else for UTF-8 text.
        make_folder: create missing parent folders.

    Raises:
        FileError: the file cannot be written; the text names the file or its folder.
    """
    name = os.fsdecode(path)
    how: dict[str, Any] = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": "\n"}
    straight = _opened_straight(name)
    if straight is not None:
        with _named(name), os.fdopen(straight, **how) as file:
            yield file
        return
    target = Path(os.path.realpath(name))
    if make_folder:
        _make_folder(target.parent)
    remove_stale(target.parent)
    beside, descriptor = _made_beside(target, name)
    try:
        # Keep the lock until the file is renamed. Windows has no locks here and cannot rename an open file.
        lock = None if fcntl is None else os.dup(descriptor)
        try:
            with _named(name):
                with os.fdopen(descriptor, **how) as file:
                    yield file
                    file.flush()
                    with suppress(OSError):  # keep the permissions; some file systems have none
                        beside.chmod(stat.S_IMODE(target.stat().st_mode))
                    os.fsync(file.fileno())
                os.replace(beside, target)  # noqa: PTH105 (explicitly atomic)
        finally:
            if lock is not None:
                os.close(lock)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def remove_stale(folder: StrPath) -> None:
    """Remove unfinished files of ended processes from a folder. Files that are still being written stay."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if _UNFINISHED.fullmatch(entry.name)]
    except OSError:
        return
    for path in found:
        with suppress(OSError):
            if fcntl is None:
                os.unlink(path)  # noqa: PTH108 (Windows refuses it while the file is open)
                continue
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if stat.S_ISREG(os.fstat(descriptor).st_mode):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(path)  # noqa: PTH108
            finally:
                os.close(descriptor)


def _made_beside(target: Path, name: str) -> tuple[Path, int]:
    """Create and lock an unfinished file; returns its path and descriptor."""
    how = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        beside = target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(4)}{_SUFFIX}")
        try:
            descriptor = os.open(beside, how, 0o666)
        except FileExistsError:
            continue
        except OSError as error:
            raise _of_folder(error, target.parent, name) from None
        if fcntl is None:
            return beside, descriptor
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink > 0:
            return beside, descriptor
        os.close(descriptor)  # another process removed it as stale before it was locked


def _opened_straight(name: str) -> int | None:
    """A descriptor of a target that is written directly; None for a regular or a new file."""
    own = _OWN_OUTPUT.fullmatch(name)
    try:
        if own and sys.platform != "win32":  # opening it again would truncate it, or fail
            sys.stdout.flush()
            return os.dup({"/dev/stdout": 1, "/dev/stderr": 2}.get(name) or int(own[1] or own[2]))
        mode = os.stat(name).st_mode if name else stat.S_IFREG  # noqa: PTH116
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return os.open(name, os.O_WRONLY)
    except FileNotFoundError:
        mode = stat.S_IFREG
    except NotADirectoryError as error:
        raise _of_folder(error, Path(name).parent, name) from None
    except OSError as error:
        raise FileError(error.errno, _reason(error), name) from None
    if not name:
        raise FileError(errno.ENOENT, "expected the name of a file", "''")
    if stat.S_ISDIR(mode) or name.endswith(("/", os.sep)):
        raise FileError(errno.EISDIR, _REASONS[errno.EISDIR], name)
    return None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(error.errno, f"no folder can be made there ({_reason(error)})", str(folder)) from None


def _of_folder(error: OSError, folder: Path, name: str) -> FileError:
    """The error of a file that cannot be created in a folder."""
    if error.errno == errno.ENOENT and not folder.is_dir():
        missing = next(path for path in (folder, *folder.parents) if path.parent.exists() or path == path.parent)
        return FileError(error.errno, "no such folder", str(missing))
    if error.errno == errno.ENOTDIR:
        file = next((path for path in (folder, *folder.parents) if path.is_file()), folder)
        return FileError(error.errno, "is a file, not a folder", str(file))
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return FileError(error.errno, f"the folder cannot be written to ({_reason(error)})", str(folder))
    return FileError(error.errno, _reason(error), name)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Let errors in writing name the target, not the unfinished file."""
    try:
        yield
    except OSError as error:
        unfinished = error.filename is not None and str(error.filename).endswith(_SUFFIX)
        if unfinished or (error.filename is None and error.errno in _OF_WRITING):
            raise FileError(error.errno, _reason(error), name) from None
        raise
