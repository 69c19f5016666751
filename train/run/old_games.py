"""Games that were stored by other code: their fields by name, in the record of today.

A field that was added since must be that of a rule; a game without it was played by what the rule says of files that
do not name it (``RuleField.absent``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from persian_rummy_env.rules import RULE_FIELDS
from persian_rummy_env.state import STATE

MOST_FIELDS, MOST_BYTES = 1000, 2**20
FORMAT_4 = (
    "rng:<u8:2 sample_rng:<u8 hand:<u8:4 known:<u8:4 declined:<u8:4 laid:<u8:4 sets:<u8 runs:<u8 run_low:<u8 "
    "pile:<u8 score:<i4:2 points:<i2:2 last_score:<i2:2 decisions:<u2 episode_decisions:<u2 decks:|u1:4,56 given:|u1 "
    "pile_card:|u1:28 pile_seat:|u1:28 pile_size:|u1 stock_size:|u1 queue:|u1:4 phase:|u1 ended:|u1 seat:|u1 "
    "dealer:|u1 deal:|u1 owed:|u1 passes:|u1 out:|u1 deals:|u1 quad_jacks:|u1 stock_end:|u1 split_stock:|u1"
)
"""The fields of a game in checkpoints that do not say them."""


def layout_of_state() -> list[list[Any]]:
    """The fields of a game of today, as JSON holds them: name, type, shape."""
    fields: Any = STATE.fields
    return [[name, fields[name][0].base.str, list(fields[name][0].shape)] for name in STATE.names or ()]


def layout_of(listed: Any) -> np.dtype[np.void]:
    """The inverse of ``layout_of_state``; None: of checkpoints of format 4.

    Raises:
        ValueError: these are no fields of a game.
    """
    if listed is None:
        listed = [_parts(field) for field in FORMAT_4.split()]
    if not isinstance(listed, list) or len(listed) > MOST_FIELDS:
        raise ValueError("layout: expected a list of fields")
    rows: list[Any] = []
    for field in listed:
        name, kind, shape = field if isinstance(field, list) and len(field) == 3 else (None, None, None)
        sizes = shape if isinstance(shape, list) else [-1]
        if not isinstance(name, str) or kind not in KINDS or not all(type(n) is int and 0 < n < 2**10 for n in sizes):
            raise ValueError("layout: expected fields of a name, a type and a shape")
        rows.append((name, kind, tuple(sizes)) if sizes else (name, kind))
    layout = np.dtype(rows, align=True)
    if layout.itemsize > MOST_BYTES:
        raise ValueError(f"layout: {layout.itemsize} bytes a game")
    return layout


KINDS = tuple(f"{order}{kind}{size}" for order, size in (("|", 1), ("<", 2), ("<", 4), ("<", 8)) for kind in "ui")


def _parts(field: str) -> list[Any]:
    name, kind, *shape = field.split(":")
    return [name, kind, [int(size) for size in "".join(shape).split(",") if size]]


def converted(games: np.ndarray) -> np.ndarray:
    """Games (n,) of another layout as (n,) STATE; of this one, themselves.

    Raises:
        ValueError: a field that there is no more, or one of today that is no rule's and that these games lack.
    """
    if games.dtype == STATE:
        return games
    names, today = set(games.dtype.names or ()), set(STATE.names or ())
    rules = {rule.state: rule.code(rule.absent) for rule in RULE_FIELDS}
    unknown = sorted((names - today) | (today - names - set(rules)))
    if unknown:
        raise ValueError(f"its games are of other fields: {', '.join(unknown)}")
    result = np.zeros(len(games), dtype=STATE)
    for name in STATE.names or ():
        result[name] = games[name] if name in names else rules[name]
    return result
