"""The items of a picture: panels, stamps and labels at their places, in named parts. Independent of the format."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .look import INK

WIDTH, HEIGHT = 1280, 800

# Advance widths of DejaVu Sans, plain and bold, in hundredths of the size, from the blank to the tilde.
_PLAIN = bytes.fromhex(
    "20282e54405f4e1b272732542024202240404040404040404040222254545435644445464d3f3a4d4b1d1d4238564b4f"
    "3c4f453f3d494463453d452722275432323d3f373f3e233f3f1c1c3a1c613f3d3f3f2934273f3b523b3b3440224054"
)
_BOLD = bytes.fromhex(
    "232e34544664571f2e2e3454262a26254646464646464646464628285454543a644d4c49534444525425254d40645455"
    "49554d4844514d6e4d48492e252e54323243483b48442c4847222243226847454848313c3047415c41413a47254754"
)
_OTHER = 110
"""The width of any other character: that of the widest."""


class Panel(NamedTuple):
    """A rectangle with round corners. An empty ``stroke`` means no edge."""

    x: int
    y: int
    width: int
    height: int
    radius: int
    fill: str
    stroke: str = ""


class Stamp(NamedTuple):
    """A symbol (``stamps.Piece``) at a place, in a size."""

    piece: str
    x: int
    y: int
    width: int
    height: int


class Run(NamedTuple):
    """A stretch of text of one colour."""

    text: str
    fill: str = INK


class Label(NamedTuple):
    """A line of text: ``x`` is its start, middle or end (``anchor``), ``y`` its base line, ``size`` in pixels."""

    x: int
    y: int
    size: int
    runs: tuple[Run, ...]
    anchor: str = "start"
    bold: bool = False

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


class Part(NamedTuple):
    """A named part of the picture and its items; later ones lie on top."""

    name: str
    items: tuple[Panel | Stamp | Label, ...]


def text_width(text: str, size: int, bold: bool = False) -> float:
    """The width of a text in pixels; characters outside ASCII count as wide."""
    table = _BOLD if bold else _PLAIN
    return sum(table[ord(sign) - 32] if 32 <= ord(sign) < 127 else _OTHER for sign in text) * size / 100


@lru_cache(maxsize=4096)
def fit(text: str, room: float, size: int, bold: bool = False) -> str:
    """The text, shortened to ``room`` pixels; characters that cannot be printed become question marks."""
    text = "".join(sign if sign.isprintable() else "?" for sign in text)
    if text_width(text, size, bold) <= room:
        return text
    left = room - text_width("…", size, bold)
    kept = ""
    for sign in text:
        left -= text_width(sign, size, bold)
        if left < 0:
            break
        kept += sign
    return kept and kept + "…"
