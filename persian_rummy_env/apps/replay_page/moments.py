"""The moments of a game in a replay: before each action, and at the end of each deal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...actions import ACTION_NAMES
from ...cards import parse_deck
from ...records.record import Record
from ...records.replay import Replay, play, replay
from ...stored_rules import stored_rules


@dataclass(frozen=True)
class Moments:
    """A game of n actions and d deals as n + d moments: for each deal one moment more than it has actions.

    Attributes:
        states: (n + d,) STATE. At the end of a deal the next deal has not begun: table and hands are those at the end,
            and the phase is over.
        action: (n + d,) int64, the id of the next action; -1 at the end of a deal.
        legal: (n + d,) int64, the number of legal actions.
        starts: the index of the first moment of each deal.
    """

    states: np.ndarray
    action: np.ndarray
    legal: np.ndarray
    starts: list[int]

    @property
    def decisions(self) -> np.ndarray:
        """The indices of the moments with an action."""
        return np.flatnonzero(self.action >= 0)

    def recent(self, moment: int, most: int) -> list[tuple[int, str]]:
        """At most ``most`` last actions of the deal before a moment, oldest first, as (seat, notation)."""
        start = max(begin for begin in self.starts if begin <= moment)
        return [
            (int(self.states[index]["seat"]), ACTION_NAMES[self.action[index]])
            for index in range(max(start, moment - most), moment)
        ]


def moments_of(record: Record) -> Moments:
    """The moments of a record.

    Raises:
        RecordError: it is not well formed, or does not replay.
    """
    again = replay(record)
    count = again.action_mask.sum(axis=1, dtype=np.int64)
    states, actions, legal, starts = [], [], [], []
    first = 0
    for number, deal in enumerate(record["deals"]):
        stop = first + len(deal["actions"])
        starts.append(first + number)
        states += [again.states[first:stop], deal_end(record, again, number)]
        actions += [again.actions[first:stop], [-1]]
        legal += [count[first:stop], [0]]
        first = stop
    return Moments(np.concatenate(states), np.concatenate(actions), np.concatenate(legal), starts)


def deal_end(record: Record, again: Replay, number: int) -> np.ndarray:
    """The state at the end of a deal, (1,) STATE. The engine would deal the next deal at once, so the deals so far are
    replayed as a whole game, and the number of deals is corrected."""
    deals = record["deals"][: number + 1]
    rules = stored_rules(record["rules"])
    decks = np.stack([parse_deck(deal["deck"]) for deal in deals])
    actions = again.actions[: sum(len(deal["actions"]) for deal in deals)]
    end = play(replace(rules, deals=len(deals)), deals[0]["dealer"], decks, actions).states[-1:]
    end["deals"] = rules.deals
    end["ended"] = 1
    return end
