"""OpenSpiel's gin rummy, and its other card games with hidden hands, from Python.

The observation is written into one numpy array, the fastest way of the library; the legal actions are a list. Chance
nodes are sampled and not counted as decisions.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import random
from typing import Any

import pyspiel
from open_spiel.python.observation import make_observation

from experiments.peers.report import Game, report
from experiments.speeds.loops import for_a_while

OTHERS = ("crazy_eights", "dou_dizhu", "euchre", "go_fish", "hanabi", "hearts", "oh_hell", "skat", "spades")
"""Without the toy games of a few cards (Kuhn and Leduc poker, tiny bridge, tiny Hanabi)."""


def play(game: Any, seen: Any, seconds: float) -> float:
    """Random play of games in a row; ``seen`` is the observer that writes its tensor."""
    draw = random.Random(0).random
    state = game.new_initial_state()

    def decide() -> None:
        nonlocal state
        while state.is_chance_node():
            outcomes = state.legal_actions()
            state.apply_action(outcomes[int(draw() * len(outcomes))])
        if state.is_terminal():
            state = game.new_initial_state()
            decide()
            return
        seen.set_from(state, state.current_player())
        legal = state.legal_actions()
        state.apply_action(legal[int(draw() * len(legal))])

    return for_a_while(decide, seconds)


def entry(name: str) -> Game:
    game = pyspiel.load_game(name)
    kind = pyspiel.IIGObservationType(perfect_recall=not game.get_type().provides_observation_tensor)
    seen = make_observation(game, kind)
    return Game(
        name=name,
        play=lambda seconds: play(game, seen, seconds),
        observation=f"{seen.tensor.dtype} {seen.tensor.shape}",
        observation_bytes=seen.tensor.nbytes,
        actions=game.num_distinct_actions(),
        by="observer.set_from(), a legal action of the list, apply_action()",
    )


def games() -> list[Game]:
    """Gin rummy, and the fastest of the others, by the best of a few short trials of each."""
    others = [entry(name) for name in OTHERS]
    return [entry("gin_rummy"), max(others, key=lambda game: max(game.play(0.3) for _ in range(3)))]


if __name__ == "__main__":
    report(games, "open-spiel", "numpy")
