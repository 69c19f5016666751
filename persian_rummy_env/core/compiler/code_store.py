"""The folder of compiled code.

Every file begins with the length of its content and a digest over the content and the file's name, so a file that was
cut, changed or renamed is rejected. Files are written to a temporary name and then renamed, so that processes which
write the same file at the same time never see partial content. A folder that cannot be written to, or a full disk,
causes only a line of warning.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
import time
from pathlib import Path

from .stderr import say

_MAGIC = b"persian-rummy code 1\n"
_LENGTH = 8
_HEADER = len(_MAGIC) + _LENGTH + hashlib.sha256().digest_size
_UNFINISHED = ".unfinished-"
_ABANDONED = 3600.0
"""Seconds after which an unfinished file belongs to a killed process."""


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + content).digest()


class CodeStore:
    """Files by name in a folder.

    Args:
        folder: created when the first file is written; None: nothing is stored.
        why_not: the reason, without a folder.
    """

    def __init__(self, folder: Path | None, why_not: str = "") -> None:
        self.folder = folder
        self._why_not = why_not
        self._writable: bool | None = None
        self._damage_was_reported = False

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if it is missing or damaged. A damaged file is reported and removed."""
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            # Check type and size first: opening a pipe would wait, and reading a huge file takes memory.
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                return self.discard(name, "is not a file")
            with path.open("rb") as file:
                header = file.read(_HEADER)
                length = int.from_bytes(header[len(_MAGIC) : len(_MAGIC) + _LENGTH], "little")
                if header[: len(_MAGIC)] != _MAGIC or found.st_size != _HEADER + length:
                    return self.discard(name, "is damaged")
                content = file.read(length)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return self.discard(name, f"cannot be read ({error.strerror or error})")
        if _digest(name, content) != header[-hashlib.sha256().digest_size :]:
            return self.discard(name, "is damaged")
        return content

    def discard(self, name: str, why: str) -> None:
        """Remove a useless file. Only the first one in a process is reported."""
        if self.folder is None:
            return
        path = self.folder / name
        if not self._damage_was_reported:
            self._damage_was_reported = True
            say(f"warning: {path} {why}; it is not used, and what is missing is compiled again")
        # A file that cannot be removed stays, and is found damaged again.
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()

    def write(self, name: str, content: bytes) -> None:
        """Store a content under a name, if the folder can be written to."""
        if not self.can_write() or self.folder is None:
            return
        header = _MAGIC + len(content).to_bytes(_LENGTH, "little") + _digest(name, content)
        try:
            self._replace(name, header + content)
        except OSError as error:
            self._cannot_write(error)

    def can_write(self) -> bool:
        """Whether files can be stored; the first failure is reported."""
        if self._writable is None:
            try:
                if self.folder is None:
                    raise OSError(self._why_not)
                self.folder.mkdir(parents=True, exist_ok=True)
                self._remove_abandoned()
                with tempfile.TemporaryFile(dir=self.folder) as probe:
                    probe.write(bytes(4096))  # a full disk still accepts empty files
            except OSError as error:
                self._cannot_write(error)
            else:
                self._writable = True
        return bool(self._writable)

    def _cannot_write(self, error: OSError) -> None:
        self._writable = False
        where = "" if self.folder is None else f" in {self.folder}"
        say(
            f"warning: compiled code cannot be kept{where} ({error.strerror or error}), so every process compiles "
            "again what is not there; set PERSIAN_RUMMY_CACHE_DIR to a folder that can be written"
        )

    def _replace(self, name: str, data: bytes) -> None:
        assert self.folder is not None
        path = self.folder / name
        unfinished = self.folder / f"{_UNFINISHED}{os.getpid()}-{secrets.token_hex(4)}"
        try:
            with unfinished.open("xb") as file:
                file.write(data)
            os.replace(unfinished, path)  # noqa: PTH105 (explicitly atomic)
        except BaseException as error:
            with contextlib.suppress(OSError):
                unfinished.unlink()
            # Windows cannot replace a file that another process reads; that process has written the same content.
            if not (os.name == "nt" and isinstance(error, PermissionError) and path.is_file()):
                raise

    def _remove_abandoned(self) -> None:
        assert self.folder is not None
        for path in self.folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
