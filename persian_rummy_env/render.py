"""The table for people to look at, from a state: ``ansi`` a text, ``rgb_array`` a picture. Neither needs a display.

Both take one ``STATE`` record and a view: None shows every hand; a seat 0..3 shows what the player there may see, with
the cards of other hands hidden unless all know them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .cards import CARD_NAMES, JOKER, NUM_CARDS, NUM_RANKS
from .rules import NUM_SEATS, NUM_TEAMS
from .state import NOBODY, NOTHING_OWED, OVER, PHASES
from .terminal import BOLD, DIM, LEAST_WIDTH, REVERSED, Word, card_word, lines_of, wants_colour, width_of


class Meld(NamedTuple):
    """A meld on the table: ``"set"`` or ``"run"``, its cards 0..52 low to high, and the seat that laid each."""

    kind: str
    cards: tuple[int, ...]
    seats: tuple[int, ...]


class Hand(NamedTuple):
    """A hand as a view shows it: cards 0..52, whether all know that they are there, and how many more are hidden."""

    cards: tuple[int, ...]
    known: tuple[bool, ...]
    hidden: int


def melds(game: np.void) -> list[Meld]:
    """The melds on the table: sets by rank, jokers last, then runs by lowest card. A card that would fit between two
    runs lies on the lower one."""
    laid = [cards_of(game["laid"][seat]) for seat in range(NUM_SEATS)]
    sets, runs, lows = cards_of(game["sets"]), cards_of(game["runs"]), cards_of(game["run_low"])

    def meld(kind: str, cards: list[int]) -> Meld:
        seats = [[seat for seat in range(NUM_SEATS) for held in laid[seat] if held == card] for card in cards]
        by = [who[0] for who in seats] if cards[0] != JOKER else seats[0]
        return Meld(kind, tuple(cards), tuple(by))

    found = []
    for rank in range(NUM_RANKS):
        of_rank = [card for card in sets if card != JOKER and card % NUM_RANKS == rank]
        if of_rank:
            found.append(meld("set", of_rank))
    if JOKER in sets:
        found.append(meld("set", [JOKER] * sets.count(JOKER)))
    for low in lows:
        run = [low]
        while run[-1] + 1 in runs and run[-1] + 1 not in lows:  # the two of the next suit would be among the lows
            run.append(run[-1] + 1)
        found.append(meld("run", run))
    return found


def hand(game: np.void, seat: int, view: int | None) -> Hand:
    """The hand of a seat as a view shows it."""
    held, known = cards_of(game["hand"][seat]), cards_of(game["known"][seat])
    if view not in (None, seat):
        return Hand(tuple(known), (True,) * len(known), len(held) - len(known))
    unknown = list(held)
    for card in known:
        unknown.remove(card)
    shown = sorted([(card, True) for card in known] + [(card, False) for card in unknown])
    return Hand(tuple(card for card, _ in shown), tuple(public for _, public in shown), 0)


def pile(game: np.void) -> list[tuple[int, int]]:
    """The discard pile from the bottom: each card 0..52, and the seat that discarded it or ``NOBODY``."""
    size = int(game["pile_size"])
    return list(zip(game["pile_card"][:size].tolist(), game["pile_seat"][:size].tolist(), strict=True))


def heading(game: np.void) -> str:
    """Which deal it is, and who is to do what."""
    deal = f"Deal {int(game['deal']) + 1} of {int(game['deals'])}, dealt by player_{int(game['dealer'])}"
    if int(game["phase"]) == OVER:
        return f"{deal}; the {'deal' if int(game['deal']) + 1 < int(game['deals']) else 'game'} is over"
    if game["ended"]:
        return f"{deal}; broken off"
    doing = PHASES[int(game["phase"])]
    owed = int(game["owed"])
    must = "" if owed == NOTHING_OWED else f", owing {CARD_NAMES[owed]}"
    return f"{deal}; player_{int(game['seat'])} to {doing}{must}"


def scores(game: np.void) -> list[str]:
    """A line for each team, and one for the deal finished last if there is one."""
    lines = []
    for team in range(NUM_TEAMS):
        points = f", {int(game['points'][team]):+d} laid" if int(game["phase"]) != OVER else ""
        lines.append(f"Team {team}: {int(game['score'][team])}{points}")
    if int(game["deal"]) > 0 or int(game["phase"]) == OVER:
        out = int(game["out"])
        who = "nobody" if out == NOBODY else f"player_{out}"
        lines.append(f"Last deal: {int(game['last_score'][0])} to {int(game['last_score'][1])}, {who} went out")
    return lines


def ansi(game: np.void, view: int | None = None, *, colour: bool = False, width: int | None = None) -> str:
    """The table as text, about ten lines; the same words with colour and without.

    ``7S/2`` was laid or discarded by seat 2, ``7S/-`` was turned up; ``7S*`` is known to all to be in that hand; ``??``
    is a hidden card. In colour each suit has its own, and the card owed is reversed.

    Args:
        game: one STATE record.
        view: the seat that looks, or None to see all.
        colour: with escape codes of a terminal.
        width: columns that a line may take, at least 20; None: any number.

    Raises:
        ValueError: a smaller width.
    """
    if width is not None and width < LEAST_WIDTH:
        raise ValueError(f"width={width}: expected at least {LEAST_WIDTH} columns, or None for lines of any length")
    lines = _ansi_words(game, view)
    return "\n".join(
        line for indent, words in lines for line in lines_of(words, colour=colour, width=width, indent=indent)
    )


def for_stdout(game: np.void, view: int | None = None) -> str:
    """``ansi`` as standard output takes it: on a terminal in colour and in its width (``NO_COLOR`` is obeyed), plain
    otherwise."""
    return ansi(game, view, colour=wants_colour(sys.stdout), width=width_of(sys.stdout))


def _ansi_words(game: np.void, view: int | None) -> Iterator[tuple[int, list[Word]]]:
    """The lines of ``ansi`` as words, each with the columns that its continuation is set in."""

    def by(card: int, seat: int) -> Word:
        return card_word(CARD_NAMES[card], f"/{'-' if seat == NOBODY else seat}")

    yield 2, [Word(word, BOLD) for word in heading(game).split(" ")]
    yield 2, [Word(word) for word in "; ".join(scores(game)).split(" ")]
    stock = f"Stock {int(game['stock_size'])}, pile from the bottom:"
    yield 2, [*map(Word, stock.split(" ")), *([by(*one) for one in pile(game)] or [Word("empty")])]
    for meld in melds(game):
        cards = [by(*one) for one in zip(meld.cards, meld.seats, strict=True)]
        yield 6, [Word(f"  {meld.kind}", DIM), *cards]
    to_move = int(game["seat"]) if not game["ended"] else NOBODY
    for seat in range(NUM_SEATS):
        shown = hand(game, seat, view)
        owed = int(game["owed"]) if seat == to_move else NOTHING_OWED
        cards = [
            card_word(CARD_NAMES[card], "*" * known, *((REVERSED,) if card == owed and known else ()))
            for card, known in zip(shown.cards, shown.known, strict=True)
        ]
        name = Word(f"{'>' if seat == to_move else ' '} player_{seat}:", BOLD if seat == to_move else "")
        yield 4, [name, *(cards + [Word("??", DIM)] * shown.hidden or [Word("no"), Word("cards")])]


def rgb_array(
    game: np.void,
    view: int | None = None,
    *,
    players: Sequence[str] | None = None,
    recent: Sequence[tuple[int, str]] = (),
) -> np.ndarray:
    """The drawing of the table (``drawing.draw_table``, which says what is on it) as pixels: (800, 1280, 3) uint8.

    Args:
        game: one STATE record.
        view: the seat that looks, or None to see all.
        players: four names, by seat; None: ``player_0`` to ``player_3``.
        recent: the last actions, oldest first: the seat, and the action in notation.
    """
    from . import drawing
    from .drawing.raster import pixels

    parts = drawing.parts(game, view, drawing.PLAYERS if players is None else players, recent, drawing.LOOK)
    return pixels(parts, drawing.LOOK)


def cards_of(bits: Any) -> list[int]:
    """The cards 0..52 of a set of cards (``uint64``, see ``cards``), by index, jokers last."""
    number = int(bits)
    return [min(index, JOKER) for index in range(NUM_CARDS) if number >> index & 1]
