"""Dealing: the first deal of an episode and every deal after it."""

from __future__ import annotations

from ..cards import JOKER, NUM_CARDS
from ..rules import HAND_SIZE, MAX_DEALS, NUM_SEATS, NUM_TEAMS
from ..state import DRAW_PHASE, FIRST_TURNED, MAX_PILE, NOBODY, NOTHING_OWED, STOCK_SIZE
from .bits import ZERO, add_card
from .compiler.jit import compiled
from .rng import next_below

DEALT = HAND_SIZE * NUM_SEATS
ANY_DEALER = -1


@compiled
def draw_deck(game, deal):
    """Shuffle the deck of a deal (Fisher-Yates). A given deck stays, but the stream advances all the same, so that a
    given deck does not change the other decks."""
    given = (int(game["given"]) >> deal) & 1
    deck = game["decks"][deal]
    if not given:
        for index in range(NUM_CARDS):
            deck[index] = min(index, JOKER)
    for index in range(NUM_CARDS - 1, 0, -1):
        other = next_below(game, index + 1)
        if not given:
            card = deck[index]
            deck[index] = deck[other]
            deck[other] = card


@compiled
def start_deal(game):
    """Deal the cards of deal ``game['deal']`` by dealer ``game['dealer']``, and clear the table."""
    deal = int(game["deal"])
    draw_deck(game, deal)
    deck = game["decks"][deal]
    dealer = int(game["dealer"])
    for seat in range(NUM_SEATS):
        game["known"][seat] = ZERO
        game["declined"][seat] = ZERO
        game["laid"][seat] = ZERO
        hand = ZERO
        first = (seat - dealer - 1) % NUM_SEATS
        for index in range(first, DEALT, NUM_SEATS):
            hand = add_card(hand, int(deck[index]))
        game["hand"][seat] = hand
    game["sets"] = ZERO
    game["runs"] = ZERO
    game["run_low"] = ZERO
    turned = int(deck[FIRST_TURNED])
    game["pile"] = add_card(ZERO, turned)
    game["pile_card"][0] = turned
    game["pile_seat"][0] = NOBODY
    game["pile_size"] = 1
    game["stock_size"] = STOCK_SIZE
    game["points"][0] = 0
    game["points"][1] = 0
    game["decisions"] = 0
    game["phase"] = DRAW_PHASE
    game["seat"] = (dealer + 1) % NUM_SEATS
    game["owed"] = NOTHING_OWED
    game["passes"] = 0
    for seat in range(NUM_SEATS):  # the first player's part has one card more than the dealer's
        order = (seat - dealer - 1) % NUM_SEATS
        game["queue"][seat] = (STOCK_SIZE + NUM_SEATS - 1 - order) // NUM_SEATS if game["split_stock"] else 0


@compiled
def clear(game):
    """Clear places that this game has not written yet, so that equal games are equal records whatever was played in the
    record before."""
    for index in range(MAX_PILE):
        game["pile_card"][index] = 0
        game["pile_seat"][index] = 0
    for deal in range(MAX_DEALS):
        if not (int(game["given"]) >> deal) & 1:
            for index in range(NUM_CARDS):
                game["decks"][deal][index] = 0


@compiled
def start_episode(game, dealer):
    """Start a new game with the record's rules and generator. ``dealer`` is a seat, or ``ANY_DEALER`` to draw one. The
    draw is always made, so that a given dealer does not change the shuffle."""
    drawn = next_below(game, NUM_SEATS)
    game["dealer"] = drawn if dealer == ANY_DEALER else dealer
    clear(game)
    for team in range(NUM_TEAMS):
        game["score"][team] = 0
        game["last_score"][team] = 0
    game["out"] = NOBODY
    game["ended"] = 0
    game["deal"] = 0
    game["episode_decisions"] = 0
    start_deal(game)
