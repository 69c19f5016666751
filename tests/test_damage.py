"""The damage that tests do to files is real, and the same every time."""

import json
from collections import Counter

import pytest

from tests.damage import BYTES, HEADER, JSON, TABLE, Kind, damaged, damages

VALUE = {"a": 1, "b": [1, 2, {"c": None}], "d": "text", "e": {"f": 2.5, "g": [True, "x"]}}
TEXT = json.dumps(VALUE).encode()
SAFE = len(TEXT).to_bytes(8, "little") + TEXT + bytes(100)
CSV = b"a,b,c\r\n1,2,3\r\n4,5,6\r\n"


@pytest.mark.parametrize(
    ("content", "kinds"),
    [(TEXT, BYTES), (TEXT, JSON), (TEXT + b"\n" + TEXT + b"\n", JSON), (SAFE, HEADER | BYTES), (CSV, TABLE | BYTES)],
    ids=["bytes", "json", "lines", "header", "table"],
)
def test_every_kind_damages_and_repeats(content: bytes, kinds: dict[str, Kind]) -> None:
    made = list(damages(content, 200, 3, kinds))
    assert made == list(damages(content, 200, 3, kinds))
    assert made != list(damages(content, 200, 4, kinds))
    assert all(damage.content != content for damage in made)
    counts = Counter(damage.name.rpartition(", ")[0] for damage in made)
    assert counts.keys() == kinds.keys()
    assert len({damage.content for damage in made}) > 60


def test_json_damage_stays_json_mostly() -> None:
    """So that it reaches what checks the values, not only the parser."""
    read = 0
    for damage in damages(TEXT, 100, kinds=JSON):
        try:
            read += json.loads(damage.content) != VALUE
        except (ValueError, RecursionError):
            continue
    assert read > 60


def test_damage_that_cannot_be_done_is_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"):
        damaged(b"x", 0, {"wrong": lambda content, _: content})
