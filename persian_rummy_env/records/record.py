"""Game records, ``persian-rummy/1``: one JSON object a line, one line a game.

A record (rule R57) is a plain dictionary of JSON types (``Record``), so ``json`` alone is enough to use one. Decks,
dealer and actions determine everything else in it. This module makes, reads, writes and checks records; ``replay``
plays them again.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, NamedTuple, NotRequired, TypedDict

from ..cards import parse_deck
from ..rules import NUM_SEATS, NUM_TEAMS, RuleSet
from ..stored_rules import stored_rules
from ..system.escaping import shortened
from ..system.files import whole_file
from ..system.lines import LONGEST_LINE, open_lines

FORMAT = "persian-rummy/1"
LONGEST_MESSAGE = 4000
"""Characters of an error message, which may quote a whole line of the file."""


class DealRecord(TypedDict):
    """A deal of a record. The optional ``legal`` lists the legal actions before each action."""

    dealer: int
    deck: list[str]
    actions: list[str]
    out: int | None
    score: list[int]
    legal: NotRequired[list[list[str]]]


class Record(TypedDict):
    """A finished game. ``score`` is the total by team; the ``score`` of each deal is what it adds."""

    format: str
    rules: dict[str, Any]
    players: list[str]
    seed: int | None
    deals: list[DealRecord]
    score: list[int]


class RecordError(ValueError):
    """A record that is not well formed, or does not replay.

    Attributes:
        field: the place in the record, such as ``deals[0].deck``.
        fault: what is wrong there.
        line: the line of the file, counted from 1, or None.
    """

    def __init__(self, field: str, fault: str, line: int | None = None) -> None:
        super().__init__(field, fault, line)
        self.field, self.fault, self.line = field, fault, line

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}, "
        return shortened(f"{where}{self.field}: {self.fault}", LONGEST_MESSAGE)


# Whether a record is well formed --------------------------------------------------------------------------------------

_HEAD = ("format", "rules", "players", "seed", "deals", "score")
_DEAL = ("dealer", "deck", "actions", "out", "score")


def check(record: Any) -> Record:
    """Return the record if it has exactly the fields of the format, each of the right type.

    Whether its actions are legal is checked by ``replay.verify``.

    Raises:
        RecordError: the first fault found, with the field it is in.
    """
    if not isinstance(record, dict):
        raise RecordError("record", f"expected an object, found {_brief(record)}")
    if record.get("format") != FORMAT:
        raise RecordError("format", f"expected {FORMAT!r}, found {_brief(record.get('format'))}")
    _object(record, "", _HEAD)
    if not isinstance(record["rules"], dict):
        raise RecordError("rules", f"expected an object, found {_brief(record['rules'])}")
    try:
        rules = stored_rules(record["rules"])
    except ValueError as error:
        raise RecordError("rules", str(error)) from None
    _strings(record["players"], "players", NUM_SEATS)
    if record["seed"] is not None:
        _whole(record["seed"], "seed", "a whole number or null")
    deals = _list(record["deals"], "deals", rules.deals)
    for number, deal in enumerate(deals):
        _check_deal(deal, f"deals[{number}]")
    _scores(record["score"], "score")
    return record  # type: ignore[return-value]


def _check_deal(deal: Any, field: str) -> None:
    _object(deal, field, _DEAL, optional=("legal",))
    _seat(deal["dealer"], f"{field}.dealer", "a seat 0..3")
    try:
        parse_deck(_strings(deal["deck"], f"{field}.deck"))
    except ValueError as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"{field}.deck", str(error)) from None
    actions = _strings(deal["actions"], f"{field}.actions")
    if deal["out"] is not None:
        _seat(deal["out"], f"{field}.out", "a seat 0..3 or null")
    _scores(deal["score"], f"{field}.score")
    if "legal" in deal:
        for number, legal in enumerate(_list(deal["legal"], f"{field}.legal", len(actions))):
            _strings(legal, f"{field}.legal[{number}]")


def _object(value: Any, field: str, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    if not isinstance(value, dict):
        raise RecordError(field, f"expected an object, found {_brief(value)}")
    inside = f"{field}." if field else ""
    for name in required:
        if name not in value:
            raise RecordError(inside + name, "missing")
    for name in value:
        if name not in required and name not in optional:
            known = ", ".join((*required, *optional))
            raise RecordError(inside + shortened(str(name), 60), f"unknown; known are {known}")


def _list(value: Any, field: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list):
        raise RecordError(field, f"expected a list, found {_brief(value)}")
    if length is not None and len(value) != length:
        raise RecordError(field, f"expected {length} items, found {len(value)}")
    return value


def _strings(value: Any, field: str, length: int | None = None) -> list[str]:
    for number, item in enumerate(_list(value, field, length)):
        if type(item) is not str:
            raise RecordError(f"{field}[{number}]", f"expected text, found {_brief(item)}")
    return value


def _whole(value: Any, field: str, wanted: str) -> int:
    if type(value) is not int:
        raise RecordError(field, f"expected {wanted}, found {_brief(value)}")
    return value


def _seat(value: Any, field: str, wanted: str) -> None:
    if not 0 <= _whole(value, field, wanted) < NUM_SEATS:
        raise RecordError(field, f"expected {wanted}, found {value}")


def _scores(value: Any, field: str) -> None:
    for number, points in enumerate(_list(value, field, NUM_TEAMS)):
        _whole(points, f"{field}[{number}]", "a whole number")


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 3


def _brief(value: Any) -> str:
    """A short text for a value of any size or depth."""
    text = _SHORT.repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# Reading --------------------------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """A line of a file of records: its number from 1, and the record, or what is wrong with it.

    ``named``: the name of the format is near the start of the line, so the line was meant to be a record.
    """

    number: int
    record: Record | None
    error: RecordError | None
    named: bool = True


def loads(line: str | bytes) -> Record:
    """The record of a line.

    Raises:
        RecordError: the line is not JSON, or not a well-formed record.
    """
    if len(line) > LONGEST_LINE:
        raise RecordError("record", f"longer than {LONGEST_LINE:,} bytes")
    try:
        text = line if isinstance(line, str) else str(line, "utf-8-sig")
        value = json.loads(text, object_pairs_hook=_object_of, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise RecordError("record", f"not JSON: {error.msg} at column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise RecordError("record", f"not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except RecursionError:
        raise RecordError("record", "not a record: nested too deep") from None
    except ValueError as error:
        raise RecordError("record", f"not JSON: {error}") from None
    return check(value)


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
        more = f" and {len(twice) - 1} more" if len(twice) > 1 else ""
        raise ValueError(f"{shortened(twice[0], 60)}{more} stands twice in an object")
    return fields


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON number")


_MARK = FORMAT.partition("/")[0]


def is_named(line: str | bytes) -> bool:
    """Whether the name of the format is near the start of a line. Such a line was meant to be a record."""
    start = line[:LONGEST_MESSAGE]
    return _MARK in (start if isinstance(start, str) else start.decode(errors="replace"))


def is_blank(line: str | bytes) -> bool:
    """Whether a line is empty, and skipped. A line over ``LONGEST_LINE`` is never blank: its end was not read."""
    return len(line) <= LONGEST_LINE and not line.strip()


def scan(lines: Iterable[str | bytes]) -> Iterator[Line]:
    """Every line that is not blank, including damaged ones: reading goes on after a bad line."""
    for number, line in enumerate(lines, start=1):
        if is_blank(line):
            continue
        try:
            yield Line(number, loads(line), None)
        except RecordError as error:
            yield Line(number, None, RecordError(error.field, error.fault, number), is_named(line))


def read(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records of a file, plain or compressed by gzip, one by one.

    Raises:
        RecordError: a line is not a record; ``line`` is its number.
        OSError: the file cannot be read.
    """
    with open_lines(path) as lines:
        for line in scan(lines):
            if line.error is not None:
                raise line.error
            assert line.record is not None
            yield line.record


