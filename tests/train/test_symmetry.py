"""In another order of the suits it is the same game: views, masks and actions turn with it, on the real tables."""

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, RuleSet, decode_action, encode_action
from persian_rummy_env.cards import NUM_PLAIN, NUM_RANKS, RANKS, SUITS
from persian_rummy_env.players.inputs import SIZE, VIEW_SIZE, write_hidden_hands
from train.data.symmetry import ACTIONS, BACK, COLUMNS, NUM_ORDERS, ORDERS, reorder


def renamed(decks: np.ndarray, order: int) -> np.ndarray:
    suits = ORDERS[order][decks // NUM_RANKS % 4] * NUM_RANKS + decks % NUM_RANKS
    return np.where(decks < NUM_PLAIN, suits, decks)


def test_tables_are_permutations():
    assert len({tuple(order) for order in ORDERS}) == NUM_ORDERS == 24
    for table, size in ((COLUMNS, VIEW_SIZE), (ACTIONS, 547), (BACK, 547)):
        assert (np.sort(table, axis=1) == np.arange(size)).all()
    assert (COLUMNS[0] == np.arange(VIEW_SIZE)).all()
    assert (np.take_along_axis(BACK, ACTIONS, axis=1) == np.arange(547)).all()


def test_an_action_is_renamed_as_it_reads():
    order = 17
    names = {SUITS[suit]: SUITS[other] for suit, other in enumerate(ORDERS[order])}
    for action in range(547):
        words = decode_action(action).split()
        turned = [w[0] + names[w[1]] if len(w) == 2 and w[0] in RANKS and w[1] in SUITS else w for w in words]
        if words[0] == "meld" and "JK" not in words and len({w[0] for w in words[1:]}) == 1:
            turned[1:] = sorted(turned[1:], key=lambda card: SUITS.index(card[1]))
        assert ACTIONS[order, action] == encode_action(" ".join(turned))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_deal_in_every_order_of_the_suits(seed: int):
    """One deal at 24 tables, each with the suits in another order, and the same random play at all."""
    rng = np.random.default_rng(seed)
    deck = rng.permutation(56)
    decks = [[renamed(deck, order).tolist()] for order in range(NUM_ORDERS)]
    env = PersianRummyVecEnv(NUM_ORDERS, RuleSet(), episode="deal", autoreset_mode="DISABLED")
    now = env.reset(seed=0, options={"decks": decks, "dealer": seed % 4})
    orders = np.arange(NUM_ORDERS)
    steps = 0
    while now.seat[0] >= 0:
        view = np.empty((NUM_ORDERS, VIEW_SIZE), dtype=np.uint8)
        view[:, :SIZE] = now.observation
        write_hidden_hands(env.get_state()["hand"], now.seat, view)
        first = np.repeat(view[:1], NUM_ORDERS, axis=0), np.repeat(env.packed_mask[:1], NUM_ORDERS, axis=0)
        turned_view, turned_legal = reorder(*first, orders)
        assert np.array_equal(turned_view, view)
        assert np.array_equal(turned_legal, env.packed_mask)
        action = rng.choice(np.flatnonzero(now.action_mask[0]))
        now = env.step(ACTIONS[orders, action])
        assert (now.reward == now.reward[0]).all()
        steps += 1
    assert steps > 20
    assert (now.seat == -1).all()


def test_reordering_and_back_changes_nothing(decisions):
    order = np.random.default_rng(3).integers(NUM_ORDERS, size=len(decisions.view))
    inverse = np.array([np.flatnonzero((ORDERS[o][ORDERS] == np.arange(4)).all(axis=1))[0] for o in range(NUM_ORDERS)])
    view, legal = reorder(*reorder(decisions.view, decisions.legal, order), inverse[order])
    assert np.array_equal(view, decisions.view)
    assert np.array_equal(legal, decisions.legal)
