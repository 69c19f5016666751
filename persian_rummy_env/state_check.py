"""Checks whether records from outside are games. Every function that accepts records uses it.

The ranges are those of ``state.FIELDS``, the relations those of ``state.RELATIONS``. A record that passes can be played
to its end; the compiled code itself checks nothing. Copies that the engine made need no check: ``clone``, ``deepcopy``
and pickles of an environment.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from .arrays import shown
from .cards import CARD_NAMES, JOKER, NUM_CARDS, NUM_JOKERS, NUM_PLAIN
from .core.check import CARDS, first_broken
from .core.compiler.compile_on_demand import ensure_compiled
from .state import FIELDS, OVER, RELATIONS, STATE, Field

MOST_NAMED = 6
"""Misplaced cards that an error names."""
_PLACES: dict[str, int] = {name: place[1] for name, place in (STATE.fields or {}).items()}


class _Limits:
    """The ranges of all fields of one dtype by place in the record. The record is viewed as an array of that dtype, so
    that two comparisons check all of them."""

    def __init__(self, dtype: np.dtype[Any], fields: list[Field]) -> None:
        self.dtype = dtype
        size = STATE.itemsize // dtype.itemsize
        low, high = (np.full(size, edge, dtype) for edge in (np.iinfo(dtype).min, np.iinfo(dtype).max))
        for field in fields:
            first = _PLACES[field.name] // dtype.itemsize
            places = slice(first, first + int(np.prod(field.shape, dtype=int)))
            low[places] = field.range.low
            high[places] = max(field.range.high, field.range.also or 0)
        used = np.flatnonzero((low > np.iinfo(dtype).min) | (high < np.iinfo(dtype).max))
        self.places = slice(int(used[0]), int(used[-1]) + 1)
        self.low, self.high = low[self.places], high[self.places]

    def hold(self, states: np.ndarray) -> bool:
        numbers = states.view(self.dtype).reshape(len(states), -1)[:, self.places]
        return not ((numbers < self.low).any() or (numbers > self.high).any())


_LIMITS = [
    _Limits(np.dtype(name), [field for field in FIELDS if field.dtype == name])
    for name in dict.fromkeys(field.dtype for field in FIELDS)
]
_WITH_GAPS = [field for field in FIELDS if field.range.also is not None]


def state_records(games: Any, *, change: bool = False) -> np.ndarray:
    """Check dtype and shape of records, (n,) STATE, and return them; their content is not checked.

    Args:
        change: the records will be written to.

    Raises:
        TypeError: another type.
        ValueError: another shape, or read-only records that must be written to.
    """
    if not isinstance(games, np.ndarray) or games.dtype != STATE:
        found = f"of dtype {games.dtype.str}" if isinstance(games, np.ndarray) else f"= {shown(games)}"
        raise TypeError(f"games {found}: expected an array of STATE records, (n,), such as arena.new_games makes")
    if games.ndim != 1:
        raise ValueError(f"games of shape {games.shape}: expected STATE records, (n,)")
    if change and not games.flags.writeable:
        raise ValueError("games that cannot be written to: expected writable ones, as they are changed; give a copy")
    return games


def checked_states(states: Any, lanes: int) -> np.ndarray:
    """Check that records are games, and return a copy: (lanes,) STATE.

    A game that is over is marked as ended, so that it waits for the next episode.

    Raises:
        ValueError: another dtype or shape, or a record that is not a game; the message names the index, the field, its
            value and what was expected.
    """
    try:
        given = np.asarray(states)
    except ValueError:  # a list of lists, such as ``tolist`` makes of records
        given = np.empty((), dtype=object)
    if given.dtype != STATE or given.shape != (lanes,):
        what = "STATE" if given.dtype == STATE else given.dtype.name
        raise ValueError(f"states of {what} {given.shape}: expected STATE records, shape ({lanes},)")
    games = np.empty(lanes, dtype=STATE)
    games[:] = given
    if not all(limits.hold(games) for limits in _LIMITS) or any(_outside(field, games).any() for field in _WITH_GAPS):
        raise ValueError(_out_of_range(games))
    ensure_compiled("game engine")
    lane, number, entry = map(int, first_broken(games, 0, lanes))
    if lane >= 0:
        raise ValueError(_broken(games[lane], lane, number, entry))
    games["ended"] |= games["phase"] == OVER
    return games


def _outside(field: Field, games: np.ndarray) -> np.ndarray:
    """A mask of the entries of a field that are out of its range."""
    values, limits = games[field.name], field.range
    wrong = (values < limits.low) | (values > limits.high)
    return wrong if limits.also is None else wrong & (values != limits.also)


def _out_of_range(games: np.ndarray) -> str:
    for field in FIELDS:
        wrong = np.argwhere(_outside(field, games))
        if len(wrong):
            lane, *entry = (int(place) for place in wrong[0])
            limits = field.range
            expected = f"{limits.low}..{limits.high}" + (f" or {limits.also}" if limits.also is not None else "")
            if field.dtype == "u8":
                expected = f"0..{limits.high:#x}"
            return _message(games[lane], lane, field.name, entry, f"expected {expected}")
    raise AssertionError("a place of the record that no field names is out of range")


def _broken(game: np.void, lane: int, number: int, entry: int) -> str:
    relation = RELATIONS[number]
    by_entry = game[relation.field].ndim > 0
    expected = f"expected {relation.expected}"
    if number == CARDS:
        return f"states[{lane}]: cards lost or doubled: {_misplaced(game)}; {expected}"
    return _message(game, lane, relation.field, [entry] if by_entry else [], expected)


def _message(game: np.void, lane: int, name: str, entry: list[int], expected: str) -> str:
    value = game[name][tuple(entry)] if entry else game[name]
    shown = hex(int(value)) if value.dtype == np.uint64 else value.tolist()
    where = "".join(f"[{place}]" for place in entry)
    return f"states[{lane}]: {name}{where}={shown}: {expected}"


def _misplaced(game: np.void) -> str:
    """The cards of the pack that are not in exactly one place, and the number of their places."""
    sets = [int(bits) for bits in (*game["hand"], game["sets"], game["runs"])]
    places = Counter(min(card, JOKER) for bits in sets for card in range(NUM_CARDS) if bits >> card & 1)
    stock = game["decks"][int(game["deal"])][NUM_CARDS - int(game["stock_size"]) :]
    places.update([*game["pile_card"][: int(game["pile_size"])].tolist(), *stock.tolist()])
    pack = {**dict.fromkeys(range(NUM_PLAIN), 1), JOKER: NUM_JOKERS}
    wrong = [f"{CARD_NAMES[card]} x {places[card]}" for card in pack if places[card] != pack[card]]
    more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
    return ", ".join(wrong[:MOST_NAMED]) + more
