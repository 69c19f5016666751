"""The effect of an action. Only this module changes a running game. It checks nothing: the action must be legal."""

from __future__ import annotations

from ..actions import ACTION_CARDS, ACTION_POINTS, DISCARD, DRAW, LAYOFF_RUN, MELD_RUN, PASS, TAKE
from ..cards import JOKER, NUM_CARDS
from ..rules import NUM_SEATS, NUM_TEAMS, PASSES_TO_END
from ..state import DRAW_PHASE, MELD_PHASE, NOBODY, NOTHING_OWED
from .bits import JOKERS, ONE, ZERO, add_card, bit, minus, next_up, plus
from .compiler.jit import compiled
from .score import end_deal


@compiled
def apply(game, action):
    """Play a legal action. If it ends the deal, the next deal of the game starts."""
    game["decisions"] = int(game["decisions"]) + 1
    game["episode_decisions"] = int(game["episode_decisions"]) + 1
    if action >= DISCARD.start:
        discard(game, action - DISCARD.start)
    elif action == DRAW.start:
        draw(game)
    elif action == PASS.start:
        do_pass(game)
    elif action < TAKE.stop:
        take(game, action - TAKE.start)
    else:
        lay(game, action)


@compiled
def next_seat(game):
    game["seat"] = (int(game["seat"]) + 1) % NUM_SEATS
    game["phase"] = DRAW_PHASE


@compiled
def draw(game):
    seat = int(game["seat"])
    left = int(game["stock_size"])
    if game["split_stock"]:
        bring_own_stock_up(game, seat, NUM_CARDS - left)
    card = int(game["decks"][int(game["deal"])][NUM_CARDS - left])
    game["hand"][seat] = add_card(game["hand"][seat], card)
    game["stock_size"] = left - 1
    game["declined"][seat] |= game["pile"]
    game["passes"] = 0
    game["phase"] = MELD_PHASE


@compiled
def bring_own_stock_up(game, seat, top):
    """Split stock: move the card that the seat draws to the top of the stock (index ``top`` of the deck). It is the
    first card of the seat's own part, or of the next part that has cards. The rest stays ordered by seat."""
    owner = seat
    while int(game["queue"][owner]) == 0:
        owner = (owner + 1) % NUM_SEATS
    place = top
    for before in range(owner):
        place += int(game["queue"][before])
    game["queue"][owner] = int(game["queue"][owner]) - 1
    deck = game["decks"][int(game["deal"])]
    card = deck[place]
    for index in range(place, top, -1):
        deck[index] = deck[index - 1]
    deck[top] = card


@compiled
def do_pass(game):
    seat = int(game["seat"])
    game["declined"][seat] |= game["pile"]
    passes = int(game["passes"]) + 1
    game["passes"] = passes
    if passes == PASSES_TO_END or int(game["stock_end"]) == 1:
        end_deal(game, NOBODY)
    else:
        next_seat(game)


@compiled
def take(game, wanted):
    """Take from the pile; ``wanted`` is the card, or 52 + k for the (k+1)-th joker from the top."""
    seat = int(game["seat"])
    card = min(wanted, JOKER)
    seen_before = max(wanted - JOKER, 0)
    place = int(game["pile_size"]) - 1
    taken = ZERO
    while True:
        top = int(game["pile_card"][place])
        taken = add_card(taken, top)
        if top == card:
            if seen_before == 0:
                break
            seen_before -= 1
        place -= 1
    game["pile_size"] = place
    left = minus(game["pile"], taken)
    game["pile"] = left
    game["hand"][seat] = plus(game["hand"][seat], taken)
    game["known"][seat] = plus(game["known"][seat], taken)
    declined = game["declined"][seat]
    if taken & JOKERS != ZERO:  # with a joker taken, the seat has declined only the jokers below it
        declined &= ~JOKERS
    game["declined"][seat] = (declined & ~(taken & ~JOKERS)) | left
    game["owed"] = card
    game["passes"] = 0
    game["phase"] = MELD_PHASE


@compiled
def lay(game, action):
    """Meld or lay off."""
    seat = int(game["seat"])
    cards = ACTION_CARDS[action]
    hand = minus(game["hand"][seat], cards)
    game["hand"][seat] = hand
    game["known"][seat] = minus(game["known"][seat], cards)
    game["laid"][seat] = plus(game["laid"][seat], cards)
    if MELD_RUN.start <= action < MELD_RUN.stop:
        game["runs"] |= cards
        game["run_low"] |= cards & (~cards + ONE)
    elif LAYOFF_RUN.start <= action < LAYOFF_RUN.stop:
        if next_up(game["runs"]) & cards == ZERO:  # the card is now the lowest of the run above it
            game["run_low"] = (game["run_low"] & ~next_up(cards)) | cards
        game["runs"] |= cards
    else:
        game["sets"] = plus(game["sets"], cards)
    team = seat % NUM_TEAMS
    game["points"][team] = int(game["points"][team]) + int(ACTION_POINTS[int(game["quad_jacks"])][action])
    owed = int(game["owed"])
    if owed != NOTHING_OWED and cards & bit(owed) != ZERO:
        game["owed"] = NOTHING_OWED
    if hand == ZERO:
        end_deal(game, seat)


@compiled
def discard(game, card):
    seat = int(game["seat"])
    gone = bit(card)
    game["hand"][seat] = minus(game["hand"][seat], gone)
    game["known"][seat] = minus(game["known"][seat], gone)
    game["pile"] = add_card(game["pile"], card)
    size = int(game["pile_size"])
    game["pile_card"][size] = card
    game["pile_seat"][size] = seat
    game["pile_size"] = size + 1
    next_seat(game)
