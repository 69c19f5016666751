"""Files damaged on purpose: the same damage from the same seed, for every format that the project reads.

    for name, content in damages(whole, count=40, kinds=BYTES | JSON):
        path.write_bytes(content)
        ...  # the right value, or one clear line

``BYTES`` is for any file, ``JSON`` for one JSON text or JSON Lines, ``HEADER`` for a safetensors file, ``TABLE`` for a
CSV file. ``damaged`` makes one of them, by its seed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

Kind = Callable[[bytes, Random], bytes]


class Damage(NamedTuple):
    """A damaged file. ``name``: the kind of damage and its seed, for the message of a test."""

    name: str
    content: bytes


def damages(content: bytes, count: int, seed: int = 0, kinds: Mapping[str, Kind] | None = None) -> Iterator[Damage]:
    """``count`` damaged copies of a file, none of them equal to it; every kind in its turn."""
    for number in range(count):
        yield damaged(content, seed * 1_000_003 + number, kinds)


def damaged(content: bytes, seed: int, kinds: Mapping[str, Kind] | None = None) -> Damage:
    """A damaged copy of a file, other than the file."""
    chosen = list((BYTES if kinds is None else kinds).items())
    for attempt in range(100):
        rng = Random(f"{seed} {attempt}")
        name, kind = chosen[(seed + attempt) % len(chosen)]
        found = kind(content, rng)
        if found != content:
            return Damage(f"{name}, seed {seed}", found)
    raise ValueError(f"none of {', '.join(name for name, _ in chosen)} changes this file")


# Of bytes -------------------------------------------------------------------------------------------------------------


def _span(content: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice((1, 2, 8, 64, 1000)))


def _flip_a_bit(content: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


def _flip_bits(content: bytes, rng: Random) -> bytes:
    for _ in range(rng.randrange(2, 40)):
        content = _flip_a_bit(content, rng)
    return content


def _truncate(content: bytes, rng: Random) -> bytes:
    return content[: rng.randrange(len(content))]


def _cut_the_end(content: bytes, rng: Random) -> bytes:
    return content[: -rng.randrange(1, min(16, len(content)) + 1)]


def _lose_the_start(content: bytes, rng: Random) -> bytes:
    return content[rng.randrange(1, len(content) + 1) :]


def _lose_a_piece(content: bytes, rng: Random) -> bytes:
    start, stop = _span(content, rng)
    return content[:start] + content[stop:]


def _double_a_piece(content: bytes, rng: Random) -> bytes:
    start, stop = _span(content, rng)
    return content[:stop] + content[start:]


def _zero_a_piece(content: bytes, rng: Random) -> bytes:
    start, stop = _span(content, rng)
    return content[:start] + bytes(stop - start) + content[stop:]


def _random_piece(content: bytes, rng: Random) -> bytes:
    start, stop = _span(content, rng)
    return content[:start] + rng.randbytes(stop - start) + content[stop:]


def _insert(content: bytes, rng: Random) -> bytes:
    start, _ = _span(content, rng)
    return content[:start] + rng.randbytes(rng.choice((1, 4, 100))) + content[start:]


def _append(content: bytes, rng: Random) -> bytes:
    return content + rng.choice((b"\0", b"\n{", rng.randbytes(20), content))


def _exchange_halves(content: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(content))
    return content[place:] + content[:place]


def _another_file(content: bytes, rng: Random) -> bytes:
    others = (b"", b"\0" * 4096, rng.randbytes(3000), b"<!DOCTYPE html>\n<html><body>not found</body></html>\n" * 40)
    return rng.choice((*others, b"\xff\xfe{\0}\0", b"[]", b"null", b"{}", b"\x1f\x8b"))


BYTES: Mapping[str, Kind] = {
    kind.__name__.strip("_").replace("_", " "): kind
    for kind in (
        *(_flip_a_bit, _truncate, _flip_bits, _lose_a_piece, _double_a_piece, _zero_a_piece, _random_piece, _insert),
        *(_append, _cut_the_end, _lose_the_start, _exchange_halves, _another_file),
    )
}


# Of JSON --------------------------------------------------------------------------------------------------------------


class _Raw(str):
    """JSON text that stands in a value as it is, even where ``json`` would not write it."""

    __slots__ = ()


WRONG: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        7,
        2**31,
        2**63,
        -(2**64),
        1.5,
        "",
        "x",
        "\0\x1b]0;title\a\u202e\ud800",
        [],
        [[]],
        {},
        {"a": 1},
    ),
    *(_Raw("NaN"), _Raw("1e999"), _Raw("-Infinity"), _Raw("9" * 5000), _Raw("[" * 5000 + "]" * 5000), _Raw('"a')),
    *("y" * 100_000, list(range(3000)), _Raw('{"a":1,"a":2}')),
)
"""Values that are of the wrong type or size nearly anywhere."""


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value: what holds it, and its key or index there."""
    found, left = [], [value]
    while left:
        holder = left.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, item in items:
            found.append((holder, key))
            left.append(item)
    return found


