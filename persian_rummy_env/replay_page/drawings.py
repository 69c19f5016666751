"""Many drawings of one table in little room: what they are made of is kept once, and of each only what has changed.

The drawing itself is ``drawing.draw_table``'s; nothing here knows where anything lies. An SVG is taken apart into its
parts (``<g class="part" data-part="…">``), a part into pieces, and a piece that shows a card into the card and the
rest, so that the same place with another card is the same piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..cards import CARD_NAMES, NUM_KINDS

CARD_MARK = "\x01"
"""Stands for the card's name in a piece."""
FRAME = "frame"
"""The part that holds all others: the drawing without what is in them."""
NO_CARD = NUM_KINDS
"""In place of a card, for a piece without one."""

_PART = re.compile(r'<g class="part" data-part="([^"]+)"[^>]*>')
_GROUP = re.compile(r"<g[\s>]|</g>")
_DEFS = re.compile(r"<defs>.*?</defs>", re.DOTALL)
_PIECE = re.compile(r"<use [^>]*?/>")
_CARD = re.compile(r'data-card="([^"]+)"')
_INDEX = {name: index for index, name in enumerate(CARD_NAMES)}


def parts_of(svg: str) -> dict[str, str]:
    """A drawing taken apart: the markup in each part, and ``FRAME``, the rest without the card symbols."""
    svg = _DEFS.sub("", svg)
    found, rest, done = {}, [], 0
    while opened := _PART.search(svg, done):
        depth, end = 1, opened.end()
        while depth:
            group = _GROUP.search(svg, end)
            assert group is not None, "a part of the drawing is not closed"
            depth += -1 if group[0] == "</g>" else 1
            end = group.end()
        stop = end - len("</g>")
        found[opened[1]] = svg[opened.end() : stop]
        rest += [svg[done : opened.end()], "</g>"]
        done = end
    return {FRAME: "".join([*rest, svg[done:]]), **found}


class Store:
    """Pieces and parts, each kept once.

    Attributes:
        pieces: markup, with ``CARD_MARK`` for the name of a card.
        contents: of parts, each a list of ``54 * piece + card``.
    """

    def __init__(self) -> None:
        self._pieces: dict[str, int] = {}
        self._contents: dict[str, int] = {}
        self.contents: list[list[int]] = []

    @property
    def pieces(self) -> list[str]:
        return list(self._pieces)

    def content(self, markup: str) -> int:
        """The number of a part's content."""
        number = self._contents.get(markup)
        if number is None:
            number = self._contents[markup] = len(self.contents)
            self.contents.append([self._piece(piece) for piece in _pieces(markup)])
        return number

    def _piece(self, markup: str) -> int:
        card = _CARD.search(markup)
        if card is not None and card[1] in _INDEX:
            name = card[1]
            markup = markup.replace(f'"{name}"', f'"{CARD_MARK}"').replace(f"#card-{name}", f"#card-{CARD_MARK}")
        index = NO_CARD if card is None else _INDEX[card[1]]
        return (NUM_KINDS + 1) * self._pieces.setdefault(markup, len(self._pieces)) + index


def _pieces(markup: str) -> Iterator[str]:
    done = 0
    for use in _PIECE.finditer(markup):
        if use.start() > done:
            yield markup[done : use.start()]
        yield use[0]
        done = use.end()
    if done < len(markup):
        yield markup[done:]


class Film:
    """The drawings of a game from one side, in order: of each part, the moments at which it changes, and to what."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.parts: dict[str, tuple[list[int], list[int]]] = {}
        self.length = 0

    def add(self, svg: str) -> None:
        """The drawing of the next moment."""
        for name, markup in parts_of(svg).items():
            moments, contents = self.parts.setdefault(name, ([], []))
            number = self._store.content(markup)
            if not contents or contents[-1] != number:
                moments.append(self.length)
                contents.append(number)
        self.length += 1
