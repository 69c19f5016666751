"""``state()``: the whole truth, by absolute seat, in the layout of ``observation.FULL_BLOCKS``."""

import numpy as np

from persian_rummy_env import env
from persian_rummy_env.cards import CARD_NAMES, JOKER, cards_in
from persian_rummy_env.core.observe import observe_full
from persian_rummy_env.envs.testing import rotated
from persian_rummy_env.observation import BLOCK, FULL_BLOCK, FULL_BLOCKS, FULL_HIGH, FULL_SIZE, SIZE
from tests.env.aec_play import over, play_on
from tests.env.decode import cards
from tests.env.play import equal, scaled


def blocks(full: np.ndarray) -> dict[str, np.ndarray]:
    raw = np.rint(full * FULL_HIGH).astype(np.uint8)
    return {block.name: raw[block.slice] for block in FULL_BLOCKS}


def stock_of(depth: np.ndarray) -> list[str]:
    """The stock in the order in which it is drawn, from its block."""
    places = np.argsort(depth)[(depth == 0).sum() :]
    assert depth[places].tolist() == list(range(1, len(places) + 1))
    return [CARD_NAMES[min(place, JOKER)] for place in places.tolist()]


def test_the_blocks_lie_one_after_the_other_and_end_with_the_observation() -> None:
    assert [block.offset for block in FULL_BLOCKS[1:]] == [block.stop for block in FULL_BLOCKS[:-1]]
    assert FULL_BLOCKS[-1].stop == FULL_SIZE == len(FULL_HIGH) == 1356
    shift = FULL_SIZE - SIZE
    assert {name: block.offset + shift for name, block in BLOCK.items()}.items() <= {
        name: block.offset for name, block in FULL_BLOCK.items()
    }.items()


def test_it_holds_all_hands_the_stock_in_order_and_what_player_0_sees() -> None:
    table = env()
    for seed in range(scaled(20)):
        table.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not over(table):
            game = table.get_state()[0]
            full = table.state()
            assert full.dtype == np.float32
            assert full.shape == (FULL_SIZE,)
            assert (full[-SIZE:] == table.observe("player_0")["observation"]).all()
            shown = blocks(full)
            for seat, name in enumerate(("hand", "hand_left", "hand_partner", "hand_right")):
                assert cards(shown[name]) == cards_in(game["hand"][seat])
            for seat, who in enumerate(("me", "left", "partner", "right")):
                assert cards(shown[f"known_{who}"]) == cards_in(game["known"][seat])
                assert cards(shown[f"declined_{who}"]) == cards_in(game["declined"][seat])
            left = game["decks"][game["deal"]][56 - int(game["stock_size"]) :]
            assert stock_of(shown["stock_depth"]) == [CARD_NAMES[card] for card in left]
            play_on(table, rng, steps=7)


def test_the_next_card_of_the_stock_is_the_one_drawn() -> None:
    table = env()
    table.reset(seed=1)
    drawn = 0
    while drawn < 20:
        full, seat = blocks(table.state()), table.possible_agents.index(table.agent_selection)
        before = cards_in(table.get_state()["hand"][0][seat])
        if play_on(table, np.random.default_rng(drawn), steps=1) == [0]:
            after = cards_in(table.get_state()["hand"][0][seat])
            before.append(stock_of(full["stock_depth"])[0])
            assert sorted(before) == sorted(after)
            drawn += 1
        if over(table):
            table.reset()


def test_it_does_not_depend_on_who_asks_and_changes_nothing() -> None:
    table = env(episode="deal")
    table.reset(seed=2)
    play_on(table, np.random.default_rng(2))
    before = table.get_state()
    first = table.state()
    for agent in table.possible_agents:
        table.observe(agent)
        assert (table.state() == first).all()
        table.step(None)
    assert (table.state() == first).all()
    assert equal(table.get_state(), before)


def test_the_batched_kernel_turns_with_the_seat_and_keeps_to_its_rows() -> None:
    table = env()
    states = []
    table.reset(seed=3)
    for _ in range(12):
        play_on(table, np.random.default_rng(3), steps=6)
        states.append(table.get_state())
    games = np.concatenate(states)
    guarded = np.full((len(games) + 2) * FULL_SIZE, 255, dtype=np.uint8)
    full = guarded[FULL_SIZE:-FULL_SIZE]
    for seat in range(4):
        observe_full(games, np.full(len(games), seat), full, 0, len(games))
        for game, row in zip(states, full.reshape(len(games), FULL_SIZE), strict=True):
            table.set_state(rotated(game, -seat))
            assert (np.rint(table.state() * FULL_HIGH) == row).all()
    assert (guarded[:FULL_SIZE] == 255).all()
    assert (guarded[-FULL_SIZE:] == 255).all()
