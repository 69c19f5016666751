"""Whether a record from outside is a game: what must hold between its fields, ``state.RELATIONS``.

Whoever calls this has seen to it that every field is in its range, so every index here is good. What passes can be
played to the end: every loop of the core ends on it, and no index leaves its array.
"""

from __future__ import annotations

import numpy as np

from ..cards import CARD_VALUES, JOKER, NUM_CARDS, NUM_JOKERS, NUM_RANKS, NUM_SUITS
from ..rules import NUM_SEATS, NUM_TEAMS, OUT_BONUS, PASSES_TO_END
from ..state import DRAW_PHASE, MAX_PILE, MELD_PHASE, NOBODY, NOTHING_OWED, OVER
from .bits import JOKER_BIT, JOKERS, ONE, PLAIN, ZERO, add_card, bit, jokers_in, next_up
from .compiler.intrinsics import popcount
from .compiler.jit import compiled
from .legal import legal_actions
from .masks import ONLY_ROW, WORDS, count_legal
from .score import hand_value

# Numbers of ``state.RELATIONS``.
(
    HAND_JOKERS, KNOWN_JOKERS, DECLINED_JOKERS, LAID_JOKERS, SETS_JOKERS, PILE_JOKERS,
    DEAL, OWED, SOMETHING_HELD, PASSES, OUT, SCORE, LAST_SCORE, POINTS, EPISODE_DECISIONS, PILE, PILE_SIZE, QUEUE, SETS,
    RUN_LOW, LAID, KNOWN, DECLINED, CARDS, DECKS,
) = range(25)  # fmt: skip
HOLDS = -1

RANK_OF_ALL_SUITS = np.uint64(sum(1 << NUM_RANKS * suit for suit in range(NUM_SUITS)))
JACK = np.uint64(9)
MOST_POINTS_OF_A_DEAL = 2 * int(CARD_VALUES[:JOKER].sum() + NUM_JOKERS * CARD_VALUES[JOKER]) + OUT_BONUS


@compiled
def broken_relation(game):
    """The number of the first relation that does not hold, and for a field by seat or team, the entry: (number, entry);
    (``HOLDS``, 0) where all of them do."""
    for seat in range(NUM_SEATS):
        if not unary(game["hand"][seat]):
            return HAND_JOKERS, seat
        if not unary(game["known"][seat]):
            return KNOWN_JOKERS, seat
        if not unary(game["declined"][seat]):
            return DECLINED_JOKERS, seat
        if not unary(game["laid"][seat]):
            return LAID_JOKERS, seat
    if not unary(game["sets"]):
        return SETS_JOKERS, 0
    if not unary(game["pile"]):
        return PILE_JOKERS, 0
    deal, deals = int(game["deal"]), int(game["deals"])
    if deal >= deals or (int(game["phase"]) == OVER and deal + 1 != deals):
        return DEAL, 0
    broken, entry = broken_pile(game)
    if broken == HOLDS:
        broken, entry = broken_places(game)
    if broken == HOLDS:
        broken, entry = broken_table(game)
    if broken == HOLDS:
        broken, entry = broken_knowledge(game)
    if broken == HOLDS:
        broken, entry = broken_course(game)
    if broken == HOLDS:
        broken, entry = broken_decks(game)
    return broken, entry


@compiled
def unary(cards):
    """Whether the jokers of a set are counted in unary."""
    jokers = cards >> JOKER_BIT
    return jokers & (jokers + ONE) == ZERO


@compiled
def broken_pile(game):
    """The pile, and the sizes of pile and stock."""
    stock = int(game["stock_size"])
    size = int(game["pile_size"])
    if size + stock > MAX_PILE - (1 if int(game["phase"]) == MELD_PHASE else 0):
        return PILE_SIZE, 0
    found = ZERO
    for place in range(size):
        card = int(game["pile_card"][place])
        if card != JOKER and found & bit(card) != ZERO:
            return PILE, 0
        found = add_card(found, card)
    if found != game["pile"]:
        return PILE, 0
    queued = 0
    for seat in range(NUM_SEATS):
        queued += int(game["queue"][seat])
    if queued != (stock if int(game["split_stock"]) == 1 else 0):
        return QUEUE, 0
    return HOLDS, 0


@compiled
def broken_places(game):
    """Every card in one place."""
    sets, runs, pile = game["sets"], game["runs"], game["pile"]
    seen = sets & PLAIN
    jokers = jokers_in(sets) + jokers_in(pile)
    twice = seen & runs
    seen |= runs
    twice |= seen & pile
    seen |= pile & PLAIN
    for seat in range(NUM_SEATS):
        hand = game["hand"][seat]
        twice |= seen & hand
        seen |= hand & PLAIN
        jokers += jokers_in(hand)
    deck = game["decks"][int(game["deal"])]
    for place in range(NUM_CARDS - int(game["stock_size"]), NUM_CARDS):
        card = int(deck[place])
        if card == JOKER:
            jokers += 1
        else:
            twice |= seen & bit(card)
            seen |= bit(card)
    if twice & PLAIN != ZERO or seen != PLAIN or jokers != NUM_JOKERS:
        return CARDS, 0
    return HOLDS, 0


