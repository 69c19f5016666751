"""The drawing of the table: SVG for pages, and the same drawing rasterised for ``rgb_array``.

``layout`` places the items; ``svg`` and ``raster`` write them. Card faces and marks are SVG symbols (``stamps``), which
both formats share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..cards import Card, card_index, decode_card
from ..rules import NUM_SEATS
from . import contents
from .layout import lay_out
from .look import Look
from .scene import Part
from .stamps import CARD_HEIGHT, CARD_WIDTH, names, piece, symbol
from .svg import sides, svg

__all__ = ["CARD_HEIGHT", "CARD_WIDTH", "PLAYERS", "Look", "card_face", "draw_table", "symbols"]

PLAYERS = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
LOOK = Look()


def draw_table(
    game: np.void,
    viewer: int | None = None,
    *,
    players: Sequence[str] = PLAYERS,
    recent: Sequence[tuple[int, str]] = (),
    look: Look = LOOK,
    width: int | None = None,
    defs: bool = True,
) -> str:
    """The table as a whole ``<svg>``, view box ``0 0 1280 800``, with ``role="img"`` and a title.

    Arrows on cards point to the player who laid or discarded them. An eye marks a card that everybody knows to be in
    that hand, a frame the card that must be melded first. The text of the SVG holds nothing that the viewer may not
    see. Parts are
    ``<g class="part" data-part="…">``: ``stock``, ``pile``, ``melds``, ``owed``, ``heading``, ``scores``, ``recent``,
    ``hand-0`` … ``hand-3``; a card is ``<use href="#card-7S" data-card="7S">``, a hidden one ``#card-back``.

    Args:
        game: one STATE record.
        viewer: a seat 0..3 who sits at the bottom; None shows all hands, with seat 0 at the bottom.
        players: four names, by seat.
        recent: the last actions, oldest first: the seat, and the action in notation. The latest eight are shown.
        look: colour options.
        width: width in pixels, the height follows; None sets no size.
        defs: include the symbols that it uses; False for a page that holds ``symbols(look)`` once.

    Raises:
        ValueError: ``viewer`` is not a seat, there are not four names, or an action has no seat.
    """
    return svg(parts(game, viewer, players, recent, look), contents.heading(game), look, width=width, defs=defs)


def parts(
    game: np.void, viewer: int | None, players: Sequence[str], recent: Sequence[tuple[int, str]], look: Look
) -> list[Part]:
    """Check the arguments of ``draw_table`` and return the parts of the picture."""
    if viewer is not None and viewer not in range(NUM_SEATS):
        raise ValueError(f"viewer={viewer!r}: expected a seat 0..{NUM_SEATS - 1}, or None to see all")
    if len(players) != NUM_SEATS:
        raise ValueError(f"players={list(players)!r}: expected {NUM_SEATS} names, got {len(players)}")
    for seat, action in recent:
        if seat not in range(NUM_SEATS) or not action.strip():
            raise ValueError(f"recent: ({seat!r}, {action!r}): expected a seat 0..{NUM_SEATS - 1} and an action")
    return lay_out(game, viewer, players, recent, look)


def card_face(card: Card | None, *, look: Look = LOOK, width: int | None = None) -> str:
    """One card as a whole ``<svg>``, view box ``0 0 56 80``.

    Args:
        card: notation (``"7S"``, ``"JK"``), an id 0..55, or None for a back.
        look: colour options.
        width: width in pixels, the height follows; None sets no size.

    Raises:
        ValueError: ``card`` is not a card.
    """
    name = "back" if card is None else decode_card(card_index(card))
    inner = piece(f"card-{name}", look).inner
    title = "a hidden card" if card is None else name
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CARD_WIDTH} {CARD_HEIGHT}"'
        f'{sides(width, CARD_WIDTH, CARD_HEIGHT)} role="img"><title>{title}</title>{inner}</svg>'
    )


def symbols(look: Look = LOOK) -> str:
    """All symbols as ``<defs>``, for a page that places cards itself or holds drawings without ``defs``.

    A card is the symbol ``card-7S``, ``card-JK`` or ``card-back``, view box ``0 0 56 80``, to be placed with ``<use>``.
    """
    return f"<defs>{''.join(symbol(name, look) for name in names())}</defs>"
