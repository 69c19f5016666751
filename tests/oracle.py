"""A slow, plain twin of the game, written from the rules alone.

It shares nothing with the package: cards and actions are strings in the game's own notation (`4S`, `JK`,
`take 7S`, `meld 4D 4H 4S`), piles are lists, and every question is answered by looking through them. The tests
play both implementations side by side, so this one is kept obvious rather than fast: nothing here is cached,
packed into bits, or shared between the places that ask.

A meld on the table is a dictionary:

    kind    "set" or "run"
    cards   the cards, in the order C D H S (set) or low to high (run)
    seats   who laid each card, in the same order
    owner   who began the meld
"""

import itertools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

FORMAT = "persian-rummy/1"
RANKS = "23456789TJQKA"
SUITS = "CDHS"
JOKER = "JK"
PACK = [rank + suit for suit in SUITS for rank in RANKS] + [JOKER] * 4

SEATS = 4
HAND_SIZE = 7
GOING_OUT_BONUS = 25
PASSES_THAT_END_A_DEAL = 4
DEEP_TAKE = 5

Meld = dict[str, Any]

EVENTS = {
    "bridging_layoff": "a card laid on a run that touches two runs",
    "chain_layoff": "a card laid off only to lead to the card owed",
    "chain_take": "a take that only a chain of two or more cards makes legal",
    "deep_take": "a take of five cards or more",
    "empty_hand_turn": "a turn begun with an empty hand",
    "end_by_first_pass": "a deal ended by a pass under stock_out='end'",
    "four_passes": "a deal ended by four passes in a row",
    "high_end_layoff": "a card laid on the high end of one run only",
    "joker_fourth": "the fourth joker laid on three",
    "joker_quad": "four jokers melded at once",
    "joker_set": "three jokers melded",
    "last_card_discarded": "a discard that empties the hand",
    "low_end_layoff": "a card laid on the low end of one run only",
    "opponent_meld_layoff": "a card laid on a meld that the other team began",
    "out_by_layoff": "a player goes out by laying off",
    "out_by_meld": "a player goes out by melding",
    "owed_layoff": "the card owed is laid off",
    "owed_run": "the card owed is melded in a run",
    "owed_set": "the card owed is melded in a set",
    "pass": "a pass",
    "quad_at_once": "four of one rank (or four jokers) melded at once",
    "stock_empty_take": "a take when the stock is empty",
    "three_plus_one": "the fourth card laid on a set of three (jokers too)",
}
"""What `OracleGame.events` counts."""


# Cards ------------------------------------------------------------------------------------------------------------


def value_of(card: str) -> int:
    """What a card is worth."""
    if card == JOKER:
        return 20
    if card[0] == "A":
        return 15
    if card[0] in "TJQK":
        return 10
    return int(card[0])


def total_value(cards: Sequence[str]) -> int:
    """What some cards are worth together."""
    return sum(value_of(card) for card in cards)


def same_rank(card: str, other: str) -> bool:
    """Whether two cards may lie in one set; jokers are a rank of their own."""
    if card == JOKER or other == JOKER:
        return card == other
    return card[0] == other[0]


def neighbour(card: str, step: int) -> str | None:
    """The next card of the suit upwards (`step` 1) or downwards (-1); None past an end, and for a joker."""
    if card == JOKER:
        return None
    place = RANKS.index(card[0]) + step
    if place < 0 or place >= len(RANKS):
        return None
    return RANKS[place] + card[1]


# Melds in a hand and on the table ---------------------------------------------------------------------------------


def sets_in(hand: Sequence[str]) -> list[list[str]]:
    """Every set that can be melded from a hand, its cards in the order C D H S."""
    found = []
    for rank in RANKS:
        held = [rank + suit for suit in SUITS if rank + suit in hand]
        for size in (3, 4):
            found += [list(cards) for cards in itertools.combinations(held, size)]
    found += [[JOKER] * size for size in (3, 4) if hand.count(JOKER) >= size]
    return found


