"""TRL: one seat of a game as the ``environment_factory`` of ``GRPOTrainer``. Each kind of action is a tool.

A column ``seed`` of the dataset names the deal. TRL gives all rollouts of a group the same row, so they play the same
cards, and a rollout is compared with others of its deal alone.
"""

from __future__ import annotations

from typing import Any

from ..apps.text_game import FORFEIT, TextGame, seats_around
from ..arguments import whole_number
from ..arrays import shown
from ..players.load import load
from ..rules import NUM_SEATS, NUM_TEAMS, RuleSet
from ..text import STANDARD, Notation
from ..text import rules as rules_text


class PersianRummyTools:
    """A seat that is played by calls of tools; ``functools.partial(PersianRummyTools, opponents="greedy")`` for others.

    Args:
        seat: the seat of the model, 0..3.
        partner, opponents: policies, or names of policies.
        rules: None for single deals.
        notation: how cards are written.
        show_legal: list the legal actions with each prompt.
        attempts: calls that may be refused for one prompt, 1 or more.
        fallback: after the last of them, ``"forfeit"`` or a policy that plays the rest of the turn.

    Raises:
        ValueError, TypeError: no such player, seat or number.
    """

    def __init__(
        self,
        seat: int = 0,
        partner: Any = "expert",
        opponents: Any = "expert",
        rules: RuleSet | None = None,
        notation: Notation = STANDARD,
        show_legal: bool = False,
        attempts: int = 3,
        fallback: Any = FORFEIT,
    ) -> None:
        self._seat = whole_number("seat", seat, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1}")
        loaded = {
            name: load(name) for name in {partner, opponents, fallback} if isinstance(name, str) and name != FORFEIT
        }
        left, opposite = loaded.get(opponents, opponents), loaded.get(partner, partner)
        self._seats = seats_around(self._seat, opposite, left)
        self._settings: dict[str, Any] = {
            "rules": RuleSet(deals=1) if rules is None else rules,
            "notation": notation,
            "show_legal": show_legal,
            "attempts": attempts,
            "fallback": loaded.get(fallback, fallback),
        }
        self._game: TextGame | None = None
        TextGame(self._seats, seed=0, **self._settings)  # refuses wrong settings now

    def reset(self, seed: int | None = None, **columns: Any) -> str:  # noqa: ARG002  # TRL passes the whole row
        """Begin a game.

        Args:
            seed: the game that every environment plays for it; None draws one, which suits no group of rollouts.
            **columns: other columns of the dataset, which are not read.

        Returns:
            the rules and what the seat knows.
        """
        self._game = TextGame(self._seats, seed=seed, **self._settings)
        text = rules_text(self._settings["rules"], notation=self._settings["notation"], answers=False)
        return f"{text}\n\n{self._shown(self._game)}"

    def get_reward(self) -> float:
        """Points of the model's team less those of the other, over 100, once the model has stopped.

        A model that stops before the end of its game has nothing more to answer: it forfeits, or the fallback plays on.

        Raises:
            RuntimeError: no game was begun.
        """
        game = self._begun()
        while not game.over:
            game.answer("")
        return game.result().margin_of(self._seat) / 100

    # The tools ------------------------------------------------------------------------------------------------------

    def draw(self) -> str:
        """Draw the top card of the stock, at the beginning of your turn.

        Returns:
            What you then know, or why the action was refused.
        """
        return self._play("draw")

    def take(self, card: str) -> str:
        """Take a card of the pile and all cards above it, at the beginning of your turn; the card must be played.

        Args:
            card: The card, such as QS; a joker is JK1 for the one nearest the top, JK2 for the next.

        Returns:
            What you then know, or why the action was refused.
        """
        return self._play("take", card)

    def pass_turn(self) -> str:
        """Pass, at the beginning of your turn; only with an empty stock.

        Returns:
            What you then know, or why the action was refused.
        """
        return self._play("pass")

    def meld(self, cards: list[str]) -> str:
        """Lay a set or a run on the table.

        Args:
            cards: The cards, such as ["7S", "8S", "9S"].

        Returns:
            What you then know, or why the action was refused.
        """
        return self._play("meld", *(cards if isinstance(cards, list) else [cards]))

    def lay_off(self, card: str, meld: str) -> str:
        """Add a card to a meld on the table.

        Args:
            card: The card, such as TS.
            meld: The kind of the meld that takes it: "set" or "run".

        Returns:
            What you then know, or why the action was refused.
        """
        return self._play("layoff", card, meld)

    def discard(self, card: str) -> str:
        """Discard a card, which ends your turn.

        Args:
            card: The card, such as 4D.

        Returns:
            What you then know, or why the action was refused.
        """
        return self._play("discard", card)

    def _play(self, verb: str, *words: Any) -> str:
        """Answer with one action. A word that is no word counts as an answer that cannot be read."""
        game = self._begun()
        if game.over:
            return self._shown(game)
        prompt = game.prompt()
        wrong = [word for word in words if not isinstance(word, str) or word.split() != [word] or ";" in word]
        message = game.answer(" ".join([verb, *(["?"] if wrong else words)])).message
        if wrong:
            message = f"Expected names such as 7S as text, found {shown(wrong[0])}. {message}"
        going_on = not game.over and game.prompt() == prompt
        return message if going_on else f"{message}\n\n{self._shown(game)}"

    def _shown(self, game: TextGame) -> str:
        if not game.over:
            return game.prompt()
        score = game.result().score
        us = self._seat % NUM_TEAMS
        return f"The game is over. Score: us {score[us]}, them {score[1 - us]}."

    def _begun(self) -> TextGame:
        if self._game is None:
            raise RuntimeError("no game was begun: call reset() first")
        return self._game
