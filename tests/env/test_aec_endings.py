"""How an episode ends: for all four agents in the same step, with the same pair of flags, however it comes about."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import encode_action, env, raw_env
from persian_rummy_env.envs.aec_raw import AGENTS
from tests.env.aec_play import (
    GOING_OUT,
    OUT_AT_ONCE,
    Choose,
    leave,
    lively,
    mask_of,
    never_meld,
    over,
    play,
    play_on,
    uniform,
)
from tests.env.play import equal, scaled

BOTH = pytest.mark.parametrize("make", [env, raw_env])


def flags_of(table: Any) -> tuple[bool, bool]:
    """The pair of flags, which must be the same for all four and Python's own."""
    pairs = {(table.terminations[agent], table.truncations[agent]) for agent in table.agents}
    assert len(pairs) == 1
    [(terminated, truncated)] = pairs
    assert type(terminated) is type(truncated) is bool
    assert table.last(observe=False)[2:4] == (terminated, truncated)
    return terminated, truncated


@BOTH
@pytest.mark.rules("R38")
def test_going_out_terminates(make) -> None:
    table = make(episode="deal")
    table.reset(options={"decks": [OUT_AT_ONCE]})
    play(table, *GOING_OUT)
    assert flags_of(table) == (True, False)


@BOTH
@pytest.mark.rules("R40", "R42", "R43")
@pytest.mark.parametrize(("stock_out", "passes"), [("pass", 4), ("end", 1)])
def test_an_empty_stock_terminates_after_the_passes_of_the_rule(make, stock_out: str, passes: int) -> None:
    table = make(episode="deal", rules={"stock_out": stock_out})
    for seed in range(scaled(5)):
        table.reset(seed=seed)
        played = play_on(table, np.random.default_rng(seed), choose=never_meld)
        assert len(played) == 27 * 2 + passes
        assert played[-passes:] == [encode_action("pass")] * passes
        assert flags_of(table) == (True, False)
        assert int(table.get_state()["out"][0]) == 4, "nobody went out"


@BOTH
@pytest.mark.parametrize("cap", [1, 2, 37])
def test_the_cap_truncates_and_does_not_terminate(make, cap: int) -> None:
    table = make(max_decisions=cap)
    for seed in range(3):
        table.reset(seed=seed)
        played = play_on(table, np.random.default_rng(seed))
        assert len(played) == cap
        assert flags_of(table) == (False, True)
        assert leave(table) == list(AGENTS)


def test_the_cap_counts_the_decisions_of_the_whole_episode_and_anew_in_the_next() -> None:
    table = env(max_decisions=80)
    for _ in range(2):
        table.reset(seed=2)
        assert len(play_on(table, np.random.default_rng(2), choose=never_meld)) == 80
        assert int(table.get_state()["deal"][0]) == 1, "the first deal of 58 decisions is over"


def test_an_end_that_falls_on_the_cap_is_an_end() -> None:
    table = env(episode="deal", max_decisions=58)
    table.reset(seed=0)
    assert len(play_on(table, np.random.default_rng(0), choose=never_meld)) == 58
    assert flags_of(table) == (True, False)


@BOTH
@pytest.mark.parametrize("moves", [0, 1, 2, 3, 4, 5])
def test_a_forfeit_terminates_and_the_whole_team_pays(make, moves: int) -> None:
    table = make(illegal_action="forfeit")
    table.reset(seed=6)
    play_on(table, np.random.default_rng(6), steps=moves, choose=never_meld)
    offender = AGENTS.index(table.agent_selection)
    before = dict(table.rewards)
    assert set(before.values()) == {0.0}
    table.step(int(np.flatnonzero(mask_of(table) == 0)[7]))
    assert flags_of(table) == (True, False)
    assert table.rewards == {agent: -1.0 if (seat - offender) % 2 == 0 else 1.0 for seat, agent in enumerate(AGENTS)}
    sums = dict.fromkeys(AGENTS, 0.0)
    while table.agents:
        agent, reward, *_ = table.agent_selection, *table.last(observe=False)[1:]
        sums[agent] += reward
        table.step(None)
    assert sums == {agent: -1.0 if (seat - offender) % 2 == 0 else 1.0 for seat, agent in enumerate(AGENTS)}
    table.reset()
    play_on(table, np.random.default_rng(6), steps=3)


@pytest.mark.parametrize("choose", [uniform, lively, never_meld])
@pytest.mark.rules("R44")
def test_every_game_ends_within_the_bound(choose: Choose) -> None:
    table = env()
    for seed in range(scaled(10)):
        table.reset(seed=seed)
        assert len(play_on(table, np.random.default_rng(seed), choose=choose)) <= 2 * 400
        assert flags_of(table) == (True, False)


@pytest.mark.rules("R11", "R12")
@pytest.mark.parametrize(("options", "deals"), [({}, 2), ({"episode": "deal"}, 1), ({"rules": {"deals": 3}}, 3)])
def test_an_episode_is_a_game_or_a_deal(options: dict[str, Any], deals: int) -> None:
    table = env(**options)
    table.reset(seed=1)
    dealers = []
    while not over(table):
        state = table.get_state()[0]
        if len(dealers) == int(state["deal"]):
            dealers.append(int(state["dealer"]))
        play_on(table, np.random.default_rng(1), steps=1, choose=never_meld)
    assert dealers == [(dealers[0] + deal) % 4 for deal in range(deals)]


def test_the_last_view_of_everyone_shows_the_end() -> None:
    table = env(episode="deal")
    table.reset(seed=1)
    play_on(table, np.random.default_rng(1))
    state = table.get_state()
    for agent in AGENTS:
        shown = table.observe(agent)["observation"]
        table.step(None)
        assert (table.observe(agent)["observation"] == shown).all()
    assert equal(table.get_state(), state)
    table.reset()
    assert flags_of(table) == (False, False)
