"""OpenSpiel: sampled games with the same information state for one player, for information-set search."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..actions import ACTION_CARDS, DISCARD, DRAW, PASS, TAKE
from ..cards import JOKER
from ..core import belief_kernels
from ..drawing.contents import cards_of
from ..players.policy_io import views_of
from ..rules import NUM_SEATS
from ..state import FIRST_TURNED, STATE


class _Hand:
    """The origin of the cards of a hand during a deal.

    Attributes:
        times: when each card was dealt or drawn, in order.
        taken: the cards that it took from the pile and still holds.
        played: (time, card) of the dealt or drawn cards that it has played.
    """

    def __init__(self) -> None:
        self.times: list[int] = []
        self.taken: Counter[int] = Counter()
        self.played: list[tuple[int, int]] = []

    def play(self, time: int, card: int) -> None:
        if self.taken[card]:
            self.taken[card] -= 1
        else:
            self.played.append((time, card))

    def fill(self, held: list[int], rng: np.random.Generator) -> dict[int, int]:
        """Assign a card to each time: a played card came before it was played, a held card at any time.

        The cards are assigned in the order in which they were played. The number of places of a card then does not
        depend on the places of the cards before it, so all assignments are equally likely.
        """
        free, came = list(self.times), {}
        for time, card in self.played:
            fitting = [place for place in free if place < time]
            place = fitting[rng.integers(len(fitting))]
            free.remove(place)
            came[place] = card
        own = list((Counter(held) - self.taken).elements())
        return {**came, **dict(zip(free, (own[place] for place in rng.permutation(len(own))), strict=True))}


def resampled(state: Any, player: int, rng: np.random.Generator) -> Any:
    """See ``PersianRummyState.resample_from_infostate``."""
    if state.dealing or state.is_terminal():
        raise ValueError(
            "resample_from_infostate: expected a state in which a player has decided to draw or is to move"
        )
    known = views_of(state.record, np.zeros(1, dtype=np.int64), np.array([player]))
    worlds = np.empty((1, 1), dtype=STATE)
    seed = rng.integers(0, 2**64, size=(1, 1), dtype=np.uint64)
    belief_kernels.sample_worlds(known, np.array([player], dtype=np.int64), seed, worlds)
    if state.deal_began is None:
        if state.history():
            raise ValueError("resample_from_infostate: a state that began inside a deal can be resampled there alone")
        return state.get_game().begun_at(worlds[0])
    history = state.full_history()
    came = _chance(history, state.deal_began, int(state.record["dealer"][0]), player, worlds[0, 0], rng)
    world = state.get_game().new_initial_state()
    for time, event in enumerate(history):
        world.apply_action(came.get(time, event.action))
    return world


def _chance(
    history: list[Any], began: int, dealer: int, player: int, world: np.void, rng: np.random.Generator
) -> dict[int, int]:
    """The cards that the other hands received, by time, so that they now hold their hands of ``world``."""
    hands = [_Hand() for _ in range(NUM_SEATS)]
    pile: list[int] = []
    drawer = -1
    for time in range(began, len(history)):
        who, action = int(history[time].player), int(history[time].action)
        order = time - began
        if order < FIRST_TURNED:
            hands[(dealer + 1 + order) % NUM_SEATS].times.append(time)
        elif order == FIRST_TURNED:
            pile.append(action)
        elif who < 0:
            hands[drawer].times.append(time)
        elif action == DRAW.start:
            drawer = who
        elif TAKE.start <= action < TAKE.stop:
            hands[who].taken.update(_take(pile, action - TAKE.start))
        elif action != PASS.start:
            cards = cards_of(ACTION_CARDS[action])
            for card in cards:
                hands[who].play(time, card)
            if action >= DISCARD.start:
                pile += cards
    came: dict[int, int] = {}
    for seat in range(NUM_SEATS):
        if seat != player:
            came.update(hands[seat].fill(cards_of(world["hand"][seat]), rng))
    return came


def _take(pile: list[int], wanted: int) -> list[int]:
    """Remove a card (or the joker 52 + k, the (k+1)-th from the top) from the pile, with all cards above it."""
    if wanted < JOKER:
        place = pile.index(wanted)
    else:
        place = [place for place in reversed(range(len(pile))) if pile[place] == JOKER][wanted - JOKER]
    taken = pile[place:]
    del pile[place:]
    return taken
