"""What a policy would play, without playing it: for tables where people sit, and for hints."""

from __future__ import annotations

import numpy as np

from ..core import batch_kernels, bot_kernels
from ..core.arena_kernels import OUTSIDE
from ..core.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..rules import NUM_SEATS
from .policy import Policy, as_policy
from .policy_io import AnswerError, answer_of


class PolicyError(RuntimeError):
    """A policy failed, or answered with what it may not; the text names it."""


def choose(games: np.ndarray, policy: Policy) -> np.ndarray:
    """The action that a policy chooses for the seat to move in every game.

    Args:
        games: (n,) STATE, none of them over. Bots draw from the sampling streams in them; nothing else changes.

    Returns:
        (n,) int64, each legal in its game.

    Raises:
        PolicyError: it raised an exception, or answered in another shape or with an action that is not legal.
    """
    ensure_compiled("scripted players")
    policy = as_policy(policy)
    if policy.code != OUTSIDE:
        words, actions = np.zeros((len(games), WORDS), dtype=np.uint64), np.zeros(len(games), dtype=np.int64)
        batch_kernels.legal_words(games, words, 0, len(games))
        codes = np.full((len(games), NUM_SEATS), policy.code, dtype=np.int8)
        bot_kernels.choose_many(games, words, codes, actions, 0, len(games))
        return actions
    try:
        return answer_of(policy, games, np.arange(len(games)))
    except AnswerError as error:
        raise PolicyError(str(error)) from error
    except Exception as error:
        raise PolicyError(f"policy {policy.name} failed: {type(error).__name__}: {error}") from error
