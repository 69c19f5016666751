"""Positions for the plain twin, and play in it: by given actions and at random."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.oracle import PACK, OracleGame, shuffled_pack

Table = Sequence[tuple[int, str]]


def position(
    hands: Mapping[int, str],
    *,
    pile: str = "2H",
    table: Table = (),
    stock: str | None = None,
    seat: int = 1,
    **rules: Any,
) -> OracleGame:
    """One deal in which `seat` is to draw; hands not named are empty, and the stock is the rest of the pack."""
    rules = {"deals": 1, **rules}
    game = OracleGame(**rules, decks=[PACK] * rules["deals"])
    game.hands = [hands.get(other, "").split() for other in range(4)]
    game.pile = [(card, None) for card in pile.split()]
    game.melds = []
    for owner, text in table:
        cards = text.split()
        kind = "set" if cards[0][0] == cards[1][0] else "run"
        game.melds.append({"kind": kind, "cards": cards, "seats": [owner] * len(cards), "owner": owner})
    rest = Counter(PACK)
    rest.subtract(all_cards(game) - Counter(game.stock))
    assert min(rest.values()) == 0, "a card lies in two places"
    game.stock = list(rest.elements()) if stock is None else stock.split()
    game.seat = seat
    return game


def all_cards(game: OracleGame) -> Counter[str]:
    """Every card of a deal, wherever it lies."""
    table = [card for meld in game.melds for card in meld["cards"]]
    return Counter([*itertools.chain(*game.hands), *(card for card, _ in game.pile), *game.stock, *table])


def play(game: OracleGame, *actions: str) -> OracleGame:
    for action in actions:
        game.step(action)
    return game


def takes(game: OracleGame) -> list[str]:
    return [action for action in game.legal() if action.startswith("take")]


def in_turn(game: OracleGame) -> list[str]:
    """The legal actions without the discards."""
    return [action for action in game.legal() if not action.startswith("discard")]


def table_of(game: OracleGame) -> list[str]:
    return [" ".join(meld["cards"]) for meld in game.melds]


def random_game(seed: int, prefer: str = "", deals: int = 1, **rules: Any) -> Iterator[OracleGame]:
    """A game played at random, yielded before every action and at the end; `prefer` names a verb to lean to."""
    rng = random.Random(seed)
    decks = [shuffled_pack(rng) for _ in range(deals)]
    game = OracleGame(deals=deals, dealer=rng.randrange(4), decks=decks, **rules)
    while game.phase != "over":
        yield game
        legal = game.legal()
        preferred = [action for action in legal if prefer and action.startswith(prefer)]
        game.step(rng.choice(preferred if preferred and rng.random() < 0.9 else legal))
    yield game
