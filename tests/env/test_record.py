"""Game records as text: what is written is read back, and what is damaged is named."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from persian_rummy_env.records.record import Record, RecordError, check, dumps, loads, read, scan, write
from persian_rummy_env.records.replay import verify
from tests.env.records import Change, drop, put, some_game


@pytest.fixture
def game() -> Record:
    return some_game()


@pytest.fixture
def changed() -> Record:
    """The same game, to be changed."""
    return some_game()


def test_records_hold_json_types_only_and_survive_their_line(game: Record) -> None:
    def types(value: Any) -> Iterator[type]:
        yield type(value)
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from types(item)

    assert set(types(game)) <= {dict, list, str, int, type(None)}
    line = dumps(game)
    assert "\n" not in line
    assert loads(line) == loads(line.encode()) == game
    assert list(json.loads(line)) == ["format", "rules", "players", "seed", "deals", "score"]


# Well formed ----------------------------------------------------------------------------------------------------------


FAULTS: list[tuple[Change, str]] = [
    (put("format", value="persian-rummy/2"), "format: expected 'persian-rummy/1', found 'persian-rummy/2'"),
    (drop("format"), "format: expected 'persian-rummy/1', found None"),
    (drop("seed"), "seed: missing"),
    (put("rules", value=None), "rules: expected an object, found None"),
    (put("rules", "quad_bonus", value="kings"), "rules: quad_bonus='kings': expected one of any, jacks"),
    (
        put("rules", "wild", value=1),
        "rules: unknown rules 'wild': known are deals, quad_bonus, stock_out; a later version",
    ),
    (put("rules", "deals", value=True), "rules: deals=True: expected an integer from 1 to 4"),
    (put("rules", "deals", value=3), "deals: expected 3 items, found 2"),
    (put("comment", value="x"), "comment: unknown; known are format, rules, players, seed, deals, score"),
    (put("players", value=["a", "b", "c"]), "players: expected 4 items, found 3"),
    (put("players", 2, value=7), "players[2]: expected text, found 7"),
    (put("seed", value=1.5), "seed: expected a whole number or null, found 1.5"),
    (put("seed", value=True), "seed: expected a whole number or null, found True"),
    (put("score", value=[1]), "score: expected 2 items, found 1"),
    (put("score", 0, value="1"), "score[0]: expected a whole number, found '1'"),
    (put("deals", 0, value=[]), "deals[0]: expected an object, found []"),
    (drop("deals", 1, "deck"), "deals[1].deck: missing"),
    (put("deals", 0, "dealer", value=4), "deals[0].dealer: expected a seat 0..3, found 4"),
    (put("deals", 0, "dealer", value=False), "deals[0].dealer: expected a seat 0..3, found False"),
    (put("deals", 0, "out", value=-1), "deals[0].out: expected a seat 0..3 or null, found -1"),
    (put("deals", 0, "out", value="2"), "deals[0].out: expected a seat 0..3 or null, found '2'"),
    (put("deals", 1, "score", value=None), "deals[1].score: expected a list, found None"),
    (put("deals", 1, "score", 1, value=2.0), "deals[1].score[1]: expected a whole number, found 2.0"),
    (put("deals", 1, "deck", 0, value=5), "deals[1].deck[0]: expected text, found 5"),
    (put("deals", 1, "deck", 0, value="1S"), "deals[1].deck: '1S' is not a card"),
    (drop("deals", 0, "deck", 0), "this one has 55 cards, missing: "),
    (put("deals", 0, "actions", 4, value=46), "deals[0].actions[4]: expected text, found 46"),
    (put("deals", 0, "legal", value=[]), "deals[0].legal: expected "),
    (put("deals", 0, "legal", 1, value="draw"), "deals[0].legal[1]: expected a list, found 'draw'"),
    (put("deals", 0, "melds", value=[]), "deals[0].melds: unknown; known are dealer, deck, actions, out, score, legal"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS, ids=[message[:40] for _, message in FAULTS])
def test_a_fault_is_named_with_its_field(change: Change, message: str, changed: Record) -> None:
    change(changed)
    with pytest.raises(RecordError) as raised:
        check(changed)
    assert message in str(raised.value)
    with pytest.raises(RecordError):
        verify(changed)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not JSON: Expecting value at column 1"),
        ('{"format": "persian-rummy/1", ', "not JSON: Expecting property name enclosed in double quotes at column"),
        (b'{"format": "\xff"}', "not UTF-8: invalid start byte at byte 13"),
        ('{"format": NaN}', "not JSON: NaN is no JSON number"),
        ('{"seed": 1, "seed": 2}', "not JSON: seed stands twice in an object"),
        ("[" * 200_000, "record: "),
        ('{"seed": ' + "9" * 5000 + "}", "record: "),
        ("7", "record: expected an object, found 7"),
        ("null", "record: expected an object, found None"),
    ],
)
def test_a_damaged_line_is_an_error_of_records(line: str | bytes, message: str) -> None:
    with pytest.raises(RecordError) as raised:
        loads(line)
    assert message in str(raised.value)


def test_records_of_other_programs_are_read(game: Record) -> None:
    """Another order of the fields, other spaces, a mark at the head of the file, line ends of another system."""
    backwards = {key: game[key] for key in reversed(list(game))}  # type: ignore[literal-required]
    text = b"\xef\xbb\xbf" + json.dumps(backwards, separators=(",", ":")).encode() + b"\r\n\r\n"
    lines = list(scan(text.splitlines(keepends=True)))
    assert [(line.number, line.record) for line in lines] == [(1, game)]


def test_names_of_players_are_any_text(changed: Record) -> None:
    changed["players"] = ["Ā", "line\nend", "\u2028", ""]
    assert dumps(changed).isascii()
    assert loads(dumps(changed))["players"] == changed["players"]


# Files ----------------------------------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_was_written(tmp_path: Path, game: Record) -> None:
    path = tmp_path / "games.jsonl"
    assert write(path, [game, game]) == 2
    assert list(read(path)) == [game, game]
    assert path.read_bytes() == (dumps(game) + "\n").encode() * 2
    path.write_text(dumps(game) + "\n{}\n")
    with pytest.raises(RecordError, match=r"^line 2, format: "):
        list(read(path))


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, game: Record) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("old")

    def broken_off() -> Iterator[Record]:
        yield game
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(path, broken_off())
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


def test_no_record_holds_what_is_no_json(game: Record) -> None:
    with pytest.raises(ValueError):
        dumps({**game, "seed": math.nan})
