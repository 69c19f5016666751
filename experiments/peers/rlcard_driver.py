"""RLCard's gin rummy. Its state holds the observation and a list of legal actions instead of a mask."""

# pyright: reportMissingImports=false
from __future__ import annotations

import random

import rlcard

from experiments.peers.report import Game, report
from experiments.speeds.loops import for_a_while


def games() -> list[Game]:
    env = rlcard.make("gin-rummy", config={"seed": 1})
    observation = env.reset()[0]["obs"]

    def play(seconds: float) -> float:
        choose = random.Random(0).choice
        state, _ = env.reset()

        def decide() -> None:
            nonlocal state
            state, _ = env.step(choose(list(state["legal_actions"])))
            if env.is_over():
                state, _ = env.reset()

        return for_a_while(decide, seconds)

    return [
        Game(
            name="gin-rummy",
            play=play,
            observation=f"{observation.dtype} {observation.shape}",
            observation_bytes=observation.nbytes,
            actions=env.num_actions,
            by="step(), a legal action of the state's list",
        )
    ]


if __name__ == "__main__":
    report(games, "rlcard", "numpy")
