"""Reads lines of untrusted files, which may be compressed, endless or binary.

A file is read lazily, and no line takes more memory than ``LONGEST_LINE``, also after decompression.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from .escaping import visible
from .files import FileError, StrPath

LONGEST_LINE = 2**24
"""Bytes of a line. The longest possible game with all legal actions takes a seventh of it."""
MOST_SKIPPED = 2**30
"""Bytes of a too long line that are skipped to reach the next one."""
STANDARD_INPUT = "-"

_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"\xff\xfe": "is UTF-16 text: expected UTF-8",
    b"\xfe\xff": "is UTF-16 text: expected UTF-8",
    b"\xfd7zXZ\0": "is compressed by xz: expected text, plain or compressed by gzip",
    b"BZh": "is compressed by bzip2: expected text, plain or compressed by gzip",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd: expected text, plain or compressed by gzip",
    b"PK\3\4": "is a zip archive: expected text, plain or compressed by gzip",
}
"""First bytes of files that are not UTF-8 text or gzip, and what to say of them."""


@contextmanager
def open_lines(name: StrPath) -> Iterator[Iterator[bytes]]:
    """The lines of a file as bytes, with their ends; ``-`` is standard input. A gzip file is decompressed.

    A line longer than ``LONGEST_LINE`` is cut to ``LONGEST_LINE + 1`` bytes.

    Raises:
        OSError: the file cannot be read, or its compressed data is damaged. The latter is a ``FileError`` that names
            the last line read.
    """
    called = os.fsdecode(name)
    if called == STANDARD_INPUT:
        if sys.stdin is None:
            raise FileError(errno.EBADF, "standard input is closed", called)
        yield _lines_of(sys.stdin.buffer, called)
        return
    with Path(called).open("rb") as file:
        yield _lines_of(file, called)


def _lines_of(file: IO[bytes], name: str) -> Iterator[bytes]:
    start = file.read(max(map(len, _FOREIGN)))
    whole: Any = io.BufferedReader(_Rejoined(start, file))
    if start.startswith(_GZIP):
        whole = gzip.GzipFile(fileobj=whole)
    number = 0
    while True:
        try:
            line = whole.readline(LONGEST_LINE + 1)
            if len(line) > LONGEST_LINE:
                _skip_line(whole, name, number + 1)
        except EOFError:
            raise FileError(errno.EIO, f"its compressed data ends too early, after line {number}", name) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            fault = f"its compressed data is damaged after line {number} ({visible(str(error))})"
            raise FileError(errno.EIO, fault, name) from None
        if number == 0:
            _refuse_foreign(line, name)
        if not line:
            return
        number += 1
        yield line


def _refuse_foreign(line: bytes, name: str) -> None:
    for start, what in _FOREIGN.items():
        if line.startswith(start):
            raise FileError(errno.EINVAL, what, name)


def _skip_line(file: IO[bytes], name: str, number: int) -> None:
    skipped = 0
    while True:
        piece = file.readline(2**20)
        skipped += len(piece)
        if not piece or piece.endswith(b"\n"):
            return
        if skipped > MOST_SKIPPED:
            raise FileError(errno.EFBIG, f"line {number} does not end: not a file of lines", name)


class _Rejoined(io.RawIOBase):
    """A file together with its start, which was read before."""

    def __init__(self, start: bytes, file: IO[bytes]) -> None:
        self._start, self._file = start, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._start:
            count = min(len(buffer), len(self._start))
            buffer[:count], self._start = self._start[:count], self._start[count:]
            return count
        read: int = self._file.readinto1(buffer)  # type: ignore[attr-defined]
        return read