def runs_in(hand: Sequence[str]) -> list[list[str]]:
    """Every run that can be melded from a hand, its cards low to high."""
    found = []
    for suit in SUITS:
        for low in range(len(RANKS)):
            cards: list[str] = []
            for rank in RANKS[low:]:
                if rank + suit not in hand:
                    break
                cards.append(rank + suit)
                if len(cards) >= 3:
                    found.append(list(cards))
    return found


def set_that_takes(card: str, table: Sequence[Meld]) -> Meld | None:
    """The set of three on the table that this card makes four."""
    for meld in table:
        if meld["kind"] == "set" and len(meld["cards"]) == 3 and same_rank(meld["cards"][0], card):
            return meld
    return None


def run_ending_at(card: str | None, table: Sequence[Meld]) -> Meld | None:
    """The run on the table whose highest card is this one."""
    for meld in table:
        if meld["kind"] == "run" and meld["cards"][-1] == card:
            return meld
    return None


def run_beginning_at(card: str | None, table: Sequence[Meld]) -> Meld | None:
    """The run on the table whose lowest card is this one."""
    for meld in table:
        if meld["kind"] == "run" and meld["cards"][0] == card:
            return meld
    return None


def joins_a_run(card: str, table: Sequence[Meld]) -> bool:
    """Whether a card continues some run on the table at either end."""
    below = run_ending_at(neighbour(card, -1), table)
    above = run_beginning_at(neighbour(card, +1), table)
    return below is not None or above is not None


def first_links(card: str, hand: Sequence[str], table: Sequence[Meld]) -> list[str]:
    """The cards of the hand that may be laid on a run now and lead, one by one, to this card.

    From the card itself we walk along the hand, once downwards and once upwards, until a card joins a run on the
    table. A card that joins a run directly is its own first link.
    """
    links = []
    for step in (-1, +1):
        link = card
        while True:
            following = neighbour(link, step)
            if following is None:
                break
            run = run_ending_at(following, table) if step == -1 else run_beginning_at(following, table)
            if run is not None:
                links.append(link)
                break
            if following not in hand:
                break
            link = following
    return links


def is_in_a_meld_of(card: str, hand: Sequence[str]) -> bool:
    """Whether a card of the hand is part of a set or a run of the hand."""
    if sum(same_rank(card, held) for held in hand) >= 3:
        return True
    row = 1
    for step in (-1, +1):
        beside = neighbour(card, step)
        while beside is not None and beside in hand:
            row += 1
            beside = neighbour(beside, step)
    return row >= 3


def can_be_melded(card: str, hand: Sequence[str], table: Sequence[Meld]) -> bool:
    """Whether a card of the hand can be melded at once: the condition for taking it from the pile."""
    if is_in_a_meld_of(card, hand):
        return True
    if set_that_takes(card, table) is not None:
        return True
    return len(first_links(card, hand, table)) > 0


# Actions ----------------------------------------------------------------------------------------------------------


def every_action() -> list[str]:
    """Every action the notation can write, sorted; there are 547."""
    actions = ["draw", "pass"]
    for card in PACK[:52]:
        actions += [f"take {card}", f"layoff {card} set", f"layoff {card} run", f"discard {card}"]
    actions += [f"take JK{order}" for order in (1, 2, 3, 4)]
    actions += ["layoff JK set", "discard JK"]
    actions += ["meld " + " ".join(cards) for cards in sets_in(PACK) + runs_in(PACK)]
    return sorted(actions)


def shuffled_pack(rng: random.Random) -> list[str]:
    """A deck list in random order."""
    deck = list(PACK)
    rng.shuffle(deck)
    return deck


# The game ---------------------------------------------------------------------------------------------------------


