"""The drawing as pixels: symbols are rasterised once by resvg and pasted with Pillow. No display is needed.

Rasterising a whole table takes 50 to 150 ms, pasting cached symbols a twentieth of that. A test compares both pictures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
import resvg_py
from PIL import Image, ImageDraw, ImageFont

from .look import Look
from .scene import HEIGHT, WIDTH, Label, Panel, Part
from .stamps import piece
from .svg import element

FONTS = tuple(Path(__file__).with_name("font") / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
"""The fonts, plain and bold."""
MARGIN = 2
"""Pixels on both sides of a text mask, since letters reach beyond their advance width."""
FINE = 4
"""Factor by which letters are drawn larger before they are scaled down."""
UNITS = 2048
"""Units per em of the fonts: at this size every advance width is whole."""


def pixels(parts: list[Part], look: Look) -> np.ndarray:
    """Rasterise the parts: a new array (800, 1280, 3) uint8."""
    ground, *rest = parts
    canvas = _ground(ground, look).copy()
    _paint(canvas, rest, look)
    return np.array(canvas)


@lru_cache(maxsize=8)
def _ground(part: Part, look: Look) -> Image.Image:
    """The lowest part of the picture, cached because it seldom changes."""
    canvas = Image.new("RGB", (WIDTH, HEIGHT))
    _paint(canvas, [part], look)
    return canvas


def _paint(canvas: Image.Image, parts: list[Part], look: Look) -> None:
    for part in parts:
        for item in part.items:
            if isinstance(item, Label):
                _write(canvas, item)
            elif isinstance(item, Panel):
                image = _panel(item)
                canvas.paste(image, (item.x - 1, item.y - 1), image)
            else:
                image = _piece(item.piece, item.width, item.height, look)
                canvas.paste(image, (item.x, item.y), image)


def rasterise(svg: str, fonts: Sequence[Path] = ()) -> Image.Image:
    """Rasterise an SVG by resvg with these fonts and no others; RGBA."""
    files = [str(path) for path in fonts]
    png = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=files or None, font_family="DejaVu Sans"
    )
    return Image.open(BytesIO(png)).convert("RGBA")


@lru_cache(maxsize=2048)
def _piece(name: str, width: int, height: int, look: Look) -> Image.Image:
    wide, high, inner = piece(name, look)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {wide} {high}">'
    return rasterise(f"{head}{inner}</svg>")


@lru_cache(maxsize=256)
def _panel(panel: Panel) -> Image.Image:
    """A panel as an image with one more pixel on each side, for half of its edge."""
    drawn = element(panel._replace(x=1, y=1))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{panel.width + 2}" height="{panel.height + 2}">'
    return rasterise(f"{head}{drawn}</svg>")


def _write(canvas: Image.Image, label: Label) -> None:
    x = 0.0
    if label.anchor != "start":
        length = sum(_advance(sign, label.bold) for sign in label.text) * label.size
        x = -length / 2 if label.anchor == "middle" else -length
    for run in label.runs:
        mask, left, x = _words(run.text, label.size, label.bold, x)
        canvas.paste(run.fill, (label.x + left, label.y - label.size), mask)


@lru_cache(maxsize=4096)
def _words(text: str, size: int, bold: bool, x: float) -> tuple[Image.Image, int, float]:
    """A text that begins ``x`` pixels from its place.

    Letters are drawn large and scaled down, because Pillow moves outlines to whole pixels.

    Returns:
        The mask, whose base line is ``size`` from its top; the pixels from the place to the left edge of the mask; the
        x at which the text ends.
    """
    left, end = math.floor(x) - MARGIN, x + sum(_advance(sign, bold) for sign in text) * size
    large = Image.new("L", ((math.ceil(end) + MARGIN - left) * FINE, (size + size // 2) * FINE))
    at = x - left - MARGIN
    for sign in text:
        letter = _letter(sign, size, bold)
        large.paste(255, (round(at * FINE), 0), letter)
        at += _advance(sign, bold) * size
    return large.reduce(FINE), left, end


@lru_cache(maxsize=4096)
def _letter(sign: str, size: int, bold: bool) -> Image.Image:
    """A letter in large as a mask that starts ``MARGIN`` to its left."""
    font = _font(size * FINE, bold)
    mask = Image.new("L", (math.ceil(font.getlength(sign)) + 2 * MARGIN * FINE, (size + size // 2) * FINE))
    ImageDraw.Draw(mask).text((MARGIN * FINE, size * FINE), sign, fill=255, font=font, anchor="ls")
    return mask


@cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONTS[bold]), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _advance(sign: str, bold: bool) -> float:
    """The advance width of a letter, divided by the font size."""
    return _font(UNITS, bold).getlength(sign) / UNITS


def clear_cache() -> None:
    """Empty all caches, as at the start of a process."""
    for kept in (_ground, _piece, _panel, _words, _letter):
        kept.cache_clear()


def rgb_array(
    game: np.void,
    viewer: int | None = None,
    *,
    players: Sequence[str] | None = None,
    recent: Sequence[tuple[int, str]] = (),
) -> np.ndarray:
    """The drawing of the table (``drawing.draw_table`` explains it) as pixels: (800, 1280, 3) uint8.

    Args:
        game: one STATE record.
        viewer: a seat, or None to see all hands.
        players: four names, by seat; None: ``player_0`` to ``player_3``.
        recent: the last actions, oldest first: the seat, and the action in notation.
    """
    from .. import drawing
    from .raster import pixels

    parts = drawing.parts(game, viewer, drawing.PLAYERS if players is None else players, recent, drawing.LOOK)
    return pixels(parts, drawing.LOOK)
