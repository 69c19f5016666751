"""The games of one assistant: what each tool of the server does and says, without the protocol.

Every text is for the assistant. None of them, and no error, has a seed or a card that the seat to answer does not see
before the game is over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from ...arguments import whole_number
from ...players.load import load
from ...players.policy import BasePolicy
from ...players.policy_io import PolicyError
from ...rules import NUM_SEATS, RuleSet
from ...seeds import fresh_seed, game_seed, lane_seeds
from ...text import STANDARD, Notation
from ..game import TableError
from ..text_game import FORFEIT, TEXT, TextGame, seats_around

NO_GAME = "there is no game: start one with new_game"


class AssistantTable:
    """A table at which one assistant plays game after game. Its methods can be called from several threads.

    Args:
        policies: names of policies (``persian_rummy_env.load``). The assistant can choose only these, because a
            policy name can be a file path or code.
        seed: 0..2**64 - 1; game ``i`` is that of ``lane_seeds(seed, n)[i]``, as in a vector environment. None draws
            each game. Who knows the seed can deal the hands again, so a seed is for measurements.
        attempts, fallback: see ``TextGame``.

    Raises:
        ValueError, TypeError: no such policy, seed or number.
        FileNotFoundError: the file of a policy is missing.
    """

    def __init__(
        self, policies: Sequence[str], *, seed: int | None = None, attempts: int = 3, fallback: str = FORFEIT
    ) -> None:
        self._policies: dict[str, BasePolicy] = {name: load(name) for name in policies}
        self._seed = None if seed is None else int(game_seed(seed))
        self._attempts = whole_number("attempts", attempts, 1)
        self._fallback: Any = fallback if fallback == FORFEIT else load(fallback)
        self._game: TextGame | None = None
        self._seat = 0
        self._started_games = self._left_games = 0
        self._lock = Lock()

    # The tools --------------------------------------------------------------------------------------------------------

    def new_game(
        self,
        seat: int = 0,
        partner: str = "expert",
        opponents: str = "expert",
        rules: str = "",
        show_legal: bool = False,
        other_names: bool = False,
        leave: bool = False,
    ) -> str:
        """Start a game; returns the rules and the first situation.

        Args:
            seat: seat of the assistant, 0..3.
            partner, opponents: one of the policies, or ``"text"``: the assistant plays these seats too.
            rules: as ``RuleSet.parse`` reads them, such as ``"deals=1"``.
            show_legal: list the legal actions.
            other_names: write cards in symbols that are drawn for this game.
            leave: leave the game that is being played. Without it a game is not given up for another one.

        Raises:
            TableError: a game is being played, or an argument is not possible; nothing changes.
        """
        with self._lock, _as_table_errors():
            playing = self._game is not None and not self._game.over
            if playing and not leave:
                raise TableError("a game is being played: finish it, or leave it with leave=true")
            seats = seats_around(seat, self._player("partner", partner), self._player("opponents", opponents))
            game = TextGame(
                seats,
                rules=RuleSet.parse(rules),
                seed=self._next_seed(),
                notation=Notation(fresh_seed()) if other_names else STANDARD,
                show_legal=show_legal,
                attempts=self._attempts,
                fallback=self._fallback,
            )
            self._game, self._seat = game, seat
            self._started_games += 1
            self._left_games += playing
            return f"{game.instructions()}\n\n{self._next(game)}"

    def situation(self) -> str:
        """What the seat to answer knows, and who it is.

        Raises:
            TableError: there is no game.
        """
        with self._lock:
            return self._next(self._started())

    def act(self, answer: str) -> str:
        """Play an answer; returns what was played and the next situation, or one sentence on why it was refused.

        Raises:
            TableError: there is no game, or it is over; or a player failed, and the game ends without a result.
        """
        with self._lock:
            game = self._started()
            if game.over:
                raise TableError("the game is over: see result, or start another one with new_game")
            before = game.prompt()
            try:
                reply = game.answer(answer)
            except PolicyError:
                # The message of the error can hold cards of its seat, so neither the assistant nor a log gets it.
                self._game = None
                raise TableError("a player failed, so the game ends without a result; start another one") from None
            text = reply.message if reply.accepted else f"Refused. {reply.message}"
            same = not game.over and game.prompt() == before
            return text if same else f"{text}\n\n{self._next(game)}"

    def result(self, record: bool = False) -> str:
        """How the game ended, as JSON: ``score`` and ``margin`` of the assistant's team, ``forfeited``, ``answers`` by
        seat, ``games_left``, and with ``record`` the game record, which holds every card.

        Raises:
            TableError: there is no game, or it is not over.
        """
        with self._lock:
            end = self._started().result()
            us, them = end.score if self._seat % 2 == 0 else end.score[::-1]
            summary: dict[str, Any] = {
                "score": {"us": us, "them": them},
                "margin": end.margin_of(self._seat),
                "forfeited": end.forfeited,
                "answers": {str(seat): count.as_dict() for seat, count in end.answers.items()},
                "games_left": self._left_games,
            }
            if record:
                summary["record"] = end.record
            return json.dumps(summary)

    # Parts ------------------------------------------------------------------------------------------------------------

    def _player(self, name: str, chosen: str) -> Any:
        if chosen == TEXT:
            return TEXT
        if chosen not in self._policies:
            raise TableError(f"{name}={chosen!r}: expected {TEXT!r} or one of {', '.join(self._policies)}")
        return self._policies[chosen]

    def _next_seed(self) -> int | None:
        if self._seed is None:
            return None
        return int(lane_seeds(self._seed, self._started_games + 1)[-1])

    def _started(self) -> TextGame:
        if self._game is None:
            raise TableError(NO_GAME)
        return self._game

    def _next(self, game: TextGame) -> str:
        if game.over:
            return "The game is over. See result."
        places = {
            0: "",
            2: " for your partner's seat",
            1: " for the seat to your left",
            3: " for the seat to your right",
        }
        assert game.seat is not None
        place = places[(game.seat - self._seat) % NUM_SEATS]
        return f"Answer{place}:\n{game.prompt()}"


@contextmanager
def _as_table_errors() -> Iterator[None]:
    """Turn errors of arguments into errors for the assistant."""
    try:
        yield
    except (ValueError, TypeError, PolicyError) as error:
        if isinstance(error, TableError):
            raise
        failed = isinstance(error, PolicyError)
        raise TableError("a player failed; start another game" if failed else str(error)) from None
