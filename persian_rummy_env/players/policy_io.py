"""Asking a policy: the decisions that it is shown, and playing what it answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..actions import NUM_ACTIONS, decode_action, legal_names
from ..arrays import plain, read_only
from ..core import arena_kernels, batch_kernels, belief_kernels, masks
from ..core.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..observation import SIZE
from ..rules import RULE_FIELDS, RuleSet
from ..state import STATE


class Batch(NamedTuple):
    """k decisions, each with what the seat to move sees and nothing else. No array can be written to.

    Attributes:
        observation: (k, 1020) uint8 (``persian_rummy_env.observation.BLOCKS``).
        action_mask: (k, 547) int8, 1 where the action is legal; no row is empty.
        seat: (k,) int8, the absolute seat to move.
        lane: (k,) int64, which table of the match each row belongs to.
        views: (k,) STATE, each game as the seat to move knows it (``core.belief_kernels.redact``: what the seat
            cannot see is not in there), for policies that ask for it; None for the others.
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
    belief_kernels.views_of(plain(games, STATE), plain(lanes, np.int64), plain(seats, np.int64), views)
    return views


def show(games: np.ndarray, lanes: np.ndarray, views: bool = False) -> Batch:
    """What the seats to move in some of the games see; with ``views``, as records too. It is for policies: nothing of
    it can be written to."""
    games, lanes = plain(games, STATE), plain(lanes, np.int64)
    observation = np.empty((len(lanes), SIZE), dtype=np.uint8)
    mask = np.empty((len(lanes), NUM_ACTIONS), dtype=np.int8)
    arena_kernels.show_lanes(games, lanes, observation.reshape(-1), mask.reshape(-1))
    seat = games["seat"][lanes].astype(np.int8)
    known = read_only(views_of(games, lanes, seat)) if views else None
    return Batch(read_only(observation), read_only(mask), read_only(seat), read_only(lanes.copy()), known)


class AnswerError(ValueError):
    """A policy answered with what it may not; the text names it."""


def name_of(policy: Any) -> str:
    """What a policy is called in messages and tables: its ``name``, or else that of its class."""
    return str(getattr(policy, "name", None) or type(policy).__name__)


def answer_of(policy: Any, games: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """The actions that a policy chooses for the seats to move in some of the games. Every way of asking one, at tables,
    in matches and elsewhere, goes through here; nothing is played.

    Args:
        policy: has ``act(batch)``; see ``persian_rummy_env.players.policy.Policy``.
        games: (n,) STATE; lanes: (k,) which of them.

    Returns:
        (k,) int64, each legal in its game, by the engine's own list and not by the mask that was handed out.

    Raises:
        AnswerError: it answered in another shape, or with an action that is not legal; the message names it. What the
            policy itself raises is left as it is.
    """
    rows = show(games, lanes, bool(getattr(policy, "wants_views", False)))
    answer = policy.act(rows)
    who, expected = f"policy {name_of(policy)}", f"expected integers ({len(lanes)},), an action for each row"
    try:
        actions = np.asarray(answer)
    except (TypeError, ValueError) as error:
        raise AnswerError(f"{who} answered a {type(answer).__name__} that is no array ({error}): {expected}") from error
    if actions.shape != (len(lanes),) or actions.dtype.kind not in "iu":
        raise AnswerError(f"{who} answered {actions.dtype} {actions.shape}: {expected}")
    words = np.empty((len(lanes), WORDS), dtype=np.uint64)
    batch_kernels.legal_words(games[lanes], words, 0, len(lanes))
    known = (actions >= 0) & (actions < NUM_ACTIONS)
    ids = np.where(known, actions, 0).astype(np.int64)
    legal = known & (words[np.arange(len(ids)), ids >> 6] >> (ids & 63).astype(np.uint64) & np.uint64(1)).astype(bool)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        action = int(actions[row])
        name = repr(decode_action(action)) if known[row] else f"an id outside 0..{NUM_ACTIONS - 1}"
        raise AnswerError(
            f"{who} chose action {action} ({name}) at seat {games['seat'][lanes[row]]}, which is not legal; "
            f"legal: {', '.join(legal_names(masks.unpack(words[row])))}"
        )
    return ids


def decide(games: np.ndarray, lanes: np.ndarray, policy: Any) -> None:
    """Let a policy decide once in some of the games.

    Args:
        games: (n,) STATE, changed in place, or left as they are where the policy's answer is refused.
        lanes: (k,) which of them.
        policy: as for ``answer_of``.

    Raises:
        AnswerError: as ``answer_of``.
    """
    arena_kernels.play_lanes(games, lanes, answer_of(policy, games, lanes))


def check_rules(policy: Any, rules: RuleSet) -> None:
    """A policy plays by the rules that it was trained by. How many deals a game has does not matter: it is trained, and
    plays, one deal after the other, and what it is shown says how many follow.

    Args:
        policy: one without ``rules``, or whose rules are None, plays by any.

    Raises:
        ValueError: these are others; the message names those that differ.
    """
    own = getattr(policy, "rules", None)
    if own is None:
        return
    other = [
        rule.name
        for rule in RULE_FIELDS
        if rule.name != "deals" and getattr(own, rule.name) != getattr(rules, rule.name)
    ]
    if other:
        trained, played = (", ".join(f"{name}={getattr(each, name)}" for name in other) for each in (own, rules))
        raise ValueError(f"policy {name_of(policy)} was trained by {trained}, and this game is played by {played}")
