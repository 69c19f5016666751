"""A game as text, turn by turn, from its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from ..actions import ACTION_CARDS, ACTION_NAMES, ACTION_POINTS, DISCARD, DRAW, PASS, TAKE
from ..cards import CARD_NAMES, CARD_VALUES, NUM_CARDS, cards_in, encode_card
from ..drawing.contents import melds
from ..rules import NUM_TEAMS, OUT_BONUS
from ..stored_rules import stored_rules
from ..system.escaping import shortened
from .record import DealRecord, Record
from .replay import Replay, last_hands, replay

INDENT = "   "
LONGEST_NAME = 60


def transcript(record: Record) -> str:
    """The transcript of a game, each line with its line end.

    Raises:
        RecordError: the record is not well formed, or does not replay.
    """
    again = replay(record)
    players = [f"seat {seat} {shortened(name, LONGEST_NAME)}" for seat, name in enumerate(record["players"])]
    rules = ", ".join(f"{name} {value}" for name, value in stored_rules(record["rules"]).as_dict().items())
    seed = "" if record["seed"] is None else f"; seed {record['seed']}"
    lines = [f"{INDENT}team {team}: {players[team]}, {players[team + NUM_TEAMS]}" for team in range(NUM_TEAMS)]
    lines.append(f"{INDENT}{rules}{seed}")
    start = 0
    for number, deal in enumerate(record["deals"]):
        stop = start + len(deal["actions"])
        lines += ["", f"Deal {number + 1} of {len(record['deals'])}: {players[deal['dealer']]} deals"]
        for turn, (first, last) in enumerate(_turns(again, start, stop), start=1):
            lines += ["", f"Turn {turn}: {players[int(again.states[first]['seat'])]}"]
            lines += _situation(again.states[first])
            lines += [f"{index - start + 1:6}. {_described(again, index)}" for index in range(first, last)]
        lines += ["", *_end(deal, again, stop, number)]
        start = stop
    team0, team1 = record["score"]
    lines += ["", f"Result: {team0} to {team1}, {'a tie' if team0 == team1 else f'team {int(team1 > team0)} wins'}"]
    return "\n".join(lines) + "\n"


def _turns(again: Replay, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The bounds of the actions ``first <= i < last`` of each turn."""
    seats = again.states["seat"][start:stop]
    edges = [start, *(start + 1 + np.flatnonzero(seats[1:] != seats[:-1])).tolist(), stop]
    return pairwise(edges)


def _situation(state: np.void) -> list[str]:
    """The lines with hand, pile, table and points at the beginning of a turn."""
    hand = " ".join(cards_in(state["hand"][int(state["seat"])])) or "empty"
    pile = " ".join(_pile(state)) or "empty"
    return [
        _line("hand", hand),
        _line("pile", f"{pile}   (top last; stock {int(state['stock_size'])})"),
        *_table(state),
        _line("points", " to ".join(map(str, state["points"].tolist()))),
    ]


def _table(state: np.void) -> list[str]:
    """The melds on the table, each with the seats that laid its cards, such as ``4D 4H 4S (seat 1)``."""
    lines = []
    for meld in melds(state):
        cards = " ".join(CARD_NAMES[card] for card in meld.cards)
        seats = sorted(set(meld.seats))
        laid_by = f"seat{'s' * (len(seats) > 1)} {', '.join(map(str, seats))}"
        lines.append(_line("" if lines else "table", f"{cards} ({laid_by})"))
    return lines


def _line(head: str, text: str) -> str:
    return f"{INDENT}{head:8}{text}"


def _pile(state: np.void) -> list[str]:
    return [CARD_NAMES[card] for card in state["pile_card"][: int(state["pile_size"])].tolist()]


def _described(again: Replay, index: int) -> str:
    """An action and its effect."""
    action, state = int(again.actions[index]), again.states[index]
    name = ACTION_NAMES[action]
    if action == DRAW.start:
        return f"{name}: {CARD_NAMES[state['decks'][int(state['deal'])][NUM_CARDS - int(state['stock_size'])]]}"
    if action == PASS.start:
        return f"{name}: {int(state['passes']) + 1} in a row"
    if TAKE.start <= action < TAKE.stop:
        above = _pile(state)[int(again.states[index + 1]["pile_size"]) + 1 :]
        return f"{name}: with {' '.join(above)}" if above else name
    if action >= DISCARD.start:
        return name
    points = int(ACTION_POINTS[int(state["quad_jacks"])][action])
    doubled = ", four at once count double" if points > _value(cards_in(ACTION_CARDS[action])) else ""
    return f"{name}: {points} points{doubled}"


def _value(cards: Sequence[str]) -> int:
    return sum(int(CARD_VALUES[encode_card(card)]) for card in cards)


def _end(deal: DealRecord, again: Replay, stop: int, number: int) -> list[str]:
    """The lines with the end of a deal and the parts of its score."""
    last, action = again.states[stop - 1], int(again.actions[stop - 1])
    laid = [_value([card for seat in (team, team + 2) for card in cards_in(last["laid"][seat])]) for team in (0, 1)]
    points = last["points"].tolist()
    team = int(last["seat"]) % NUM_TEAMS
    cards = cards_in(ACTION_CARDS[action])
    laid[team] += _value(cards)
    points[team] += int(ACTION_POINTS[int(last["quad_jacks"])][action])
    left = last_hands(last, action)
    out = deal["out"]
    rows = {
        "cards laid": laid,
        "sets of four at once": [points[team] - laid[team] for team in range(NUM_TEAMS)],
        "cards left in hands": [-_value(left[team]) - _value(left[team + NUM_TEAMS]) for team in range(NUM_TEAMS)],
        "going out": [OUT_BONUS if out is not None and out % NUM_TEAMS == team else 0 for team in range(NUM_TEAMS)],
        "deal": deal["score"],
        "game so far": again.states[stop]["score"].tolist(),
    }
    how = f"seat {out} goes out" if out is not None else "nobody goes out"
    return [
        f"Deal {number + 1} ends: {how}",
        *(_line("left", f"seat {seat}: {' '.join(hand) or 'nothing'}") for seat, hand in enumerate(left)),
        f"{INDENT}{'':22}{'team 0':>8}{'team 1':>8}",
        *(f"{INDENT}{name:22}{team0:8}{team1:8}" for name, (team0, team1) in rows.items()),
    ]
