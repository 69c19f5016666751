"""Spaces and types: what is declared is what is given, and it is Python's own where it is a number."""

import ctypes
import gc
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyAEC, env, raw_env
from persian_rummy_env.envs.aec_raw import AGENTS, TEAMS
from persian_rummy_env.observation import HIGH, SIZE, as_float
from tests.env.aec_play import highest, mask_of, over, play_on
from tests.env.play import scaled

BOTH = pytest.mark.parametrize("make", [env, raw_env])


@BOTH
def test_spaces_are_the_same_objects_at_each_call_and_equal_for_all_agents(make) -> None:
    table = make(episode="deal")
    for kind in (table.observation_space, table.action_space):
        spaces = [kind(agent) for agent in AGENTS]
        assert all(kind(agent) is space for agent, space in zip(AGENTS, spaces, strict=True))
        assert all(space == spaces[0] for space in spaces)
    before = {agent: (repr(table.observation_space(agent)), repr(table.action_space(agent))) for agent in AGENTS}
    for seed in range(scaled(20)):
        table.reset(seed=seed)
        play_on(table, np.random.default_rng(seed))
    assert before == {a: (repr(table.observation_space(a)), repr(table.action_space(a))) for a in AGENTS}
    assert table.observation_space("player_0")["observation"].shape == (SIZE,) == (1020,)
    assert table.action_space("player_0").n == 547


def test_seeding_a_space_seeds_it_and_no_other() -> None:
    one, other = env(), env()
    space = one.action_space("player_0")
    space.seed(3)
    alone = [space.sample() for _ in range(6)]
    space.seed(3)
    disturbed = []
    for _ in range(6):
        disturbed.append(space.sample())
        for another in (other.action_space("player_0"), one.action_space("player_1")):
            another.seed(4)
            another.sample()
    assert disturbed == alone


@BOTH
def test_everything_observed_lies_in_its_space(make) -> None:
    table = make(episode="deal")
    for seed in range(scaled(60)):
        table.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while True:
            for agent in AGENTS:
                space, shown = table.observation_space(agent), table.observe(agent)
                assert space.contains(shown)
                for part, array in shown.items():
                    assert array.dtype == space[part].dtype != np.float64
            assert table.state_space.contains(table.state())
            if over(table):
                break
            play_on(table, rng, steps=3)


def test_observations_are_the_raw_bytes_divided_in_single_precision() -> None:
    raw = np.arange(256, dtype=np.uint8)[:, None] % (HIGH.astype(int) + 1)
    divided = as_float(raw.astype(np.uint8))
    table = env()
    table.reset(seed=0)
    seen = set()
    for _ in range(200):
        shown = table.observe(table.agent_selection)["observation"]
        number = np.rint(shown * HIGH).astype(int)
        assert (shown == divided[number, np.arange(SIZE)]).all()
        seen |= set(number.tolist())
        play_on(table, np.random.default_rng(len(seen)), steps=1)
        if over(table):
            table.reset()
    assert len(seen) > 20


@BOTH
def test_rewards_and_flags_are_pythons_own(make) -> None:
    table = make()
    table.reset(seed=1)
    rng = np.random.default_rng(1)
    while table.agents:
        _, reward, terminated, truncated, _ = table.last()
        assert type(reward) is float
        assert type(terminated) is type(truncated) is bool
        for by_agent, kind in ((table.rewards, float), (table.terminations, bool), (table.truncations, bool)):
            assert all(type(value) is kind for value in by_agent.values())
        json.dumps([reward, terminated, table.rewards, table.terminations, table.truncations, table.infos])
        table.step(None) if over(table) else play_on(table, rng, steps=1)


@pytest.mark.parametrize("kind", [int, np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint64, np.array])
@BOTH
def test_actions_may_be_integers_of_any_kind(make, kind: Any) -> None:
    table, plain = make(), make()
    table.reset(seed=2)
    plain.reset(seed=2)
    for _ in range(4):
        action = int(np.flatnonzero(mask_of(table))[0])
        if kind is np.int8 and action > 127:
            break
        table.step(kind(action))
        plain.step(action)
        assert (table.state() == plain.state()).all()
        json.dumps(table.rewards)


@pytest.mark.parametrize("action", [0.0, np.float32(0), "draw", np.array([0]), np.array(0.0), [0], np.array([[0]])])
@BOTH
def test_actions_of_another_kind_are_refused(make, action: Any) -> None:
    table = make()
    table.reset(seed=2)
    before = table.state()
    with pytest.raises(TypeError):
        table.step(action)
    assert (table.state() == before).all()
    table.step(0)


@BOTH
def test_infos_are_empty_for_all_four_from_the_first_reset_on(make) -> None:
    """So that nothing in them can leak, and no library has to make tensors of them."""
    table = make()
    for seed in range(2):
        table.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not over(table):
            assert table.infos == {agent: {} for agent in AGENTS}
            assert table.last(observe=False)[4] == {}
            play_on(table, rng, steps=1)
        assert table.infos == {agent: {} for agent in AGENTS}


def test_teams_and_names_are_data() -> None:
    table = env()
    assert table.teams == TEAMS == (("player_0", "player_2"), ("player_1", "player_3"))
    assert table.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert table.max_num_agents == 4
    assert table.metadata["name"] == "persian_rummy_v0" == str(table)
    assert table.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    assert table.metadata["is_parallelizable"] is False
    assert table.metadata["render_fps"] > 0


def memory() -> int:
    """Bytes of pages in use, but for those that the C library holds back free, which come and go by 8 MB."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


has_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to see the memory in use")


def play_many(table: PersianRummyAEC, deals: int, pictures: int) -> None:
    rng = np.random.default_rng(0)
    for deal in range(deals):
        table.reset(seed=deal)
        play_on(table, rng, choose=highest)
        if deal < pictures:
            table.render()


@pytest.mark.perf
@has_proc
@pytest.mark.parametrize(
    ("deals", "pictures"), [(scaled(400), scaled(100)), pytest.param(20_000, 2_000, marks=pytest.mark.slow)]
)
def test_memory_does_not_grow_with_the_deals_played(deals: int, pictures: int) -> None:
    table = env(episode="deal", render_mode="rgb_array")
    play_many(table, scaled(100), scaled(50))
    before = memory()
    play_many(table, deals, pictures)
    assert memory() - before < 5_000_000
