"""Text for a terminal: colours of cards, whether to use colour, and lines that fit its width."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from typing import NamedTuple, TextIO

from ..cards import CARD_NAMES

SUIT_STYLES = {"C": "32", "D": "94", "H": "91", "S": "1", "K": "35"}
"""Parameters of the escape code by the last letter of a card's name: green, blue, red, bold; jokers magenta."""
BOLD, DIM, UNDERLINE, REVERSED = "1", "2", "4", "7"
LEAST_WIDTH = 20
_CARD = re.compile(rf"\b({'|'.join(CARD_NAMES)}|JK[1-4])\b")


class Word(NamedTuple):
    """A word and its style: parameters of the escape code, joined by ``;``."""

    text: str
    style: str = ""


def card_word(name: str, more: str = "", *styles: str) -> Word:
    """A card in notation, in the colour of its suit; ``more`` is appended without a space."""
    return Word(name + more, ";".join((SUIT_STYLES[name[-1]], *styles)))


def paint(text: str) -> str:
    """Colour every card in notation in a text."""
    return _CARD.sub(lambda match: _written(card_word(match[0][:2], match[0][2:]), colour=True), text)


def lines_of(words: Iterable[Word], *, colour: bool, width: int | None, indent: int) -> list[str]:
    """Wrap words into lines of at most ``width`` columns (None: one line), indented by ``indent`` after the first."""
    lines: list[list[Word]] = [[]]
    used = 0
    for word in words:
        if lines[-1] and width is not None and used + 1 + len(word.text) > width:
            lines.append([Word(" " * (indent - 1))])
            used = indent - 1
        used += len(word.text) + bool(lines[-1])
        lines[-1].append(word)
    return [" ".join(_written(word, colour=colour) for word in line) for line in lines]


def _written(word: Word, *, colour: bool) -> str:
    return f"\x1b[{word.style}m{word.text}\x1b[0m" if colour and word.style else word.text


def wants_colour(stream: TextIO) -> bool:
    """Whether to write in colour: on a terminal, unless ``NO_COLOR`` is set or ``TERM`` is ``dumb``; always with
    ``FORCE_COLOR``."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def width_of(stream: TextIO) -> int | None:
    """The columns of the terminal; None if the stream is not a terminal and lines may have any length."""
    return max(LEAST_WIDTH, shutil.get_terminal_size().columns) if stream.isatty() else None
