"""Calls policies: makes the batch of decisions, checks the answer, and plays it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..actions import NUM_ACTIONS, decode_action, legal_names
from ..arguments import whole_number
from ..arrays import integers, plain, read_only, shown, whole_numbers
from ..core import arena_kernels, batch_kernels, belief_kernels, bot_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..observation import SIZE
from ..observation_bits import unpack_mask
from ..rules import NUM_SEATS
from ..state import OVER, STATE
from ..state_check import checked_states, state_records
from .policy import DecisionBatch, as_policy, name_of


class AnswerError(ValueError):
    """A policy gave an invalid answer; the message names the policy."""


class PolicyError(RuntimeError):
    """A policy failed or gave an invalid answer; the message names the policy."""

    @property
    def is_answer(self) -> bool:
        """Whether it gave an answer that is not allowed. Otherwise its code raised the exception that is the cause, and
        a command shows that with its traceback."""
        return isinstance(self.__cause__, AnswerError)


def views_of(games: np.ndarray, lanes: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Infostates as records: (k,) STATE in which the cards that a seat does not see are in the order of their index.

    Games that the seat cannot tell apart give the same record, so a search on it cannot use hidden cards. Hand sizes,
    known cards and all public fields are unchanged.

    Args:
        games: (n,) STATE.
        lanes: (k,) indices into it.
        seats: (k,) the seat that sees each.

    Raises:
        ValueError, TypeError: invalid records, indices or seats.
    """
    games = state_records(games)
    lanes = lanes_of(lanes, len(games))
    seats = _seats_of(seats, len(lanes))
    ensure_compiled("search")
    views = np.empty(len(lanes), dtype=STATE)
    belief_kernels.views_of(plain(games, STATE), lanes, seats, views)
    return views


def lanes_of(lanes: Any, count: int) -> np.ndarray:
    """Indices of ``count`` games: (k,) int64, ``plain``.

    Raises:
        TypeError: they are not integers.
        ValueError: another shape, or an index out of range.
    """
    expected = f"indices of games 0..{count - 1}, (k,)"
    indices = integers("lanes", lanes, expected)
    if indices.ndim != 1:
        raise ValueError(f"lanes of shape {indices.shape}: expected {expected}")
    if ((indices < 0) | (indices >= count)).any():
        raise ValueError(f"lanes={shown(indices)}: expected {expected}")
    return plain(indices, np.int64)


def _seats_of(seats: Any, count: int) -> np.ndarray:
    expected = f"{count} seats 0..{NUM_SEATS - 1}, one a row"
    seats = whole_numbers("seats", seats, count, expected)
    if ((seats < 0) | (seats >= NUM_SEATS)).any():
        raise ValueError(f"seats={shown(seats)}: expected {expected}")
    return seats


def sample_worlds(views: np.ndarray, seats: np.ndarray, worlds: int, rng: np.random.Generator) -> np.ndarray:
    """Sample determinizations ("worlds"): games that agree with everything that the seats know. Each arrangement of the
    unseen cards is equally likely.

    Known cards stay in their hands, hands keep their sizes, and the stock is in uniform order.

    Args:
        views: (k,) STATE, from ``views_of`` (or any game: its hidden cards are not read).
        seats: (k,) the seat that sees each.
        worlds: worlds for each view.
        rng: source of the samples.

    Returns:
        (k, worlds) STATE.

    Raises:
        ValueError, TypeError: invalid records, seats or number.
    """
    views = state_records(views)
    seats = _seats_of(seats, len(views))
    worlds = whole_number("worlds", worlds, 0)
    ensure_compiled("search")
    sampled = np.empty((len(views), worlds), dtype=STATE)
    seeds = rng.integers(0, 2**64, size=sampled.shape, dtype=np.uint64)
    belief_kernels.sample_worlds(plain(views, STATE), seats, seeds, sampled)
    return sampled


def show(games: np.ndarray, lanes: np.ndarray, views: bool = False) -> DecisionBatch:
    """The decisions of the seats to move in some of the games.

    Args:
        games: (n,) STATE.
        lanes: (k,) indices into it, of games that are not over.
        views: fill in ``DecisionBatch.views``.
    """
    games = plain(state_records(games), STATE)
    lanes = lanes_of(lanes, len(games))
    observation = np.empty((len(lanes), SIZE), dtype=np.uint8)
    legal = np.zeros((len(lanes), WORDS), dtype=np.uint64)
    arena_kernels.show_lanes(games, lanes, observation.reshape(-1), legal)
    seat = games["seat"][lanes].astype(np.int8)
    known = read_only(views_of(games, lanes, seat)) if views else None
    return DecisionBatch(read_only(observation), read_only(legal), read_only(seat), read_only(lanes.copy()), known)


