"""A game in which some seats are played by text: what every language-model adapter drives.

The engine, the seed and the decks stay in this object. A prompt and a reply hold only what their seat knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..arguments import positive, whole_number
from ..players.load import load
from ..players.policy import as_policy, check_rules, name_of
from ..players.policy_io import choose
from ..records.record import Record
from ..rules import NUM_SEATS, RuleSet
from ..text import STANDARD, AnswerError, Notation, names_of, parse, render, rules
from ..text.answer import legal_actions
from .game import TableError, TableGame

TEXT = "text"
"""In place of a policy: the seat answers in text."""
FORFEIT = "forfeit"
FORFEIT_POINTS = 100
"""What a team loses that forfeits, as in the environments (``illegal_action="forfeit"``: a reward of -1)."""


class Reply(NamedTuple):
    """What comes of an answer.

    Attributes:
        accepted: its actions were played.
        message: the actions played; or one sentence that says why none was.
        over: the game is over.
    """

    accepted: bool
    message: str
    over: bool


@dataclass
class SeatCount:
    """Answers of one seat.

    Attributes:
        accepted: answers whose actions were played.
        refused: answers refused, by the code of ``text.AnswerError``.
        replaced: turns that the fallback policy played on.
    """

    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    replaced: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The counts as JSON types."""
        return {"accepted": self.accepted, "refused": dict(self.refused), "replaced": self.replaced}


def seats_around(seat: int, partner: Any = "expert", opponents: Any = "expert") -> list[Any]:
    """The players of ``TextGame``, by seat, for one seat that answers in text.

    Args:
        seat: the seat that answers in text, 0..3.
        partner: plays opposite.
        opponents: plays left and right. Each is ``"text"``, the name of a policy, or a policy.

    Raises:
        ValueError, TypeError: no such seat.
    """
    seat = whole_number("seat", seat, 0, NUM_SEATS - 1)
    return [TEXT if one == seat else partner if one % 2 == seat % 2 else opponents for one in range(NUM_SEATS)]


@dataclass(frozen=True)
class TextResult:
    """How a game ended.

    Attributes:
        score: points of the finished deals, by team.
        forfeited: the seat that forfeited, or None.
        margin: points of team 0 less those of team 1. After a forfeit the team that forfeited has at most 0, less
            ``FORFEIT_POINTS``.
        answers: counts by seat; only seats that answer in text.
        record: the game record; None after a forfeit.
    """

    score: tuple[int, int]
    forfeited: int | None
    margin: int
    answers: dict[int, SeatCount]
    record: Record | None

    def margin_of(self, seat: int) -> int:
        """``margin`` of the team of a seat."""
        return self.margin if seat % 2 == 0 else -self.margin


