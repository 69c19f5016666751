"""OpenSpiel's game in tests: states to walk through, and the game as a table beside the AEC environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

import persian_rummy_env
import persian_rummy_env.adapters.openspiel  # registers the game
from persian_rummy_env.actions import DRAW
from tests.env.aec_play import lively


def game(deals: int = 1, **params: Any) -> Any:
    return pyspiel.load_game("python_persian_rummy", {"deals": deals, **params})


def chance(state: Any, rng: np.random.Generator) -> Any:
    """Let chance decide until a player is to move or the game is over."""
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=chances)))
    return state


def walk(state: Any, rng: np.random.Generator, steps: int = 10_000, choose: Any = lively) -> Any:
    """Every state of play in which a player is to move, changed in place from one to the next."""
    for _ in range(steps):
        if chance(state, rng).is_terminal():
            return
        yield state
        state.apply_action(choose(np.array(state.legal_actions_mask()), rng))


def after(steps: int, seed: int = 0, **params: Any) -> Any:
    """A state after so many decisions."""
    state, rng = game(**params).new_initial_state(), np.random.default_rng(seed)
    for _ in walk(state, rng, steps):
        pass
    return chance(state, rng)


class Spiel:
    """The game as a table: chance deals the cards that the AEC environment deals."""

    def __init__(self, **options: Any) -> None:
        self.aec = persian_rummy_env.env(**{"episode": "deal", **options})
        self.game = game(self.aec.options.deals)

    def begin(self, seed: int, options: dict[str, Any] | None) -> None:
        self.aec.reset(seed=seed, options=options)
        self.state = self.game.new_initial_state()
        self.state.apply_action(int(self.aec.get_state()["dealer"][0]))
        self._chance()

    def _chance(self) -> None:
        """The AEC environment plays along, since it shuffles the second deal when the first is over."""
        while self.state.is_chance_node():
            report = self.aec.get_state()[0]
            place = 56 - int(report["stock_size"])
            dealing = self.state.dealing
            self.state.apply_action(int(report["decks"][report["deal"]][self.state._dealt if dealing else place]))

    def seat(self) -> int:
        return self.state.current_player()

    def shown(self) -> tuple[Any, Any]:
        return self.state.observation_tensor(), self.state.legal_actions_mask()

    def step(self, action: int) -> None:
        self.state.apply_action(action)
        if action == DRAW.start:
            self._chance()
        self.aec.step(action)
        self._chance()

    def paid(self) -> Sequence[float]:
        return self.state.returns()

    def flags(self) -> tuple[bool, bool]:
        return self.state.is_terminal(), False
