"""A record to try, and ways to change one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from persian_rummy_env.records.record import Record, read

Change = Callable[[Any], None]
[GAME] = read(Path(__file__).parents[1] / "golden" / "whole_game.jsonl")


def some_game() -> Record:
    """A game of two deals with its legal actions, the caller's to change. Nobody goes out, then seat 0."""
    return copy.deepcopy(GAME)


def _at(record: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        record = record[step]
    return record


def put(*path: str | int, value: Any) -> Change:
    """Sets a field."""
    return lambda record: _at(record, path[:-1]).__setitem__(path[-1], value)


def drop(*path: str | int) -> Change:
    """Takes a field away, or an item of a list."""
    return lambda record: _at(record, path[:-1]).__delitem__(path[-1])


def append(*path: str | int, value: Any) -> Change:
    """Adds an item to a list."""
    return lambda record: _at(record, path).append(value)


def both(*changes: Change) -> Change:
    """One change after another."""

    def change(record: Any) -> None:
        for one in changes:
            one(record)

    return change