class TextGame:
    """One game, for players that read prompts and write answers.

    Args:
        seats: four players by seat: ``"text"``, the name of a policy (``persian_rummy_env.load``), or a policy.
        rules: None for the default.
        seed: 0..2**64 - 1, the game that every environment plays for it; None draws one.
        dealer: the seat that deals first, or None to draw it from the seed.
        notation: how cards are written in prompts and answers.
        show_legal: list the legal actions in prompts, and in the reply to a refused answer.
        attempts: answers that a seat may give to one prompt, 1 or more.
        fallback: what happens after the last refused attempt: ``"forfeit"`` ends the game, the name of a policy (or a
            policy) plays the rest of the turn.

    Raises:
        ValueError, TypeError: no such player, seed, seat or number.
        FileNotFoundError: the file of a policy is missing.
    """

    def __init__(
        self,
        seats: Sequence[Any] = (TEXT, "expert", "expert", "expert"),
        *,
        rules: RuleSet | None = None,
        seed: int | None = None,
        dealer: int | None = None,
        notation: Notation = STANDARD,
        show_legal: bool = False,
        attempts: int = 3,
        fallback: Any = FORFEIT,
    ) -> None:
        if len(seats) != NUM_SEATS:
            raise ValueError(f"seats: expected {NUM_SEATS} players, found {len(seats)}")
        self._table = TableGame(rules, seed, dealer)
        self.notation, self.show_legal, self.attempts = notation, show_legal, positive("attempts", attempts)
        loaded: dict[str, Any] = {}
        self._policies = [None if seat == TEXT else self._policy(seat, loaded) for seat in seats]
        self._fallback = None if fallback == FORFEIT else self._policy(fallback, loaded)
        self._names = [TEXT if policy is None else name_of(policy) for policy in self._policies]
        self._counts = {seat: SeatCount() for seat, policy in enumerate(self._policies) if policy is None}
        self._forfeited: int | None = None
        self._refused = 0
        self._play_others()

    def _policy(self, player: Any, loaded: dict[str, Any]) -> Any:
        if not isinstance(player, str):
            policy = as_policy(player)
        elif player in loaded:
            policy = loaded[player]
        else:
            policy = loaded[player] = load(player)
        check_rules(policy, self._table.rules)
        return policy

    # What a player sees ---------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its last deal or by a forfeit."""
        return self._forfeited is not None or self._table.over

    @property
    def seat(self) -> int | None:
        """The seat that is to answer, or None once the game is over."""
        return None if self.over else self._table.seat

    def instructions(self) -> str:
        """The rules and the form of an answer, for a system message."""
        return rules(self._table.rules, notation=self.notation)

    def prompt(self) -> str:
        """What the seat to answer knows, as text.

        Raises:
            TableError: the game is over.
        """
        if self.over:
            raise TableError("the game is over: no seat is to answer")
        game = self._table.games()[0]
        legal = legal_actions(game) if self.show_legal else None
        return render(game, self._table.seat, self._history(), notation=self.notation, legal=legal)

    def _history(self) -> list[tuple[int, int, int]]:
        return [(one.deal, one.seat, one.action) for one in self._table.played]

    # Playing --------------------------------------------------------------------------------------------------------

    def answer(self, text: str) -> Reply:
        """Play what a seat answers, then let the other players play until a text seat is to answer again.

        A refused answer changes nothing but the count of attempts.

        Raises:
            TableError: the game is over. TypeError: no text.
        """
        if self.over:
            raise TableError("the game is over: no answer is expected")
        seat = self._table.seat
        count = self._counts[seat]
        try:
            actions = parse(text, self._table.games()[0], seat, notation=self.notation)
        except AnswerError as error:
            count.refused[error.code] += 1
            self._refused += 1
            return self._refusal(error, seat)
        for action in actions:
            self._table.play(action)
        count.accepted += 1
        self._refused = 0
        self._play_others()
        return Reply(True, f"Played: {names_of(actions, self.notation)}.", self.over)

    def _refusal(self, error: AnswerError, seat: int) -> Reply:
        if self._refused < self.attempts:
            legal = legal_actions(self._table.games()[0]) if self.show_legal else []
            listed = f" Legal actions: {names_of(legal, self.notation)}." if legal else ""
            return Reply(False, f"{error}{listed}", False)
        self._refused = 0
        if self._fallback is None:
            self._forfeited = seat
            return Reply(False, f"{error} You forfeit the game: {self.attempts} answers were refused.", True)
        self._counts[seat].replaced += 1
        turn = len(self._table.ends)
        while not self._table.over and self._table.seat == seat and len(self._table.ends) == turn:
            self._table.play(int(choose(self._table.games(), self._fallback)[0]))
        self._play_others()
        return Reply(False, f"{error} Another player finished your turn.", self.over)

    def _play_others(self) -> None:
        while not self._table.over:
            policy = self._policies[self._table.seat]
            if policy is None:
                return
            self._table.play(int(choose(self._table.games(), policy)[0]))

    # The end --------------------------------------------------------------------------------------------------------

    def result(self) -> TextResult:
        """How the game ended.

        Raises:
            TableError: it is not over: until then its cards are hidden.
        """
        if not self.over:
            raise TableError("the game is not over: its result is known at the end")
        game = self._table.games()[0]
        score = (int(game["score"][0]), int(game["score"][1]))
        margin = score[0] - score[1]
        if self._forfeited is None:
            return TextResult(score, None, margin, self._counts, self._table.record(self._names))
        sign = 1 if self._forfeited % 2 == 0 else -1
        margin = sign * (min(sign * margin, 0) - FORFEIT_POINTS)
        return TextResult(score, self._forfeited, margin, self._counts, None)
