"""A policy that is asked for a hint and fails is reported, and the game goes on."""

import io

import numpy as np
from rich.console import Console

from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.apps.seating import Player
from persian_rummy_env.apps.terminal.game import Game
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch


class Failing(BasePolicy):
    name = "failing"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        raise OSError(f"no network for {len(batch.seat)} seat")


def test_a_hint_that_fails_is_told_and_the_game_goes_on() -> None:
    printed = io.StringIO()
    players = [Player("you", "human")] * 4
    game = Game(TableGame(seed=1), players, {"failing": Failing()}, "failing", Console(file=printed, width=200))
    typed = iter(["hint", "draw"])
    game._input = lambda _: next(typed)  # type: ignore[method-assign]
    game._ask()
    assert "failing failed: OSError: no network for 1 seat" in printed.getvalue()
    assert len(game.table.played) == 1
