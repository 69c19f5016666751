"""PettingZoo's gin rummy, through its AEC interface with the stock wrappers."""

# pyright: reportMissingImports=false
from __future__ import annotations

from pettingzoo.classic import gin_rummy_v4

from experiments.peers.report import Game, report
from experiments.speeds.loops import aec_decisions


def games() -> list[Game]:
    env = gin_rummy_v4.env()
    env.reset(seed=1)
    agent = env.agent_selection
    observation = env.last()[0]["observation"]
    return [
        Game(
            name="gin_rummy_v4",
            play=lambda seconds: aec_decisions(env, seconds),
            observation=f"{observation.dtype} {observation.shape}",
            observation_bytes=observation.nbytes,
            actions=int(env.action_space(agent).n),
            by="last(), a legal action of the mask, step()",
        )
    ]


if __name__ == "__main__":
    report(games, "pettingzoo", "rlcard", "gymnasium", "numpy")
