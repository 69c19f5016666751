"""A compact form of many drawings of one game: each element is stored once, and each drawing only by its changes.

``drawing`` lays out the named parts and items. A card is stored as its place and its number, so that another card at
the same place needs no new element.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...cards import CARD_NAMES, NUM_KINDS
from ...drawing.scene import Label, Panel, Part, Stamp
from ...drawing.svg import element

CARD_MARK = "\x01"
"""Stands for the name of the card in a piece of markup."""
NO_CARD = NUM_KINDS
"""Stands for the card of a piece without a card."""

Item = Panel | Stamp | Label
_INDEX = {f"card-{name}": index for index, name in enumerate(CARD_NAMES)}


class Store:
    """Pieces and contents, each stored once.

    Attributes:
        contents: contents of parts, each a list of ``54 * piece + card``.
    """

    def __init__(self) -> None:
        self._pieces: dict[Item, int] = {}
        self._contents: dict[tuple[Item, ...], int] = {}
        self.contents: list[list[int]] = []

    @property
    def pieces(self) -> list[str]:
        """The markup of the pieces, with ``CARD_MARK`` for the name of a card."""
        return [element(item) for item in self._pieces]

    def content(self, items: tuple[Item, ...]) -> int:
        """The index of the content of a part, which is added if it is new."""
        number = self._contents.get(items)
        if number is None:
            number = self._contents[items] = len(self.contents)
            self.contents.append([self._code(item) for item in items])
        return number

    def _code(self, item: Item) -> int:
        card = NO_CARD
        if isinstance(item, Stamp) and item.piece in _INDEX:
            card, item = _INDEX[item.piece], item._replace(piece=f"card-{CARD_MARK}")
        return (NUM_KINDS + 1) * self._pieces.setdefault(item, len(self._pieces)) + card


class Film:
    """The drawings of a game for one viewer, in order.

    Attributes:
        parts: for each part, the moments at which it changes, and its new contents.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._length = 0
        self.parts: dict[str, tuple[list[int], list[int]]] = {}

    def add(self, parts: Iterable[Part]) -> None:
        """Add the drawing of the next moment."""
        for part in parts:
            moments, contents = self.parts.setdefault(part.name, ([], []))
            number = self._store.content(part.items)
            if not contents or contents[-1] != number:
                moments.append(self._length)
                contents.append(number)
        self._length += 1
