"""Games of the engine as plain states: the questions of the grader and the lines of the traces."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from persian_rummy_env import PersianRummyVecEnv, encode_action
from persian_rummy_env.actions import legal_names

from ..shared.lockstep import LINE_UPS, PLAYERS, Table, engine_facts, in_order, plan_of, stacked_deck
from .situations import PACK, State

WITHOUT_TWIN = tuple(name for name in LINE_UPS if name != "rarity-seeking")
"""Players that ask the engine alone."""
TRACE_SEEDS = 2**40
"""Added to the seed of traces, so that no graded game is among them."""


class Start(NamedTuple):
    """How a game begins: the arguments of ``initial``, and the state that it returns."""

    rules: dict[str, Any]
    dealer: int
    decks: list[list[str]]
    state: State


class Decision(NamedTuple):
    """A state, its legal actions in the order of their text, the action played, and the state after it."""

    state: State
    legal: list[str]
    action: str
    after: State


def game(base: int, number: int) -> Iterator[Start | Decision]:
    """Game ``number`` of a series: its start, then its decisions."""
    plan = plan_of(base, number, WITHOUT_TWIN)
    rng = random.Random(plan.seed)
    decks = [stacked_deck(rng) if plan.stacked else rng.sample(PACK, len(PACK)) for _ in range(plan.rules.deals)]
    engine = PersianRummyVecEnv(1, rules=plan.rules, autoreset_mode="DISABLED")
    shown = engine.reset(seed=[plan.seed], options={"decks": decks})
    table = Table(engine, None, [], rng)
    players = [PLAYERS[name] for name in LINE_UPS[plan.line_up]]
    finished: list[tuple[list[int], int | None]] = []
    fixed = {"rules": plan.rules.as_dict(), "decks": decks}
    state = _state(table.state, fixed, finished)
    yield Start(plan.rules.as_dict(), state["dealer"], decks, state)
    while not shown.terminated[0]:
        table.legal = sorted(legal_names(shown.action_mask[0]))
        action = players[state["seat"]](table)
        shown = engine.step(np.array([encode_action(action)]))
        after = _state(table.state, fixed, finished)
        yield Decision(state, table.legal, action, after)
        state = after


def games(seed: int) -> Iterator[Start | Decision]:
    """The games of a seed one after another, without end."""
    number = 0
    while True:
        yield from game(seed, number)
        number += 1


def traces(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """The lines of sample traces: starts and decisions of ``count`` games."""
    for number in range(count):
        for one in game(TRACE_SEEDS + seed, number):
            yield {"game": number, **one._asdict()}


def _state(record: np.void, fixed: dict[str, Any], finished: list[tuple[list[int], int | None]]) -> State:
    """A record of the engine as the page names it; ``finished`` gets the deals that have ended since."""
    facts = engine_facts(record)
    over = facts["phase"] == "over"
    if facts["deal"] > len(finished) or over:
        finished.append((facts["last score"], facts["out"]))
    ends = {"scores": [score for score, _ in finished], "outs": [out for _, out in finished]}
    if over:
        return {**fixed, "phase": "over", **ends}
    return {
        **fixed,
        **{name: facts[name] for name in ("deal", "dealer", "seat", "phase", "hands", "stock")},
        "pile": [card for card, _ in facts["pile"]],
        "sets": _sets(facts["sets"]),
        "runs": facts["runs"],
        **{name: facts[name] for name in ("points", "owed", "passes")},
        **ends,
    }


def _sets(cards: list[str]) -> list[list[str]]:
    """Cards of sets, set by set."""
    ranks: dict[str, list[str]] = {}
    for card in in_order(cards):
        ranks.setdefault(card if card == "JK" else card[0], []).append(card)
    return list(ranks.values())
