"""What the tests of the AEC environment share: decks that bring about a situation, and play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from persian_rummy_env import encode_action
from persian_rummy_env.actions import DISCARD, DRAW, PASS
from persian_rummy_env.envs.aec import PersianRummyAEC
from tests.env.play import PACK

Choose = Callable[[np.ndarray, np.random.Generator], int]


def deck(first: str, stock: str = "", turned: str = "") -> list[str]:
    """A deck that gives ``first`` to the player left of the dealer, then these cards in the stock."""
    rest = list(PACK)
    for card in f"{first} {stock} {turned}".split():
        rest.remove(card)
    cards: list[str] = [""] * len(PACK)
    cards[0:28:4] = first.split()
    cards[29 : 29 + len(stock.split())] = stock.split()
    if turned:
        cards[28] = turned
    return [card or rest.pop(0) for card in cards]


OUT_AT_ONCE = deck("QC QD QH QS KC KD KH", stock="KS")
"""The first player draws, melds two sets of four and goes out."""
GOING_OUT = ("draw", "meld QC QD QH QS", "meld KC KD KH KS")


def play(env: PersianRummyAEC, *actions: str) -> PersianRummyAEC:
    """Play actions in notation."""
    for action in actions:
        env.step(encode_action(action))
    return env


def uniform(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def lively(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Take or meld where that can be done, more often than not."""
    best = np.flatnonzero(mask[: DISCARD.start])
    best = best[best > PASS.start]
    return int(rng.choice(best)) if len(best) and rng.random() < 0.7 else uniform(mask, rng)


def never_meld(mask: np.ndarray, rng: np.random.Generator) -> int:
    if mask[DRAW.start] or mask[PASS.start]:
        return DRAW.start if mask[DRAW.start] else PASS.start
    return highest(mask, rng)


def highest(mask: np.ndarray, rng: np.random.Generator) -> int:
    """The legal action of highest id: discards where that can be done."""
    return int(np.flatnonzero(mask)[-1])


def mask_of(env: Any) -> np.ndarray:
    """The mask of the agent to move."""
    return env.observe(env.agent_selection)["action_mask"]


def over(env: Any) -> bool:
    agent = env.agent_selection
    return env.terminations[agent] or env.truncations[agent]


def play_on(env: Any, rng: np.random.Generator, steps: int | None = None, choose: Choose = lively) -> list[int]:
    """Play to the end of the episode, or so many steps; what was played."""
    played: list[int] = []
    while not over(env) and (steps is None or len(played) < steps):
        played.append(choose(mask_of(env), rng))
        env.step(played[-1])
    return played


def leave(env: Any) -> list[str]:
    """Let the agents of a finished episode go; who went, in order."""
    gone = []
    while env.agents:
        gone.append(env.agent_selection)
        env.step(None)
    return gone


def trace(env: PersianRummyAEC, actions: Sequence[int]) -> list[tuple[Any, ...]]:
    """What each action leads to: who is to move, its mask and view, rewards, flags."""
    seen = []
    for action in actions:
        env.step(action)
        observation, reward, terminated, truncated, info = env.last()
        assert observation is not None
        shown = (observation["observation"].tobytes(), observation["action_mask"].tobytes(), env.state().tobytes())
        seen.append((env.agent_selection, *shown, reward, terminated, truncated, info, dict(env.rewards)))
    return seen
