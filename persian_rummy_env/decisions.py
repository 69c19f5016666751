"""Asking a policy: the decisions that it is shown, and playing what it answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .actions import NUM_ACTIONS, decode_action, legal_names
from .core import arena, belief
from .core.notice import ensure_compiled
from .observation import SIZE
from .state import STATE


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


def views_of(games: np.ndarray, lanes: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Games as seats know them: (k,) STATE in which the cards a seat does not see lie in the order of their index.

    Whatever the truth is, what looks alike to the seat gives the same record, so that a search which is handed this
    cannot cheat. Hand sizes, known cards and everything public are as they were.

    Args:
        games: (n,) STATE; lanes: (k,) which of them; seats: (k,) who looks.
    """
    ensure_compiled("search")
    views = np.empty(len(lanes), dtype=STATE)
    belief.views_of(games, lanes.astype(np.int64), seats.astype(np.int64), views)
    return views


def show(games: np.ndarray, lanes: np.ndarray, views: bool = False) -> Batch:
    """What the seats to move in some of the games see; with ``views``, as records too."""
    observation = np.empty((len(lanes), SIZE), dtype=np.uint8)
    mask = np.empty((len(lanes), NUM_ACTIONS), dtype=np.int8)
    arena.show_lanes(games, lanes, observation.reshape(-1), mask.reshape(-1))
    seat = games["seat"][lanes].astype(np.int8)
    return Batch(observation, mask, seat, lanes, views_of(games, lanes, seat) if views else None)


def decide(games: np.ndarray, lanes: np.ndarray, policy: Any) -> None:
    """Let a policy decide once in some of the games.

    Args:
        games: (n,) STATE, changed in place; lanes: (k,) which of them.
        policy: has ``act(batch)``; see ``agents.base.Policy``.

    Raises:
        ValueError: it chose an illegal action, or answered in another shape; the message names it.
    """
    rows = show(games, lanes, getattr(policy, "wants_views", False))
    who = getattr(policy, "name", type(policy).__name__)
    actions = np.asarray(policy.act(rows))
    if actions.shape != (len(lanes),) or actions.dtype.kind not in "iu":
        raise ValueError(f"policy {who} answered {actions.dtype} {actions.shape}: expected integers ({len(lanes)},)")
    refused = arena.play_lanes(games, lanes, actions.astype(np.int64))
    if refused >= 0:
        action = int(actions[refused])
        name = repr(decode_action(action)) if 0 <= action < NUM_ACTIONS else "an id outside 0..546"
        raise ValueError(
            f"policy {who} chose action {action} ({name}) at seat {rows.seat[refused]}, which is not legal; "
            f"legal: {', '.join(legal_names(rows.action_mask[refused]))}"
        )
