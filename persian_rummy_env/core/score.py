"""Scoring and the end of a deal (rules R46 to R51)."""

from __future__ import annotations

from ..cards import CARD_VALUES, JOKER, NUM_CARDS
from ..rules import NUM_SEATS, NUM_TEAMS, OUT_BONUS
from ..state import NOBODY, OVER
from .bits import ONE, ZERO
from .compiler.intrinsics import lowest
from .compiler.jit import compiled
from .deal import start_deal

BIT_VALUES = CARD_VALUES[[min(index, JOKER) for index in range(NUM_CARDS)]]
"""Points of each bit of a set of cards."""


@compiled
def hand_value(cards):
    """The points of the cards of a set."""
    value = 0
    while cards != ZERO:
        value += int(BIT_VALUES[lowest(cards)])
        cards &= cards - ONE
    return value


@compiled
def margin(game):
    """Points of team 0 minus points of team 1: finished deals, and cards laid in this one."""
    return int(game["score"][0]) + int(game["points"][0]) - int(game["score"][1]) - int(game["points"][1])


@compiled
def end_deal(game, out):
    """Score the deal; then deal the next one or end the game. ``out`` is the seat that went out, or ``NOBODY``."""
    for team in range(NUM_TEAMS):
        points = int(game["points"][team]) - hand_value(game["hand"][team]) - hand_value(game["hand"][team + 2])
        if out != NOBODY and out % NUM_TEAMS == team:
            points += OUT_BONUS
        game["last_score"][team] = points
        game["score"][team] = int(game["score"][team]) + points
        game["points"][team] = 0
    game["out"] = out
    if int(game["deal"]) + 1 < int(game["deals"]):
        game["deal"] = int(game["deal"]) + 1
        game["dealer"] = (int(game["dealer"]) + 1) % NUM_SEATS
        start_deal(game)
    else:
        game["phase"] = OVER
