"""Kinds of situations, and the comparison of an answer with the engine's, kind by kind.

A decision is compared in several checks. The legal actions are one check for each kind of action; the state after an
action is one, and at the end of a deal it is three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

RANKS, SUITS, JOKER = "23456789TJQKA", "CDHS", "JK"
PACK = [rank + suit for suit in SUITS for rank in RANKS] + [JOKER] * 4

SITUATIONS = {
    "deal": "the start of a game: hands, card turned up, stock, seat to move",
    "draw": "drawing from the stock",
    "take": "taking from the pile by a meld of the new hand, or by one lay-off",
    "chain": "taking a card that only a chain of two or more cards leads to",
    "owed": "what may be played while a card is owed, and what follows",
    "set": "melding a set",
    "run": "melding a run",
    "four at once": "points of four of a kind melded in one action",
    "jokers": "taking, melding and laying off jokers",
    "lay off on a set": "laying off the fourth card of a set",
    "lay off on a run": "laying off at an end of a run",
    "discard": "discarding",
    "empty hand": "discarding the last card, and turns that begin without cards",
    "stock out": "turns with an empty stock: when to pass, and when passes end the deal",
    "going out": "the end of a deal by its last card laid",
    "score": "the score of a finished deal",
    "next deal": "the deal after it: dealer, hands, seat to move",
    "end": "the end of the game",
}
"""The kinds of situations of which a score is given."""
ENDS = ("phase", "scores", "outs")
"""What is compared when the game is over."""
MISSING = "missing"
"""In place of the value of a field that an answer lacks."""

State = dict[str, Any]


class Check(NamedTuple):
    """A comparison.

    Attributes:
        situation: its kind, a key of ``SITUATIONS``.
        expected, found: what differs; equal where nothing does.
        form: what is wrong with the form of the answer, or an empty text.
    """

    situation: str
    expected: Any
    found: Any
    form: str = ""

    @property
    def right(self) -> bool:
        return self.expected == self.found


# States ---------------------------------------------------------------------------------------------------------------

FORMS: dict[str, Callable[[Any], Any]] = {
    "hands": lambda hands: [sorted(hand) for hand in hands],
    "sets": lambda melds: sorted(sorted(meld) for meld in melds),
    "runs": lambda melds: sorted(card for meld in melds for card in meld),
}
"""Fields in which an order, or the run that a card joins (R37), means nothing."""
COMPARED = (
    *("deal", "dealer", "seat", "phase", "hands", "stock", "pile", "sets", "runs"),
    *("points", "owed", "passes", "scores", "outs"),
)


def state_check(situation: str, fields: Sequence[str], expected: State, found: Any) -> Check:
    """Compare some fields of two states; ``found`` may be anything, also a sentence that says why there is none."""
    if not isinstance(found, dict):
        form = "" if isinstance(found, str) else f"a state is no {type(found).__name__}: expected a dict"
        return Check(situation, {"state": "a dict"}, {"state": found}, form)
    differing = [name for name in fields if _form(name, expected) != _form(name, found)]
    wrong = {name: found.get(name, MISSING) for name in differing}
    return Check(situation, {name: expected[name] for name in differing}, wrong)


def _form(name: str, state: State) -> Any:
    value = state.get(name, MISSING)
    try:
        return FORMS[name](value) if name in FORMS else value
    except (TypeError, AttributeError):
        return value


# Decisions ------------------------------------------------------------------------------------------------------------


def start_check(expected: State, found: Any) -> Check:
    return state_check("deal", COMPARED, expected, found)


def legal_checks(state: State, expected: Sequence[str], found: Any) -> Iterator[Check]:
    """Compare the legal actions of a state, kind by kind; ``found`` may be anything."""
    if not (isinstance(found, list) and all(isinstance(action, str) for action in found)):
        form = "" if isinstance(found, str) else "legal() did not return a list of texts"
        for situation in sorted({situation_of(state, action) for action in expected}):
            yield Check(situation, {"legal": "a list of texts"}, {"legal": found}, form)
        return
    kinds: dict[str, tuple[list[str], list[str]]] = {}
    for side, actions in enumerate((expected, found)):
        for action in actions:
            kinds.setdefault(situation_of(state, action), ([], []))[side].append(action)
    for situation, (wanted, given) in kinds.items():
        missing = sorted(set(wanted) - set(given))
        extra = sorted(set(given) - set(wanted)) or [action for action in wanted if given.count(action) > 1]
        yield Check(situation, {"also legal": missing} if missing else {}, {"not legal": extra} if extra else {})


def step_checks(state: State, action: str, expected: State, found: Any) -> Iterator[Check]:
    """Compare the state after an action; ``found`` may be anything."""
    if len(expected["scores"]) > len(state["scores"]):
        laid = action.split(maxsplit=1)[0] in ("meld", "layoff")
        yield state_check("going out" if laid else "stock out", ["outs"], expected, found)
        yield state_check("score", ["scores"], expected, found)
        over = expected["phase"] == "over"
        fields = ENDS if over else [name for name in COMPARED if name not in ("scores", "outs")]
        yield state_check("end" if over else "next deal", fields, expected, found)
        return
    four = action.startswith("meld") and len(action.split()) == 5 and _is_set(action.split()[1:])
    fields = [name for name in COMPARED if not (four and name == "points")]
    yield state_check(situation_of(state, action), fields, expected, found)
    if four:
        yield state_check("four at once", ["points"], expected, found)


def situation_of(state: State, action: str) -> str:
    """The kind of situation of an action in a state; also of a text that is no action."""
    verb, *cards = action.split() or [""]
    drawing = state["phase"] == "draw"
    hand = state["hands"][state["seat"]]
    if state["owed"]:
        return "owed"
    if (drawing and not hand) or (verb == "discard" and len(hand) == 1):
        return "empty hand"
    if drawing and verb != "take":
        return "draw" if state["stock"] else "stock out"
    if any(card.startswith(JOKER) for card in cards):
        return "jokers"
    if verb == "take":
        return "take" if _is_direct(state, hand, cards) else "chain"
    if verb == "meld":
        return "set" if _is_set(cards) else "run"
    if verb == "layoff":
        return f"lay off on a {'set' if cards[-1:] == ['set'] else 'run'}"
    return "discard"


def _is_set(cards: Sequence[str]) -> bool:
    return len({card[:1] for card in cards}) == 1


def _is_direct(state: State, hand: list[str], cards: Sequence[str]) -> bool:
    """Whether a take needs no chain: the card makes a meld of the new hand, or can be laid off at once."""
    pile = state["pile"]
    card = cards[0] if cards else ""
    if card not in pile:
        return True
    held = set(hand + pile[pile.index(card) :])
    if sum(one[0] == card[0] and one != JOKER for one in held) >= 3:
        return True
    place, suit = RANKS.index(card[0]), card[1]
    row = [0 <= at < len(RANKS) and RANKS[at] + suit in held for at in range(place - 2, place + 3)]
    if any(all(row[first : first + 3]) for first in range(3)):
        return True
    ends = [RANKS.index(run[-1][0]) + 1 for run in state["runs"] if run[0][1] == suit]
    ends += [RANKS.index(run[0][0]) - 1 for run in state["runs"] if run[0][1] == suit]
    return place in ends or any(len(one) == 3 and one[0] != JOKER and one[0][0] == card[0] for one in state["sets"])
