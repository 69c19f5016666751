"""The drawing as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .look import Look
from .scene import HEIGHT, WIDTH, Label, Panel, Part, Stamp
from .stamps import symbol

FONT = "'DejaVu Sans', Verdana, system-ui, sans-serif"
TEXT_STYLE = "\ufe0e"
"""Variation selector after a suit sign: print it as text, not as an emoji."""


def svg(parts: Iterable[Part], title: str, look: Look, *, width: int | None, defs: bool) -> str:
    """The whole ``<svg>``."""
    parts = list(parts)
    used = sorted({item.piece for part in parts for item in part.items if isinstance(item, Stamp)})
    symbols = f"<defs>{''.join(symbol(name, look) for name in used)}</defs>" if defs else ""
    drawn = "".join(
        f'<g class="part" data-part="{part.name}">{"".join(map(element, part.items))}</g>' for part in parts
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"{sides(width, WIDTH, HEIGHT)} '
        f'role="img" font-family="{FONT}"><title>{escape(title)}</title>{symbols}{drawn}</svg>'
    )


def sides(width: int | None, wide: int, high: int) -> str:
    """The attributes width and height; empty without a width."""
    return "" if width is None else f' width="{width}" height="{round(width * high / wide)}"'


def element(item: Panel | Stamp | Label) -> str:
    """An item as an SVG element."""
    if isinstance(item, Stamp):
        name = item.piece.removeprefix("card-")
        card = f' data-card="{name}"' if name != item.piece and name != "back" else ""
        return (
            f'<use href="#{item.piece}" x="{item.x}" y="{item.y}" width="{item.width}" height="{item.height}"{card}/>'
        )
    if isinstance(item, Panel):
        edge = f' stroke="{item.stroke}"' if item.stroke else ""
        corner = f' rx="{item.radius}"' if item.radius else ""
        return (
            f'<rect x="{item.x}" y="{item.y}" width="{item.width}" height="{item.height}"{corner} '
            f'fill="{item.fill}"{edge}/>'
        )
    anchor = "" if item.anchor == "start" else f' text-anchor="{item.anchor}"'
    weight = ' font-weight="bold"' if item.bold else ""
    first, *more = item.runs
    spans = "".join(f'<tspan fill="{run.fill}">{_text(run.text)}</tspan>' for run in more)
    return (
        f'<text x="{item.x}" y="{item.y}" font-size="{item.size}"{anchor}{weight} fill="{first.fill}" '
        f'xml:space="preserve">{_text(first.text)}{spans}</text>'
    )


def _text(text: str) -> str:
    return escape("".join(sign + TEXT_STYLE if sign in "♣♦♥♠" else sign for sign in text), quote=False)
