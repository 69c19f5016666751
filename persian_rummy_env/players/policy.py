"""What a policy is: something that chooses an action for every row of a batch of decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..core.arena_kernels import OUTSIDE
from ..rules import RuleSet
from .policy_io import Batch, check_rules, name_of

__all__ = ["Batch", "Policy", "as_policy", "check_rules", "unknown"]


class Policy(ABC):
    """A player. One object plays any number of seats at any number of tables.

    An object that has ``act`` is enough wherever a policy is asked for: what else it lacks is as here, and its name
    that of its class (``as_policy``).

    One that draws from a distribution may also have ``probabilities(batch)``, (k, 547) floats, 0 where an action is
    illegal: the replay page shows them.

    Attributes:
        name: as it stands in tables of results.
        wants_views: whether ``Batch.views`` is to be filled in, for search.
        code: of a scripted bot that the compiled loop plays by itself; ``OUTSIDE`` for all others.
        rules: those that it was trained by, and plays by alone; None: it plays by any.
    """

    name: str
    wants_views: bool = False
    code: int = OUTSIDE
    rules: RuleSet | None = None

    @abstractmethod
    def act(self, batch: Batch) -> np.ndarray:
        """The action of every row: (k,) integers, each legal by its row of the mask."""


class _Stranger(Policy):
    """A policy that knows of no base class. What it has beyond the contract, such as ``probabilities``, is its own."""

    def __init__(self, player: Any) -> None:
        self.player = player
        self.name = name_of(player)
        self.wants_views = bool(getattr(player, "wants_views", Policy.wants_views))
        self.code = int(getattr(player, "code", Policy.code))
        self.rules = getattr(player, "rules", Policy.rules)

    def act(self, batch: Batch) -> np.ndarray:
        return self.player.act(batch)

    def __getattr__(self, name: str) -> Any:
        if name == "player":  # while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self.player, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Stranger) and other.player is self.player

    def __hash__(self) -> int:
        return id(self.player)


def as_policy(player: Any) -> Policy:
    """A player as a ``Policy``: itself, or with what it lacks of one.

    Raises:
        TypeError: it has no method ``act(batch)``.
    """
    if isinstance(player, Policy):
        return player
    if isinstance(player, type) or not callable(getattr(player, "act", None)):
        raise TypeError(f"policy {player!r}: expected an object with a method act(batch)")
    return _Stranger(player)


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that is none of the known ones: they are listed, and the likeliest is asked for."""
    names = list(known)
    close = get_close_matches(str(name), names, 1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"unknown {kind} {name!r}: {meant}known are {', '.join(names)}"
