"""The golden games: what each one shows, and how those that were made by hand are played."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Deal:
    """A deal by hand.

    Attributes:
        hands: seven cards for each seat 0..3.
        turned: the card turned up.
        stock: the first cards of the stock; the rest of the pack follows in its own order.
        play: actions divided by ``;`` (spread over lines as one likes). ``idle`` is a turn in which the card drawn is
            discarded again; ``idle 27`` is 27 such turns.
    """

    hands: tuple[str, str, str, str]
    turned: str
    stock: str
    play: str


@dataclass(frozen=True)
class Golden:
    """A golden game.

    Attributes:
        about: what it shows.
        events: what the plain twin must have counted in it, at least once.
        score: the totals, worked out by hand in the comments.
        deals: by hand; none for a game that bots played.
    """

    about: str
    events: tuple[str, ...]
    score: tuple[int, int]
    deals: tuple[Deal, ...] = ()
    dealer: int = 3
    rules: dict[str, Any] = field(default_factory=lambda: {"deals": 1})


DIAMONDS = "2D 4D 6D 8D TD QD AD"  # 55 points
HEARTS = "2H 4H 6H 8H TH QH AH"  # 55
CLUBS = "2C 4C 6C 8C TC QC AC"  # 55
SPADES = "2S 4S 6S 8S TS QS AS"  # 55

# Four jokers and four nines: 160 + 72 + 25 - 55; the others -55 and 3C 5C 7C JC KC AC 2S, -52.
FOUR_JOKERS = Deal(
    ("JK JK JK JK 9C 9D 9H", HEARTS, DIAMONDS, "3C 5C 7C JC KC AC 2S"),
    turned="KS",
    stock="9S",
    play="draw; meld JK JK JK JK; meld 9C 9D 9H 9S",
)
# Nobody melds: every hand keeps its 55 points.
NOBODY_MELDS = (CLUBS, DIAMONDS, HEARTS, SPADES)

GOLDEN: dict[str, Golden] = {
    "chain_take": Golden(
        "7♠ is taken because 6♠ of the hand leads to it from 3♠ 4♠ 5♠; until it is paid only that chain may be played",
        ("chain_take", "chain_layoff", "owed_layoff", "high_end_layoff", "opponent_meld_layoff", "out_by_meld"),
        # Team 0: 12 laid, left KD 9C 2H KC, 31, and 41. Team 1: 13 laid off, 24 and 30 melded, out, left 49.
        (12 - 31 - 41, 13 + 24 + 30 + 25 - 49),
        (
            Deal(
                ("3S 4S 5S 7S KD 9C 2H", "6S 8C 8D 8H TC TD TH", "2D 3D 4D 6C 7C 9D QS", "2C 3C 4C 6D 9H QC AD"),
                turned="JD",
                stock="KC",
                play="""draw; meld 3S 4S 5S; discard 7S;
                        take 7S; layoff 6S run; layoff 7S run; meld 8C 8D 8H; meld TC TD TH""",
            ),
        ),
    ),
    "chain_take_downwards": Golden(
        "the same from above: 9♥ leads down from 10♥ J♥ Q♥ to 8♥; seat 1 deals, so seat 2 begins",
        ("chain_take", "chain_layoff", "owed_layoff", "low_end_layoff", "opponent_meld_layoff", "out_by_meld"),
        # Team 0: 30 laid, left AD KD 2H 6S, 33, and 43. Team 1: 17 laid off, 12 and 21 melded, out, left 49.
        (30 - 33 - 43, 17 + 12 + 21 + 25 - 49),
        (
            Deal(
                ("2C 3C 4D 5D KS AS 4H", "2D 3D 4C 5C KC AC QS", "TH JH QH 8H AD KD 2H", "9H 3S 4S 5S 7C 7D 7S"),
                turned="JD",
                stock="6S",
                play="""draw; meld TH JH QH; discard 8H;
                        take 8H; layoff 9H run; layoff 8H run; meld 3S 4S 5S; meld 7C 7D 7S""",
            ),
        ),
        dealer=1,
    ),
    "both_ends": Golden(
        "6♠ is laid off between two runs and joins them; the whole grows at both ends",
        ("bridging_layoff", "low_end_layoff", "high_end_layoff", "opponent_meld_layoff", "out_by_meld"),
        # Team 0: 12 + 24 laid, left 2C and 59. Team 1: 6 + 2 + 10 + 10 + 10 laid off, 12 melded, out, left 59.
        (36 - 2 - 59, 38 + 12 + 25 - 59),
        (
            Deal(
                ("3S 4S 5S 7S 8S 9S KD", "6S 2S TS JS 4C 4D 4H", "3C 5C 7C 9C JC KC AC", "3D 5D 7D 9D JD QD AD"),
                turned="2H",
                stock="2C QS",
                play="""draw; meld 3S 4S 5S; meld 7S 8S 9S; discard KD;
                        draw; layoff 6S run; layoff 2S run; layoff TS run; layoff JS run; layoff QS run;
                        meld 4C 4D 4H""",
            ),
        ),
    ),
    "fourth_joker": Golden(
        "three jokers, and the fourth laid off by the other team, which is not doubled",
        ("joker_set", "joker_fourth", "three_plus_one", "opponent_meld_layoff", "out_by_layoff"),
        # Team 0: 60 laid, left 3C 5C 7C 9C, 24, and 55. Team 1: 30 + 15 + 20 laid, out, left 55.
        (60 - 24 - 55, 65 + 25 - 55),
        (
            Deal(
                ("JK JK JK 3C 5C 7C 9C", "JK 5D 5H 5S 6S 8S 9S", DIAMONDS, HEARTS),
                turned="KS",
                stock="JC 7S",
                play="""draw; meld JK JK JK; discard JC;
                        draw; meld 6S 7S 8S 9S; meld 5D 5H 5S; layoff JK set""",
            ),
        ),
    ),
    "four_jokers": Golden(
        "four jokers at once count 160; the player goes out in the first turn of the deal",
        ("joker_quad", "quad_at_once", "out_by_meld"),
        (160 + 72 + 25 - 55, -55 - 52),
        (FOUR_JOKERS,),
    ),
    "three_and_one": Golden(
        "four jacks at once count 80; three kings and the fourth later in the same turn only 40",
        ("quad_at_once", "three_plus_one", "out_by_layoff"),
        # Team 1 is left with 55 and 51.
        (80 + 30 + 10 + 25 - 55, -55 - 51),
        (
            Deal(
                ("JC JD JH JS KC KD KH", HEARTS, DIAMONDS, "3C 5C 7C 9C TC AC 2S"),
                turned="2C",
                stock="KS",
                play="draw; meld JC JD JH JS; meld KC KD KH; layoff KS set",
            ),
        ),
    ),
    "only_jacks": Golden(
        "with quad_bonus=jacks four jacks count 80, but four kings only 40 and four jokers 80",
        ("quad_at_once", "joker_quad", "out_by_meld"),
        # Team 0: left 4C 4D 2H and 53. Team 1: left 52.
        (80 - 10 - 53, 40 + 80 + 25 - 52),
        (
            Deal(
                ("JC JD JH JS 4C 4D 2H", "KC KD KH KS JK JK JK", "2D 6D 8D TD QD AD 2S", "3C 5C 7C 9C TC AC 3S"),
                turned="9S",
                stock="5H JK",
                play="""draw; meld JC JD JH JS; discard 5H;
                        draw; meld KC KD KH KS; meld JK JK JK JK""",
            ),
        ),
        rules={"deals": 1, "quad_bonus": "jacks"},
    ),
    "empty_hand": Golden(
        "the last card is discarded and the deal goes on; with an empty hand the player draws again, twice",
        ("last_card_discarded", "empty_hand_turn", "out_by_layoff"),
        # Team 0: 6 + 24 laid, 2 laid off, out, left 53. Team 1: left 59 and 59.
        (6 + 24 + 2 + 25 - 53, -59 - 59),
        (
            Deal(
                ("2C 2D 2H 3C 3D 3H 3S", "4C 5C 7C 8C TC QC AC", "4D 6D 8D QD AD 4H 6H", "4S 5S 7S 8S TS QS AS"),
                turned="5H",
                stock="KS 9D TD JH 9H 9S TH JS 2S",
                play="""draw; meld 2C 2D 2H; meld 3C 3D 3H 3S; discard KS; idle 3; idle; idle 3;
                        draw; layoff 2S set""",
            ),
        ),
    ),
    "out_by_layoff": Golden(
        "the last cards go on the opponents' run: that, too, is going out",
        ("opponent_meld_layoff", "high_end_layoff", "out_by_layoff"),
        # Team 0: 18 laid, left 2D 4D 9D JD, 25, and 59. Team 1: 30 + 6 melded, 17 laid off, out, left 59.
        (18 - 25 - 59, 36 + 17 + 25 - 59),
        (
            Deal(
                ("5H 6H 7H 2D 4D 9D JD", "8H TC TD TS 2C 2H 2S", "3C 5C 7C 9C JC KC AC", "3S 5S 7S 9S JS KS AS"),
                turned="3D",
                stock="KD 9H",
                play="""draw; meld 5H 6H 7H; discard KD;
                        draw; meld TC TD TS; meld 2C 2H 2S; layoff 8H run; layoff 9H run""",
            ),
        ),
    ),
    "deep_take": Golden(
        "7♠ is taken from under four cards, which are kept for the time being",
        ("deep_take", "owed_set", "out_by_layoff"),
        # Team 0: 21 laid, left 2H 4H 6H 8H TH 3D 5D 8D, 46, and 46. Team 1: 27 + 80 melded, 7 laid off, out, left 46.
        (21 - 46 - 46, 27 + 80 + 7 + 25 - 46),
        (
            Deal(
                ("7C 7D 2H 4H 6H 8H TH", "9C 9D 9H QC QD QH QS", "2C 3C 5C 6C TC JC KC", "2S 3S 5S 6S TS JS KS"),
                turned="7S",
                stock="3D 5D 8D JD 7H",
                play="""idle 4; take 7S; meld 7C 7D 7S; discard JD;
                        draw; meld 9C 9D 9H; meld QC QD QH QS; layoff 7H set""",
            ),
        ),
    ),
    "take_fourth": Golden(
        "9♠ is taken to complete the set of three on the table, and nothing else may be done before",
        ("owed_layoff", "three_plus_one", "opponent_meld_layoff", "out_by_meld"),
        # Team 0: 27 laid, left 2C 4C 6C 8D, 20, and 53. Team 1: 9 laid off, 15 and 80 melded, out, left 53.
        (27 - 20 - 53, 9 + 15 + 80 + 25 - 53),
        (
            Deal(
                ("9C 9D 9H 9S 2C 4C 6C", "5C 5D 5H TC TD TH TS", "2H 3H 6H 7H JH KH AH", "2D 3D 6D 7D JD KD AD"),
                turned="2S",
                stock="8D",
                play="""draw; meld 9C 9D 9H; discard 9S;
                        take 9S; layoff 9S set; meld 5C 5D 5H; meld TC TD TH TS""",
            ),
        ),
    ),
    "take_joker": Golden(
        "with one joker in the hand the second joker of the pile may be taken, the top one not",
        ("owed_set", "joker_set", "joker_fourth", "out_by_meld"),
        # Team 0: 60 laid, left 43 and 38. Team 1: 20 + 22 + 29 laid, out, left 43.
        (60 - 43 - 38, 71 + 25 - 43),
        (
            Deal(
                ("JK 2C 4C 6C 8C TC QC", "JK 2D 4D 6D 8D TD QD", "JK 2H 4H 6H 8H TH QH", "JK 5S 6S 7S 9S TS JS"),
                turned="2S",
                stock="3D 3H 4S",
                play="""draw; discard JK; draw; discard JK;
                        take JK2; meld JK JK JK; discard 2H;
                        draw; layoff JK set; meld 4S 5S 6S 7S; meld 9S TS JS""",
            ),
        ),
    ),
    "owed_choice": Golden(
        "6♥ may be paid in a set or in either of two runs, and in nothing else",
        ("owed_run", "out_by_meld"),
        # Team 0: 30 laid, left 6D 2C 2D and 49. Team 1: 80 + 24 laid, out, left 54.
        (30 - 10 - 49, 104 + 25 - 54),
        (
            Deal(
                ("7H 8H 9H 6C 6D 2C 2D", "KC KD KH 3C 3D 3H 3S", "4C 5C 8C TC JC QC 2H", "4D 5D 8D TD JD AD 2S"),
                turned="6H",
                stock="KS",
                play="""take 6H; meld 6H 7H 8H 9H; discard 6C;
                        draw; meld KC KD KH KS; meld 3C 3D 3H 3S""",
            ),
        ),
    ),
    "ace_high": Golden(
        "Q♥ K♥ A♥ is a run and ends with the ace; A♣ 2♣ 3♣ in another hand is none",
        ("low_end_layoff", "out_by_meld"),
        # Team 0: 35 laid, left 2H 3H 5C 8D, 18; 20 laid off, 18 + 24 melded, out. Team 1: left 50 and 39.
        (35 - 18 + 20 + 18 + 24 + 25, -50 - 39),
        (
            Deal(
                ("QH KH AH 2H 3H 5C 8D", "AC 2C 3C 4D 7D 9D TD", "TH JH 6C 6D 6H 8C 8H", "2D 2S 4S 5S 7S 9S KS"),
                turned="3S",
                stock="9C JS 8S",
                play="""draw; meld QH KH AH; discard 9C; draw; discard JS;
                        draw; layoff JH run; layoff TH run; meld 6C 6D 6H; meld 8C 8H 8S""",
            ),
        ),
    ),
    "four_passes": Golden(
        "nobody melds; with the stock empty and 28 cards in the pile, the fourth pass in a row ends the deal",
        ("pass", "four_passes"),
        (-110, -110),
        (Deal(NOBODY_MELDS, turned="3C", stock="", play="idle 27; pass; pass; pass; pass"),),
    ),
    "first_pass": Golden(
        "with stock_out=end the first pass ends the deal",
        ("pass", "end_by_first_pass"),
        (-110, -110),
        (Deal(NOBODY_MELDS, turned="3C", stock="", play="idle 27; pass"),),
        dealer=0,
        rules={"deals": 1, "stock_out": "end"},
    ),
    "stock_empty_take": Golden(
        "with the stock empty a player takes from the pile after three passes, and the count begins anew",
        ("stock_empty_take", "owed_set", "pass", "four_passes"),
        # Team 0: 21 laid, left 2D 4D 6D 8D and 55. Team 1: left 8S..AS, 72, and the jokers with 2C 3C 4C, 89.
        # Clubs to hearts are drawn first, so 7S is the last card of the stock: seat 2 draws and discards it.
        (21 - 20 - 55, -72 - 89),
        (
            Deal(
                (HEARTS, "8S 9S TS JS QS KS AS", "7C 7D 2D 4D 6D 8D TD", "JK JK JK JK 2C 3C 4C"),
                turned="3D",
                stock="",
                play="""idle 27; pass; pass; pass;
                        take 7S; meld 7C 7D 7S; discard TD; pass; pass; pass; pass""",
            ),
        ),
    ),
    "two_deals": Golden(
        "a game of two deals by the default rules: seat 3 deals, then seat 0, on the left",
        ("joker_quad", "quad_at_once", "three_plus_one", "out_by_meld", "out_by_layoff"),
        # First as in four_jokers: 202 and -107. Then team 1: 120 + 30 + 10, out, left 35; team 0: left 35 and 35.
        (202 - 70, -107 + 120 + 30 + 10 + 25 - 35),
        (
            FOUR_JOKERS,
            Deal(
                ("2H 4H 6H 8H 3C 5C 7C", "AC AD AH AS TC TD TH", "2C 4C 6C 8C 3H 5H 7H", "2D 4D 6D 8D 3S 5S 7S"),
                turned="9C",
                stock="TS",
                play="draw; meld AC AD AH AS; meld TC TD TH; layoff TS set",
            ),
        ),
        rules={"deals": 2},
    ),
    "whole_game": Golden(
        "greedy against random, as `persian-rummy simulate --seed 11` played it: nearly everything, twice",
        (
            *("chain_take", "chain_layoff", "bridging_layoff", "deep_take", "joker_fourth", "stock_empty_take"),
            *("empty_hand_turn", "four_passes", "out_by_layoff"),
        ),
        (326, 314),
        rules={"deals": 2},
    ),
    "whole_variant": Golden(
        "four deals by the other rules, each seat dealing once; without the legal actions, which a record may omit",
        ("chain_take", "deep_take", "joker_set", "empty_hand_turn", "end_by_first_pass", "out_by_layoff"),
        (623, 407),
        rules={"deals": 4, "quad_bonus": "jacks", "stock_out": "end"},
    ),
}
