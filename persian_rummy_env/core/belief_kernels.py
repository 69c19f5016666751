"""Infostates and sampled worlds (determinizations).

A seat knows its hand, the table, the pile, the size of every hand, and the cards of other hands that were taken in
public and not yet played. Everything else is unseen: the rest of the other hands, and the order of the stock.
``redact`` makes a record with only this knowledge. ``deal_world`` deals the unseen cards again; every arrangement is
equally likely.
"""

from __future__ import annotations

import numpy as np

from ..cards import JOKER, NUM_CARDS, NUM_JOKERS
from ..rules import NUM_SEATS
from .bits import ONE, PLAIN, ZERO, add_card, jokers_in
from .compiler.intrinsics import lowest, popcount
from .compiler.jit import compiled
from .rng import sample_below


@compiled
def unseen_cards(game, seat, cards):
    """Write the cards that a seat does not see into ``cards`` (56 bytes) by index, jokers last; returns their
    number."""
    seen = game["sets"] | game["runs"] | game["pile"] | game["hand"][seat]
    jokers = jokers_in(game["sets"]) + jokers_in(game["pile"]) + jokers_in(game["hand"][seat])
    for relative in range(1, NUM_SEATS):
        known = game["known"][(seat + relative) % NUM_SEATS]
        seen |= known
        jokers += jokers_in(known)
    count = 0
    left = ~seen & PLAIN
    while left != ZERO:
        cards[count] = lowest(left)
        left &= left - ONE
        count += 1
    for _ in range(NUM_JOKERS - jokers):
        cards[count] = JOKER
        count += 1
    return count


@compiled
def place_unseen(game, seat, cards):
    """Give the unseen cards in order to the other hands, in addition to their known cards, and then to the stock."""
    index = 0
    for relative in range(1, NUM_SEATS):
        other = (seat + relative) % NUM_SEATS
        hand = game["known"][other]
        for _ in range(popcount(game["hand"][other]) - popcount(hand)):
            hand = add_card(hand, int(cards[index]))
            index += 1
        game["hand"][other] = hand
    stock = int(game["stock_size"])
    deck = game["decks"][int(game["deal"])]
    for place in range(NUM_CARDS - stock, NUM_CARDS):
        deck[place] = cards[index]
        index += 1


@compiled
def redact(game, seat, cards):
    """Remove everything from a record that ``seat`` cannot know: the unseen cards are sorted by index, and the decks of
    other deals and the generators are zeros. Games that the seat cannot tell apart become the same record."""
    unseen_cards(game, seat, cards)
    for deal in range(len(game["decks"])):
        for place in range(NUM_CARDS):
            game["decks"][deal][place] = 0
    game["given"] = 0
    game["rng"][0] = ZERO
    game["rng"][1] = ZERO
    game["sample_rng"] = ZERO
    place_unseen(game, seat, cards)


@compiled
def deal_world(game, seat, cards):
    """Deal the unseen cards of a record again, with its sampling stream."""
    count = unseen_cards(game, seat, cards)
    for index in range(count - 1, 0, -1):
        other = sample_below(game, index + 1)
        card = cards[index]
        cards[index] = cards[other]
        cards[other] = card
    place_unseen(game, seat, cards)


@compiled
def views_of(games, lanes, seats, views):
    """Write to ``views[i]`` (STATE) the infostate of seat ``seats[i]`` in game ``lanes[i]``."""
    cards = np.zeros(NUM_CARDS, dtype=np.uint8)
    for row in range(len(lanes)):
        views[row] = games[lanes[row]]
        redact(views[row], int(seats[row]), cards)


@compiled
def sample_worlds(views, seats, seeds, worlds):
    """Write to ``worlds[i, j]`` (STATE) a world that agrees with what ``seats[i]`` knows in ``views[i]``; ``seeds[i,
    j]`` uint64 starts its sampling stream."""
    cards = np.zeros(NUM_CARDS, dtype=np.uint8)
    for row in range(len(views)):
        for number in range(worlds.shape[1]):
            world = worlds[row, number]
            worlds[row, number] = views[row]
            world["sample_rng"] = seeds[row, number]
            deal_world(world, int(seats[row]), cards)
