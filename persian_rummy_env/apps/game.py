"""One game that people play: legal actions, history, undo, and the record at the end.

It holds all four hands and knows nothing about the players: terminal and browser are built on it.
``seat_view.seat_view`` returns what one seat may see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..actions import ACTION_NAMES, DRAW, PASS, encode_action
from ..arguments import is_whole, whole_number
from ..arrays import shown
from ..cards import CARD_NAMES
from ..core import arena_kernels, batch_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..drawing.contents import cards_of
from ..evaluation.arena import new_games
from ..observation_bits import unpack_mask
from ..records.record import Record
from ..records.recorder import record_of
from ..records.replay import last_hands, result_of
from ..rules import NUM_SEATS, RuleSet, as_rules
from ..seeds import fresh_seed, game_seed
from ..state import MELD_PHASE, OVER
from ..stored_rules import stored_rules

UNFINISHED = "persian-rummy-unfinished/1"
"""The format of a game that was left before its end; ``TableGame.resume`` reads it."""
STEP_OF_STREAM = 0x9E3779B97F4A7C15
"""The increment of a splitmix64 generator."""


class TableError(ValueError):
    """A request is not possible in the game now; the text is for the player."""


class PlayedAction(NamedTuple):
    """An action that was played: the deal, counted from 0, the seat, and the action id."""

    deal: int
    seat: int
    action: int


class DealEnd(NamedTuple):
    """The end of a deal: the seat that went out or None, the score by team, and the cards left in each hand, in
    notation."""

    out: int | None
    score: tuple[int, int]
    left: tuple[tuple[str, ...], ...]


class _Standing(NamedTuple):
    """The state of a game with its history. One assignment replaces it, so that an interrupt comes before or after an
    action, and state and history always agree.

    Attributes:
        games: (1,) STATE.
        legal: (547,) bool, the legal actions.
        played, ends, drew: see ``TableGame``.
        before: the state to which ``undo`` returns.
    """

    games: np.ndarray
    legal: np.ndarray
    played: tuple[PlayedAction, ...] = ()
    ends: tuple[DealEnd, ...] = ()
    before: _Standing | None = None
    drew: str | None = None


class TableGame:
    """One game, played action by action.

    Args:
        rules: None for the default rules.
        seed: 0..2**64 - 1, the same game as in every environment; None draws one.
        dealer: the seat that deals first, or None to draw it from the seed.

    Attributes:
        rules, seed: as above, with the drawn seed.

    Raises:
        ValueError, TypeError: an invalid seed or seat.
    """

    def __init__(self, rules: RuleSet | None = None, seed: int | None = None, dealer: int | None = None) -> None:
        if dealer is not None:
            dealer = whole_number("dealer", dealer, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1} or None")
        self.rules = as_rules(rules)
        self.seed = fresh_seed() if seed is None else int(game_seed(seed))
        seeds = np.array([self.seed], dtype=np.uint64)
        dealers = np.array([batch_kernels.NO_SEAT if dealer is None else dealer], dtype=np.int8)
        ensure_compiled("scripted players")
        self._named_dealer = dealer
        games = new_games(seeds, dealers, self.rules)
        self._now = _Standing(games, _legal(games))

    # State ----------------------------------------------------------------------------------------------------------

    @property
    def played(self) -> tuple[PlayedAction, ...]:
        """All actions so far, in order."""
        return self._now.played

    @property
    def ends(self) -> tuple[DealEnd, ...]:
        """The end of each finished deal."""
        return self._now.ends

    @property
    def drew(self) -> str | None:
        """The card that the seat to move has drawn from the stock in this turn, in notation; None without a draw."""
        return self._now.drew

    @property
    def over(self) -> bool:
        """Whether all deals are finished."""
        return int(self._now.games[0]["phase"]) == OVER

    @property
    def seat(self) -> int:
        """The seat to move; after the end, the seat that moved last."""
        return int(self._now.games[0]["seat"])

    @property
    def legal(self) -> list[str]:
        """The legal actions in notation, ordered by id; none after the end."""
        return [ACTION_NAMES[action] for action in np.flatnonzero(self._now.legal)]

    def games(self) -> np.ndarray:
        """A copy of the game with all hidden cards: (1,) STATE.

        Its sampling stream has a different position for each decision, for bots that draw from it.
        """
        now = self._now
        games = now.games.copy()
        with np.errstate(over="ignore"):
            games["sample_rng"] += np.uint64(STEP_OF_STREAM) * np.uint64(len(now.played))
        return games

    # Playing --------------------------------------------------------------------------------------------------------

    def play(self, action: str | int) -> PlayedAction:
        """Play an action for the seat to move, in notation or as an id.

        Raises:
            TableError: it is not an action, or illegal; nothing changes.
        """
        now = self._now
        if self.over:
            raise TableError("the game is over")
        number = _number_of(action)
        if not now.legal[number]:
            raise TableError(f"'{ACTION_NAMES[number]}' is not legal now; legal are: {', '.join(self.legal)}")
        games, ends = now.games.copy(), now.ends
        one = PlayedAction(len(ends), self.seat, number)
        refused = arena_kernels.play_lanes(games, np.zeros(1, dtype=np.int64), np.array([number]))
        assert refused == -1
        ended = int(games[0]["phase"]) == OVER or int(games[0]["deal"]) != one.deal
        if ended:
            out, score = result_of(games[0])
            ends += (DealEnd(out, (score[0], score[1]), last_hands(now.games[0], number)),)
        turn_goes_on = int(games[0]["seat"]) == one.seat and not ended
        before = now if turn_goes_on and number not in (DRAW.start, PASS.start) else None
        drew = _drawn(now.games[0], games[0], one.seat) if number == DRAW.start else now.drew
        self._now = _Standing(games, _legal(games), (*now.played, one), ends, before, drew if turn_goes_on else None)
        return one

    @property
    def can_undo(self) -> bool:
        """Whether the last action can be undone: a meld, a lay-off or a take of the current turn.

        A draw and a discard cannot be undone: a draw shows a hidden card, and a discard ends the turn.
        """
        return self._now.before is not None

    def undo(self) -> PlayedAction:
        """Undo the last action of this turn, and return it.

        Raises:
            TableError: there is no action that can be undone.
        """
        now = self._now
        if now.before is None:
            why = (
                "the card drawn from the stock has been seen"
                if now.games[0]["phase"] == MELD_PHASE
                else "only melds, lay-offs and a take of your own turn can be taken back, before the discard"
            )
            raise TableError(f"nothing to take back: {why}")
        self._now = now.before
        return now.played[-1]

    # Storing --------------------------------------------------------------------------------------------------------

    def record(self, players: Sequence[str]) -> Record:
        """The record of the finished game (``persian-rummy/1``); it holds every card.

        Raises:
            TableError: the game is not over; until then its cards are hidden.
        """
        if not self.over:
            raise TableError("the game is not over: its record is made at the end")
        return record_of(self._now.games[0], [one.action for one in self.played], players=players, seed=self.seed)

    def unfinished(self, players: Sequence[str], seats: Sequence[str]) -> dict[str, Any]:
        """The game so far as a JSON object, from which ``resume`` continues.

        Args:
            players: names by seat.
            seats: who plays at each seat, as in ``seating.players_of``.
        """
        return {
            "format": UNFINISHED,
            "rules": self.rules.as_dict(),
            "players": list(players),
            "seats": list(seats),
            "seed": self.seed,
            "dealer": self._named_dealer,
            "actions": [ACTION_NAMES[one.action] for one in self.played],
        }

    @classmethod
    def resume(cls, saved: Mapping[str, Any]) -> TableGame:
        """The game of an ``unfinished`` object.

        Raises:
            TableError: it is not such an object, or one of its actions is illegal.
        """
        if not isinstance(saved, Mapping):
            raise TableError(f"no unfinished game: {shown(saved)}")
        try:
            if saved["format"] != UNFINISHED:
                raise TableError(f"format: expected {UNFINISHED!r}, found {saved['format']!r}")
            table = cls(stored_rules(saved["rules"]), saved["seed"], saved["dealer"])
            for number, action in enumerate(saved["actions"], start=1):
                if type(action) is not str:
                    raise TableError(f"action {number}: expected text, found {action!r}")
                try:
                    table.play(action)
                except TableError as error:
                    raise TableError(f"action {number}: {error}") from None
        except KeyError as error:
            raise TableError(f"{error.args[0]}: missing") from None
        except TypeError as error:
            raise TableError(f"no unfinished game: {error}") from None
        return table


def _drawn(before: np.void, after: np.void, seat: int) -> str:
    """The card that was added to a hand, in notation."""
    [card] = cards_of(after["hand"][seat] & ~before["hand"][seat])
    return CARD_NAMES[card]


def _legal(games: np.ndarray) -> np.ndarray:
    """Whether each action is legal in the one game: (547,)."""
    words = np.zeros((1, WORDS), dtype=np.uint64)
    if int(games[0]["phase"]) != OVER:
        batch_kernels.legal_words(games, words, 0, 1)
    return unpack_mask(words)[0]


def _number_of(action: str | int) -> int:
    if isinstance(action, str):
        try:
            return encode_action(action)
        except ValueError as error:
            raise TableError(str(error)) from None
    if not is_whole(action) or not 0 <= action < len(ACTION_NAMES):
        raise TableError(f"{shown(action)} is not an action id: expected 0..{len(ACTION_NAMES) - 1}")
    return int(action)
