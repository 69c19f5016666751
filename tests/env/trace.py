"""What the compiled code does, as digests of whole games: ``python -m tests.env.trace GAMES`` prints them as JSON.

Run with the compiler on, with bounds checked, or off, the digests must be the same.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable

import numpy as np

from persian_rummy_env import PersianRummyVecEnv, RuleSet
from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.core import bot_kernels as compiled_bots
from persian_rummy_env.records.replay import play
from persian_rummy_env.state import FIELDS

RULES = [
    {"quad_bonus": quads, "stock_out": stock, "deals": deals}
    for quads, stock, deals in (("any", "pass", 2), ("jacks", "end", 1), ("any", "end", 4), ("jacks", "pass", 1))
]
ENVIRONMENTS = [
    {},
    {"reward": "win", "autoreset_mode": "NEXT_STEP", "illegal_action": "forfeit"},
    {"reward_timing": "end", "episode": "deal", "autoreset_mode": "DISABLED", "max_decisions": 60},
    {"autoreset_mode": "SAME_STEP", "episode": "deal", "max_decisions": 150},
]


def add(digest: hashlib._Hash, arrays: Iterable[np.ndarray]) -> None:
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())


def states(games: np.ndarray) -> Iterable[np.ndarray]:
    return (games[field.name] for field in FIELDS)


def sampled(number: int) -> str:
    """A batch left to sampled actions, now and then with an illegal one where that is allowed."""
    options = ENVIRONMENTS[number % len(ENVIRONMENTS)]
    env = PersianRummyVecEnv(3, rules=RULES[number // len(ENVIRONMENTS) % len(RULES)], **options)
    digest = hashlib.sha256()
    rng = np.random.default_rng(number)
    add(digest, env.reset(seed=number))
    for step in range(250):
        actions = env.sample_actions(rng if step % 5 == 0 else None)
        if options.get("illegal_action") == "forfeit" and step % 70 == 69:
            actions[step % 3] = step * 2 - 140
        add(digest, env.step(actions))
        add(digest, [env.packed_mask, *states(env.get_state()), *env.final[:4], *states(env.final.state)])
        add(digest, [env.observe((np.arange(3) + step) % 4)])
    return digest.hexdigest()


def botted(number: int) -> str:
    """A game between bots, and the same game played again from its record."""
    names = list(BOTS)
    seats = [names[(number + seat * (1 + number % 2)) % len(names)] for seat in range(4)]
    rules = RULES[number % len(RULES)]
    env = PersianRummyVecEnv(1, rules=rules, autoreset_mode="DISABLED")
    shown = env.reset(seed=number)
    codes, actions, chosen = bot_codes(seats).reshape(1, 4), [], np.zeros(1, dtype=np.int64)
    digest = hashlib.sha256()
    dealer = int(env.get_state()[0]["dealer"])
    while not shown.terminated[0]:
        games = env.get_state()
        compiled_bots.choose_many(games, env.packed_mask, codes, chosen, 0, 1)
        env.set_state(games)  # the random bot draws from the record's sampling stream
        actions.append(int(chosen[0]))
        shown = env.step(chosen)
        add(digest, [chosen, *shown, *states(env.get_state())])
    decks = env.get_state()[0]["decks"][: rules["deals"]]
    again = play(RuleSet.from_dict(rules), dealer, decks, np.array(actions))
    assert again.played == len(actions)
    add(digest, [again.legal, *(part for part in states(again.states))])
    return digest.hexdigest()


def traces(games: int) -> dict[str, list[str]]:
    return {
        "sampled": [sampled(number) for number in range(games)],
        "bots": [botted(number) for number in range(games)],
    }


if __name__ == "__main__":
    json.dump(traces(int(sys.argv[1])), sys.stdout)
