"""Drawing the table with Pillow: where things lie, and what a card looks like."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import render
from .cards import CARD_NAMES, JOKER, NUM_RANKS
from .rules import NUM_SEATS, NUM_TEAMS
from .state import NOBODY, NOTHING_OWED

WIDTH, HEIGHT = 1000, 700
CARD_WIDTH, CARD_HEIGHT = 44, 62
STEP = 22
"""From one card of a fan to the next, where there is room."""
FINE = 4
"""Cards are drawn so many times larger and scaled down, to have smooth edges."""

FELT, EDGE, PAPER, INK = (24, 92, 62), (12, 58, 40), (250, 248, 240), (30, 30, 34)
RED, BACK, LIGHT, GOLD = (190, 30, 45), (70, 84, 140), (232, 238, 230), (246, 196, 64)
TEAM_COLOURS = ((70, 140, 220), (228, 120, 50))
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

Point = tuple[int, int]


def draw_table(game: np.void, view: int | None) -> np.ndarray:
    """The picture: (HEIGHT, WIDTH, 3) uint8."""
    canvas = Image.new("RGB", (WIDTH, HEIGHT), FELT)
    pen = ImageDraw.Draw(canvas)
    _draw_words(pen, game)
    _draw_stock_and_pile(canvas, pen, game)
    _draw_melds(canvas, game)
    bottom = 0 if view is None else view
    for place in range(NUM_SEATS):
        _draw_hand(canvas, pen, game, (bottom + place) % NUM_SEATS, place, view)
    return np.array(canvas, dtype=np.uint8)


def _draw_words(pen: ImageDraw.ImageDraw, game: np.void) -> None:
    pen.text((12, 8), render.heading(game), fill=LIGHT, font=_font(15))
    for line, text in enumerate(render.scores(game)):
        colour = TEAM_COLOURS[line] if line < NUM_TEAMS else LIGHT
        pen.text((12, 30 + 20 * line), text, fill=colour, font=_font(15))


def _draw_stock_and_pile(canvas: Image.Image, pen: ImageDraw.ImageDraw, game: np.void) -> None:
    top = 138
    left = int(game["stock_size"])
    if left:
        canvas.paste(_back(), (110, top))
    else:
        pen.rectangle((110, top, 110 + CARD_WIDTH, top + CARD_HEIGHT), outline=EDGE, width=2)
    pen.text((110 + CARD_WIDTH // 2, top + CARD_HEIGHT + 4), f"stock {left}", fill=LIGHT, font=_font(13), anchor="ma")
    for place, (card, seat) in enumerate(render.pile(game)):
        at = (190 + STEP * place, top)
        canvas.paste(_face(card), at)
        if seat != NOBODY:
            _bar(pen, at, seat)
    if int(game["pile_size"]) == 0:
        pen.rectangle((190, top, 190 + CARD_WIDTH, top + CARD_HEIGHT), outline=EDGE, width=2)
    pen.text((190, top + CARD_HEIGHT + 4), f"pile {int(game['pile_size'])}", fill=LIGHT, font=_font(13))
    if int(game["owed"]) != NOTHING_OWED:
        pen.text((846, top + CARD_HEIGHT + 4), "owed", fill=GOLD, font=_font(13))
        canvas.paste(_face(int(game["owed"])), (846, top))
        pen.rectangle((843, top - 3, 848 + CARD_WIDTH, top + CARD_HEIGHT + 2), outline=GOLD, width=2)


def _draw_melds(canvas: Image.Image, game: np.void) -> None:
    """Row by row, as words in a text."""
    pen = ImageDraw.Draw(canvas)
    start, end = 110, 890
    x, y = start, 240
    for meld in render.melds(game):
        width = CARD_WIDTH + STEP * (len(meld.cards) - 1)
        if x + width > end:
            x, y = start, y + CARD_HEIGHT + 14
        for place, (card, seat) in enumerate(zip(meld.cards, meld.seats, strict=True)):
            at = (x + STEP * place, y)
            canvas.paste(_face(card), at)
            _bar(pen, at, seat)
        x += width + 16


def _draw_hand(
    canvas: Image.Image, pen: ImageDraw.ImageDraw, game: np.void, seat: int, place: int, view: int | None
) -> None:
    """``place``: bottom, left, top, right, the way turns go."""
    shown = render.hand(game, seat, view)
    across = place % 2 == 0
    faces = [_face(card, stacked=not across) for card in shown.cards] + [_back()] * shown.hidden
    room, size = (560, CARD_WIDTH) if across else (420, CARD_HEIGHT)
    step = min(STEP, (room - size) // max(1, len(faces) - 1))
    middle = (WIDTH - size - step * max(0, len(faces) - 1)) // 2
    x, y = ((middle, HEIGHT - CARD_HEIGHT - 34), (26, 150), (middle, 60), (WIDTH - CARD_WIDTH - 26, 150))[place]
    dot = (4, 36) if across else (35, 4)
    for order, face in enumerate(faces):
        at = (x + step * order, y) if across else (x, y + step * order)
        canvas.paste(face, at)
        if order < len(shown.known) and shown.known[order]:
            pen.ellipse((at[0] + dot[0], at[1] + dot[1], at[0] + dot[0] + 6, at[1] + dot[1] + 6), fill=GOLD)
    where = ((WIDTH // 2, HEIGHT - 18), (48, 136), (WIDTH // 2, 48), (WIDTH - 48, 136))[place]
    _draw_name(pen, where, f"player_{seat} ({len(faces)})", seat, seat == int(game["seat"]) and not game["ended"])


def _draw_name(pen: ImageDraw.ImageDraw, where: Point, label: str, seat: int, to_move: bool) -> None:
    if to_move:
        half = pen.textlength(label, font=_font(14)) // 2 + 6
        box = (where[0] - half, where[1] - 11, where[0] + half, where[1] + 11)
        pen.rounded_rectangle(box, 6, outline=GOLD, width=2)
    pen.text(where, label, fill=GOLD if to_move else TEAM_COLOURS[seat % NUM_TEAMS], font=_font(14), anchor="mm")


def _bar(pen: ImageDraw.ImageDraw, at: Point, seat: int) -> None:
    """The mark of the team of a seat at the foot of a card, with one notch for the second player of the team."""
    left, bottom = at[0] + 3, at[1] + CARD_HEIGHT - 3
    pen.rectangle((left, bottom - 5, left + 14, bottom), fill=TEAM_COLOURS[seat % NUM_TEAMS])
    if seat >= NUM_TEAMS:
        pen.rectangle((left + 6, bottom - 5, left + 8, bottom), fill=PAPER)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _blank(fill: tuple[int, int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A card without a face, large."""
    card = Image.new("RGB", (CARD_WIDTH * FINE, CARD_HEIGHT * FINE), FELT)
    pen = ImageDraw.Draw(card)
    edges = (0, 0, CARD_WIDTH * FINE - 1, CARD_HEIGHT * FINE - 1)
    pen.rounded_rectangle(edges, 5 * FINE, fill=fill, outline=EDGE, width=FINE)
    return card, pen


