"""What a policy is: something that chooses an action for every row of a batch of decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from persian_rummy_env.core.arena import OUTSIDE
from persian_rummy_env.rules import RuleSet


class Batch(NamedTuple):
    """k decisions, each with what the seat to move sees and nothing else.

    Attributes:
        observation: (k, 1020) uint8 (``persian_rummy_env.observation.BLOCKS``).
        action_mask: (k, 547) int8, 1 where the action is legal; no row is empty.
        seat: (k,) int8, the absolute seat to move.
        lane: (k,) int64, which table of the match each row belongs to.
        views: (k,) STATE, each game as the seat to move knows it (``core.belief.hide``: what the seat cannot see is
            not in there), for policies that ask for it; None for the others.
    """

    observation: np.ndarray
    action_mask: np.ndarray
    seat: np.ndarray
    lane: np.ndarray
    views: np.ndarray | None = None


class Policy(ABC):
    """A player. One object plays any number of seats at any number of tables.

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


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that is none of the known ones: they are listed, and the likeliest is asked for."""
    names = list(known)
    close = get_close_matches(str(name), names, 1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"unknown {kind} {name!r}: {meant}known are {', '.join(names)}"
