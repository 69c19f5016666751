"""The table as text for people, from a state, with or without colour."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from ..cards import CARD_NAMES
from ..rules import NUM_SEATS
from ..state import NOBODY, NOTHING_OWED
from .contents import hand, heading, melds, pile, scores
from .terminal import BOLD, DIM, LEAST_WIDTH, REVERSED, Word, card_word, lines_of, wants_colour, width_of


def ansi(game: np.void, viewer: int | None = None, *, colour: bool = False, width: int | None = None) -> str:
    """The table as text of about ten lines. Colour does not change the words.

    ``7S/2`` was laid or discarded by seat 2 and ``7S/-`` turned up by the deal. ``7S*`` is a card that everybody knows
    to be in that hand, ``??`` a hidden card. In colour each suit has its own, and the card owed (rule R25) is in
    reverse video.

    Args:
        game: one STATE record.
        viewer: a seat, or None to see all hands.
        colour: use the escape codes of a terminal.
        width: columns of a line, at least 20; None: no limit.

    Raises:
        ValueError: a smaller width.
    """
    if width is not None and width < LEAST_WIDTH:
        raise ValueError(f"width={width}: expected at least {LEAST_WIDTH} columns, or None for lines of any length")
    lines = _ansi_words(game, viewer)
    return "\n".join(
        line for indent, words in lines for line in lines_of(words, colour=colour, width=width, indent=indent)
    )


def for_stdout(game: np.void, viewer: int | None = None) -> str:
    """``ansi`` for standard output: on a terminal in colour and in its width (``NO_COLOR`` is obeyed), else plain."""
    return ansi(game, viewer, colour=wants_colour(sys.stdout), width=width_of(sys.stdout))


def _ansi_words(game: np.void, viewer: int | None) -> Iterator[tuple[int, list[Word]]]:
    """The lines of ``ansi`` as words, each line with the indent of its continuation in columns."""

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
        shown = hand(game, seat, viewer)
        owed = int(game["owed"]) if seat == to_move else NOTHING_OWED
        cards = [
            card_word(CARD_NAMES[card], "*" * known, *((REVERSED,) if card == owed and known else ()))
            for card, known in zip(shown.cards, shown.known, strict=True)
        ]
        name = Word(f"{'>' if seat == to_move else ' '} player_{seat}:", BOLD if seat == to_move else "")
        yield 4, [name, *(cards + [Word("??", DIM)] * shown.hidden or [Word("no"), Word("cards")])]