@compiled
def broken_table(game):
    """The sets and the runs, and who laid their cards."""
    sets, runs = game["sets"], game["runs"]
    in_sets = jokers_in(sets)
    if in_sets == 1 or in_sets == 2:
        return SETS, 0
    for rank in range(NUM_RANKS):
        number = popcount(sets & (RANK_OF_ALL_SUITS << np.uint64(rank)))
        if number == 1 or number == 2:
            return SETS, 0
    low = game["run_low"]
    second = next_up(low)
    third = next_up(second)
    above = second | third
    wrong = (low & ~runs) | (runs & ~next_up(runs) & ~low) | (above & ~runs) | (above & low)
    if wrong != ZERO or popcount(third) != popcount(low):
        return RUN_LOW, 0
    laid = ZERO
    jokers = 0
    for seat in range(NUM_SEATS):
        cards = game["laid"][seat]
        if laid & cards & PLAIN != ZERO:
            return LAID, seat
        laid |= cards & PLAIN
        jokers += jokers_in(cards)
    if laid != (sets & PLAIN) | runs or jokers != in_sets:
        return LAID, 0
    return HOLDS, 0


@compiled
def broken_knowledge(game):
    """What the seats know of each other's cards."""
    public = game["pile"] | game["sets"] | game["runs"]
    known = ZERO
    for seat in range(NUM_SEATS):
        if game["known"][seat] & ~game["hand"][seat] != ZERO:
            return KNOWN, seat
        known |= game["known"][seat]
    for seat in range(NUM_SEATS):
        unseen = game["declined"][seat] & PLAIN & ~(public | (known & ~game["known"][seat]))
        if unseen != ZERO:
            return DECLINED, seat
    return HOLDS, 0


@compiled
def broken_course(game):
    """How far the game has come."""
    phase = int(game["phase"])
    seat = int(game["seat"])
    deal = int(game["deal"])
    out = int(game["out"])
    passes = int(game["passes"])
    hand = game["hand"][seat]
    if phase == MELD_PHASE:
        if hand == ZERO:
            return SOMETHING_HELD, seat
        if not owed_can_be_melded(game):
            return OWED, 0
    elif int(game["owed"]) != NOTHING_OWED:
        return OWED, 0

    finished = deal + (1 if phase == OVER else 0)
    went_out = out != NOBODY
    if finished == 0:
        if went_out:
            return OUT, 0
    elif phase == OVER and went_out and (out != seat or hand != ZERO):
        return OUT, 0
    stock_end = int(game["stock_end"]) == 1
    if phase == OVER:
        ends = 1 if stock_end else PASSES_TO_END
        if passes != (0 if went_out else ends) or (not went_out and int(game["stock_size"]) > 0):
            return PASSES, 0
    elif passes >= PASSES_TO_END or (passes > 0 and (phase != DRAW_PHASE or stock_end or int(game["stock_size"]) > 0)):
        return PASSES, 0

    full = full_sets_value(game)
    for team in range(NUM_TEAMS):
        if abs(int(game["score"][team])) > finished * MOST_POINTS_OF_A_DEAL:
            return SCORE, team
        if finished == 0 and int(game["last_score"][team]) != 0:
            return LAST_SCORE, team
        points = int(game["points"][team])
        least = 0
        most = 0
        if phase != OVER:
            least = hand_value(game["laid"][team]) + hand_value(game["laid"][team + NUM_TEAMS])
            most = least + full
        if points < least or points > most:
            return POINTS, team
    decisions, of_episode = int(game["decisions"]), int(game["episode_decisions"])
    if of_episode < decisions or (deal == 0 and of_episode != decisions):
        return EPISODE_DECISIONS, 0
    return HOLDS, 0


@compiled
def owed_can_be_melded(game):
    """In the meld phase: nothing is owed, or a card that was taken and that a legal action leads to."""
    owed = int(game["owed"])
    if owed == NOTHING_OWED:
        return True
    known = game["known"][int(game["seat"])]
    if known & (JOKERS if owed == JOKER else bit(owed)) == ZERO:
        return False
    words = np.zeros((1, WORDS), dtype=np.uint64)
    legal_actions(game, words, ONLY_ROW)
    return count_legal(words, ONLY_ROW) > 0


@compiled
def full_sets_value(game):
    """The points of the sets of four on the table that count double if they were melded at once."""
    sets = game["sets"]
    value = 0
    for rank in range(NUM_RANKS):
        four = RANK_OF_ALL_SUITS << np.uint64(rank)
        if sets & four == four and (int(game["quad_jacks"]) == 0 or np.uint64(rank) == JACK):
            value += hand_value(four)
    if jokers_in(sets) == NUM_JOKERS and int(game["quad_jacks"]) == 0:
        value += hand_value(JOKERS)
    return value


@compiled
def broken_decks(game):
    """Decks that were dealt, or are given and will be. (One neither dealt nor given is drawn when its deal begins.)"""
    deal = int(game["deal"])
    dealt_of_this = NUM_CARDS - int(game["stock_size"])
    for number in range(int(game["deals"])):
        if number > deal and (int(game["given"]) >> number) & 1 == 0:
            continue
        deck = game["decks"][number]
        seen = ZERO
        jokers = 0
        for place in range(NUM_CARDS):
            card = int(deck[place])
            if card == JOKER:
                jokers += 1
            seen |= bit(card)
        if seen & PLAIN != PLAIN or jokers != NUM_JOKERS:
            most = 0
            for place in range(dealt_of_this if number == deal else NUM_CARDS):
                most = max(most, int(deck[place]))
            if most > 0 or number > deal:
                return DECKS, number
    return HOLDS, 0


@compiled
def first_broken(games, start, stop):
    """(lane, number of the relation, entry) of the first game in which a relation does not hold; lane -1: none."""
    for lane in range(start, stop):
        number, entry = broken_relation(games[lane])
        if number != HOLDS:
            return lane, number, entry
    return -1, HOLDS, 0
