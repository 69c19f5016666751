"""Statistics of games: length of deals, going out, points by source, takes from the pile.

``deals_of`` counts one record; a ``Summary`` adds records up. All counts are by seat. The points of a deal by source,
added over the two seats of a team, equal the score of the team in that deal (rules R46 to R51).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..actions import (
    ACTION_CARDS,
    ACTION_POINTS,
    DRAW,
    LAYOFF_JOKER,
    LAYOFF_SET,
    MELD_JOKERS,
    MELD_RUN,
    MELD_SET,
    NUM_ACTIONS,
    PASS,
    TAKE,
)
from ..cards import CARD_VALUES, encode_card
from ..drawing.contents import cards_of
from ..rules import NUM_SEATS, OUT_BONUS
from ..system.escaping import shortened
from .record import Record
from .replay import Replay, last_hands, replay

FORMAT = "persian-rummy-stats/1"
SOURCES = ("sets", "runs", "lay-offs", "quads", "going out", "left in hand")
"""Sources of points: the cards of melded sets and of melded runs, cards laid off, the extra value of a set of four
melded at once, the bonus for going out, and the cards left in the hand (at most 0)."""
QUADS, GOING_OUT, LEFT = (SOURCES.index(name) for name in ("quads", "going out", "left in hand"))

ACTION_VALUE = np.array([sum(int(CARD_VALUES[card]) for card in cards_of(cards)) for cards in ACTION_CARDS])
"""(547,) int64: the value of the cards that leave the hand by each action, discards included and sets of four once."""


def _source_of_action() -> np.ndarray:
    """(547,) int64: the index in ``SOURCES`` of the cards that an action lays, or -1."""
    source = np.full(NUM_ACTIONS, -1)
    source[MELD_SET.start : MELD_JOKERS.stop] = SOURCES.index("sets")
    source[MELD_RUN.start : MELD_RUN.stop] = SOURCES.index("runs")
    source[LAYOFF_SET.start : LAYOFF_JOKER.stop] = SOURCES.index("lay-offs")
    return source


ACTION_SOURCE = _source_of_action()


class SeatCount(NamedTuple):
    """What one seat did in one deal.

    Attributes:
        points: points by ``SOURCES``.
        draws: turns that began with a card of the stock.
        passes: turns that were a pass.
        takes: for each take from the pile, the number of cards taken; 1 is the top card alone.
        out: whether the seat went out.
    """

    points: tuple[int, ...]
    draws: int
    passes: int
    takes: tuple[int, ...]
    out: bool


class DealCount(NamedTuple):
    """One deal: its turns and decisions, and what each of the four seats did."""

    turns: int
    decisions: int
    seats: tuple[SeatCount, ...]


def deals_of(record: Record) -> list[DealCount]:
    """The counts of each deal of a game.

    Raises:
        RecordError: the record is not well formed, or does not replay.
    """
    again = replay(record)
    counts, start = [], 0
    for deal in record["deals"]:
        stop = start + len(deal["actions"])
        seats = tuple(_seat(again, start, stop, seat, deal["out"] == seat) for seat in range(NUM_SEATS))
        turns = sum(seat.draws + seat.passes + len(seat.takes) for seat in seats)
        counts.append(DealCount(turns, stop - start, seats))
        start = stop
    return counts


def _seat(again: Replay, start: int, stop: int, seat: int, out: bool) -> SeatCount:
    mine = start + np.flatnonzero(again.states["seat"][start:stop] == seat)
    actions = again.actions[mine]
    value, source = ACTION_VALUE[actions], ACTION_SOURCE[actions]
    points = [int(value[source == index].sum()) for index in range(len(SOURCES))]
    earned = ACTION_POINTS[int(again.states[start]["quad_jacks"])][actions].astype(np.int64)
    points[QUADS] = int((earned - value)[source >= 0].sum())
    points[GOING_OUT] = OUT_BONUS if out else 0
    left = last_hands(again.states[stop - 1], int(again.actions[stop - 1]))[seat]
    points[LEFT] = -sum(int(CARD_VALUES[encode_card(card)]) for card in left)
    takes = mine[(actions >= TAKE.start) & (actions < TAKE.stop)]
    sizes = again.states["pile_size"].astype(np.int64)
    return SeatCount(
        points=tuple(points),
        draws=int((actions == DRAW.start).sum()),
        passes=int((actions == PASS.start).sum()),
        takes=tuple((sizes[takes] - sizes[takes + 1]).tolist()),
        out=out,
    )


# Sums -----------------------------------------------------------------------------------------------------------------


@dataclass
class Group:
    """Sums over ``seat_deals``, the pairs of a seat and a deal: four for each deal if all seats are counted."""

    seat_deals: int = 0
    outs: int = 0
    points: list[int] = field(default_factory=lambda: [0] * len(SOURCES))
    draws: int = 0
    passes: int = 0
    takes: Counter[int] = field(default_factory=Counter)

    def add(self, seat: SeatCount) -> None:
        self.seat_deals += 1
        self.outs += seat.out
        self.points = [total + points for total, points in zip(self.points, seat.points, strict=True)]
        self.draws += seat.draws
        self.passes += seat.passes
        self.takes.update(seat.takes)

    @property
    def turns(self) -> int:
        return self.draws + self.passes + self.takes.total()

    @property
    def points_a_deal(self) -> list[float]:
        """Mean points per deal of a seat, by ``SOURCES``."""
        return [points / self.seat_deals for points in self.points]

    def as_dict(self) -> dict[str, Any]:
        return {
            "seat_deals": self.seat_deals,
            "outs": self.outs,
            "points": dict(zip(SOURCES, self.points, strict=True)),
            "turns": {"draw": self.draws, "take": self.takes.total(), "pass": self.passes},
            "takes_by_depth": {str(depth): count for depth, count in sorted(self.takes.items())},
        }


@dataclass
class Summary:
    """Sums over games. ``turns`` and ``decisions`` count deals by their length.

    ``policies`` has a group for each player name, without the default names ``player_0`` to ``player_3``.
    """

    games: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    decisions: Counter[int] = field(default_factory=Counter)
    outs: int = 0
    everyone: Group = field(default_factory=Group)
    seats: list[Group] = field(default_factory=lambda: [Group() for _ in range(NUM_SEATS)])
    policies: dict[str, Group] = field(default_factory=dict)

    @property
    def deals(self) -> int:
        return self.turns.total()

    def add(self, record: Record) -> None:
        """Add a game. A game that raises changes nothing.

        Raises:
            RecordError: the record is not well formed, or does not replay.
        """
        deals = deals_of(record)
        self.games += 1
        for deal in deals:
            self.turns[deal.turns] += 1
            self.decisions[deal.decisions] += 1
            self.outs += any(seat.out for seat in deal.seats)
            for number, (seat, name) in enumerate(zip(deal.seats, record["players"], strict=True)):
                self.everyone.add(seat)
                self.seats[number].add(seat)
                if name != f"player_{number}":
                    self.policies.setdefault(name, Group()).add(seat)

    def groups(self) -> list[tuple[str, Group]]:
        """The groups with their labels: all seats, each seat, each policy by name."""
        rows = [(ALL_SEATS, self.everyone), *((SEATS[number], group) for number, group in enumerate(self.seats))]
        return rows + [(label(name), self.policies[name]) for name in sorted(self.policies)]

    def as_dict(self) -> dict[str, Any]:
        """The sums as whole numbers of JSON types; every mean and share can be computed from them."""
        return {
            "format": FORMAT,
            "games": self.games,
            "deals": self.deals,
            "deals_with_an_out": self.outs,
            "deals_by_turns": {str(length): count for length, count in sorted(self.turns.items())},
            "deals_by_decisions": {str(length): count for length, count in sorted(self.decisions.items())},
            "all": self.everyone.as_dict(),
            "seats": [group.as_dict() for group in self.seats],
            "policies": {name: self.policies[name].as_dict() for name in sorted(self.policies)},
        }


ALL_SEATS = "all seats"
SEATS = tuple(f"seat {number}" for number in range(NUM_SEATS))
LONGEST_LABEL = 40


def label(name: str) -> str:
    """The label of a player in a table. A name that is blank, or equal to another row's label, is put in quotes."""
    seen = shortened(name, LONGEST_LABEL)
    plain = seen.strip()
    return f'"{seen}"' if plain != seen or not plain or plain.lower() in (ALL_SEATS, *SEATS) else seen


