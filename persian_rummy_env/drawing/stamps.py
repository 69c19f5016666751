"""The SVG symbols of a drawing: card faces, backs and marks.

Their names are ids: ``card-7S``, ``card-JK``, ``card-back``, ``slot`` (an empty place for a card), ``frame`` (around
the card owed, rule R25), ``eye`` (everybody knows the card), ``dealer``, and ``by-PLACE-TEAM``, an arrow to the player
who laid or discarded a card.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ..cards import CARD_NAMES, JOKER_NAME
from ..rules import NUM_TEAMS
from .look import BACK, EDGE, HOT, INK, LATTICE, PAPER, SLOT, TEAMS, Look
from .outlines import RANKS, SUITS

CARD_WIDTH, CARD_HEIGHT = 56, 80
"""Size of the view box of a card."""
INDEX = (19, 58)
"""Width and height of the corner of a card that a fan leaves visible: rank, suit, and a mark below."""
MARK_AT, MARK_SIZE = (10.5, 50.0), 13
"""Centre and size of the mark, in the card's view box."""
FRAME = 3
"""Width of the frame around a card, on each side."""
PLACES = ("below", "left", "above", "right")
"""Places of the four seats, in the order of play from the seat at the bottom."""


class Piece(NamedTuple):
    """A symbol: the size of its view box, and its SVG content."""

    width: int
    height: int
    inner: str


@cache
def piece(name: str, look: Look) -> Piece:
    """The symbol with a name."""
    if name == "card-back":
        return Piece(CARD_WIDTH, CARD_HEIGHT, _back())
    if name.startswith("card-"):
        return Piece(CARD_WIDTH, CARD_HEIGHT, _face(name.removeprefix("card-"), look))
    return _marks()[name]


def names() -> list[str]:
    """The names of all symbols."""
    return [*(f"card-{card}" for card in CARD_NAMES), "card-back", *_marks()]


def symbol(name: str, look: Look) -> str:
    """A symbol as a ``<symbol>`` element."""
    width, height, inner = piece(name, look)
    return f'<symbol id="{name}" viewBox="0 0 {width} {height}">{inner}</symbol>'


def _path(outline: str, x: float, y: float, scale: str, fill: str) -> str:
    return f'<path transform="translate({x:g} {y:g}) scale({scale})" fill="{fill}" d="{outline}"/>'


def _sheet(fill: str, stroke: str) -> str:
    return f'<rect x=".5" y=".5" width="55" height="79" rx="5.5" fill="{fill}" stroke="{stroke}"/>'


def _face(card: str, look: Look) -> str:
    fill = look.suit(card)
    if card == JOKER_NAME:
        corner = _path(RANKS["J"], 5.5, 20, ".72 .8", fill) + _path(RANKS["K"], 14, 20, ".62 .8", fill)
    else:
        corner = _path(RANKS[card[0]], 10.5, 21, ".76 .9" if card[0] == "T" else ".92 .9", fill)
    small = _path(SUITS[card[-1]], 10.5, 33, ".68", fill)
    return _sheet(PAPER, EDGE) + corner + small + _path(SUITS[card[-1]], 38, 56, "1.4", fill)


def _back() -> str:
    """The back of a card: a lattice within a border."""
    left, top, right, bottom, step = 6, 6, 50, 74, 11
    lines = []
    for start in range(left - (bottom - top), right, step):  # lines that fall to the right, and their mirror images
        x0, x1 = max(start, left), min(start + bottom - top, right)
        y0, y1 = top + x0 - start, top + x1 - start
        lines += [f"M{x0} {y0}L{x1} {y1}", f"M{left + right - x0} {y0}L{left + right - x1} {y1}"]
    inner = f'<rect x="4.5" y="4.5" width="47" height="71" rx="3" fill="{BACK}"/>'
    return _sheet(PAPER, EDGE) + inner + f'<path d="{"".join(lines)}" stroke="{LATTICE}" fill="none"/>'


@cache
def _marks() -> dict[str, Piece]:
    """The symbols that are not cards."""
    arrow = "M0 6.5L-6.5-4.5Q0-2.5 6.5-4.5Z"
    marks = {
        f"by-{place}-{team}": Piece(
            16, 16, f'<path transform="translate(8 8) rotate({90 * turn})" fill="{TEAMS[team]}" d="{arrow}"/>'
        )
        for turn, place in enumerate(PLACES)
        for team in range(NUM_TEAMS)
    }
    dashed = f'fill="none" stroke="{SLOT}" stroke-width="1.5" stroke-dasharray="5 4"'
    marks["slot"] = Piece(CARD_WIDTH, CARD_HEIGHT, f'<rect x="1" y="1" width="54" height="78" rx="5.5" {dashed}/>')
    around = f'fill="none" stroke="{HOT}" stroke-width="4"'
    marks["frame"] = Piece(
        CARD_WIDTH + 2 * FRAME,
        CARD_HEIGHT + 2 * FRAME,
        f'<rect x="2" y="2" width="{CARD_WIDTH + 2}" height="{CARD_HEIGHT + 2}" rx="7" {around}/>',
    )
    marks["eye"] = Piece(
        16,
        16,
        f'<path d="M.8 8Q8-.5 15.2 8Q8 16.5.8 8Z" fill="{PAPER}" stroke="{INK}" stroke-width="1.5"/>'
        f'<circle cx="8" cy="8" r="3" fill="{INK}"/>',
    )
    marks["dealer"] = Piece(
        16,
        16,
        f'<circle cx="8" cy="8" r="7.4" fill="{PAPER}" stroke="{INK}" stroke-width="1.2"/>'
        + _path("M-3.6-5H.2Q4.2-5 4.2 0T.2 5H-3.6ZM-1.3-3V3H0Q1.9 3 1.9 0T0-3Z", 8, 8, "1", INK),
    )
    return marks