def _change_json(content: bytes, rng: Random, change: Callable[[list[Any], Random], None]) -> bytes:
    """One of the texts of the file read, changed, and written again."""
    text = content.decode()
    try:
        values, end = [json.loads(text)], "\n" if text.endswith("\n") else ""
        lines = None
    except ValueError:  # JSON Lines
        lines = [line for line in text.split("\n") if line]
        chosen = rng.randrange(len(lines))
        values, end = [json.loads(lines[chosen])], "\n"
    change(values, rng)
    raw: list[str] = []

    def marked(value: Any) -> Any:
        if isinstance(value, _Raw):
            raw.append(value)
            return f"raw text {len(raw) - 1}"
        if isinstance(value, dict):
            return {key: marked(item) for key, item in value.items()}
        return [marked(item) for item in value] if isinstance(value, list) else value

    written = json.dumps(marked(values[0])) if values else ""
    for number, token in enumerate(raw):
        written = written.replace(f'"raw text {number}"', token)
    if lines is not None:
        written = "\n".join([*lines[:chosen], written, *lines[chosen + 1 :]])
    return (written + end).encode("utf-8", "surrogatepass")


def _spot(values: list[Any], rng: Random) -> tuple[Any, Any]:
    """A place; those near the top as often as all the others, which are many more."""
    spots = _spots(values)
    return rng.choice(
        spots if rng.random() < 0.5 else spots[: 1 + len(values[0] if isinstance(values[0], dict) else ())]
    )


def _wrong_value(content: bytes, rng: Random) -> bytes:
    def change(values: list[Any], rng: Random) -> None:
        holder, key = _spot(values, rng)
        holder[key] = rng.choice(WRONG)

    return _change_json(content, rng, change)


def _another_number(content: bytes, rng: Random) -> bytes:
    def change(values: list[Any], rng: Random) -> None:
        spots = [(holder, key) for holder, key in _spots(values) if type(holder[key]) in (int, float)]
        if spots:
            holder, key = rng.choice(spots)
            holder[key] = rng.choice((holder[key] + 1, -1 - holder[key], 10**9, str(holder[key]), float(holder[key])))

    return _change_json(content, rng, change)


def _missing_part(content: bytes, rng: Random) -> bytes:
    def change(values: list[Any], rng: Random) -> None:
        holder, key = _spot(values, rng)
        del holder[key]

    return _change_json(content, rng, change)


def _doubled_part(content: bytes, rng: Random) -> bytes:
    def change(values: list[Any], rng: Random) -> None:
        holder, key = _spot(values, rng)
        if isinstance(holder, list):
            holder.insert(key, holder[key])
        else:
            holder[f"{key} "] = holder[key]

    return _change_json(content, rng, change)


def _exchanged_parts(content: bytes, rng: Random) -> bytes:
    def change(values: list[Any], rng: Random) -> None:
        (one, key), (other, at) = _spot(values, rng), _spot(values, rng)
        if one is not values and other is not values:
            first, second = json.dumps(one[key]), json.dumps(other[at])
            one[key], other[at] = json.loads(second), json.loads(first)

    return _change_json(content, rng, change)


def _key_twice(content: bytes, rng: Random) -> bytes:
    place = content.find(b"{", rng.randrange(len(content)))
    return content if place < 0 else content[: place + 1] + b'"twice": 1, "twice": 2, ' + content[place + 1 :]


JSON: Mapping[str, Kind] = {
    kind.__name__.strip("_").replace("_", " "): kind
    for kind in (_wrong_value, _missing_part, _another_number, _doubled_part, _exchanged_parts, _key_twice)
}


# Of other formats -----------------------------------------------------------------------------------------------------


def _in_header(kind: Kind) -> Kind:
    """Damage to the JSON header of a safetensors file, whose length stays true."""

    def change(content: bytes, rng: Random) -> bytes:
        size = int.from_bytes(content[:8], "little")
        header = kind(content[8 : 8 + size], rng)
        return len(header).to_bytes(8, "little") + header + content[8 + size :]

    return change


def _header_length(content: bytes, rng: Random) -> bytes:
    return rng.choice((0, 1, 2**31, 2**63, 2**64 - 1)).to_bytes(8, "little") + content[8:]


HEADER: Mapping[str, Kind] = {f"header: {name}": _in_header(kind) for name, kind in JSON.items()} | {
    "header: length": _header_length
}


def _wrong_cell(content: bytes, rng: Random) -> bytes:
    lines = content.split(b"\n")
    row = rng.randrange(len(lines))
    cells = lines[row].split(b",")
    wrong = (b"", b"x", b"nan", b"inf", b"-1", b"1e999", b"9" * 5000, b'"', b"\0", b"\xff", b"1,2", b"\x1b[31m")
    cells[rng.randrange(len(cells))] = rng.choice(wrong)
    lines[row] = b",".join(cells)
    return b"\n".join(lines)


def _row_twice(content: bytes, rng: Random) -> bytes:
    lines = content.split(b"\n")
    row = rng.randrange(len(lines))
    return b"\n".join(lines[: row + 1] + lines[row:])


def _lost_row(content: bytes, rng: Random) -> bytes:
    lines = content.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


TABLE: Mapping[str, Kind] = {"wrong cell": _wrong_cell, "row twice": _row_twice, "lost row": _lost_row}
