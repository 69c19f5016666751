"""Making records of games that were played."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..actions import NUM_ACTIONS
from ..arguments import flag, is_whole, listed, positive, whole_number
from ..arrays import shown, whole_numbers
from ..cards import CARD_NAMES, Card, parse_deck
from ..core import arena_kernels, batch_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.replay_kernels import play_recorded
from ..envs.batch import GameBatch
from ..envs.options import Deals, Options
from ..players.load import load, split_specs
from ..players.policy import BasePolicy, as_policy, check_rules, loop_codes
from ..players.policy_io import choose
from ..rules import MAX_DEAL_DECISIONS, MAX_DEALS, NUM_SEATS, RuleSet, as_rules
from ..seeds import MAX_LANES, fresh_seed, game_seed, lane_seeds
from ..state import OVER, STATE, rules_of
from .record import DealRecord, Record, RecordError, build, dumps, records_file
from .replay import ACTION_IDS, NAMES_BY_ID, UNKNOWN, Replay, one_of, play, result_of

PLAYERS = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
"""Default names of the players of a record: the agents of the AEC environment."""
MAX_ACTIONS = MAX_DEALS * MAX_DEAL_DECISIONS
"""Upper bound of the actions of a game."""


def make_record(
    decks: Sequence[Sequence[Card]],
    dealer: int,
    actions: Sequence[str | int] | np.ndarray,
    *,
    rules: RuleSet | None = None,
    players: Sequence[str] = PLAYERS,
    seed: int | None = None,
    legal: bool = False,
) -> Record:
    """Make the record of a whole game from its decks and actions.

    Args:
        decks: one deck for each deal, 56 cards in notation or ids.
        dealer: the seat that deals first.
        actions: the actions of all deals in order, in notation or ids.
        rules: None for the default rules.
        players: four names, by seat.
        legal: include the legal actions before each action.

    Raises:
        ValueError: a deck that is not a full pack, another number of decks than deals, or not four names.
        RecordError: an illegal action, or a game that does not end with the last action.
    """
    rules = as_rules(rules)
    dealer = whole_number("dealer", dealer, 0, NUM_SEATS - 1, f"a seat 0..{NUM_SEATS - 1}")
    seed = None if seed is None else int(game_seed(seed))
    legal = flag("legal", legal)
    decks = listed("decks", decks, f"{rules.deals} decks, one a deal")
    players = listed("players", players, f"{NUM_SEATS} names, by seat")
    if len(decks) != rules.deals:
        raise ValueError(f"{len(decks)} decks for {rules.deals} deals: expected one a deal")
    if len(players) != NUM_SEATS or not all(isinstance(player, str) for player in players):
        raise ValueError(f"players={shown(players)}: expected {NUM_SEATS} names, by seat")
    parsed = np.stack([parse_deck(deck) for deck in decks])
    actions = listed("actions", actions, "a sequence of actions, in notation or ids")
    ids = [_id_of(number, action) for number, action in enumerate(actions)]
    again = play(rules, dealer, parsed, np.array(ids, dtype=np.int64))
    if again.played < len(ids) or again.finished[-1] != rules.deals:
        expected = one_of(again.legal_names(again.played, again.played + 1)[0] or ["no action: the game is over"])
        found = shown(actions[again.played]).strip("'") if again.played < len(ids) else "the end of the game"
        raise RecordError(f"actions[{again.played}]", f"expected {expected}; found {found}")
    deals: list[DealRecord] = []
    start = 0
    for number in range(rules.deals):
        stop = int(np.searchsorted(again.finished, number + 1))
        deals.append(_deal_record(parsed[number], again, start, stop, legal))
        start = stop
    return build(rules, players, seed, deals)


def _id_of(number: int, action: Any) -> int:
    """The id of an action that is given in notation or as an id; ``UNKNOWN`` if it names no action."""
    if isinstance(action, str):
        return ACTION_IDS.get(action, UNKNOWN)
    if not is_whole(action):
        raise TypeError(f"actions[{number}]={shown(action)}: expected an action in notation, or an id")
    return int(action) if 0 <= action < NUM_ACTIONS else UNKNOWN


def _deal_record(deck: np.ndarray, again: Replay, start: int, stop: int, legal: bool) -> DealRecord:
    out, score = result_of(again.states[stop])
    deal: DealRecord = {
        "dealer": int(again.states[start]["dealer"]),
        "deck": [CARD_NAMES[card] for card in deck.tolist()],
        "actions": NAMES_BY_ID[again.actions[start:stop]].tolist(),
        "out": out,
        "score": score,
    }
    if legal:
        deal["legal"] = again.legal_names(start, stop)
    return deal


def record_of(
    state: np.void,
    actions: Sequence[str | int] | np.ndarray,
    *,
    players: Sequence[str] = PLAYERS,
    seed: int | None = None,
    legal: bool = False,
) -> Record:
    """Make the record of a game that was played to its end in any environment.

    Args:
        state: STATE, the final state; it holds rules, dealer and decks.
        actions: all actions of the game, in notation or ids.

    Raises:
        RecordError: the actions do not lead to this final state.
    """
    state = _one_game(state)
    rules = rules_of(state)
    if int(state["phase"]) != OVER:
        raise ValueError("the game is not over: only a finished game has a record")
    first_dealer = (int(state["dealer"]) - int(state["deal"])) % NUM_SEATS
    decks = state["decks"][: rules.deals]
    record = make_record(decks, first_dealer, actions, rules=rules, players=players, seed=seed, legal=legal)
    if record["score"] != state["score"].tolist():
        raise RecordError("score", f"expected {state['score'].tolist()}; found {record['score']} by the actions given")
    return record


def _one_game(state: Any) -> np.void:
    if not isinstance(state, np.void) or state.dtype != STATE:
        raise TypeError(f"state={shown(state)}: expected one game, a record of STATE, such as env.final.state[0]")
    return state


class Recorder:
    """Collects the actions of a batch of games during play and makes the record of each game that ends.

    With the vector environment, starting at a reset::

        recorder = Recorder(env.num_envs)
        batch = env.reset(seed=1)
        while ...:
            actions = ...
            recorder.note(batch.seat, actions)
            batch = env.step(actions)
            for index, state in zip(env.final.env_index, env.final.state):
                record = recorder.finish(index, state)
    """

    def __init__(self, lanes: int) -> None:
        lanes = positive("lanes", lanes, MAX_LANES)
        self._actions = np.zeros((lanes, MAX_ACTIONS), dtype=np.int16)
        self._lengths = np.zeros(lanes, dtype=np.int64)

    def note(self, seat: np.ndarray, actions: np.ndarray) -> None:
        """Store the actions that are about to be played.

        Args:
            seat: (n,) the seats to move; negative where a game waits for a reset and its action is ignored.
            actions: (n,) ids.

        Raises:
            ValueError, TypeError: wrong shapes, values that are not seats or ids, or more actions than a game can
                have. Nothing is stored.
        """
        count = len(self._lengths)
        seat = whole_numbers("seat", seat, count, f"({count},) seats, negative where a lane waits")
        actions = whole_numbers("actions", actions, count, f"({count},) action ids, one a lane")
        lanes = np.flatnonzero(seat >= 0)
        wrong = lanes[(seat[lanes] >= NUM_SEATS) | (actions[lanes] < 0) | (actions[lanes] >= NUM_ACTIONS)]
        if len(wrong):
            lane = int(wrong[0])
            raise ValueError(
                f"lane {lane}: seat={seat[lane]}, actions={actions[lane]}: expected a seat below {NUM_SEATS} and an "
                f"action id 0..{NUM_ACTIONS - 1}"
            )
        full = lanes[self._lengths[lanes] >= MAX_ACTIONS]
        if len(full):
            raise ValueError(
                f"lane {full[0]}: {MAX_ACTIONS} actions noted, and no game has more: expected finish() when it ended"
            )
        self._actions[lanes, self._lengths[lanes]] = actions[lanes]
        self._lengths[lanes] += 1

    def finish(
        self,
        lane: int,
        state: np.void,
        *,
        players: Sequence[str] = PLAYERS,
        seed: int | None = None,
        legal: bool = False,
    ) -> Record | None:
        """Make the record of the game that ended at index ``lane``, and start collecting its next game.

        Args:
            lane: index of the game in the batch.
            state: its final state.
            players: four names, by seat.
            seed: the seed of the game, for the record.
            legal: include the legal actions before each action.

        Returns:
            None if the game was truncated or forfeited: only a finished game has a record.

        Raises:
            ValueError, TypeError: as ``record_of``, or ``lane`` is out of range. The stored actions stay.
        """
        lane = whole_number("lane", lane, 0, len(self._lengths) - 1)
        state = _one_game(state)
        record = None
        if int(state["phase"]) == OVER:
            actions = self._actions[lane, : self._lengths[lane]].copy()
            record = record_of(state, actions, players=players, seed=seed, legal=legal)
        self._lengths[lane] = 0
        return record


def simulate(
    games: int,
    seed: int,
    players: str | Sequence[Any],
    *,
    rules: RuleSet | None = None,
    legal: bool = False,
    batch_size: int = 256,
) -> Iterator[Record]:
    """Play games between policies and return their records one by one.

    Game ``k`` depends only on ``seed`` and ``k``, not on the number of games or the size of the batch. The seed in its
    record starts the same deals in every environment.

    Args:
        players: policies by name (``players.load.load``) or as objects: one for all seats, two for team 0 and team 1,
            or four by seat. A string is split at commas.
        legal: include the legal actions before each action.
        batch_size: games that are played, and held in memory, at a time.

    Raises:
        ValueError, TypeError, FileNotFoundError: a wrong argument; raised by the call itself.
        PolicyError: a policy fails; raised during the iteration (``policy_io.PolicyError``).
    """
    games, batch_size = whole_number("games", games, 0, MAX_LANES), positive("batch_size", batch_size, MAX_LANES)
    seed, legal = int(game_seed(seed)), flag("legal", legal)
    rules = as_rules(rules)
    return _simulate(games, seed, _lineup(players, rules), rules, legal, batch_size)


def record(
    players: str | Sequence[Any] = "greedy",
    games: int = 1,
    *,
    seed: int | None = None,
    rules: RuleSet | None = None,
    legal: bool = False,
    out: str | os.PathLike[str] | None = None,
) -> list[Record]:
    """Play games and return their records: ``record("champion,expert", 10, out="games.jsonl")``.

    Args:
        players: by name or as objects, as for ``simulate``.
        games: how many.
        seed: None draws a new seed.
        rules: None for the default.
        legal: write down the legal actions before each action.
        out: also write the records to this file, compressed if its name ends in ``.gz``.

    Raises:
        ValueError, TypeError, OSError: as ``simulate``, or the file cannot be written.
    """
    records = list(simulate(games, fresh_seed() if seed is None else seed, players, rules=rules, legal=legal))
    if out is not None:
        with records_file(out) as file:
            file.writelines(dumps(one) + "\n" for one in records)
    return records


def _lineup(players: str | Sequence[Any], rules: RuleSet) -> list[BasePolicy]:
    """The policies by seat."""
    expected = "expected bots or other policies, or their names: one, two (by team) or four (by seat)"
    several = players.ndim == 1 if isinstance(players, np.ndarray) else isinstance(players, Sequence)
    if not several or isinstance(players, bytes):
        raise TypeError(f"players={shown(players)}: {expected}")
    try:
        given = split_specs(players) if isinstance(players, str) else list(players)
    except ValueError as error:
        raise ValueError(f"{error}: {expected}") from None
    if len(given) not in (1, 2, NUM_SEATS):
        raise ValueError(f"{len(given)} players ({shown(given)}): {expected}")
    if not all(isinstance(one, str) or callable(getattr(one, "act", None)) for one in given):
        raise TypeError(f"players={shown(given)}: {expected}")
    loaded = {one: load(one) for one in given if isinstance(one, str)}
    policies = [loaded[one] if isinstance(one, str) else as_policy(one) for one in given]
    for policy in policies:
        check_rules(policy, rules)
    return [policies[seat % len(policies)] for seat in range(NUM_SEATS)]


def _simulate(
    games: int, seed: int, lineup: Sequence[BasePolicy], rules: RuleSet, legal: bool, batch_size: int
) -> Iterator[Record]:
    players = [policy.name for policy in lineup]
    seeds = lane_seeds(seed, 0)
    ensure_compiled("scripted players")
    for first in range(0, games, batch_size):
        if len(seeds) < min(first + batch_size, games):  # double, so that a million games need no million seeds first
            seeds = lane_seeds(seed, min(2 * (first + batch_size), games))
        batch_seeds = seeds[first : first + batch_size]
        for state, actions, one_seed in zip(*_play(batch_seeds, lineup, rules), batch_seeds.tolist(), strict=True):
            yield record_of(state, actions, players=players, seed=one_seed, legal=legal)


def _play(seeds: np.ndarray, lineup: Sequence[BasePolicy], rules: RuleSet) -> tuple[np.ndarray, list[np.ndarray]]:
    """The finished games of some seeds, and the actions of each. A policy that the compiled loop has to ask decides at
    once in all games in which it is to move."""
    lanes = len(seeds)
    batch = GameBatch(lanes, Options(rules), batch_kernels.DISABLED)
    batch.reset(np.ones(lanes, dtype=bool), seeds, Deals.parse(None, lanes, rules.deals))
    games = batch.games
    actions, lengths = np.zeros((lanes, MAX_ACTIONS), dtype=np.int16), np.zeros(lanes, dtype=np.int64)
    codes = np.tile(loop_codes(lineup), (lanes, 1))
    players = list(dict.fromkeys(lineup))
    player_at = np.array([players.index(policy) for policy in lineup])
    while True:
        play_recorded(games, codes, batch.legal, actions, lengths, 0, lanes)
        waiting = np.flatnonzero(games["phase"] != OVER)
        if not len(waiting):
            return games, [row[:length] for row, length in zip(actions, lengths, strict=True)]
        to_move = player_at[games["seat"][waiting]]
        for number in np.unique(to_move):
            chosen_lanes = waiting[to_move == number]
            chosen = choose(games[chosen_lanes], players[number])
            arena_kernels.play_lanes(games, chosen_lanes, chosen)
            actions[chosen_lanes, lengths[chosen_lanes]] = chosen
            lengths[chosen_lanes] += 1
