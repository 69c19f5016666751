"""Text from elsewhere cannot act on the terminal, and can always be printed."""

import io
import sys

import pytest

from persian_rummy_env.system.escaping import escape_what_cannot_be_written, shortened, visible, visible_lines

SHOWN = {
    "greedy, 7H (“Zoë”, 山田, علی)": "greedy, 7H (“Zoë”, 山田, علی)",
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07": r"\x1b]0;title\x07",
    "a\rb\nc\td": r"a\rb\nc\td",
    "\x00\x08\x7f\x9b": r"\x00\x08\x7f\x9b",
    "\u202egnp.exe\u2066\u200b\ufeff": r"\u202egnp.exe\u2066\u200b\ufeff",
    "\u2028\u2029\x85": r"\u2028\u2029\x85",
    "\ud800x\udfff": r"\ud800x\udfff",
    "\U000e0041": r"\U000e0041",
    "\x1c\x1d": r"\x1c\x1d",
}


@pytest.mark.parametrize("text", SHOWN, ids=ascii)
def test_what_is_not_visible_is_shown_as_its_escape(text: str) -> None:
    assert visible(text) == SHOWN[text]
    assert visible(visible(text)) == visible(text)
    assert visible(text).isprintable()
    visible(text).encode()


def test_every_character_is_harmless_afterwards() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = visible(every)
    assert all(character.isprintable() or character in "\xa0\u3000" for character in shown)
    assert len(shown.splitlines()) == 1
    shown.encode()


def test_lines_stay_lines() -> None:
    assert visible_lines("a\x1b\nb\r\n") == "a\\x1b\nb\\r\n"


def test_long_names_are_shortened() -> None:
    assert shortened("name", 10) == "name"
    assert shortened("n" * 10**6, 10) == "n" * 9 + "…"
    assert len(shortened("\x1b" * 10**6, 10)) == 10


def test_streams_escape_what_their_encoding_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    escape_what_cannot_be_written()
    sys.stdout.write("Zoë \ud800\n")
    sys.stdout.flush()
    assert raw.getvalue() == b"Zo\\xeb \\ud800\n"
