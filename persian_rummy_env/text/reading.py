"""Reading what ``prompt.render`` or ``situation.to_json`` wrote back into a game record.

The record is the information state of the viewer: everything the seat knows, with the unseen cards in a fixed order,
as ``players.policy_io.views_of`` makes it. The engine derives observation and action mask from it, so any policy can
play from the prompt alone. Seats turn with the viewer: the viewer is seat 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..arrays import shown
from ..cards import bits_of
from ..core import belief_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..rules import NUM_SEATS, RULE_FIELDS
from ..state import NOBODY, NOTHING_OWED, OVER, PHASES, STATE
from .notation import STANDARD, Notation
from .situation import FORMAT, SEATS, TURNED_UP, Situation

VIEWER = 0
"""The seat of the viewer in a record that was read."""
_NAMES = "|".join(SEATS)
_HEAD = re.compile(
    rf"Deal (\d+) of (\d+), dealer: ({_NAMES})\. (?:The game is over|To move: ({_NAMES}), phase: (\w+))\."
)
_LAID = re.compile(rf"(\S+)(?: \(({_NAMES})\))?")


class ReadingError(ValueError):
    """A text or an object that is not a situation; the message names the line or key."""


def situation(text: str) -> Situation:
    """The situation that a rendered text tells.

    Raises:
        ReadingError: a line is missing or is not in the form that ``render`` writes.
    """
    lines = text.splitlines()
    head = _HEAD.match(lines[0]) if lines else None
    if head is None:
        raise ReadingError(f"line 1: expected 'Deal 1 of 2, dealer: …', found {shown(lines[0] if lines else '')}")
    deal, deals, dealer, to_move, phase = head.groups()
    owed = re.search(r"Owed: (\S+)\.", lines[0])
    score = _after(lines, "Score of finished deals: ")
    went_out = re.search(rf"Went out last deal: ({_NAMES})\.", score)
    sizes = _after(lines, "Cards in hand: ")
    start = next((number for number, line in enumerate(lines) if line.startswith("Melds:")), len(lines))
    return {
        "format": FORMAT,
        "rules": dict(item.split(" ", 1) for item in _found(r"Rules: (.*)", score).split(", ")),
        "deal": int(deal),
        "deals": int(deals),
        "dealer": dealer,
        "phase": phase or PHASES[OVER],
        "to_move": to_move,
        "owed": owed[1] if owed else None,
        "passes": int(_found(r"Passes in a row: (\d+)", sizes)),
        "score": _teams(score),
        "points": _teams(_after(lines, "Points laid this deal: ")),
        "last_deal_out": went_out[1] if went_out else None,
        "hand": _cards(_after(lines, "Your hand: ")),
        "hand_sizes": {seat: int(_found(rf"\b{seat} (\d+)", sizes)) for seat in SEATS},
        "stock": int(_found(r"Stock: (\d+)", sizes)),
        "known": _by_seat(_after(lines, "Known cards in hand, taken from the pile: ")),
        "declined": _by_seat(_after(lines, "Left in the pile at the last chance to take: ")),
        "pile": [
            {"card": card, "by": by}
            for card, by in re.findall(r"(\S+) \(([a-z ]+)\)", _after(lines, "Pile from the bottom: "))
        ],
        "melds": [
            _meld(line) for line in lines[start + 1 :] if line.startswith(("- set: ", "- run: "))
        ],
        "history": [],
        "legal": None,
    }  # fmt: skip


def info_state(known: Situation | Mapping[str, Any], *, notation: Notation = STANDARD) -> np.ndarray:
    """The information state that a situation tells, with the viewer as seat 0.

    Args:
        known: from ``to_json``, or from ``situation(text)``.
        notation: the notation that it is written in.

    Returns:
        (1,) STATE. Not told, and therefore 0: the points of the deal finished last, and the counts of decisions.

    Raises:
        ReadingError: a key is missing or has a value that no situation has.
    """
    record = np.zeros(1, dtype=STATE)
    game = record[0]
    try:
        _write(game, known, notation)
    except KeyError as error:
        raise ReadingError(f"{error.args[0]!r}: a key of a situation is missing, or it names no card or seat") from None
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ReadingError(f"not a situation: {error}") from None
    ensure_compiled("search")
    belief_kernels.views_of(record.copy(), np.zeros(1, dtype=np.int64), np.array([VIEWER]), record)
    return record


def _write(game: np.void, known: Mapping[str, Any], notation: Notation) -> None:
    seats = {name: seat for seat, name in enumerate(SEATS)}
    index = notation.card_index

    def cards(names: Iterable[str]) -> int:
        return bits_of([index[name] for name in names])

    for rule in RULE_FIELDS:
        if rule.shown:
            game[rule.state] = rule.code(rule.checked(known["rules"][rule.name]))
    game["deals"] = known["deals"]
    game["deal"] = known["deal"] - 1
    game["dealer"] = seats[known["dealer"]]
    game["phase"] = PHASES.index(known["phase"])
    game["seat"] = VIEWER if known["to_move"] is None else seats[known["to_move"]]
    game["owed"] = NOTHING_OWED if known["owed"] is None else index[known["owed"]]
    game["passes"] = known["passes"]
    game["score"] = known["score"]["us"], known["score"]["them"]
    game["points"] = known["points"]["us"], known["points"]["them"]
    game["out"] = NOBODY if known["last_deal_out"] is None else seats[known["last_deal_out"]]
    game["stock_size"] = known["stock"]
    for name, seat in seats.items():
        game["known"][seat] = cards(known["known"][name])
        game["declined"][seat] = cards(known["declined"][name])
        # Only the size of another hand is read from it: the engine then places the unseen cards.
        game["hand"][seat] = (1 << known["hand_sizes"][name]) - 1
    game["hand"][VIEWER] = cards(known["hand"])
    pile = [(index[one["card"]], NOBODY if one["by"] == TURNED_UP else seats[one["by"]]) for one in known["pile"]]
    game["pile_size"] = len(pile)
    game["pile"] = bits_of([card for card, _ in pile])
    for place, (card, by) in enumerate(pile):
        game["pile_card"][place], game["pile_seat"][place] = card, by
    laid: list[list[int]] = [[] for _ in range(NUM_SEATS)]
    in_melds: dict[str, list[int]] = {"set": [], "run": []}
    lows = []
    for meld in known["melds"]:
        of_meld = [index[name] for name in meld["cards"]]
        in_melds[meld["kind"]] += of_meld
        if meld["kind"] == "run":
            lows.append(of_meld[0])
        for card, by in zip(of_meld, meld["by"], strict=True):
            laid[seats[by]].append(card)
    game["sets"], game["runs"], game["run_low"] = bits_of(in_melds["set"]), bits_of(in_melds["run"]), bits_of(lows)
    for seat in range(NUM_SEATS):
        game["laid"][seat] = bits_of(laid[seat])


def _after(lines: list[str], head: str) -> str:
    """The rest of the line that begins with ``head``, without its full stop."""
    for line in lines:
        if line.startswith(head) and line.endswith("."):
            return line[len(head) : -1]
    raise ReadingError(f"no whole line begins with {head.strip()!r}: expected a text that render() wrote")


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise ReadingError(f"{shown(text)}: expected {pattern!r} in it")
    return found[1]


def _teams(text: str) -> dict[str, int]:
    return {team: int(_found(rf"\b{team} (-?\d+)", text)) for team in ("us", "them")}


def _cards(text: str) -> list[str]:
    return [] if text == "none" else text.split()


def _by_seat(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {seat: [] for seat in SEATS}
    for item in [] if text == "none" else text.split("; "):
        seat, _, cards = item.partition(" ")
        found[seat] = cards.split()
    return found


def _meld(line: str) -> Any:
    kind, laid = line.removeprefix("- ").split(": ", 1)
    cards, by = [], []
    waiting = 0
    for card, seat in _LAID.findall(laid):
        cards.append(card)
        waiting += 1
        if seat:
            by += [seat] * waiting
            waiting = 0
    return {"kind": kind, "cards": cards, "by": by}
