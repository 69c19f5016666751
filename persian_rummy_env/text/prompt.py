"""The prompt: the rules once, and what a seat knows as ten to twenty lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

from ..cards import JOKER_VALUE, RANK_VALUES
from ..rules import HAND_SIZE, OUT_BONUS, PASSES_TO_END, RuleSet, as_rules
from ..state import STOCK_SIZE
from .answer import MARK
from .notation import STANDARD, Notation
from .situation import SEATS, TEAMS, History, Situation, Turn, to_json

NOTHING = "none"
TEMPLATE = resources.files(__name__.rpartition(".")[0]).joinpath("rules.txt").read_text(encoding="utf-8").rstrip("\n")
"""The rules, with places for the names of cards and for what the rule set decides."""
ANSWERS = "\nActions:\n"
"""Where the template turns from the rules to the form of an answer."""


def rules(rule_set: RuleSet | None = None, *, notation: Notation = STANDARD, answers: bool = True) -> str:
    """The rules of the game and the form of an answer, for a system message: said once a conversation.

    Args:
        rule_set: None for the default rules.
        notation: how cards are written.
        answers: tell the form of an answer; False where actions are tools that describe themselves.

    Raises:
        TypeError: no rule set.
    """
    chosen = as_rules(rule_set)
    ranks = notation.ranks
    worth: dict[int, list[str]] = {}
    for rank, value in zip(ranks, RANK_VALUES, strict=True):
        worth.setdefault(value, []).append(rank)
    any_rank, first_pass = chosen.quad_bonus == "any", chosen.stock_out == "end"
    double = "A set of four melded in one action counts" if any_rank else f"Four {ranks[9]} melded in one action count"
    seven, eight, nine, ten = (rank + notation.suits[-1] for rank in ranks[5:9])
    return (TEMPLATE if answers else TEMPLATE[: TEMPLATE.index(ANSWERS)]).format(
        seven=seven,
        eight=eight,
        nine=nine,
        ten=ten,
        ace=ranks[-1],
        ranks=" ".join(ranks),
        suits=" ".join(notation.suits),
        joker=notation.joker,
        points=", ".join(f"{' '.join(same)} {value}" for value, same in worth.items()),
        joker_value=JOKER_VALUE,
        deals="1 deal" if chosen.deals == 1 else f"{chosen.deals} deals",
        hand_size=HAND_SIZE,
        stock_size=STOCK_SIZE,
        end="the first pass ends the deal" if first_pass else f"{PASSES_TO_END} passes in a row end the deal",
        out_bonus=OUT_BONUS,
        double=f"{double} double",
        mark=MARK,
    )


def render(
    game: Any,
    seat: int,
    history: History | None = None,
    *,
    notation: Notation = STANDARD,
    legal: Sequence[int] | None = None,
) -> str:
    """What ``seat`` knows of a game, as lines of text; ``reading.situation`` reads them back.

    Args:
        game, seat, history, notation, legal: as for ``situation.to_json``.

    Raises:
        TypeError, ValueError: no game record, or no seat.
    """
    return as_text(to_json(game, seat, history, notation=notation, legal=legal))


def as_text(known: Situation) -> str:
    """A situation as lines of text."""
    deal = f"Deal {known['deal']} of {known['deals']}, dealer: {known['dealer']}."
    move = "The game is over." if known["to_move"] is None else f"To move: {known['to_move']}, phase: {known['phase']}."
    owed = f" Owed: {known['owed']}." if known["owed"] else ""
    out = f" Went out last deal: {known['last_deal_out']}." if known["last_deal_out"] else ""
    variant = ", ".join(f"{name} {value}" for name, value in known["rules"].items())
    sizes = ", ".join(f"{seat} {known['hand_sizes'][seat]}" for seat in SEATS)
    lines = [
        f"{deal} {move}{owed}",
        f"Score of finished deals: {_by_team(known['score'])}.{out} Rules: {variant}.",
        f"Points laid this deal: {_by_team(known['points'])}.",
        f"Your hand: {_list(known['hand'])}.",
        f"Cards in hand: {sizes}. Stock: {known['stock']}. Passes in a row: {known['passes']}.",
        f"Known cards in hand, taken from the pile: {_by_seat(known['known'])}.",
        "Pile from the bottom: "
        + (", ".join(f"{card['card']} ({card['by']})" for card in known["pile"]) or NOTHING)
        + ".",
        f"Left in the pile at the last chance to take: {_by_seat(known['declined'])}.",
        "Melds:" if known["melds"] else f"Melds: {NOTHING}.",
    ]
    lines += [f"- {meld['kind']}: {_laid(meld['cards'], meld['by'])}" for meld in known["melds"]]
    if known["history"]:
        lines.append("Since your last turn:")
        lines += [f"- {_turn(turn, known['deal'])}: {'; '.join(turn['actions'])}" for turn in known["history"]]
    if known["legal"] is not None:
        lines.append(f"Legal actions: {'; '.join(known['legal']) or NOTHING}.")
    return "\n".join(lines)


def _turn(turn: Turn, deal: int) -> str:
    """Whose turn it was, with the deal where that is an earlier one."""
    return turn["seat"] if turn["deal"] == deal else f"{turn['seat']} in deal {turn['deal']}"


def _by_team(numbers: dict[str, int]) -> str:
    return ", ".join(f"{team} {numbers[team]}" for team in TEAMS)


def _list(cards: Sequence[str]) -> str:
    return " ".join(cards) or NOTHING


def _by_seat(cards: dict[str, list[str]]) -> str:
    return "; ".join(f"{seat} {' '.join(cards[seat])}" for seat in SEATS if cards[seat]) or NOTHING


def _laid(cards: Sequence[str], by: Sequence[str]) -> str:
    """Cards in order, with the seat that laid them after each stretch of cards of one seat."""
    if len(set(by)) == 1:
        return f"{' '.join(cards)} ({by[0]})"
    words = []
    for place, (card, seat) in enumerate(zip(cards, by, strict=True)):
        last = place + 1 == len(by) or by[place + 1] != seat
        words.append(f"{card} ({seat})" if last else card)
    return " ".join(words)
