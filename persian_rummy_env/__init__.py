"""Persian Rummy: a 2v2 card game with hidden hands as an environment for reinforcement learning.

Importing the package compiles nothing and imports neither numba nor torch; the faces load when they are first named.
It enters the faces into the registries of Gymnasium and, if that has one, PettingZoo.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .actions import NUM_ACTIONS, decode_action, encode_action
from .cards import decode_card, encode_card, parse_deck
from .registration import register
from .rules import RuleSet

if TYPE_CHECKING:
    from .aec_env import PersianRummyAEC, env, raw_env
    from .gym_env import PersianRummyGymEnv
    from .gym_vector_env import PersianRummyGymVectorEnv
    from .options import lane_seeds
    from .partners import draw_for_partners
    from .vector_env import PersianRummyVecEnv

__version__ = "0.1.0"

_LAZY = {
    "env": "aec_env",
    "raw_env": "aec_env",
    "PersianRummyAEC": "aec_env",
    "PersianRummyGymEnv": "gym_env",
    "PersianRummyGymVectorEnv": "gym_vector_env",
    "PersianRummyVecEnv": "vector_env",
    "draw_for_partners": "partners",
    "lane_seeds": "options",
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
    "parse_deck",
    "raw_env",
]

register()


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
