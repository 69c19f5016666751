"""The scripted bots, compiled, so that whole deals are played inside the loop.

A bot is a function of the game and its legal actions. It reads only what its seat may see (its own hand and the public
fields of ``state.FIELDS``); tests exchange hidden cards to check this. docs/bots.md describes each bot.
"""

from __future__ import annotations

import numpy as np

from ..actions import ACTION_POINTS, DISCARD, DRAW, LAYOFF_JOKER, LAYOFF_SET, MELD_RUN, MELD_SET, PASS, TAKE
from ..cards import CARD_VALUES, JOKER, NUM_RANKS
from ..state import DRAW_PHASE, OVER
from .apply import apply
from .bits import ONE, PLAIN, ZERO, add_card, bit, in_every_suit, jokers_in, next_down, next_up, plus
from .compiler.intrinsics import lowest, popcount
from .compiler.jit import compiled
from .expert import EXPERT_WEIGHTS, best_by_features
from .legal import completable_within, legal_actions
from .masks import count_legal, is_legal, nth_legal
from .rng import sample_below
from .score import hand_value

RANDOM, GREEDY, DEEPEST, EXPERT = 0, 1, 2, 3
NO_ACTION = -1
FIRST_TAKE = np.uint64(TAKE.start)
TAKES = np.uint64((1 << 56) - 1)


@compiled
def choose(game, words, row, bot):
    """The action of a bot for the seat to move; ``words[row]`` are the legal actions."""
    if bot == RANDOM:
        return nth_legal(words, row, sample_below(game, count_legal(words, row)))
    if bot == EXPERT:
        return best_by_features(game, words, row, EXPERT_WEIGHTS)
    if int(game["phase"]) == DRAW_PHASE:
        take = deepest_take(game, words, row) if bot == DEEPEST else gainful_take(game, words, row)
        return take if take != NO_ACTION else draw_or_pass(words, row)
    action = best_meld(game, words, row)
    if action == NO_ACTION:
        action = lowest_layoff(words, row)
    if action == NO_ACTION:
        action = DISCARD.start + least_useful(game)
    return action


@compiled
def draw_or_pass(words, row):
    return DRAW.start if is_legal(words, row, DRAW.start) else PASS.start


@compiled
def legal_takes(words, row):
    """The legal takes: plain cards, and jokers by their order from the top in bits 52..55."""
    return (words[row, 0] >> FIRST_TAKE) & TAKES


@compiled
def deepest_take(game, words, row):
    """The legal take of the lowest card in the pile."""
    takes = legal_takes(words, row)
    if takes == ZERO:
        return NO_ACTION
    jokers = jokers_in(game["pile"])
    for place in range(int(game["pile_size"])):
        card = int(game["pile_card"][place])
        if card == JOKER:
            jokers -= 1
            card += jokers
        if takes & bit(card) != ZERO:
            return TAKE.start + card
    return NO_ACTION


@compiled
def gainful_take(game, words, row):
    """The take with the largest gain: the points that become ready to lay minus those of the cards above the taken
    one."""
    takes = legal_takes(words, row)
    if takes == ZERO:
        return NO_ACTION
    hand = game["hand"][int(game["seat"])]
    before = ready_value(game, hand)
    taken = ZERO
    jokers = 0
    best = NO_ACTION
    best_gain = 0
    for depth in range(int(game["pile_size"])):
        card = int(game["pile_card"][int(game["pile_size"]) - 1 - depth])
        taken = add_card(taken, card)
        if card == JOKER:
            card += jokers
            jokers += 1
        if takes & bit(card) != ZERO:
            load = hand_value(taken) - int(CARD_VALUES[min(card, JOKER)])
            gain = ready_value(game, plus(hand, taken)) - before - load
            if gain > best_gain:
                best_gain = gain
                best = TAKE.start + card
    return best


@compiled
def ready_value(game, cards):
    """The points of the cards of a hand that can be laid now; a card that fits two melds counts once."""
    plain = cards & PLAIN
    ready = completable_within(plain, game["sets"], game["runs"])
    jokers = jokers_in(cards)
    value = hand_value(ready)
    if jokers >= 3 or jokers_in(game["sets"]) == 3:
        value += int(CARD_VALUES[JOKER]) * jokers
    return value


@compiled
def best_meld(game, words, row):
    """The legal meld worth most points; of equals the lowest id."""
    points = ACTION_POINTS[int(game["quad_jacks"])]
    best = NO_ACTION
    most = 0
    for word in range(MELD_SET.start // 64, (MELD_RUN.stop - 1) // 64 + 1):
        bits = words[row, word]
        while bits != ZERO:
            action = 64 * word + lowest(bits)
            bits &= bits - ONE
            if MELD_SET.start <= action < MELD_RUN.stop and int(points[action]) > most:
                most = int(points[action])
                best = action
    return best


@compiled
def lowest_layoff(words, row):
    """The legal lay-off with the lowest id."""
    for word in range(LAYOFF_SET.start // 64, LAYOFF_JOKER.start // 64 + 1):
        bits = words[row, word]
        while bits != ZERO:
            action = 64 * word + lowest(bits)
            bits &= bits - ONE
            if LAYOFF_SET.start <= action < LAYOFF_JOKER.stop:
                return action
    return NO_ACTION


@compiled
def use_of(hand, card):
    """The use of a card in a hand: 2 for each other card of its rank and each neighbour in its suit, 1 for each card of
    its suit two ranks away; for a joker 3 for each joker in the hand."""
    if card == JOKER:
        return 3 * jokers_in(hand)
    one = bit(card)
    up, down = next_up(one), next_down(one)
    others = in_every_suit(ONE << np.uint64(card % NUM_RANKS)) & ~one
    near = up | down
    far = next_up(up) | next_down(down)
    return 2 * popcount(hand & (others | near)) + popcount(hand & far)


@compiled
def least_useful(game):
    """The card of the hand with the least use; of equals the one with fewer points, then with the lower index."""
    hand = game["hand"][int(game["seat"])]
    plain = hand & PLAIN
    best = JOKER
    least = use_of(hand, JOKER) if jokers_in(hand) > 0 else 1_000_000
    while plain != ZERO:
        card = lowest(plain)
        plain &= plain - ONE
        use = use_of(hand, card)
        worth, best_worth = int(CARD_VALUES[card]), int(CARD_VALUES[best])
        if use < least or (use == least and (worth < best_worth or (worth == best_worth and card < best))):
            least = use
            best = card
    return best


@compiled
def choose_many(games, legal, bots, actions, start, stop):
    """Write the action of the bot to move in each running game; ``bots`` (n, 4) int8 are codes by seat.

    With a negative code the seat has no bot, and the action is not written.
    """
    for lane in range(start, stop):
        game = games[lane]
        if int(game["phase"]) != OVER:
            bot = int(bots[lane, int(game["seat"])])
            if bot >= 0:
                actions[lane] = choose(game, legal, lane, bot)


@compiled
def play_to_end(game, words, row, bots):
    """Let bots (by seat, int8) play a game to its end; returns the number of decisions."""
    decisions = 0
    while int(game["phase"]) != OVER:
        legal_actions(game, words, row)
        apply(game, choose(game, words, row, int(bots[int(game["seat"])])))
        decisions += 1
    return decisions
