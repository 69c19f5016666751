"""Persian Rummy: a 2v2 card game with hidden hands as an environment for reinforcement learning.

Importing the package compiles nothing and imports neither numba nor torch; an environment is loaded on first use. The
import registers the environments with Gymnasium and, if it has a registry, PettingZoo.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .actions import NUM_ACTIONS, decode_action, encode_action
from .cards import decode_card, encode_card, parse_deck
from .envs.registration import register
from .rules import RuleSet
from .version import __version__ as __version__

if TYPE_CHECKING:
    from .envs.aec import PersianRummyAEC, env, raw_env
    from .envs.gym import PersianRummyGymEnv
    from .envs.gym_vector import PersianRummyGymVectorEnv
    from .envs.vector import PersianRummyVecEnv
    from .evaluation.match import match
    from .partners import draw_for_partners
    from .players.load import load
    from .records.recorder import record
    from .seeds import lane_seeds


_LAZY = {
    "env": "envs.aec",
    "raw_env": "envs.aec",
    "PersianRummyAEC": "envs.aec",
    "PersianRummyGymEnv": "envs.gym",
    "PersianRummyGymVectorEnv": "envs.gym_vector",
    "PersianRummyVecEnv": "envs.vector",
    "draw_for_partners": "partners",
    "lane_seeds": "seeds",
    "load": "players.load",
    "match": "evaluation.match",
    "record": "records.recorder",
}

__all__ = [
    "NUM_ACTIONS",
    "PersianRummyAEC",
    "PersianRummyGymEnv",
    "PersianRummyGymVectorEnv",
    "PersianRummyVecEnv",
    "RuleSet",
    "decode_action",
    "decode_card",
    "draw_for_partners",
    "encode_action",
    "encode_card",
    "env",
    "lane_seeds",
    "load",
    "match",
    "parse_deck",
    "raw_env",
    "record",
]

register()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
