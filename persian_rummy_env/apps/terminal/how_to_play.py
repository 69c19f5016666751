"""The game on one screen: its goal, the values of the cards, and a turn from draw to discard."""

from __future__ import annotations

from typing import NamedTuple

from ...cards import CARD_VALUES, JOKER_VALUE, RANK_VALUES, card_index
from ...rules import OUT_BONUS, RuleSet


class WorkedTurn(NamedTuple):
    """A turn to learn from: the hand before it, the pile from the bottom, the actions, and the hand after it."""

    hand: str
    pile: str
    actions: tuple[str, ...]
    left: str


TURN = WorkedTurn(
    hand="4D 4H 9C TS QH 2C 7S",
    pile="8S 4S KD",
    actions=("take 4S", "meld 4D 4H 4S", "discard KD"),
    left="2C 9C QH 7S TS",
)


def how_to_play(rules: RuleSet) -> str:
    """Lines of at most 80 columns, for a screen of 24 rows."""
    four = "of any rank" if rules.quad_bonus == "any" else "jacks"
    blocked = "Four passes in a row end" if rules.stock_out == "pass" else "The first pass ends"
    tens, ace = RANK_VALUES[-2:]
    game = "one deal" if rules.deals == 1 else f"{rules.deals} deals"
    take, meld, discard = TURN.actions
    points = sum(int(CARD_VALUES[card_index(name)]) for name in meld.split()[1:])
    return f"""\
Goal   You and the player opposite are a team. Each card that you lay on the
       table scores for your team; each card left in a hand at the end costs its
       team as much. The higher score after {game} wins.
Cards  2 to 9 score their number, T (ten) J Q K {tens}, A {ace}, the four jokers JK {JOKER_VALUE}.
       Suits: C clubs, D diamonds, H hearts, S spades. TC is the ten of clubs.
Turn   1. Draw from the stock; or take a card of the pile with all cards above
          it. The card that you name must then be melded first.
       2. Meld, if you can: a set (three or four of a rank) or a run (three or
          more of a suit in order, the ace high). Jokers go with jokers only.
          Lay off single cards on any set or run on the table.
       3. Discard one card on the pile.
       Four {four} melded at once count double.
End    Whoever melds or lays off their last card goes out: {OUT_BONUS} more for the team.
       With the stock empty, take from the pile or pass.
       {blocked} the deal.

A turn. Your hand: {TURN.hand}. The pile, top last: {TURN.pile}.
  {take:18}you get 4S and KD; 4S is owed
  {meld:18}{points} points for your team
  {discard:18}the turn ends; you keep {TURN.left}"""