# Writing --------------------------------------------------------------------------------------------------------------


def dumps(record: Record | Mapping[str, Any]) -> str:
    """A record as one line of ASCII, without the line end."""
    return json.dumps(record, allow_nan=False)


def write(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write a file of records atomically and return their number. A name that ends in ``.gz`` is compressed."""
    count = 0
    with records_file(path) as file:
        for record in records:
            file.write(dumps(record) + "\n")
            count += 1
    return count


@contextmanager
def records_file(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Open a file for lines of records, which is written atomically (``files.whole_file``).

    A name that ends in ``.gz`` is compressed; equal lines give equal bytes.
    """
    if not os.fsdecode(path).endswith(".gz"):
        with whole_file(path) as file:
            yield file
        return
    with whole_file(path, binary=True) as file:
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        with io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text:
            yield text


def build(
    rules: RuleSet,
    players: Sequence[str],
    seed: int | None,
    deals: Sequence[DealRecord],
) -> Record:
    """Assemble a record; its score is the sum of the scores of the deals."""
    total = [sum(deal["score"][team] for deal in deals) for team in range(NUM_TEAMS)]
    return {
        "format": FORMAT,
        "rules": rules.as_dict(),
        "players": list(players),
        "seed": seed,
        "deals": list(deals),
        "score": total,
    }
