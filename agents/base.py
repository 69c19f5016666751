"""What a policy is: something that chooses an action for every row of a batch of decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np

from persian_rummy_env.core.arena import OUTSIDE
from persian_rummy_env.decisions import Batch
from persian_rummy_env.rules import RuleSet

__all__ = ["Batch", "Policy", "unknown"]


class Policy(ABC):
    """A player. One object plays any number of seats at any number of tables.

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


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that is none of the known ones: they are listed, and the likeliest is asked for."""
    names = list(known)
    close = get_close_matches(str(name), names, 1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"unknown {kind} {name!r}: {meant}known are {', '.join(names)}"