class OracleGame:
    """One game from the first deal to the last, moved by `step` and fixed by its decks.

    seat     the seat to move                     hands    the four hands, unsorted lists of cards
    phase    "draw", "meld" or "over"             pile     (card, who discarded it or None), bottom to top
    deal     number of this deal, from 0          stock    the cards of the stock, the next one first
    dealer   who dealt it                         melds    the melds on the table (see the top of this file)
    points   what each team has laid in this deal, with the doubling of sets of four
    passes   passes in a row until now            owed     the card taken that must be melded first, or None
    scores   [team 0, team 1] of each finished deal
    outs     who went out in each finished deal, or None
    known    for each seat, the cards everyone knows in that hand: taken from the pile and not yet played
             (jokers: at least so many)
    left     for each seat, the cards it left lying in the pile at some draw of this deal (jokers: how many)
    events   how often each of `EVENTS` has happened in the game
    """

    def __init__(
        self,
        deals: int = 2,
        quad_bonus: str = "any",
        stock_out: str = "pass",
        dealer: int = 0,
        decks: Sequence[Sequence[str]] = (),
    ) -> None:
        if deals < 1 or len(decks) != deals:
            raise ValueError(f"{deals} deals need as many decks, not {len(decks)}")
        if quad_bonus not in ("any", "jacks"):
            raise ValueError(f"quad_bonus is 'any' or 'jacks', not {quad_bonus!r}")
        if stock_out not in ("pass", "end"):
            raise ValueError(f"stock_out is 'pass' or 'end', not {stock_out!r}")
        if dealer not in range(SEATS):
            raise ValueError(f"the dealer is a seat 0..3, not {dealer!r}")
        for deck in decks:
            if sorted(deck) != sorted(PACK):
                raise ValueError("a deck holds each of the 56 cards once")
        self.rules: dict[str, Any] = {"deals": deals, "quad_bonus": quad_bonus, "stock_out": stock_out}
        self.decks = [list(deck) for deck in decks]
        self.first_dealer = dealer
        self.scores: list[list[int]] = []
        self.outs: list[int | None] = []
        self.events: Counter[str] = Counter()
        self.history: list[dict[str, Any]] = []
        self._begin_deal(0)

    @property
    def total(self) -> list[int]:
        """The scores of the finished deals, added up for each team."""
        return [sum(score[team] for score in self.scores) for team in (0, 1)]

    @property
    def winner(self) -> int | None:
        """The team with the higher total when the game is over; None for a tie, and while it goes on."""
        if self.phase != "over" or self.total[0] == self.total[1]:
            return None
        return 0 if self.total[0] > self.total[1] else 1

    def legal(self) -> list[str]:
        """The legal actions of the seat to move, each once, in the order of their text (plain `sorted`)."""
        if self.phase == "over":
            return []
        actions = self._draw_actions() if self.phase == "draw" else self._meld_actions()
        return sorted(actions)

    def step(self, action: str) -> None:
        """Play one action of the seat to move; ValueError if it is not legal."""
        legal = self.legal()
        if action not in legal:
            raise ValueError(f"{action!r} is not legal for seat {self.seat} in phase {self.phase!r}")
        self.history[-1]["actions"].append(action)
        self.history[-1]["legal"].append(legal)
        if self.phase == "draw" and not self.hands[self.seat]:
            self.events["empty_hand_turn"] += 1
        verb, *words = action.split()
        if verb == "draw":
            self._draw()
        elif verb == "pass":
            self._pass()
        elif verb == "take":
            self._take(words[0])
        elif verb == "meld":
            self._meld(words)
        elif verb == "layoff":
            self._lay_off(words[0], words[1])
        else:
            self._discard(words[0])

    def record(self, players: Sequence[str], seed: int | None, legal: bool = False) -> dict[str, Any]:
        """The finished game as a record, with the legal actions before each action if asked for."""
        if self.phase != "over":
            raise ValueError("a record is of a finished game")
        if len(players) != SEATS:
            raise ValueError("a record names four players")
        deals = []
        for played, out, score in zip(self.history, self.outs, self.scores, strict=True):
            deal = {"dealer": played["dealer"], "deck": list(played["deck"]), "actions": list(played["actions"])}
            deal.update({"out": out, "score": list(score)})
            if legal:
                deal["legal"] = [list(actions) for actions in played["legal"]]
            deals.append(deal)
        head = {"format": FORMAT, "rules": dict(self.rules), "players": list(players), "seed": seed}
        return {**head, "deals": deals, "score": self.total}

    # Dealing

    def _begin_deal(self, deal: int) -> None:
        self.deal = deal
        self.dealer = (self.first_dealer + deal) % SEATS
        deck = self.decks[deal]
        self.hands: list[list[str]] = [[], [], [], []]
        for place in range(SEATS * HAND_SIZE):
            self.hands[(self.dealer + 1 + place) % SEATS].append(deck[place])
        self.pile: list[tuple[str, int | None]] = [(deck[28], None)]
        self.stock = deck[29:]
        self.melds: list[Meld] = []
        self.points = [0, 0]
        self.known: list[Counter[str]] = [Counter() for _ in range(SEATS)]
        self.left: list[Counter[str]] = [Counter() for _ in range(SEATS)]
        self.passes = 0
        self.owed: str | None = None
        self.seat = (self.dealer + 1) % SEATS
        self.phase = "draw"
        self.history.append({"dealer": self.dealer, "deck": deck, "actions": [], "legal": []})

    # What is legal

    def _pile_cards(self) -> list[str]:
        return [card for card, _ in self.pile]

    def _draw_actions(self) -> list[str]:
        actions = ["draw"] if self.stock else ["pass"]
        cards = self._pile_cards()
        for place, card in enumerate(cards):
            if can_be_melded(card, self.hands[self.seat] + cards[place:], self.melds):
                actions.append(f"take {self._name_in_pile(place)}")
        return actions

    def _name_in_pile(self, place: int) -> str:
        """How a take names the card at this place of the pile: jokers are counted from the top."""
        cards = self._pile_cards()
        if cards[place] == JOKER:
            return f"JK{cards[place:].count(JOKER)}"
        return cards[place]

    def _meld_actions(self) -> list[str]:
        hand = self.hands[self.seat]
        melds = sets_in(hand) + runs_in(hand)
        on_sets = [card for card in set(hand) if set_that_takes(card, self.melds) is not None]
        on_runs = [card for card in set(hand) if joins_a_run(card, self.melds)]
        discards = set(hand)
        if self.owed is not None:
            links = first_links(self.owed, hand, self.melds)
            melds = [cards for cards in melds if self.owed in cards]
            on_sets = [card for card in on_sets if card == self.owed]
            on_runs = [card for card in on_runs if card in links]
            discards = set()
        actions = ["meld " + " ".join(cards) for cards in melds]
        actions += [f"layoff {card} set" for card in on_sets]
        actions += [f"layoff {card} run" for card in on_runs]
        actions += [f"discard {card}" for card in discards]
        return actions

    # Drawing

    def _draw(self) -> None:
        self._note_draw_decision([])
        self.hands[self.seat].append(self.stock.pop(0))
        self.phase = "meld"

    def _take(self, name: str) -> None:
        place = [self._name_in_pile(place) for place in range(len(self.pile))].index(name)
        taken = self._pile_cards()[place:]
        self._count_take(taken)
        del self.pile[place:]
        self._note_draw_decision(taken)
        self.hands[self.seat] += taken
        self.known[self.seat].update(taken)
        self.owed = taken[0]
        self.passes = 0
        self.phase = "meld"

    def _pass(self) -> None:
        self.events["pass"] += 1
        self._note_draw_decision([])
        self.passes += 1
        if self.rules["stock_out"] == "end":
            self.events["end_by_first_pass"] += 1
            self._end_deal(out=None)
        elif self.passes == PASSES_THAT_END_A_DEAL:
            self.events["four_passes"] += 1
            self._end_deal(out=None)
        else:
            self._next_turn()

    def _note_draw_decision(self, taken: Sequence[str]) -> None:
        """Remember what the seat took and what it left in the pile, which is already without the cards taken."""
        left = self.left[self.seat]
        remaining = self._pile_cards()
        for card in taken:
            if card != JOKER:
                left.pop(card, None)
        for card in remaining:
            if card != JOKER:
                left[card] = 1
        left_jokers = remaining.count(JOKER)
        if JOKER not in taken:
            left_jokers = max(left_jokers, left[JOKER])
        left[JOKER] = left_jokers
        if left_jokers == 0:
            left.pop(JOKER)

    def _count_take(self, taken: Sequence[str]) -> None:
        card, hand = taken[0], self.hands[self.seat] + list(taken)
        if not self.stock:
            self.events["stock_empty_take"] += 1
        if len(taken) >= DEEP_TAKE:
            self.events["deep_take"] += 1
        in_hand = is_in_a_meld_of(card, hand)
        on_table = set_that_takes(card, self.melds) is not None or joins_a_run(card, self.melds)
        if not in_hand and not on_table:
            self.events["chain_take"] += 1

    # Melding

    def _meld(self, cards: Sequence[str]) -> None:
        kind = "set" if same_rank(cards[0], cards[1]) else "run"
        self._count_meld(kind, cards)
        for card in cards:
            self._play(card)
        self.melds.append({"kind": kind, "cards": list(cards), "seats": [self.seat] * len(cards), "owner": self.seat})
        team = self.seat % 2
        self.points[team] += total_value(cards)
        if kind == "set" and len(cards) == 4 and self._doubles(cards[0]):
            self.points[team] += total_value(cards)
        self._after_laying(cards, "out_by_meld")

    def _doubles(self, card: str) -> bool:
        """Whether four of this card's rank, melded at once, count twice."""
        return self.rules["quad_bonus"] == "any" or same_rank(card, "JC")

    def _lay_off(self, card: str, kind: str) -> None:
        below = run_ending_at(neighbour(card, -1), self.melds)
        above = run_beginning_at(neighbour(card, +1), self.melds)
        meld = set_that_takes(card, self.melds) if kind == "set" else below or above
        assert meld is not None
        self._count_layoff(card, meld, below, above)
        self._play(card)
        laid = [*zip(meld["cards"], meld["seats"], strict=True), (card, self.seat)]
        laid.sort(key=lambda pair: PACK.index(pair[0]))
        meld["cards"] = [laid_card for laid_card, _ in laid]
        meld["seats"] = [seat for _, seat in laid]
        self.points[self.seat % 2] += value_of(card)
        self._after_laying([card], "out_by_layoff")

    def _play(self, card: str) -> None:
        """The card leaves the hand in the open."""
        self.hands[self.seat].remove(card)
        known = self.known[self.seat]
        if known[card] > 1:
            known[card] -= 1
        else:
            known.pop(card, None)

    def _after_laying(self, cards: Sequence[str], way_out: str) -> None:
        if self.owed in cards:
            self.owed = None
        if not self.hands[self.seat]:
            self.events[way_out] += 1
            self._end_deal(out=self.seat)

    def _count_meld(self, kind: str, cards: Sequence[str]) -> None:
        if len(cards) == 4 and kind == "set":
            self.events["quad_at_once"] += 1
        if cards[0] == JOKER:
            self.events["joker_quad" if len(cards) == 4 else "joker_set"] += 1
        if self.owed in cards:
            self.events[f"owed_{kind}"] += 1

    def _count_layoff(self, card: str, meld: Meld, below: Meld | None, above: Meld | None) -> None:
        if meld["kind"] == "set":
            self.events["three_plus_one"] += 1
            if card == JOKER:
                self.events["joker_fourth"] += 1
        elif below is not None and above is not None:
            self.events["bridging_layoff"] += 1
        elif below is not None:
            self.events["high_end_layoff"] += 1
        else:
            self.events["low_end_layoff"] += 1
        if meld["owner"] % 2 != self.seat % 2:
            self.events["opponent_meld_layoff"] += 1
        if self.owed is not None:
            self.events["owed_layoff" if card == self.owed else "chain_layoff"] += 1

    # Discarding, and the end of turn and deal

    def _discard(self, card: str) -> None:
        self._play(card)
        self.pile.append((card, self.seat))
        if not self.hands[self.seat]:
            self.events["last_card_discarded"] += 1
        self._next_turn()

    def _next_turn(self) -> None:
        self.seat = (self.seat + 1) % SEATS
        self.phase = "draw"

    def _end_deal(self, out: int | None) -> None:
        score = list(self.points)
        for seat in range(SEATS):
            score[seat % 2] -= total_value(self.hands[seat])
        if out is not None:
            score[out % 2] += GOING_OUT_BONUS
        self.scores.append(score)
        self.outs.append(out)
        if self.deal + 1 < self.rules["deals"]:
            self._begin_deal(self.deal + 1)
        else:
            self.phase = "over"


