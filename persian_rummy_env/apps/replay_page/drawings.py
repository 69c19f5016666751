"""Many drawings of one table in little room: what they consist of is kept once, and of each only what has changed.

The drawing is the one of ``drawing``, which alone knows where anything lies: it lays out named parts of items. An item
that is a card is kept as its place and the card, so that the same place with another card takes no room.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...cards import CARD_NAMES, NUM_KINDS
from ...drawing.scene import Label, Panel, Part, Stamp
from ...drawing.svg import element

CARD_MARK = "\x01"
"""Stands for the card's name in a piece."""
NO_CARD = NUM_KINDS
"""In place of a card, for a piece without one."""

Item = Panel | Stamp | Label
_INDEX = {f"card-{name}": index for index, name in enumerate(CARD_NAMES)}


class Store:
    """Pieces and contents, each kept once.

    Attributes:
        contents: of parts, each a list of ``54 * piece + card``.
    """

    def __init__(self) -> None:
        self._pieces: dict[Item, int] = {}
        self._contents: dict[tuple[Item, ...], int] = {}
        self.contents: list[list[int]] = []

    @property
    def pieces(self) -> list[str]:
        """Markup, with ``CARD_MARK`` for the name of a card."""
        return [element(item) for item in self._pieces]

    def content(self, items: tuple[Item, ...]) -> int:
        """The number of a part's content."""
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
    """The drawings of a game from one side, in order.

    Attributes:
        parts: of each part, the moments at which it changes, and the contents that it has from there on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._length = 0
        self.parts: dict[str, tuple[list[int], list[int]]] = {}

    def add(self, parts: Iterable[Part]) -> None:
        """The drawing of the next moment."""
        for part in parts:
            moments, contents = self.parts.setdefault(part.name, ([], []))
            number = self._store.content(part.items)
            if not contents or contents[-1] != number:
                moments.append(self._length)
                contents.append(number)
        self._length += 1
