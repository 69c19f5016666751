"""What every driver does: measure its figures several times, and write the result."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.shared.timing import figure, versions

WARM_UP_SECONDS = 0.5


@dataclass(frozen=True)
class Game:
    """A game of a peer.

    Attributes:
        name: as its library calls it.
        play: plays for so many seconds; returns decisions per second.
        observation: its dtype and shape.
        observation_bytes: per decision.
        actions: the size of the action space.
        by: how it is driven.
        batch: games at once.
        drawing: whether the figure counts the drawing of actions.
    """

    name: str
    play: Callable[[float], float]
    observation: str
    observation_bytes: int
    actions: int
    by: str
    batch: int = 1
    drawing: bool = True


def report(games: Callable[[], list[Game]], *libraries: str) -> None:
    """Measure the games as the command line says, and write the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found = []
    for game in games():
        game.play(min(WARM_UP_SECONDS, options.seconds))
        values = [game.play(options.seconds) for _ in range(options.runs)]
        facts = {name: value for name, value in vars(game).items() if name != "play"}
        found.append(facts | figure(values, "decisions/s"))
    # Plainly, as a peer's Python lacks what this package needs: whoever started it reads the file only if it ends well.
    options.out.write_text(json.dumps({"versions": versions(*libraries), "figures": found}))