# Tables ---------------------------------------------------------------------------------------------------------------

DEPTHS = ((1, 1), (2, 2), (3, 3), (4, 5), (6, 9), (10, 28))
"""The columns of the table of takes: numbers of cards taken, from and to."""
DEPTH_NAMES = tuple(str(low) if low == high else f"{low}-{high}" for low, high in DEPTHS)


def taken_by_depth(group: Group) -> list[float]:
    """Takes per 100 turns, by ``DEPTHS``."""
    counts = [sum(count for depth, count in group.takes.items() if low <= depth <= high) for low, high in DEPTHS]
    return [100 * count / max(group.turns, 1) for count in counts]


def tables(summary: Summary) -> str:
    """The summary as text tables, each line with its line end. The summary must have at least one game."""
    groups = summary.groups()
    games, deals = counted(summary.games, "game"), counted(summary.deals, "deal")
    lengths = [("turns", _spread(summary.turns)), ("decisions", _spread(summary.decisions))]
    points = [(name, [*(means := group.points_a_deal), sum(means)]) for name, group in groups]
    turns = [(name, [*_began(group), *taken_by_depth(group)]) for name, group in groups]
    outs = [(name, [group.seat_deals, group.outs, 100 * group.outs / group.seat_deals]) for name, group in groups]
    lines = [
        f"{games}, {deals}; somebody went out in {100 * summary.outs / summary.deals:.1f}% of the deals",
        *_table("length of a deal", ("mean", "least", "median", "most"), lengths),
        *_table("points of a seat in a deal, mean; a team's are those of its two seats", (*SOURCES, "total"), points),
        *_table(
            "of 100 turns, how they began, and how many cards were taken",
            ("draw", "take", "pass", *(f"take {name}" for name in DEPTH_NAMES)),
            turns,
        ),
        *_table("deals in which a seat went out", ("deals", "out", "%"), outs),
    ]
    return "\n".join(lines) + "\n"


def counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]) -> list[str]:
    """The lines of a table: a blank line, the title, the heads, the rows. Integers are printed without decimals."""
    first = max(len(name) for name, _ in rows)
    widths = [max(len(head), 6) + 2 for head in heads]
    lines = [
        "",
        title,
        f"  {'':{first}}" + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)),
    ]
    for name, values in rows:
        cells = [
            f"{value:{width}}" if isinstance(value, int) else f"{value:{width}.1f}"
            for value, width in zip(values, widths, strict=True)
        ]
        lines.append(f"  {name:{first}}" + "".join(cells))
    return lines


def _began(group: Group) -> list[float]:
    return [100 * count / max(group.turns, 1) for count in (group.draws, group.takes.total(), group.passes)]


def _spread(counts: Counter[int]) -> list[float]:
    lengths = np.repeat(list(counts.keys()), list(counts.values()))
    return [float(lengths.mean()), int(lengths.min()), float(np.median(lengths)), int(lengths.max())]
