"""The drawing as pixels: pieces are rasterised once by resvg and pasted with Pillow. No display is needed.

Rasterising a whole table takes 50 to 150 ms, putting it together from pieces a twentieth of that; a test holds the two
equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
import resvg_py
from PIL import Image

from .look import Look
from .scene import HEIGHT, WIDTH, Label, Panel, Part, text_width
from .stamps import piece
from .svg import element

FONTS = tuple(Path(__file__).with_name("font") / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
"""Plain and bold."""
MARGIN = 2
"""Pixels left free on both sides of a label, since letters reach out a little."""


def pixels(parts: list[Part], look: Look) -> np.ndarray:
    """The picture: (800, 1280, 3) uint8, the caller's own."""
    ground, *rest = parts
    canvas = _ground(ground, look).copy()
    _paint(canvas, rest, look)
    return np.array(canvas)


@lru_cache(maxsize=8)
def _ground(part: Part, look: Look) -> Image.Image:
    """What lies under everything else, which seldom changes."""
    canvas = Image.new("RGB", (WIDTH, HEIGHT))
    _paint(canvas, [part], look)
    return canvas


def _paint(canvas: Image.Image, parts: list[Part], look: Look) -> None:
    for part in parts:
        for item in part.items:
            if isinstance(item, Label):
                image, start = _words(item._replace(x=0, y=0))
                canvas.paste(image, (item.x + start, item.y - item.size), image)
            elif isinstance(item, Panel):
                image = _panel(item)
                canvas.paste(image, (item.x - 1, item.y - 1), image)
            else:
                image = _piece(item.piece, item.width, item.height, look)
                canvas.paste(image, (item.x, item.y), image)


def rasterise(svg: str, fonts: Sequence[Path] = ()) -> Image.Image:
    """A whole SVG by resvg, with these fonts and no others; RGBA."""
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
    """With a pixel more on each side, for half of its edge."""
    drawn = element(panel._replace(x=1, y=1))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{panel.width + 2}" height="{panel.height + 2}">'
    return rasterise(f"{head}{drawn}</svg>")


@lru_cache(maxsize=4096)
def _words(label: Label) -> tuple[Image.Image, int]:
    """A label at x = 0 and y = 0 as an image with its base line ``size`` from the top; and where the image begins."""
    wide = 2 * MARGIN + math.ceil(sum(text_width(run.text, label.size, label.bold) for run in label.runs))
    wide += wide % 2
    x = {"start": MARGIN, "middle": wide // 2, "end": wide - MARGIN}[label.anchor]
    drawn = element(label._replace(x=x, y=label.size))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{label.size + label.size // 2}">'
    return rasterise(f"{head}{drawn}</svg>", [FONTS[label.bold]]), -x


def forget() -> None:
    """Drop all that is kept for the next picture, as at the start of a process."""
    for kept in (_ground, _piece, _panel, _words):
        kept.cache_clear()
