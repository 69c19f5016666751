"""What a policy would play, without playing it: for tables where people sit, and for hints."""

from __future__ import annotations

import numpy as np

from persian_rummy_env.actions import NUM_ACTIONS, decode_action, legal_names
from persian_rummy_env.core import batch, bots
from persian_rummy_env.core.arena import OUTSIDE
from persian_rummy_env.core.legal import WORDS
from persian_rummy_env.core.notice import ensure_compiled
from persian_rummy_env.rules import NUM_SEATS

from .arena import show
from .base import Policy


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
    if policy.code != OUTSIDE:
        words, actions = np.zeros((len(games), WORDS), dtype=np.uint64), np.zeros(len(games), dtype=np.int64)
        batch.legal_words(games, words, 0, len(games))
        codes = np.full((len(games), NUM_SEATS), policy.code, dtype=np.int8)
        bots.choose_many(games, words, codes, actions, 0, len(games))
        return actions
    rows = show(games, np.arange(len(games)), policy.wants_views)
    try:
        actions = np.asarray(policy.act(rows))
    except Exception as error:
        raise PolicyError(f"policy {policy.name} failed: {type(error).__name__}: {error}") from error
    if actions.shape != (len(games),) or actions.dtype.kind not in "iu":
        raise PolicyError(
            f"policy {policy.name} answered {actions.dtype} {actions.shape}: expected integers ({len(games)},)"
        )
    for row, action in enumerate(actions.tolist()):
        if not (0 <= action < NUM_ACTIONS and rows.action_mask[row, action]):
            name = repr(decode_action(action)) if 0 <= action < NUM_ACTIONS else "an id outside 0..546"
            raise PolicyError(
                f"policy {policy.name} chose action {action} ({name}), which is not legal; "
                f"legal: {', '.join(legal_names(rows.action_mask[row]))}"
            )
    return actions.astype(np.int64)
