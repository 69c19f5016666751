"""What ``env()`` refuses in place of the stock wrappers: each check fires, says what is wrong, and changes nothing."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import encode_action, env, raw_env
from persian_rummy_env.envs.aec import ResetNeededError
from tests.env.aec_play import deck, leave, mask_of, over, play, play_on
from tests.env.play import equal

BOTH = pytest.mark.parametrize("make", [env, raw_env])

CALLS = {
    "step": lambda table: table.step(0),
    "step(None)": lambda table: table.step(None),
    "last": lambda table: table.last(),
    "observe": lambda table: table.observe("player_0"),
    "render": lambda table: table.render(),
    "state": lambda table: table.state(),
    "agent_iter": lambda table: table.agent_iter(),
}
ATTRIBUTES = ("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos")


@pytest.mark.parametrize("call", CALLS)
def test_calls_before_the_first_reset_are_refused(call: str) -> None:
    table = env(render_mode="ansi")
    with pytest.raises(RuntimeError, match=r"before reset\(\): call reset\(seed=…\) first"):
        CALLS[call](table)
    table.reset(seed=0)
    if call != "step(None)":
        CALLS[call](table)


@BOTH
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_before_the_first_reset_are_refused(make, name: str) -> None:
    table = make()
    assert not hasattr(table, name)
    with pytest.raises(ResetNeededError, match=rf"{name} before reset\(\)"):
        getattr(table, name)
    table.reset(seed=0)
    assert hasattr(table, name)


@pytest.mark.parametrize("call", ["step", "step(None)", "last", "observe"])
def test_the_raw_table_is_safe_before_the_first_reset(call: str) -> None:
    with pytest.raises(RuntimeError):
        CALLS[call](raw_env())


@BOTH
def test_other_missing_attributes_are_the_usual_error(make) -> None:
    with pytest.raises(AttributeError, match="no attribute 'hands'"):
        make().hands  # noqa: B018


@BOTH
def test_an_illegal_action_names_agent_action_and_the_legal_ones(make) -> None:
    table = make()
    table.reset(options={"dealer": 1, "decks": [deck("2C 2D 2H 9C JD KS AS", turned="2S")]})
    before, rewards = table.get_state(), table.rewards
    with pytest.raises(ValueError, match=r"^player_2: action \d+ \('discard 9C'\) is not legal; legal: draw, take 2S$"):
        table.step(encode_action("discard 9C"))
    assert equal(table.get_state(), before)
    assert table.agent_selection == "player_2"
    assert table.rewards is rewards
    play(table, "take 2S", "meld 2C 2D 2H 2S")
    before = table.get_state()
    with pytest.raises(ValueError, match=r"player_2: .*'draw'.*legal: discard 9C, discard JD, discard KS, discard AS$"):
        table.step(0)
    assert equal(table.get_state(), before)
    play(table, "discard 9C")


@BOTH
@pytest.mark.parametrize("illegal_action", ["raise", "forfeit"])
@pytest.mark.parametrize("action", [-1, 547, -547, 10**30, np.int64(2**62)])
def test_ids_outside_the_range_are_refused(make, illegal_action: str, action: Any) -> None:
    table = make(illegal_action=illegal_action)
    table.reset(seed=1)
    before = table.get_state()
    with pytest.raises(
        ValueError, match=r"player_\d: action -?\d+ \(an id outside 0\.\.546\) is not legal; legal: draw"
    ):
        table.step(action)
    assert equal(table.get_state(), before)
    assert not over(table)


@pytest.mark.parametrize(
    ("action", "what"),
    [
        (1.0, "float 1.0"),
        (np.float32(1), "float32"),
        (True, "bool True"),
        (np.bool_(True), "bool"),
        ("draw", "str 'draw'"),
        (np.array([1]), r"int64 array of shape \(1,\)"),
        (np.array(1.0), r"float64 array of shape \(\)"),
        (np.array(True), r"bool array of shape \(\)"),
    ],
)
def test_actions_that_are_no_integers_are_refused_by_name(action: Any, what: str) -> None:
    table = env()
    table.reset(seed=1)
    before = table.get_state()
    with pytest.raises(TypeError, match=f"{what}.*: expected an action id, an integer from 0 to 546"):
        table.step(action)
    assert equal(table.get_state(), before)


@BOTH
def test_none_is_refused_for_an_agent_who_is_to_move(make) -> None:
    table = make()
    table.reset(seed=1)
    with pytest.raises(ValueError, match=rf"step\(None\): {table.agent_selection} is to move"):
        table.step(None)
    play_on(table, np.random.default_rng(1), steps=3)


@BOTH
def test_an_agent_whose_episode_is_over_takes_nothing_but_none(make) -> None:
    table = make(episode="deal")
    table.reset(seed=1)
    play_on(table, np.random.default_rng(1))
    for agent in ("player_0", "player_1", "player_2", "player_3"):
        with pytest.raises(ValueError, match=rf"the episode of {agent} is over, and its only step is None"):
            table.step(0)
        assert table.agent_selection == agent
        table.step(None)


@BOTH
@pytest.mark.parametrize("call", ["step", "step(None)", "last"])
def test_with_no_agents_left_only_a_reset_helps(make, call: str) -> None:
    table = make(episode="deal")
    table.reset(seed=1)
    play_on(table, np.random.default_rng(1))
    leave(table)
    with pytest.raises(RuntimeError, match=r"no agents left: the episode is over, call reset\(\)"):
        CALLS[call](table)
    table.reset()
    table.last()


def test_agent_iter_refuses_a_round_in_which_nothing_was_played() -> None:
    table = env()
    table.reset(seed=1)
    turns = iter(table.agent_iter())
    for _ in range(3):
        assert next(turns) == table.agent_selection
        table.step(int(np.flatnonzero(mask_of(table))[0]))
    next(turns)
    with pytest.raises(RuntimeError, match=r"agent_iter\(\): call step\(\) or reset\(\) once in each round"):
        next(turns)
    assert next(iter(table.agent_iter())) == table.agent_selection


def test_agent_iter_stops_after_so_many_rounds() -> None:
    table = env()
    table.reset(seed=1)
    rounds = 0
    for _ in table.agent_iter(5):
        table.step(int(np.flatnonzero(mask_of(table))[0]))
        rounds += 1
    assert rounds == 5


def test_agent_iter_goes_on_after_a_reset_in_the_loop_and_stops_after_the_last_agent() -> None:
    table = env(episode="deal")
    table.reset(seed=1)
    rng, resets = np.random.default_rng(1), 0
    for agent in table.agent_iter():
        assert agent == table.agent_selection
        if over(table) and resets < 2:
            table.reset()
            resets += 1
        elif over(table):
            table.step(None)
        else:
            play_on(table, rng, steps=1)
    assert table.agents == []


@BOTH
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"episode": "match"}, ValueError, "episode='match': expected one of 'game', 'deal'"),
        ({"reward": "points"}, ValueError, "reward='points'"),
        ({"reward_timing": "late"}, ValueError, "reward_timing='late'"),
        ({"illegal_action": "ignore"}, ValueError, "illegal_action='ignore'"),
        ({"max_decisions": 0}, ValueError, "max_decisions=0"),
        ({"render_mode": "rgb"}, ValueError, "render_mode='rgb': expected one of 'human', 'ansi', 'rgb_array'"),
        ({"viewer": 4}, ValueError, "viewer=4"),
        ({"viewer": "player_9"}, ValueError, "viewer='player_9'"),
        ({"rules": {"deals": 9}}, ValueError, "deals=9"),
        ({"rules": 2}, TypeError, "rules=2"),
        ({"rule": {}}, TypeError, "rule"),
    ],
)
def test_options_that_do_not_exist_are_refused(make, options: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        make(**options)


def test_closing_is_harmless() -> None:
    table = env(render_mode="rgb_array")
    table.close()
    table.reset(seed=1)
    table.render()
    table.close()
    table.close()
    play_on(table, np.random.default_rng(1), steps=3)