def replay(record: Mapping[str, Any]) -> OracleGame:
    """Play a record again; ValueError where it contradicts the rules or itself."""
    if record["format"] != FORMAT:
        raise ValueError(f"the format is {FORMAT!r}, not {record['format']!r}")
    deals = record["deals"]
    game = OracleGame(**record["rules"], dealer=deals[0]["dealer"], decks=[deal["deck"] for deal in deals])
    for number, deal in enumerate(deals):
        if game.dealer != deal["dealer"]:
            raise ValueError(f"deal {number} does not follow")
        for place, action in enumerate(deal["actions"]):
            if len(game.scores) != number:
                raise ValueError(f"deal {number} goes on after its end")
            if "legal" in deal and sorted(deal["legal"][place]) != game.legal():
                raise ValueError(f"deal {number}, action {place}: the legal actions differ")
            game.step(action)
        if len(game.scores) != number + 1:
            raise ValueError(f"deal {number} stops before its end")
        if game.outs[number] != deal["out"] or game.scores[number] != deal["score"]:
            raise ValueError(f"deal {number} ends with {game.outs[number]} out and {game.scores[number]}")
    if game.total != record["score"]:
        raise ValueError(f"the total is {game.total}, not {record['score']}")
    return game


# The task "Write this game" ----------------------------------------------------------------------------------------
#
# The three functions of docs/write_the_game.md, so that this file is a solution of the task:
# `python -m experiments.write_the_game tests/oracle.py`.


