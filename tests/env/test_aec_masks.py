"""Action masks: whose they are, their type, and what they allow right after a reset."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import env, raw_env
from persian_rummy_env.actions import legal_names
from persian_rummy_env.cards import CARD_NAMES, RANKS, cards_in
from persian_rummy_env.envs.aec_raw import AGENTS
from tests.env.aec_play import leave, mask_of, over, play_on
from tests.env.play import scaled


@pytest.mark.parametrize("make", [env, raw_env])
def test_a_mask_belongs_to_the_agent_to_move(make) -> None:
    table = make(episode="deal")
    for seed in range(scaled(5)):
        table.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not over(table):
            for agent in AGENTS:
                mask = table.observe(agent)["action_mask"]
                assert mask.dtype == np.int8
                assert mask.shape == (547,)
                assert set(np.unique(mask)) == ({0, 1} if agent == table.agent_selection else {0})
            play_on(table, rng, steps=1)


@pytest.mark.parametrize("options", [{}, {"max_decisions": 21}, {"illegal_action": "forfeit", "max_decisions": 9}])
def test_once_the_episode_is_over_nothing_is_allowed(options: dict[str, Any]) -> None:
    table = env(episode="deal", **options)
    table.reset(seed=1)
    if "illegal_action" in options:
        table.step(int(np.flatnonzero(mask_of(table) == 0)[0]))
    play_on(table, np.random.default_rng(1))
    while table.agents:
        assert not any(table.observe(agent)["action_mask"].any() for agent in AGENTS)
        table.step(None)
    assert not any(table.observe(agent)["action_mask"].any() for agent in AGENTS)


def test_spaces_sample_with_the_mask_at_every_decision() -> None:
    table = env(episode="deal")
    table.reset(seed=0)
    for agent in AGENTS:
        table.action_space(agent).seed(1)
    for _ in range(scaled(50)):
        while not over(table):
            agent = table.agent_selection
            table.step(table.action_space(agent).sample(mask_of(table)))
        leave(table)
        table.reset()


def first_takes(hand: list[str], turned: str) -> list[str]:
    """Whether the card turned up may be taken by a hand of seven, the table being empty: worked out plainly."""
    if turned == "JK":
        return ["take JK1"] if Counter(hand)["JK"] >= 2 else []
    rank, suit = turned
    place = RANKS.index(rank)
    of_rank = sum(card[0] == rank for card in hand if card != "JK")
    held = {RANKS.index(card[0]) for card in hand if card != "JK" and card[1] == suit} | {place}
    windows = [set(range(low, low + 3)) for low in range(place - 2, place + 1)]
    return [f"take {turned}"] if of_rank >= 2 or any(window <= held for window in windows) else []


@pytest.mark.rules("R19", "R25", "R27")
def test_the_mask_right_after_reset_is_what_the_rules_say() -> None:
    table = env()
    taken = 0
    for seed in range(scaled(1000, least=40)):
        dealer = seed % 4
        table.reset(seed=seed, options={"dealer": dealer})
        state = table.get_state()[0]
        first = (dealer + 1) % 4
        assert table.agent_selection == AGENTS[first]
        takes = first_takes(cards_in(state["hand"][first]), CARD_NAMES[state["pile_card"][0]])
        assert legal_names(mask_of(table)) == ["draw", *takes]
        taken += len(takes)
    assert taken
