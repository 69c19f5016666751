"""A game for each session. Nothing that leaves it has the seed, the deck or a card that the seat does not see."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State

from persian_rummy_env import RuleSet
from persian_rummy_env.apps.game import TableError
from persian_rummy_env.apps.text_game import TEXT, TextGame, seats_around
from persian_rummy_env.bots import BOTS
from persian_rummy_env.players.bundled import BUNDLED
from persian_rummy_openenv.models import PersianRummyAction, PersianRummyObservation

PLAYERS = (TEXT, *BOTS, *BUNDLED)
"""Who can be chosen. Other names of policies can be file paths or code, and a client is not trusted with these."""
WIDEST = 400
"""Margins from -400 to 400 points map to rewards from 0 to 1; what lies outside counts as the nearest of them."""


def reward_of(margin: int) -> float:
    """The reward of a margin in points: 0.5 for none, and within [0, 1]."""
    return min(max(0.5 + margin / (2 * WIDEST), 0.0), 1.0)


class PersianRummyEnvironment(Environment):
    """``reset(seed, seat=0, partner="expert", opponents="expert", rules="deals=1", show_legal=False, attempts=3)``."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._game: TextGame | None = None
        self._seat = self._refused = 0
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        seat: int = 0,
        partner: str = "expert",
        opponents: str = "expert",
        rules: str = "deals=1",
        show_legal: bool = False,
        attempts: int = 3,
        **kwargs: Any,
    ) -> PersianRummyObservation:
        """Start a game.

        Args:
            seed: 0..2**64 - 1; the game of the AEC environment with this seed. None draws one. Who knows the seed can
                deal the hands again, so the trainer chooses it and keeps it from the model.
            episode_id: any text; None makes one.
            seat, partner, opponents: see ``seats_around``; players are those of ``PLAYERS``.
            rules: as ``RuleSet.parse`` reads them.
            show_legal, attempts: see ``TextGame``.

        Raises:
            ValueError, TypeError: an argument is not possible, or not known.
        """
        if kwargs:
            raise ValueError(f"unknown argument {', '.join(kwargs)}")
        for name, player in (("partner", partner), ("opponents", opponents)):
            if player not in PLAYERS:
                raise ValueError(f"{name}={player!r}: expected one of {', '.join(PLAYERS)}")
        self._game = TextGame(
            seats_around(seat, partner, opponents),
            rules=RuleSet.parse(rules),
            seed=seed,
            show_legal=show_legal,
            attempts=attempts,
        )
        self._seat, self._refused = seat, 0
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return self._observation(self._game, self._game.instructions(), accepted=True)

    def step(
        self,
        action: PersianRummyAction,
        timeout_s: float | None = None,  # noqa: ARG002 - the library's signature
        **kwargs: Any,  # noqa: ARG002
    ) -> PersianRummyObservation:
        """Play an answer.

        Raises:
            TableError: there is no game, or it is over.
        """
        if self._game is None:
            raise TableError("there is no game: call reset first")
        reply = self._game.answer(action.answer)
        self._state.step_count += 1
        self._refused += not reply.accepted
        return self._observation(self._game, reply.message, accepted=reply.accepted)

    def _observation(self, game: TextGame, message: str, *, accepted: bool) -> PersianRummyObservation:
        margin = game.result().margin_of(self._seat) if game.over else None
        return PersianRummyObservation(
            prompt="" if game.over else game.prompt(),
            message=message,
            accepted=accepted,
            seat=game.seat,
            margin=margin,
            refused=self._refused,
            done=game.over,
            reward=None if margin is None else reward_of(margin),
        )

    @property
    def state(self) -> State:
        """The episode and the number of answers."""
        return self._state