def initial(rules: dict[str, Any], dealer: int, decks: list[list[str]]) -> dict[str, Any]:
    """The state in which a game begins."""
    return _state_of(OracleGame(**rules, dealer=dealer, decks=decks))


def legal(state: dict[str, Any]) -> list[str]:
    """The legal actions of a state."""
    return _game_of(state).legal()


def step(state: dict[str, Any], action: str) -> dict[str, Any]:
    """The state after an action."""
    game = _game_of(state)
    game.step(action)
    return _state_of(game)


COPIED = ("deal", "dealer", "seat", "phase", "hands", "stock", "points", "owed", "passes", "scores", "outs")


def _game_of(state: dict[str, Any]) -> OracleGame:
    """A game in a given state; who laid a card and who discarded it decides nothing that follows."""
    game = OracleGame(**state["rules"], decks=state["decks"])
    for name in COPIED:
        setattr(game, name, state[name])
    game.first_dealer = (state["dealer"] - state["deal"]) % SEATS
    game.pile = [(card, None) for card in state["pile"]]
    game.melds = [
        {"kind": kind, "cards": cards, "seats": [0] * len(cards), "owner": 0}
        for kind in ("set", "run")
        for cards in state[kind + "s"]
    ]
    return game


def _state_of(game: OracleGame) -> dict[str, Any]:
    melds = {kind: [meld["cards"] for meld in game.melds if meld["kind"] == kind] for kind in ("set", "run")}
    return {
        "rules": game.rules,
        "decks": game.decks,
        **{name: getattr(game, name) for name in COPIED},
        "pile": [card for card, _ in game.pile],
        "sets": melds["set"],
        "runs": melds["run"],
    }
