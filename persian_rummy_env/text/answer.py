"""From what a player answers in text to legal actions.

The order of cards and the case of letters do not matter where nothing is ambiguous. Nothing is guessed: an answer
that is illegal or cannot be read changes nothing and gets one sentence that says what is wrong. The sentence depends
only on what the seat knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..actions import ACTION_CARDS, DISCARD, DRAW, LAYOFF_SET, NUM_ACTIONS, PASS, TAKE
from ..arguments import whole_number
from ..cards import NUM_JOKERS
from ..core import arena_kernels, batch_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..rules import NUM_SEATS
from ..state import DRAW_PHASE, NOTHING_OWED, OVER, STATE
from ..system.escaping import shortened
from .notation import STANDARD, Notation
from .situation import game_record

EMPTY, UNREADABLE, AMBIGUOUS, ILLEGAL, NOT_YOUR_TURN, TOO_MUCH = (
    "empty",
    "unreadable",
    "ambiguous",
    "illegal",
    "not_your_turn",
    "too_much",
)
CODES = (EMPTY, UNREADABLE, AMBIGUOUS, ILLEGAL, NOT_YOUR_TURN, TOO_MUCH)
"""Why an answer was refused."""

MARK = "MOVE:"
LONGEST_TURN = 60
"""Actions in an answer: no turn has more."""
_MARKED = re.compile(r"^[ \t*#>`-]*move[ \t]*:\**(.*)$", re.IGNORECASE | re.MULTILINE)
"""Within one line: across lines, an answer of many empty lines takes time by the square of their number."""
_SEPARATORS = re.compile(r"[;\n]+")
_LAY_OFF = re.compile(r"\blay[ -]off\b", re.IGNORECASE)
_WRAPPING = " \t\r`*\"'.()[]"
_SUIT_SIGNS = str.maketrans({"♣": "C", "♦": "D", "♥": "H", "♠": "S", "♧": "C", "♢": "D", "♡": "H", "♤": "S", ",": " "})
_FILLERS = frozenset(["THE", "FROM", "ON", "ONTO", "TO", "OF", "CARD", "CARDS", "STOCK", "PILE"])
_TARGETS = {"SET": "set", "RUN": "run"}
VERBS = ("draw", "pass", "take", "meld", "layoff", "discard")
SHOWN = 60
"""Characters of an answer that are repeated in a sentence."""


class AnswerError(ValueError):
    """An answer in text that was refused.

    Attributes:
        code: one of ``CODES``. The message is one sentence for the player.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Command(NamedTuple):
    """One action as it was written: the verb, the names of cards, the target of a lay-off, and the words."""

    verb: str
    cards: tuple[str, ...]
    target: str | None
    words: str


def legal_actions(game: Any) -> list[int]:
    """The ids of the legal actions of the seat to move, low to high; none once the game is over."""
    return _legal(np.array([game_record(game)]))


def parse(answer: str, game: Any, seat: int, *, notation: Notation = STANDARD) -> list[int]:
    """The actions that an answer means: one, or several of one turn in order ("take QS; meld TS JS QS; discard 4D").

    If a line starts with ``MOVE:``, only the rest of that line counts.

    Args:
        answer: the text.
        game: one ``STATE`` record; it is not changed.
        seat: who answers, 0..3.
        notation: how cards are written.

    Returns:
        action ids; each is legal after those before it.

    Raises:
        AnswerError: nothing is to be played; the message is one sentence for the player.
        TypeError, ValueError: no text, no game record or no seat.
    """
    if not isinstance(answer, str):
        raise TypeError(f"answer: expected text, found {type(answer).__name__}")
    games = np.array([game_record(game)], dtype=STATE)
    seat = whole_number("seat", seat, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1}")
    if int(games[0]["phase"]) == OVER:
        raise AnswerError(NOT_YOUR_TURN, "The game is over.")
    if int(games[0]["seat"]) != seat:
        raise AnswerError(NOT_YOUR_TURN, "It is not your turn.")
    deal, actions = int(games[0]["deal"]), []
    for command in _commands(answer, notation):
        if actions and actions[-1] == DRAW.start:
            raise AnswerError(TOO_MUCH, "After draw wait for the card: draw is an answer of its own.")
        if int(games[0]["seat"]) != seat or int(games[0]["deal"]) != deal or int(games[0]["phase"]) == OVER:
            raise AnswerError(TOO_MUCH, f"'{command.words}' comes after the end of your turn.")
        action = _meant(command, games, notation)
        arena_kernels.play_lanes(games, np.zeros(1, dtype=np.int64), np.array([action]))
        actions.append(action)
    return actions


def _commands(answer: str, notation: Notation) -> list[Command]:
    marked = [found.strip() for found in _MARKED.findall(answer)]
    if len(set(marked)) > 1:
        raise AnswerError(AMBIGUOUS, f"The answer has {len(marked)} lines that start with {MARK}; write one.")
    text = marked[0] if marked else answer
    written = [words for words in (one.strip(_WRAPPING) for one in _SEPARATORS.split(text)) if words]
    if not written:
        raise AnswerError(EMPTY, f"The answer names no action; write for example '{notation.actions[DRAW.start]}'.")
    if len(written) > LONGEST_TURN:
        raise AnswerError(UNREADABLE, f"The answer has {len(written)} parts; a turn has fewer actions: {_help()}")
    return [_command(words, notation) for words in written]


