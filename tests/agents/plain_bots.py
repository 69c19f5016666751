"""``deepest`` and ``greedy`` once more, slow and plain, written from what docs/bots.md says of them.

They choose by name, from what a player at the table has before the eyes: the hand, the pile from the bottom, the sets
and runs on the table, and the list of what is legal. Nothing is shared with the package.
"""

from __future__ import annotations

from dataclasses import dataclass

RANKS = "23456789TJQKA"
SUITS = "CDHS"
JOKER = "JK"


@dataclass(frozen=True)
class Seen:
    """``hand`` and ``legal`` in any order, ``pile`` from the bottom; ``sets``, ``runs``: the cards that lie in them."""

    hand: list[str]
    pile: list[str]
    sets: list[str]
    runs: list[str]
    legal: list[str]
    only_jacks: bool


def value_of(card: str) -> int:
    if card == JOKER:
        return 20
    return {"A": 15, "K": 10, "Q": 10, "J": 10, "T": 10}.get(card[0]) or int(card[0])


def index_of(card: str) -> int:
    return 52 if card == JOKER else SUITS.index(card[1]) * 13 + RANKS.index(card[0])


def apart(card: str, other: str) -> int | None:
    """How many ranks apart two cards of a suit are."""
    if JOKER in (card, other) or card[1] != other[1]:
        return None
    return abs(RANKS.index(card[0]) - RANKS.index(other[0]))


# deepest --------------------------------------------------------------------------------------------------------------


def deepest(seen: Seen) -> str:
    takes = [action for action in seen.legal if action.startswith("take")]
    if takes:
        return min(takes, key=lambda action: place_of(action.split()[1], seen.pile))
    for action in ("draw", "pass"):
        if action in seen.legal:
            return action
    return after_drawing(seen)


def place_of(name: str, pile: list[str]) -> int:
    """Where in the pile, from the bottom, a card named in a take lies."""
    if not name.startswith(JOKER):
        return pile.index(name)
    from_the_top = [place for place in reversed(range(len(pile))) if pile[place] == JOKER]
    return from_the_top[int(name[2]) - 1]


def after_drawing(seen: Seen) -> str:
    melds = [action for action in seen.legal if action.startswith("meld")]
    if melds:
        return min(melds, key=lambda action: (-points_of(action, seen.only_jacks), melding_order(action)))
    layoffs = [action for action in seen.legal if action.startswith("layoff")]
    if layoffs:
        return min(layoffs, key=laying_order)
    worst = min(seen.hand, key=lambda card: (use_of(card, seen.hand), value_of(card), index_of(card)))
    return f"discard {worst}"


def points_of(meld: str, only_jacks: bool) -> int:
    cards = meld.split()[1:]
    quad = len(cards) == 4 and len({card[0] for card in cards}) == 1
    double = quad and (not only_jacks or (cards[0][0] == "J" and cards[0] != JOKER))
    return sum(map(value_of, cards)) * (2 if double else 1)


def melding_order(meld: str) -> tuple[int, ...]:
    """Melds in the order of their ids: sets by rank (CDH, CDS, CHS, DHS, CDHS), three jokers, four; runs by suit, then
    length, then lowest rank."""
    cards = meld.split()[1:]
    if cards[0] == JOKER:
        return 1, len(cards)
    if cards[0][0] == cards[1][0]:
        suits = "".join(card[1] for card in cards)
        return 0, RANKS.index(cards[0][0]), ["CDH", "CDS", "CHS", "DHS", "CDHS"].index(suits)
    return 2, SUITS.index(cards[0][1]), len(cards), RANKS.index(cards[0][0])


def laying_order(layoff: str) -> tuple[int, ...]:
    """Lay-offs in the order of their ids: on sets by card, on runs by card, a joker."""
    _, card, where = layoff.split()
    if card == JOKER:
        return 2, 0
    return 0 if where == "set" else 1, index_of(card)


def use_of(card: str, hand: list[str]) -> int:
    if card == JOKER:
        return 3 * hand.count(JOKER)
    others = [other for other in hand if other not in (card, JOKER)]
    use = sum(2 for other in others if other[0] == card[0])
    for distance, gain in ((1, 2), (2, 1)):
        use += sum(gain for other in others if apart(card, other) == distance)
    return use


# greedy ---------------------------------------------------------------------------------------------------------------


def greedy(seen: Seen) -> str:
    takes = [action for action in seen.legal if action.startswith("take")]
    best, most = None, 0
    # From the top down; of equal gains the first, which brings the fewest cards along.
    for take in sorted(takes, key=lambda action: -place_of(action.split()[1], seen.pile)):
        gain = gain_of(take, seen)
        if gain > most:
            best, most = take, gain
    if best is not None:
        return best
    for action in ("draw", "pass"):
        if action in seen.legal:
            return action
    return after_drawing(seen)


def gain_of(take: str, seen: Seen) -> int:
    place = place_of(take.split()[1], seen.pile)
    wanted, *along = seen.pile[place:]
    before = ready_value(seen.hand, seen)
    return ready_value([*seen.hand, wanted, *along], seen) - before - sum(map(value_of, along))


def ready_value(hand: list[str], seen: Seen) -> int:
    """The value of the cards of a hand that could be laid now, each once."""
    value = sum(value_of(card) for card in hand if card != JOKER and can_be_laid(card, hand, seen))
    jokers = hand.count(JOKER)
    return value + (20 * jokers if jokers >= 3 or seen.sets.count(JOKER) == 3 else 0)


def can_be_laid(card: str, hand: list[str], seen: Seen) -> bool:
    if sum(other[0] == card[0] for other in hand if other != JOKER) >= 3:
        return True
    if any(other[0] == card[0] for other in seen.sets if other != JOKER):
        return True
    row = 1
    for step in (-1, 1):
        rank = RANKS.index(card[0]) + step
        while 0 <= rank < 13 and RANKS[rank] + card[1] in hand:
            row += 1
            rank += step
        if 0 <= rank < 13 and RANKS[rank] + card[1] in seen.runs:  # the chain reaches a run on the table
            return True
    return row >= 3
