"""Persian Rummy for verifiers (``verifiers.v1``): a taskset of games, and the environment in which agents play them."""

from persian_rummy_v1.environment import PersianRummyEnv
from persian_rummy_v1.taskset import PersianRummyTaskset

__all__ = ["PersianRummyEnv", "PersianRummyTaskset"]
