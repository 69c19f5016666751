"""The layout: from a game and a viewer to the parts of a picture of 1280 by 800.

Four hands lie around a green table, as in a bridge book; the corners hold scores and last actions. The index of a card,
marks and words are never covered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..cards import CARD_NAMES, JOKER_NAME
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import NOBODY, NOTHING_OWED, OVER, PHASES
from . import contents
from .look import FELT, GOLD, HOT, INK, ON_FELT, PAGE, RIM, RULE, SOFT, TEAMS, Look
from .scene import HEIGHT, WIDTH, Label, Panel, Part, Run, Stamp, fit, text_width
from .stamps import FRAME, INDEX, MARK_AT, MARK_SIZE, PLACES

LEFT, MIDDLE, RIGHT = (24, 270), (290, 990), (1010, 1256)
"""The three columns, each from x to x."""
SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
RECENT = 8
"""Last actions that are shown."""


class Table:
    """The arguments of one picture, shared by the functions that place its items."""

    def __init__(self, game: np.void, viewer: int | None, players: Sequence[str], look: Look) -> None:
        self.game, self.viewer, self.players, self.look = game, viewer, players, look
        self.bottom = 0 if viewer is None else viewer
        self.to_move = int(game["seat"]) if not game["ended"] else NOBODY

    def place(self, seat: int) -> int:
        """The place of a seat in the picture, an index into ``PLACES``."""
        return (seat - self.bottom) % NUM_SEATS

    def by(self, seat: int) -> str:
        """The name of the arrow that points to a seat."""
        return f"by-{PLACES[self.place(seat)]}-{seat % NUM_TEAMS}"


def lay_out(
    game: np.void, viewer: int | None, players: Sequence[str], recent: Sequence[tuple[int, str]], look: Look
) -> list[Part]:
    """The parts of the picture; later ones lie on top."""
    table = Table(game, viewer, players, look)
    return [
        Part("page", (Panel(0, 0, WIDTH, HEIGHT, 0, PAGE), Panel(290, 164, 700, 470, 18, FELT, RIM))),
        Part("heading", tuple(_heading(table))),
        Part("scores", tuple(_scores(table))),
        Part("stock", tuple(_stock(table))),
        Part("pile", tuple(_pile(table))),
        Part("melds", tuple(_melds(table))),
        Part("owed", tuple(_owed(table))),
        Part("recent", tuple(_recent(table, recent))),
        *(Part(f"hand-{seat}", tuple(_hand(table, seat))) for seat in range(NUM_SEATS)),
    ]


# Cards ---------------------------------------------------------------------------------------------------------------


def card(name: str, x: int, y: int, size: int) -> Stamp:
    """A card, or ``back`` for a hidden one: 7 ``size`` wide and 10 ``size`` high."""
    return Stamp(f"card-{name}", x, y, 7 * size, 10 * size)


def mark(name: str, x: int, y: int, size: int) -> Stamp:
    """A mark in the free corner of the card at (x, y)."""
    wide = round(MARK_SIZE * size / 8)
    return Stamp(
        name,
        round(x + MARK_AT[0] * size / 8 - wide / 2),
        round(y + MARK_AT[1] * size / 8 - wide / 2),
        wide,
        wide,
    )


def frame(x: int, y: int, size: int) -> Stamp:
    """The frame around the card at (x, y)."""
    edge = round(FRAME * size / 8)
    return Stamp("frame", x - edge, y - edge, 7 * size + 2 * edge, 10 * size + 2 * edge)


def fan(
    count: int, width: int, height: int, sizes: Sequence[int], strip: int = INDEX[0]
) -> tuple[int, list[tuple[int, int]]]:
    """The places of a fan of cards in a box: the first of ``sizes`` that fits, and (x, y) of each card within it.

    Cards that do not fit into one row lie in several rows. ``strip`` is the part of each card that stays visible, in
    units of its view box.
    """
    for size in sizes:
        least = math.ceil(strip * size / 8)
        in_row = (width - 7 * size) // least + 1
        rows = max(1, math.ceil(count / in_row))
        down = math.ceil(INDEX[1] * size / 8) + 2
        if 10 * size + (rows - 1) * down <= height:
            break
    else:
        raise ValueError(f"{count} cards do not fit into {width} by {height}")
    in_row = max(1, math.ceil(count / rows))
    step = min(math.ceil(11 * size / 4), (width - 7 * size) // max(1, in_row - 1))
    return size, [(number % in_row * step, number // in_row * down) for number in range(count)]


# The table -----------------------------------------------------------------------------------------------------------


def _stock(table: Table) -> Iterator[Stamp | Label]:
    left = int(table.game["stock_size"])
    yield card("back", 314, 182, 9) if left else Stamp("slot", 314, 182, 63, 90)
    yield Label(345, 291, 14, (Run(f"stock {left}", ON_FELT),), "middle")


def _pile(table: Table) -> Iterator[Stamp | Label]:
    pile = contents.pile(table.game)
    if not pile:
        yield Stamp("slot", 404, 182, 63, 90)
    size, places = fan(len(pile), 566, 90, (9, 8, 7))
    for (index, seat), (x, y) in zip(pile, places, strict=True):
        at = (404 + x, 182 + y, size)
        yield card(CARD_NAMES[index], *at)
        if seat != NOBODY:
            yield mark(table.by(seat), *at)
    yield Label(404, 291, 14, (Run(f"discard pile {len(pile)}", ON_FELT),))


def _melds(table: Table) -> Iterator[Stamp | Label]:
    """The melds row by row, wrapped like words, in the largest size in which all fit."""
    melds = contents.melds(table.game)
    if not melds:
        yield Label(640, 470, 15, (Run("nothing on the table yet", ON_FELT),), "middle")
        return
    left, top, right, bottom = 314, 312, 970, 624
    for size in range(9, 5, -1):
        step = math.ceil(INDEX[0] * size / 8) + 2
        places, x, y = [], left, top
        for meld in melds:
            width = 7 * size + step * (len(meld.cards) - 1)
            if x + width > right:
                x, y = left, y + 10 * size + 13
            places.append((x, y))
            x += width + 2 * size
        if y + 10 * size <= bottom:
            break
    else:
        raise ValueError(f"{len(melds)} melds do not fit on the table")
    for meld, (x, y) in zip(melds, places, strict=True):
        for number, (index, seat) in enumerate(zip(meld.cards, meld.seats, strict=True)):
            at = (x + step * number, y, size)
            yield card(CARD_NAMES[index], *at)
            yield mark(table.by(seat), *at)


# Hands ---------------------------------------------------------------------------------------------------------------

_NAMES = ((290, 660), (24, 262), (290, 30), (1010, 262))
"""Base lines of the names, by place: x, y."""
_BOXES = ((290, 672, 700, 120), (24, 276, 246, 294), (290, 42, 700, 112), (1010, 276, 246, 294))
"""Boxes of the hands, by place: x, y, width, height."""
_SIZES = (range(12, 5, -1), range(9, 5, -1), range(11, 5, -1), range(9, 5, -1))


def _hand(table: Table, seat: int) -> Iterator[Panel | Stamp | Label]:
    place = table.place(seat)
    shown = contents.hand(table.game, seat, table.viewer)
    yield from _name(table, seat, len(shown.cards) + shown.hidden)
    cards = [CARD_NAMES[index] for index in shown.cards] + ["back"] * shown.hidden
    left, top, width, height = _BOXES[place]
    size, places = fan(len(cards), width, height, _SIZES[place], INDEX[0] + FRAME)
    if place % 2 == 0:  # above and below, centred
        left += (width - max((x for x, _ in places), default=0) - 7 * size) // 2
    owed = int(table.game["owed"]) if seat == table.to_move else NOTHING_OWED
    for number, (name, (x, y)) in enumerate(zip(cards, places, strict=True)):
        at = (left + x, top + y, size)
        yield card(name, *at)
        if number < len(shown.cards) and shown.known[number]:
            if shown.cards[number] == owed:
                yield frame(*at)
            yield mark("eye", *at)


def _name(table: Table, seat: int, count: int) -> Iterator[Panel | Stamp | Label]:
    """Name and number of cards; for the seat to move also its phase, on gold."""
    place = table.place(seat)
    x, y = _NAMES[place]
    cards = f"{count} card{'s' * (count != 1)}" if count else "no cards"
    doing = f"to {PHASES[int(table.game['phase'])]}, {cards}" if seat == table.to_move else cards
    dealer = 30 * (seat == int(table.game["dealer"]))
    room = 246 - 29 - dealer - text_width(doing, 13)
    name = fit(table.players[seat], room, 15, bold=True)
    named = text_width(name, 15, bold=True)
    whole = round(20 + named + 9 + text_width(doing, 13))
    if place % 2 == 0:
        x = (WIDTH - whole - dealer) // 2
    if seat == table.to_move:
        yield Panel(x - 8, y - 18, whole + 17, 25, 12, GOLD, HOT)
    yield Stamp(table.by(seat), x, y - 13, 16, 16)
    yield Label(x + 20, y, 15, (Run(name, INK),), bold=True)
    yield Label(round(x + 20 + named + 9), y, 13, (Run(doing, INK if seat == table.to_move else SOFT),))
    if dealer:
        yield Stamp("dealer", x + whole + 12, y - 14, 18, 18)


# Words ---------------------------------------------------------------------------------------------------------------


def _heading(table: Table) -> Iterator[Label]:
    game, (x, end) = table.game, LEFT
    name = table.players[int(game["seat"])]
    if int(game["phase"]) == OVER:
        now = f"The {'deal' if int(game['deal']) + 1 < int(game['deals']) else 'game'} is over"
    elif game["ended"]:
        now = "Broken off"
    else:
        now = f"{fit(name, 150, 15)} to {PHASES[int(game['phase'])]}"
    passes = int(game["passes"])
    if passes:
        now += f", {passes} pass{'es' * (passes > 1)}"
    yield Label(x, 42, 22, (Run(f"Deal {int(game['deal']) + 1} of {int(game['deals'])}"),), bold=True)
    yield Label(x, 68, 15, (Run(fit(f"dealt by {table.players[int(game['dealer'])]}", end - x, 15), SOFT),))
    yield Label(x, 92, 15, (Run(fit(now, end - x, 15)),))
    if table.viewer is not None:
        yield Label(x, 116, 13, (Run(fit(f"as {table.players[table.viewer]} sees it", end - x, 13), SOFT),))


def _scores(table: Table) -> Iterator[Panel | Stamp | Label]:
    """A table of the teams: points of earlier deals, and points laid in this one."""
    game, (x, end) = table.game, RIGHT
    over = int(game["phase"]) == OVER
    for column, title in ((end - 52, "score"), (end, "laid")):
        yield Label(column, 36, 13, (Run(title, SOFT),), "end")
    for team in range(NUM_TEAMS):
        y = 60 + 46 * team
        yield Panel(x, y - 18, end - x, 1, 0, RULE)
        for row, seat in enumerate((team, team + NUM_TEAMS)):
            yield Stamp(table.by(seat), x, y - 12 + 18 * row, 14, 14)
            yield Label(x + 20, y + 18 * row, 13, (Run(fit(table.players[seat], 100, 13)),))
        yield Label(end - 52, y + 10, 18, (Run(_signed(int(game["score"][team]))),), "end", True)
        laid = "" if over else f"+{int(game['points'][team])}"
        yield Label(end, y + 10, 15, (Run(laid, TEAMS[team]),), "end")
    yield Panel(x, 134, end - x, 1, 0, RULE)
    if int(game["deal"]) > 0 or over:
        out = int(game["out"])
        who = "nobody" if out == NOBODY else table.players[out]
        last = " to ".join(_signed(int(points)) for points in game["last_score"])
        yield Label(x, 152, 13, (Run(fit(f"last deal {last}; {who} out", end - x, 13), SOFT),))


def _signed(points: int) -> str:
    return str(points).replace("-", "\u2212")


def _owed(table: Table) -> Iterator[Panel | Stamp | Label]:
    owed = int(table.game["owed"])
    if owed == NOTHING_OWED or table.to_move == NOBODY:
        return
    x = RIGHT[0]
    yield Label(x, 596, 15, (Run("Must be melded first"),), bold=True)
    yield card(CARD_NAMES[owed], x, 612, 12)
    yield frame(x, 612, 12)
    room = RIGHT[1] - x - 118
    yield Label(x + 98, 632, 13, (Run(fit("taken from", room, 13), SOFT),))
    yield Label(x + 98, 650, 13, (Run("the pile by", SOFT),))
    yield Stamp(table.by(table.to_move), x + 97, 661, 16, 16)
    yield Label(x + 118, 674, 15, (Run(fit(table.players[table.to_move], room, 15, bold=True)),), bold=True)


def _recent(table: Table, recent: Sequence[tuple[int, str]]) -> Iterator[Panel | Stamp | Label]:
    """The last actions, the latest at the bottom."""
    if not recent:
        return
    x, end = LEFT
    shown = list(recent)[-RECENT:]
    yield Label(x, 596, 15, (Run("Last actions"),), bold=True)
    for row, (seat, action) in enumerate(shown):
        y = 620 + 21 * row
        yield Stamp(table.by(seat), x, y - 12, 14, 14)
        yield Label(x + 22, y, 14, tuple(_action_runs(action, end - x - 22, table.look)))


def _action_runs(action: str, room: float, look: Look) -> Iterator[Run]:
    """An action in notation with coloured cards; of many cards only the first and the last."""
    verb, *words = action.split()
    if len(words) > 5:
        words = [*words[:2], "…", words[-1]]
    yield Run(fit(verb, room, 14))
    for word in words:
        if word.rstrip("1234") == JOKER_NAME and word != "…":
            yield Run(f" {word}", look.suit(JOKER_NAME))
        elif word in CARD_NAMES:
            yield Run(f" {word[0].replace('T', '10')}{SUIT_SIGNS[word[1]]}", look.suit(word))
        else:
            yield Run(f" {fit(word, 60, 14)}", SOFT)
