"""Replays game records on the engine and verifies them.

A replay needs no random generator: decks, dealer and actions are enough, whatever program wrote the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..actions import ACTION_CARDS, ACTION_NAMES
from ..arguments import whole_number
from ..arrays import integers, whole_numbers
from ..cards import NUM_CARDS, cards_in, parse_deck
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.masks import WORDS
from ..core.replay_kernels import replay as play_again
from ..observation_bits import unpack_mask
from ..rules import MAX_DEAL_DECISIONS, MAX_DEALS, NUM_SEATS, RuleSet
from ..state import NOBODY, OVER, STATE, write_rules
from ..stored_rules import stored_rules
from ..system.escaping import shortened
from .record import LONGEST_MESSAGE, DealRecord, Line, Record, RecordError, check, scan

UNKNOWN = -1
"""Stands for an action id where a text names no action."""
MOST_PLAYED = MAX_DEALS * MAX_DEAL_DECISIONS + 1
"""Actions of a record that are replayed: one more than any game has, so that the last is illegal."""
ACTION_IDS = {name: action for action, name in enumerate(ACTION_NAMES)}
MOST_NAMED = 10
"""Missing or surplus legal actions that a message names."""
NAMES_BY_ID = np.array(ACTION_NAMES, dtype=object)


# Playing again --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Replay:
    """A replayed game, as arrays over its n actions.

    Attributes:
        actions: (n,) int64, the ids; ``UNKNOWN`` where the text names none.
        states: (n + 1,) STATE, the game before each action; the last one is the finished game. The dealing generator
            and the ``given`` flags differ from those of the original game.
        legal: (n + 1, 9) uint64, the legal actions before each action, packed (``observation_bits.unpack_mask``).
        played: number of actions that the engine has played: n, or the index of the first illegal action. States and
            rows after ``played`` are zeros.
    """

    actions: np.ndarray
    states: np.ndarray
    legal: np.ndarray
    played: int

    @cached_property
    def finished(self) -> np.ndarray:
        """Deals finished before each action: (played + 1,) int64."""
        states = self.states[: self.played + 1]
        return states["deal"].astype(np.int64) + (states["phase"] == OVER)

    @cached_property
    def action_mask(self) -> np.ndarray:
        """The legal actions before each action as (n + 1, 547) int8."""
        return unpack_mask(self.legal)

    def legal_names(self, start: int, stop: int) -> list[list[str]]:
        """The legal actions in notation, by id, before each of the actions ``start <= i < stop``."""
        rows, ids = np.nonzero(unpack_mask(self.legal[start:stop]))
        names = NAMES_BY_ID[ids].tolist()
        edges = np.searchsorted(rows, np.arange(stop - start + 1)).tolist()
        return [names[first:last] for first, last in pairwise(edges)]


def play(rules: RuleSet, dealer: int, decks: np.ndarray, actions: np.ndarray) -> Replay:
    """Play actions from given decks, up to the first illegal one.

    Args:
        dealer: the seat that deals first.
        decks: (deals, 56) uint8 card indices, one deck for each deal of the rules.
        actions: (n,) ids.

    Raises:
        ValueError, TypeError: arrays of another type or shape, a deck that is not the whole pack, or a dealer that is
            not a seat.
    """
    dealer = whole_number("dealer", dealer, 0, NUM_SEATS - 1)
    wanted = f"({rules.deals}, {NUM_CARDS}) card indices"
    decks = integers("decks", decks, wanted)
    if decks.shape != (rules.deals, NUM_CARDS):
        raise ValueError(f"decks of shape {decks.shape}: expected {wanted}")
    actions = integers("actions", actions if len(actions) else np.zeros(0, dtype=np.int64), "action ids, (n,)")
    actions = whole_numbers("actions", actions, actions.size, "action ids, (n,)")
    games = np.zeros(1, dtype=STATE)
    write_rules(games, rules)
    games["given"] = 2**rules.deals - 1
    games["decks"][0, : rules.deals] = _whole_packs(decks)
    legal = np.zeros((len(actions) + 1, WORDS), dtype=np.uint64)
    states = np.zeros(len(actions) + 1, dtype=STATE)
    ensure_compiled("game records")
    played = play_again(games, dealer, actions, legal, states)
    return Replay(actions, states, legal, played)


def _whole_packs(decks: np.ndarray) -> list[np.ndarray]:
    """Decks that hold the whole pack each; compiled code would read past its arrays for a card that is none."""
    parsed = []
    for number, deck in enumerate(decks):
        try:
            parsed.append(parse_deck(deck.tolist()))
        except ValueError as error:
            raise ValueError(f"decks[{number}]: {error}") from None
    return parsed


def _play_record(record: Record) -> Replay:
    deals = record["deals"]
    texts = [text for deal in deals for text in deal["actions"][:MOST_PLAYED]][:MOST_PLAYED]
    return play(
        stored_rules(record["rules"]),
        deals[0]["dealer"],
        np.stack([parse_deck(deal["deck"]) for deal in deals]),
        np.array([ACTION_IDS.get(text, UNKNOWN) for text in texts], dtype=np.int64),
    )


def replay(record: Record) -> Replay:
    """Replay a record: every state, and its legal actions.

    Raises:
        RecordError: the record is not well formed, or the engine disagrees with it; the message names the first place.
    """
    again = _play_record(check(record))
    difference = _first_difference(record, again)
    if difference is not None:
        raise RecordError(difference.place, difference.fault)
    return again


# Verifying ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """The first place where a record and the engine disagree.

    Attributes:
        field: in the record, such as ``deals[0].actions[17]``.
        expected: the value of the engine.
        found: the value in the record.
        deal: index of the deal, from 0; None if the difference is in the game as a whole.
        action: index of the action in its deal, from 0; None if the difference is in no single action.
    """

    field: str
    expected: str
    found: str
    deal: int | None = None
    action: int | None = None

    @property
    def place(self) -> str:
        """The place in words, counted from 1, and as the field of the record, counted from 0."""
        if self.deal is None:
            return self.field
        action = "" if self.action is None else f", action {self.action + 1}"
        return f"deal {self.deal + 1}{action} ({self.field})"

    @property
    def fault(self) -> str:
        return f"expected {self.expected}; found {self.found}"

    def __str__(self) -> str:
        return shortened(f"{self.place}: {self.fault}", LONGEST_MESSAGE)


class Verdict(NamedTuple):
    """The result for a line of a file: its number from 1, and its fault or None."""

    line: int
    fault: RecordError | Difference | None

    def __str__(self) -> str:
        if isinstance(self.fault, RecordError):
            return str(self.fault)
        return f"line {self.line}, {self.fault}" if self.fault else f"line {self.line}: no difference"


def verify(record: Record) -> Difference | None:
    """The first difference between a record and its replay: in actions, legal actions, ``out``, scores or dealers.

    Raises:
        RecordError: the record is not well formed.
    """
    check(record)
    return _first_difference(record, _play_record(record))


def verify_lines(lines: Iterable[str | bytes]) -> Iterator[Verdict]:
    """A verdict on each line that is not blank."""
    for line in scan(lines):
        yield verdict_on(line)


def verdict_on(line: Line) -> Verdict:
    """The verdict on a line of a file."""
    if line.record is None:
        return Verdict(line.number, line.error)
    return Verdict(line.number, _first_difference(line.record, _play_record(line.record)))


def _first_difference(record: Record, again: Replay) -> Difference | None:
    start = 0
    for number, deal in enumerate(record["deals"]):
        # All earlier deals ended where the record says.
        dealer = int(again.states[start]["dealer"])
        if deal["dealer"] != dealer:
            return Difference(f"deals[{number}].dealer", str(dealer), str(deal["dealer"]), number)
        difference = _in_actions(number, deal, again, start) or _at_end(number, deal, again, start)
        if difference is not None:
            return difference
        start += len(deal["actions"])
    total = again.states[start]["score"].tolist()
    return None if total == record["score"] else Difference("score", str(total), str(record["score"]))


def _in_actions(number: int, deal: DealRecord, again: Replay, start: int) -> Difference | None:
    """The first action of a deal that is illegal on the engine, or whose list of legal actions differs."""
    stop = start + len(deal["actions"])
    reached = min(stop, again.played + 1)
    after_end = np.flatnonzero(again.finished[start:reached] != number)
    compared = reached if len(after_end) == 0 else start + int(after_end[0])
    if "legal" in deal:
        for index, legal in enumerate(again.legal_names(start, compared)):
            difference = _in_legal(legal, deal["legal"][index])
            if difference is not None:
                return Difference(f"deals[{number}].legal[{index}]", *difference, deal=number, action=index)
    index = compared - start
    if len(after_end) > 0:
        expected = f"no action: the deal ended with action {index}"
    elif again.played < stop:
        index = again.played - start
        expected = one_of(again.legal_names(again.played, again.played + 1)[0])
    else:
        return None
    found = shortened(deal["actions"][index], 60)
    return Difference(f"deals[{number}].actions[{index}]", expected, found, number, index)


def _in_legal(expected: list[str], found: list[str]) -> tuple[str, str] | None:
    """The legal actions of the engine, and what the list of a record lacks or adds; None if they are the same set."""
    if expected == found:
        return None
    wanted, listed = Counter(expected), Counter(found)
    words = [f"without {name}" for name in wanted - listed]
    words += [f"with {shortened(name, 60)}" for name in listed - wanted]
    if len(words) > MOST_NAMED:
        words[MOST_NAMED:] = [f"and {len(words) - MOST_NAMED} more"]
    return (", ".join(expected), f"a list {', '.join(words)}") if words else None


def _at_end(number: int, deal: DealRecord, again: Replay, start: int) -> Difference | None:
    """The first difference at the end of a deal whose actions were all played."""
    stop = start + len(deal["actions"])
    if again.finished[stop] != number + 1:
        index = stop - start
        expected = one_of(again.legal_names(stop, stop + 1)[0])
        return Difference(f"deals[{number}].actions[{index}]", expected, "the end of the deal", number, index)
    out, score = result_of(again.states[stop])
    if deal["out"] != out:
        return Difference(f"deals[{number}].out", _seat_or_null(out), _seat_or_null(deal["out"]), number)
    if deal["score"] != score:
        return Difference(f"deals[{number}].score", str(score), str(deal["score"]), number)
    return None


def last_hands(before: np.void, action: int) -> tuple[tuple[str, ...], ...]:
    """The cards left in each hand at the end of a deal, by seat, in notation and in order.

    ``apply`` deals the next deal within the last action, so the hands are computed from the state before it.

    Args:
        before: one STATE, before the last action of the deal.
        action: the id of that action.
    """
    hands = [int(hand) for hand in before["hand"]]
    cards = cards_in(hands[int(before["seat"])])
    for card in cards_in(ACTION_CARDS[action]):
        cards.remove(card)
    return tuple(
        tuple(cards) if seat == int(before["seat"]) else tuple(cards_in(hand)) for seat, hand in enumerate(hands)
    )


def result_of(state: np.void) -> tuple[int | None, list[int]]:
    """The seat that went out in the deal that finished last (None: nobody), and the score of that deal by team."""
    out = int(state["out"])
    return None if out == NOBODY else out, state["last_score"].tolist()


def _seat_or_null(seat: int | None) -> str:
    return "null" if seat is None else str(seat)


def one_of(legal: list[str]) -> str:
    return legal[0] if len(legal) == 1 else f"one of {', '.join(legal)}"
