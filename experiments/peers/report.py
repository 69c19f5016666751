"""Shared by all drivers: measure the figures several times, and write the result."""

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
        name: name in its library.
        play: plays for a number of seconds; returns decisions per second.
        observation: its dtype and shape.
        observation_bytes: bytes of an observation.
        actions: size of the action space.
        by: the interface that drives it.
        batch: games at once.
        drawing: whether the figure includes the draws of actions.
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
    """Measure the games with the options of the command line, and write the figures as JSON."""
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
    # Not atomic, because a peer's Python lacks this package; the caller reads the file only if the driver succeeds.
    options.out.write_text(json.dumps({"versions": versions(*libraries), "figures": found}))
