"""Rewards: what each step earns, what ``last()`` sums up, and that nothing is lost at the end."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import env, raw_env
from persian_rummy_env.actions import ACTION_NAMES
from persian_rummy_env.envs.aec_raw import AGENTS
from tests.env.aec_play import (
    GOING_OUT,
    OUT_AT_ONCE,
    deck,
    highest,
    leave,
    lively,
    mask_of,
    over,
    play,
    play_on,
    uniform,
)
from tests.env.play import put, scaled

REWARDS = pytest.mark.parametrize(
    ("options", "final"),
    [
        ({}, "margin"),
        ({"reward_timing": "end"}, "margin"),
        ({"reward": "win"}, "win"),
        ({"episode": "deal"}, "margin"),
        ({"rules": {"deals": 4}, "reward_timing": "end"}, "margin"),
        ({"rules": {"deals": 1}, "reward": "win"}, "win"),
    ],
)


def result_of(table: Any, final: str) -> float:
    """What team 0 has earned in a finished episode."""
    own, others = table.get_state()["score"][0].tolist()
    return (own - others) / 100 if final == "margin" else float((own > others) - (own < others))


@pytest.mark.parametrize("make", [env, raw_env])
@REWARDS
@pytest.mark.rules("R1", "R13")
def test_both_channels_pay_each_agent_the_result_of_its_team(make, options: dict[str, Any], final: str) -> None:
    table = make(**options)
    for seed in range(scaled(15)):
        rng = np.random.default_rng(seed)
        table.reset(seed=seed)
        by_step, by_last = dict.fromkeys(AGENTS, 0.0), dict.fromkeys(AGENTS, 0.0)
        while table.agents:
            agent = table.agent_selection
            _, reward, *_ = table.last(observe=False)
            by_last[agent] += reward
            table.step(None if over(table) else lively(mask_of(table), rng))
            for earner, earned in table.rewards.items():
                by_step[earner] += earned
            earned = [table.rewards.get(one, 0.0) for one in AGENTS]
            if table.agents == list(AGENTS):
                assert earned[0] == earned[2] == -earned[1] == -earned[3]
        own = result_of(table, final)
        for seat, agent in enumerate(AGENTS):
            wanted = own if seat % 2 == 0 else -own
            assert by_step[agent] == pytest.approx(wanted, abs=1e-5)
            assert by_last[agent] == by_step[agent]


def test_what_others_earn_between_two_of_my_turns_comes_with_my_next_one() -> None:
    table = env(episode="deal")
    table.reset(options={"dealer": 3, "decks": [deck("4C 4D 4H 9C 9D JS KS", stock="2C 3D", turned="6S")]})
    play(table, "draw", "meld 4C 4D 4H")
    assert table.rewards["player_0"] == pytest.approx(0.12)
    assert table.last(observe=False)[1] == pytest.approx(0.12), "my own meld, at my next step"
    play(table, "discard KS")
    assert table.rewards == dict.fromkeys(AGENTS, 0.0)
    for agent, paid in zip(AGENTS[1:], (-0.12, 0.12, -0.12), strict=True):
        assert table.agent_selection == agent
        assert table.last(observe=False)[1] == pytest.approx(paid)
        play_on(table, np.random.default_rng(0), steps=1)
        while table.agent_selection == agent:
            assert table.last(observe=False)[1] == pytest.approx(table.rewards[agent])
            play_on(table, np.random.default_rng(0), steps=1, choose=highest)


@pytest.mark.rules("R38", "R46", "R47", "R50", "R51")
@pytest.mark.parametrize("seat", range(4))
def test_the_end_of_a_deal_is_paid_to_all_four_in_the_step_that_ends_it(seat: int) -> None:
    table = env(episode="deal", rules={"quad_bonus": "jacks"})
    table.reset(seed=4, options={"dealer": (seat - 1) % 4, "decks": [OUT_AT_ONCE]})
    play(table, *GOING_OUT[:2])
    team = seat % 2
    assert table.rewards[AGENTS[seat]] == pytest.approx(0.40)
    last = table.rewards[AGENTS[seat]]
    play(table, GOING_OUT[2])
    state = table.get_state()
    own, others = int(state["score"][0][team]), int(state["score"][0][1 - team])
    left = 80 + 25 - own
    assert left > 0, "the partner still holds cards"
    assert others < 0
    final = (own - others) / 100 - last
    for other, agent in enumerate(AGENTS):
        wanted = final if other % 2 == team else -final
        assert table.rewards[agent] == pytest.approx(wanted, abs=1e-6)
        assert table.terminations[agent] is True
    for agent in AGENTS:
        assert table.agent_selection == agent
        waiting = table.rewards[agent] if agent == AGENTS[0] else table.last(observe=False)[1]
        assert waiting != 0
        table.step(None)
        assert set(table.rewards.values()) <= {0.0}


def test_nothing_is_earned_by_a_step_that_lays_nothing() -> None:
    table = env()
    table.reset(seed=8)
    rng = np.random.default_rng(8)
    for _ in range(40):
        table.step(uniform(mask_of(table) & NO_MELD, rng))
        assert all(str(reward) == "0.0" for reward in table.rewards.values()), "nor is it ever -0.0"


NO_MELD = np.array([action.split()[0] in ("draw", "pass", "discard") for action in ACTION_NAMES], dtype=np.int8)


def test_a_win_is_paid_at_the_end_only_and_a_tie_pays_nothing() -> None:
    table = env(episode="deal", reward="win")
    table.reset(seed=1)
    total = 0.0
    while not over(table):
        total += abs(table.rewards["player_0"])
        play_on(table, np.random.default_rng(1), steps=1)
    assert total == 0
    assert abs(table.rewards["player_0"]) == 1
    table.reset(seed=1)
    state = table.get_state()
    state["hand"] = 0
    state["hand"][0][:2] = 0b1, 0b10 << 12  # 2C and 2D: equal points, whoever keeps them
    state["stock_size"] = 0
    state["stock_end"] = 1
    put(table, state)  # most of the pack is missing
    table._bind()
    table._begin()
    play(table, "pass")
    assert over(table)
    assert table.get_state()["score"][0].tolist() == [-2, -2]
    assert set(table.rewards.values()) == {0.0}


def test_rewards_at_the_end_of_each_deal_are_the_dense_ones_summed_up() -> None:
    dense, late = env(), env(reward_timing="end")
    for seed in range(scaled(10)):
        dense.reset(seed=seed)
        late.reset(seed=seed)
        rngs = np.random.default_rng(seed), np.random.default_rng(seed)
        saved = 0.0
        while not over(dense):
            deal = int(dense.get_state()["deal"][0])
            assert play_on(dense, rngs[0], steps=1) == play_on(late, rngs[1], steps=1)
            saved += dense.rewards["player_1"]
            if over(dense) or int(dense.get_state()["deal"][0]) != deal:
                assert late.rewards["player_1"] == pytest.approx(saved, abs=1e-5)
                saved = 0.0
            else:
                assert late.rewards["player_1"] == 0
        assert leave(dense) == leave(late)
