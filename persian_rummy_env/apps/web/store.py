"""Tables on disk, so that they outlive the server: one SQLite file, one writer, one row a table.

Each change of a table writes its row whole, in a transaction of its own, before anybody is told of the change. What was
played is stored as it was played: a game comes back by playing it again, and no policy is asked a second time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ...system.escaping import shortened

APPLICATION = 0x50525431
"""``PRAGMA application_id`` of the files of this server: "PRT1"."""
VERSION = 1
"""Of the schema, in ``PRAGMA user_version``. A file of another version is refused."""
IDENTITY = ("application_id", "user_version")
COLUMNS = "name, over, changed, replay, state, digest"
DAYS, MOST = 30, 10_000
"""Finished games are kept so many days, and at most so many of them; the oldest go first."""
SCHEMA = """
    CREATE TABLE tables (
        name TEXT PRIMARY KEY, over INTEGER NOT NULL, changed REAL NOT NULL, replay TEXT, state TEXT NOT NULL,
        digest TEXT NOT NULL
    );
    CREATE INDEX by_age ON tables (over, changed);
    CREATE UNIQUE INDEX by_replay ON tables (replay) WHERE replay IS NOT NULL;
"""


FAULTS = (sqlite3.Error, UnicodeError)
"""What a damaged file raises; the second where the text of the first cannot be read, since it quotes the file."""


class StoreError(ValueError):
    """The file cannot be used; the text names it and says what to do."""


class Kept(NamedTuple):
    """A table as it was kept: its name and its state, a JSON object."""

    name: str
    state: dict[str, Any]


class Store:
    """The tables of one server on disk. Other servers are kept out of the file while it is open.

    Args:
        path: of the file; made if there is none, never overwritten.
        warn: told, in one line, what went wrong. The tables go on without the store.

    Raises:
        StoreError: the file cannot be opened, is in use, damaged, of another program or of another version.
    """

    def __init__(self, path: Path, warn: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._warn = warn or _to_stderr
        self._behind = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and not path.is_file():
                raise self._refusal("not a file")
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # seeds are nobody else's to read
            fresh = path.stat().st_size == 0
        except StoreError:
            raise
        except (OSError, ValueError) as error:
            raise self._refusal(getattr(error, "strerror", None) or str(error)) from None
        self._base: sqlite3.Connection | None = None
        try:
            if not fresh:
                fresh = self._check()
            self._base = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            self._open(fresh)
        except FAULTS as error:
            self.close()
            raise self._refusal("another server is using it" if "locked" in str(error) else _fault_of(error)) from None

    def _refusal(self, why: str) -> StoreError:
        return StoreError(
            f"--store {str(self.path)!r}: {why}; it was left as it is: move it away, name another file, or --no-store"
        )

    def _check(self) -> bool:
        """Refuse a file that is none of ours, or damaged, without touching it; returns whether it is still empty."""
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=0)) as base:
            application, version = (base.execute(f"PRAGMA {name}").fetchone()[0] for name in IDENTITY)
            if (application, version) == (0, 0) and not base.execute("SELECT 1 FROM sqlite_master").fetchone():
                return True  # a server was ended while it made the file
            if application != APPLICATION:
                raise self._refusal("not a store of this server, but another SQLite file")
            if version != VERSION:
                raise self._refusal(f"its version is {version}, this server reads {VERSION}")
            faults = base.execute("PRAGMA integrity_check(1)").fetchone()
            if faults != ("ok",):
                raise self._refusal(f"damaged ({shortened(str(faults[0]), 200)})")
            base.execute(f"SELECT {COLUMNS} FROM tables LIMIT 1")
        return False

    def _open(self, fresh: bool) -> None:
        """Take the lock, until the file is closed, and make the schema in a new file."""
        base = self._connection
        base.execute("PRAGMA locking_mode = EXCLUSIVE")
        base.execute("PRAGMA journal_mode = WAL")
        base.execute(
            "PRAGMA synchronous = NORMAL"
        )  # a killed server loses nothing; the power may take the last moments
        base.execute("BEGIN IMMEDIATE")
        if fresh:
            for statement in filter(str.strip, SCHEMA.split(";")):
                base.execute(statement)
            base.execute(f"PRAGMA application_id = {APPLICATION}")
            base.execute(f"PRAGMA user_version = {VERSION}")
        base.execute("COMMIT")

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._base is not None, "the store is closed"
        return self._base

    # Writing --------------------------------------------------------------------------------------------------------

    def save(self, name: str, state: dict[str, Any], *, over: bool, replay: str | None) -> None:
        """Keep a table as it stands now."""
        text, changed = json.dumps(state, separators=(",", ":")), time.time()
        row = (name, int(over), changed, replay, text)
        self._write(
            f"INSERT INTO tables ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET over = excluded.over, changed = excluded.changed,"
            " replay = excluded.replay, state = excluded.state, digest = excluded.digest",
            (*row, _digest(*row)),
        )

    def delete(self, name: str) -> None:
        """Drop a table that was given up before its end."""
        self._write("DELETE FROM tables WHERE name = ? AND over = 0", (name,))

    def expire(self) -> None:
        """Drop finished games that are too old, or too many."""
        self._write("DELETE FROM tables WHERE over = 1 AND changed < ?", (time.time() - DAYS * 86400,))
        self._write(
            "DELETE FROM tables WHERE over = 1 AND name NOT IN"
            " (SELECT name FROM tables WHERE over = 1 ORDER BY changed DESC LIMIT ?)",
            (MOST,),
        )

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        if self._base is None:
            return
        try:
            self._base.execute(statement, values)
        except FAULTS as error:
            if not self._behind:
                lost = "the tables go on, but what is played now is lost if the server ends"
                self._warn(f"--store {str(self.path)!r}: {_fault_of(error)}; {lost}")
            self._behind = True
        else:
            self._behind = False

    # Reading --------------------------------------------------------------------------------------------------------

    def running(self) -> Iterator[Kept]:
        """The tables whose games are not over. A damaged one is left out, with a warning, and stays in the file."""
        names = [name for (name,) in self._read("SELECT name FROM tables WHERE over = 0 ORDER BY changed", ())]
        for name in names:
            try:
                kept = self.load(name)
            except StoreError as error:
                self._warn(str(error))
            else:
                if kept is not None:
                    yield kept

    def load(self, name: str) -> Kept | None:
        """A table by its name.

        Raises:
            StoreError: it is damaged.
        """
        return self._kept("name", name)

    def by_replay(self, key: str) -> Kept | None:
        """A finished table by the key of its replay page.

        Raises:
            StoreError: it is damaged.
        """
        return self._kept("replay", key)

    def _kept(self, column: str, value: str) -> Kept | None:
        if not value.isascii():
            return None
        rows = self._read(f"SELECT {COLUMNS} FROM tables WHERE {column} = ?", (value,))
        if not rows:
            return None
        *row, digest = rows[0]
        if digest != _digest(*row):
            raise StoreError(
                f"--store {str(self.path)!r}: table {row[0]!r} is damaged, and was left in the file as it is"
            )
        return Kept(row[0], json.loads(row[4]))

    def _read(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        if self._base is None:
            return []
        try:
            return self._base.execute(statement, values).fetchall()
        except FAULTS as error:
            raise StoreError(f"--store {str(self.path)!r}: {_fault_of(error)}") from None

    def close(self) -> None:
        """Close the file; what is saved later is not kept."""
        base, self._base = self._base, None
        if base is not None:
            try:
                base.close()
            except FAULTS as error:
                self._warn(f"--store {str(self.path)!r}: {_fault_of(error)}")


def _digest(*row: Any) -> str:
    """SQLite notices damage to its own structure, not to what is in a row."""
    return hashlib.sha256(repr(row).encode()).hexdigest()


def _fault_of(error: Exception) -> str:
    return "damaged" if isinstance(error, UnicodeError) else shortened(str(error), 200)


def _to_stderr(text: str) -> None:
    sys.stderr.write(f"persian-rummy serve: warning: {text}\n")
    sys.stderr.flush()
