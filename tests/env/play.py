"""What the tests of the environment share: how much they play, positions on the engine, and play."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from persian_rummy_env import PersianRummyVecEnv, encode_action, encode_card
from persian_rummy_env.actions import ACTION_NAMES, legal_names
from persian_rummy_env.cards import CARD_NAMES, JOKER_NAME, NUM_CARDS, bits_of
from persian_rummy_env.core.compiler.jit import JIT
from persian_rummy_env.observation_bits import unpack_mask
from persian_rummy_env.state import DRAW_PHASE, NOBODY

SCALE = float(os.environ.get("PERSIAN_RUMMY_TEST_SCALE", "1"))
"""The share of random play that this run has time for."""
PACK = [*CARD_NAMES[:-1], *[JOKER_NAME] * 4]
COMPILED = JIT
Policy = Callable[[PersianRummyVecEnv, np.ndarray, np.random.Generator], int]


def scaled(number: int, least: int = 1) -> int:
    """So many, on the scale of this run."""
    return max(least, round(number * SCALE))


# Positions ------------------------------------------------------------------------------------------------------------


def position(
    hands: Mapping[int, str],
    *,
    pile: str = "2H",
    table: Sequence[tuple[int, str]] = (),
    stock: str | None = None,
    seat: int = 1,
    options: Mapping[str, Any] | None = None,
    **rules: Any,
) -> PersianRummyVecEnv:
    """One deal in which ``seat`` is to draw. Hands not named are empty; a stock not given is the rest of the pack.

    Most of these are no whole games (cards are missing, or the stock is larger than any), so ``set_state`` would refuse
    them: ``put`` them back.

    Args:
        table: (the seat that laid it, its cards) of each meld.
        options: options of the vector environment.
    """
    env = PersianRummyVecEnv(1, rules={"deals": 1, **rules}, **{"autoreset_mode": "DISABLED", **(options or {})})
    env.reset(seed=0)
    state = env.get_state()
    game = state[0]
    held = {other: hands.get(other, "").split() for other in range(4)}
    for other, cards in held.items():
        game["hand"][other] = bits_of(cards)
    _lay(game, table)
    turned = pile.split()
    game["pile"] = bits_of(turned)
    game["pile_size"] = len(turned)
    game["pile_card"][: len(turned)] = [encode_card(card) for card in turned]
    game["pile_seat"][: len(turned)] = NOBODY
    placed = [card for cards in held.values() for card in cards] + turned
    placed += [card for _, text in table for card in text.split()]
    rest = list(PACK)
    for card in placed:
        rest.remove(card)  # a ValueError here: a card lies in two places
    drawn = rest if stock is None else stock.split()
    game["stock_size"] = len(drawn)
    game["decks"][0, NUM_CARDS - len(drawn) :] = [encode_card(card) for card in drawn]
    game["seat"] = seat
    game["phase"] = DRAW_PHASE
    return put(env, state)


def put(env: Any, states: np.ndarray) -> Any:
    """Put records on the tables of a vector environment as they are, games or not; returns the environment."""
    env._batch.set_games_unchecked(states)
    env._guard.whole = True
    return env


def _lay(game: np.void, table: Sequence[tuple[int, str]]) -> None:
    laid: list[list[str]] = [[] for _ in range(4)]
    sets: list[str] = []
    runs: list[str] = []
    lows: list[str] = []
    for seat, text in table:
        cards = text.split()
        laid[seat] += cards
        if cards[0][0] == cards[1][0]:
            sets += cards
        else:
            runs += cards
            lows.append(cards[0])
    game["laid"] = [bits_of(cards) for cards in laid]
    game["sets"], game["runs"], game["run_low"] = bits_of(sets), bits_of(runs), bits_of(lows)


def play(env: PersianRummyVecEnv, *actions: str) -> PersianRummyVecEnv:
    """Play actions in notation in an environment of one lane."""
    for action in actions:
        env.step([encode_action(action)])
    return env


def legal(env: PersianRummyVecEnv) -> list[str]:
    """The legal actions of an environment of one lane, in notation, sorted."""
    return sorted(legal_names(unpack_mask(env.packed_mask[0])))


def laying(env: PersianRummyVecEnv) -> list[str]:
    """The legal actions without the discards."""
    return [action for action in legal(env) if not action.startswith("discard")]


def takes(env: PersianRummyVecEnv) -> list[str]:
    return [action for action in legal(env) if action.startswith("take")]


def game_of(env: PersianRummyVecEnv) -> np.void:
    """The state of an environment of one lane."""
    return env.get_state()[0]


def equal(states: np.ndarray, others: np.ndarray) -> bool:
    """Whether two arrays of states hold the same games. (Not by bytes: numpy leaves those after the last field.)"""
    return states.shape == others.shape and bool((states == others).all())


# Play -----------------------------------------------------------------------------------------------------------------


def uniform(env: PersianRummyVecEnv, mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def leaning(*verbs: str) -> Policy:
    """Nine times in ten an action of the first verb that any legal action has."""
    names = [np.array([name.startswith(verb) for name in ACTION_NAMES]) for verb in verbs]

    def choose(env: PersianRummyVecEnv, mask: np.ndarray, rng: np.random.Generator) -> int:
        if rng.random() < 0.9:
            for wanted in names:
                if (mask & wanted).any():
                    return uniform(env, mask & wanted, rng)
        return uniform(env, mask, rng)

    return choose


POLICIES: dict[str, Policy] = {
    "random": uniform,
    "always take": leaning("take", "meld", "layoff"),
    "never meld": leaning("draw", "pass", "discard"),
    "always meld": leaning("meld", "layoff", "take"),
}


def decisions(env: PersianRummyVecEnv, policy: Policy, seed: int) -> Iterator[tuple[np.void, int, Any]]:
    """Play an episode in an environment of one lane without autoreset: (state before, action, batch after) of each
    decision."""
    rng = np.random.default_rng(seed)
    shown = env.reset(seed=[seed])
    while not (shown.terminated[0] or shown.truncated[0]):
        before = game_of(env)
        action = policy(env, shown.action_mask[0], rng)
        shown = env.step(np.array([action]))
        yield before, action, shown


def play_all(env: PersianRummyVecEnv, steps: int) -> Iterator[Any]:
    """So many steps of sampled actions in every lane."""
    for _ in range(steps):
        yield env.step(env.sample_actions())


def everything(env: PersianRummyVecEnv) -> bytes:
    """The states, and the arrays that were handed out."""
    batch = env._result()
    return pickle.dumps([batch, *(env.get_state()[name].tolist() for name in env.get_state().dtype.names or ())])