def _command(text: str, notation: Notation) -> Command:
    verb, *rest = _LAY_OFF.sub("layoff", text.translate(_SUIT_SIGNS)).upper().split()
    words = _shortened(text)
    if verb.lower() not in VERBS:
        raise AnswerError(UNREADABLE, f"'{words}' is no action: {_help()}")
    cards, target = [], None
    for word in rest:
        name = word.strip(_WRAPPING)
        if notation.seed is None and name.startswith("10"):
            name = "T" + name[2:]
        if name in _TARGETS and verb == "LAYOFF" and target is None:
            target = _TARGETS[name]
        elif name in notation.card_index or (verb == "TAKE" and _joker_order(name, notation)):
            cards.append(name)
        elif name not in _FILLERS:
            raise AnswerError(UNREADABLE, f"'{_shortened(word)}' in '{words}' is no card.")
    return Command(verb.lower(), tuple(cards), target, words)


def _joker_order(name: str, notation: Notation) -> int:
    """The order of a joker of the pile such as JK2; 0 for another name."""
    order = name.removeprefix(notation.joker)
    return int(order) if order != name and order in "1234" and len(order) == 1 else 0


def _meant(command: Command, games: np.ndarray, notation: Notation) -> int:
    """The one legal action that a command means."""
    candidates = _candidates(command, notation)
    legal = set(_legal(games))
    found = [action for action in candidates if action in legal]
    if len(found) == 1:
        return found[0]
    if found:
        names = " or ".join(f"'{notation.actions[action]}'" for action in found)
        raise AnswerError(AMBIGUOUS, f"'{command.words}' can mean {names}; write which.")
    raise AnswerError(ILLEGAL, _why_not(command, candidates[0], games[0], notation))


def _candidates(command: Command, notation: Notation) -> list[int]:
    verb, cards = command.verb, command.cards
    wanted = {"draw": 0, "pass": 0, "take": 1, "layoff": 1, "discard": 1}.get(verb)
    if wanted is not None and len(cards) != wanted:
        expected = "no card" if wanted == 0 else "one card"
        raise AnswerError(UNREADABLE, f"'{command.words}' names {len(cards)} cards; {verb} takes {expected}.")
    if verb == "layoff":
        targets = (command.target,) if command.target else ("set", "run")
        keys = [(verb, cards[0], target) for target in targets]
    elif verb == "take" and cards[0] == notation.joker:
        keys = [(verb, f"{notation.joker}{order}") for order in range(1, NUM_JOKERS + 1)]
    else:
        keys = [(verb, *(sorted(cards) if verb == "meld" else cards))]
    found = [notation.action_ids[key] for key in keys if key in notation.action_ids]
    if not found:
        what = "is no set and no run" if verb == "meld" else "is no action"
        raise AnswerError(ILLEGAL, f"'{command.words}' {what}.")
    return found


def _why_not(command: Command, action: int, game: np.void, notation: Notation) -> str:
    """Why no candidate of a command is legal, by what the seat to move knows."""
    words, seat = command.words, int(game["seat"])
    first = command.cards[0] if command.cards else ""
    if int(game["phase"]) == DRAW_PHASE:
        empty = int(game["stock_size"]) == 0
        if action >= MELD_START:
            return (
                f"'{words}' is not legal yet: {'take a card of the pile or pass' if empty else 'draw or take'} first."
            )
        if action == DRAW.start:
            return "'draw' is not legal: the stock is empty; take a card of the pile or pass."
        if action == PASS.start:
            return "'pass' is not legal while the stock has cards: draw or take."
        in_pile = notation.names(int(game["pile"]))
        held = in_pile.count(notation.joker) >= _joker_order(first, notation) > 0 or first in in_pile
        if not held:
            return f"'{words}' is not legal: {first} is not in the pile."
        return f"'{words}' is not legal: {first} cannot be melded or laid off at once."
    if action < MELD_START:
        return f"'{words}' is not legal now: you have drawn; meld, lay off or discard."
    missing = int(ACTION_CARDS[action]) & ~int(game["hand"][seat])
    if missing:
        return f"'{words}' is not legal: you do not hold {' '.join(notation.names(missing))}."
    owed = int(game["owed"])
    if owed != NOTHING_OWED:
        return f"'{words}' is not legal now: you owe {notation.cards[owed]} and must play it first."
    return f"'{words}' is not legal: no {command.target or 'meld'} on the table takes {first}."


MELD_START = TAKE.stop
"""The first id of an action of the meld phase."""
assert LAYOFF_SET.start > MELD_START
assert DISCARD.stop == NUM_ACTIONS


def _legal(games: np.ndarray) -> list[int]:
    if int(games[0]["phase"]) == OVER:
        return []
    ensure_compiled("scripted players")
    words = np.zeros((1, WORDS), dtype=np.uint64)
    batch_kernels.legal_words(games, words, 0, 1)
    actions: list[int] = []
    for place, bits in enumerate(words[0].tolist()):
        left = bits
        while left:
            low = left & -left
            actions.append(64 * place + low.bit_length() - 1)
            left ^= low
    return actions


def _help() -> str:
    return f"an action starts with {', '.join(VERBS[:-1])} or {VERBS[-1]}."


def _shortened(text: str) -> str:
    return shortened(" ".join(text[: 20 * SHOWN].split()), SHOWN)


def names_of(actions: Sequence[int], notation: Notation = STANDARD) -> str:
    """Actions as a player writes them, separated by ``"; "``."""
    return "; ".join(notation.actions[action] for action in actions)
