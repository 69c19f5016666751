"""What the weights of the expert bot make of legal actions, for search to lean on while it has seen few worlds."""

from __future__ import annotations

import numpy as np

from persian_rummy_env.actions import DRAW, NUM_ACTIONS
from persian_rummy_env.core import expert, warm_up
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, NUM_FEATURES
from persian_rummy_env.core.notice import ensure_compiled

PART = "prior of search"


def worth_of(views: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """The expert's weighted sum of features of every legal action: (k, 547) float64, 0 where illegal.

    Only differences between the actions of a decision mean something; they are about points of margin.

    Args:
        views: (k,) STATE, as the seat to move knows it.
        legal: (k, 547) bool.
    """
    ensure_compiled(PART)
    rows, actions = np.nonzero(legal)
    terms = np.empty((len(rows), NUM_FEATURES))
    expert.features_of(views, rows, actions, terms)
    worth = np.zeros((len(views), NUM_ACTIONS))
    worth[rows, actions] = (terms * EXPERT_WEIGHTS).sum(axis=1)  # no matrix product: its last bits hang on the batch
    return worth


def compile_prior() -> None:
    """Compile what ``worth_of`` calls, by one action of one game."""
    row = np.zeros(1, dtype=np.int64)
    expert.features_of(warm_up.new_game(), row, row + DRAW.start, np.empty((1, NUM_FEATURES)))


warm_up.PARTS.setdefault(PART, compile_prior)