def answer_of(policy: Any, games: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """The actions that a policy chooses for the seats to move in some of the games. Every caller of a policy goes
    through here; nothing is played.

    Args:
        policy: an object with ``act(batch)`` (``persian_rummy_env.players.policy.Policy``).
        games: (n,) STATE.
        lanes: (k,) indices into it.

    Returns:
        (k,) int64, each legal in its game.

    Raises:
        AnswerError: an answer of another shape or type, or an illegal action. Exceptions of the policy itself pass.
        ValueError, TypeError: invalid games or indices, or a game that is over.
    """
    games = plain(state_records(games), STATE)
    lanes = lanes_of(lanes, len(games))
    over = games["phase"][lanes] == OVER
    if over.any():
        raise ValueError(f"games[{lanes[over.argmax()]}] is over: expected games in which a seat is to move")
    decisions = show(games, lanes, bool(getattr(policy, "wants_views", False)))
    words = decisions.legal.copy()  # a policy that makes its arrays writable changes its own copy
    answer = policy.act(decisions)
    who, expected = f"policy {name_of(policy)}", f"expected integers ({len(lanes)},), an action for each row"
    try:
        actions = np.asarray(answer)
    except (TypeError, ValueError) as error:
        raise AnswerError(f"{who} answered a {type(answer).__name__} that is no array ({error}): {expected}") from error
    if actions.shape != (len(lanes),) or actions.dtype.kind not in "iu":
        raise AnswerError(f"{who} answered {actions.dtype} {actions.shape}: {expected}")
    known = (actions >= 0) & (actions < NUM_ACTIONS)
    ids = np.where(known, actions, 0).astype(np.int64)
    legal = known & (words[np.arange(len(ids)), ids >> 6] >> (ids & 63).astype(np.uint64) & np.uint64(1)).astype(bool)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        action = int(actions[row])
        name = repr(decode_action(action)) if known[row] else f"an id outside 0..{NUM_ACTIONS - 1}"
        raise AnswerError(
            f"{who} chose action {action} ({name}) at seat {games['seat'][lanes[row]]}, which is not legal; "
            f"legal: {', '.join(legal_names(unpack_mask(words[row])))}"
        )
    return ids


def decide(games: np.ndarray, lanes: np.ndarray, policy: Any) -> None:
    """Let a policy decide once in some of the games.

    Args:
        games: (n,) STATE, changed in place; unchanged if the answer is invalid.
        lanes: (k,) indices into it, none twice.
        policy: as for ``answer_of``.

    Raises:
        AnswerError, ValueError, TypeError: as ``answer_of``, and for games that cannot be written to.
    """
    games = state_records(games, change=True)
    lanes = lanes_of(lanes, len(games))
    if len(np.unique(lanes)) < len(lanes):
        raise ValueError(f"lanes={shown(lanes)}: expected no game twice")
    actions = answer_of(policy, games, lanes)
    playing = plain(games, STATE)
    arena_kernels.play_lanes(playing, lanes, actions)
    if playing is not games:  # a memory layout for which numba would compile again
        games[...] = playing


def play_asking(
    games: np.ndarray, policies: Sequence[Any], who: np.ndarray, codes: np.ndarray, decisions: np.ndarray
) -> None:
    """Play games to their end: bots and forced decisions in the compiled loop, others by a call for each batch.

    Args:
        games: (n,) STATE, changed in place; after an exception some of them are under way.
        policies: the players.
        who: (n, 4) int64, the index in ``policies`` of the player at each seat of each game.
        codes: (n, 4) int8, the code of that player (``policy.loop_codes``).
        decisions: (n,) int64, the number of decisions is added.

    Raises:
        AnswerError: as ``answer_of``.
    """
    while True:
        arena_kernels.advance(games, codes, decisions, 0, len(games))
        waiting = np.flatnonzero(games["phase"] != OVER)
        if not len(waiting):
            return
        player = who[waiting, games["seat"][waiting]]
        for index in np.unique(player):
            lanes = waiting[player == index]
            decide(games, lanes, policies[index])
        decisions[waiting] += 1


def choose(games: np.ndarray, policy: Any) -> np.ndarray:
    """The action that a policy chooses in every game, without playing it: for games that people play, and for hints.

    Args:
        games: (n,) STATE, none of them over; they are not changed. Bots draw from the sampling streams in them.

    Returns:
        (n,) int64, each legal in its game.

    Raises:
        PolicyError: it raised an exception, or answered with another shape or an illegal action.
        ValueError, TypeError: records that are not games, a game that is over, or an object that is not a policy.
    """
    ensure_compiled("scripted players")
    policy = as_policy(policy)
    games = checked_states(state_records(games), len(games))
    over = games["phase"] == OVER
    if over.any():
        raise ValueError(f"games[{int(over.argmax())}] is over: expected games in which a seat is to move")
    if policy.code != arena_kernels.OUTSIDE:
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