def _small(card: Image.Image) -> Image.Image:
    return card.resize((CARD_WIDTH, CARD_HEIGHT), Image.Resampling.LANCZOS)


@cache
def _back() -> Image.Image:
    card, pen = _blank(PAPER)
    inner = (4 * FINE, 4 * FINE, (CARD_WIDTH - 4) * FINE, (CARD_HEIGHT - 4) * FINE)
    pen.rounded_rectangle(inner, 3 * FINE, fill=BACK)
    for line in range(8, CARD_HEIGHT - 6, 8):
        pen.line((8 * FINE, line * FINE, (CARD_WIDTH - 8) * FINE, line * FINE), fill=PAPER, width=FINE)
    return _small(card)


@cache
def _face(index: int, stacked: bool = False) -> Image.Image:
    """The face of a card 0..52: rank and suit where a fan to the right, or one stacked downwards, leaves them free, and
    the suit again in the middle."""
    card, pen = _blank(PAPER)
    if index == JOKER:
        pen.text((4 * FINE, 3 * FINE), "JK", fill=RED, font=_font(14 * FINE))
        _star(pen, 24 * FINE, 38 * FINE, 12 * FINE)
        return _small(card)
    suit = index // NUM_RANKS
    colour = RED if suit in (DIAMONDS, HEARTS) else INK
    rank = CARD_NAMES[index][0].replace("T", "10")
    pen.text((4 * FINE, 2 * FINE), rank, fill=colour, font=_font(15 * FINE))
    corner = (28, 12) if stacked else (10, 27)
    _pip(pen, suit, corner[0] * FINE, corner[1] * FINE, 6 * FINE, colour)
    _pip(pen, suit, 28 * FINE, 42 * FINE, 12 * FINE, colour)
    return _small(card)


def _pip(pen: ImageDraw.ImageDraw, suit: int, x: int, y: int, r: int, colour: tuple[int, int, int]) -> None:
    """A suit's sign around (x, y), about 2 r high."""

    def disc(cx: float, cy: float, radius: float) -> None:
        pen.ellipse((cx - radius, cy - radius, cx + radius, cy + radius), fill=colour)

    if suit == DIAMONDS:
        pen.polygon([(x, y - r), (x + 0.75 * r, y), (x, y + r), (x - 0.75 * r, y)], fill=colour)
    elif suit == HEARTS:
        disc(x - 0.45 * r, y - 0.35 * r, 0.5 * r)
        disc(x + 0.45 * r, y - 0.35 * r, 0.5 * r)
        pen.polygon([(x - 0.9 * r, y - 0.1 * r), (x + 0.9 * r, y - 0.1 * r), (x, y + r)], fill=colour)
    else:
        pen.polygon([(x, y), (x + 0.4 * r, y + r), (x - 0.4 * r, y + r)], fill=colour)
        disc(x - 0.45 * r, y + 0.25 * r, 0.48 * r)
        disc(x + 0.45 * r, y + 0.25 * r, 0.48 * r)
        if suit == CLUBS:
            disc(x, y - 0.5 * r, 0.48 * r)
        else:
            pen.polygon([(x - 0.9 * r, y + 0.1 * r), (x + 0.9 * r, y + 0.1 * r), (x, y - r)], fill=colour)


def _star(pen: ImageDraw.ImageDraw, x: int, y: int, r: int) -> None:
    angles = np.arange(10) * np.pi / 5
    radii = np.where(np.arange(10) % 2 == 0, r, 0.42 * r)
    points = [(x + d * np.sin(a), y - d * np.cos(a)) for a, d in zip(angles, radii, strict=True)]
    pen.polygon([(float(px), float(py)) for px, py in points], fill=RED)
