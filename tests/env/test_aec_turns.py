"""Whose turn it is, who is at the table, and what an agent is shown of which hand."""

import itertools

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, env, lane_seeds, raw_env
from persian_rummy_env.actions import DISCARD, PASS, legal_names
from persian_rummy_env.cards import RANKS, cards_in
from persian_rummy_env.envs.aec_raw import AGENTS
from persian_rummy_env.observation import HIGH, as_float
from tests.env.aec_play import GOING_OUT, OUT_AT_ONCE, leave, lively, mask_of, over, play, play_on
from tests.env.decode import decode
from tests.env.play import equal, scaled

BOTH = pytest.mark.parametrize("make", [env, raw_env])


def raw(observation: np.ndarray) -> np.ndarray:
    """An observation as the bytes that it was divided from."""
    return np.rint(observation * HIGH).astype(np.uint8)


@BOTH
@pytest.mark.rules("R19", "R20")
def test_turns_go_round_and_stay_while_one_agent_draws_melds_and_discards(make) -> None:
    table = make(episode="deal")
    for seed in range(scaled(60)):
        rng = np.random.default_rng(seed)
        table.reset(seed=seed)
        dealer = int(table.get_state()["dealer"][0])
        seat, steps = (dealer + 1) % 4, 0
        while not over(table):
            assert table.agent_selection == AGENTS[seat]
            phase = int(table.get_state()["phase"][0])
            assert (phase == 0) == (steps == 0), "each turn begins with a draw"
            action = lively(mask_of(table), rng)
            table.step(action)
            steps += 1
            if action == PASS.start or action >= DISCARD.start:
                seat, steps = (seat + 1) % 4, 0
        assert leave(table) == list(AGENTS)
        assert list(table.agent_iter()) == []


@BOTH
def test_agents_leave_one_by_one_and_only_after_the_end(make) -> None:
    table = make(episode="deal")
    for seed in range(3):
        table.reset(seed=seed)
        assert table.agents == list(AGENTS)
        play_on(table, np.random.default_rng(seed))
        assert table.agents == list(AGENTS)
        for left in range(4, 0, -1):
            assert table.num_agents == left
            assert table.agents == list(AGENTS[4 - left :])
            assert table.agent_selection == table.agents[0]
            for by_agent in (table.rewards, table.terminations, table.truncations, table.infos):
                assert list(by_agent) == table.agents
            table.step(None)
        assert table.agents == []
    table.reset(seed=1)
    assert table.agents == list(AGENTS)


def test_lists_and_dictionaries_that_a_caller_got_are_not_those_of_the_table() -> None:
    table = env(episode="deal")
    table.reset(seed=5)
    agents = table.agents
    assert agents is not table.possible_agents
    agents.reverse()
    agents.pop()
    rewards, flags = table.rewards, table.terminations
    play_on(table, np.random.default_rng(5))
    assert flags == dict.fromkeys(AGENTS, False)
    assert rewards == dict.fromkeys(AGENTS, 0.0)
    table.possible_agents.clear()
    assert leave(table) == list(AGENTS)
    table.reset(seed=5)
    assert table.agents == list(AGENTS)


def test_the_last_meld_ends_the_deal_at_once() -> None:
    table = env(episode="deal")
    for dealer in range(4):
        table.reset(seed=1, options={"dealer": dealer, "decks": [OUT_AT_ONCE]})
        out = (dealer + 1) % 4
        play(table, *GOING_OUT[:-1])
        assert not any(table.terminations.values())
        assert table.agent_selection == AGENTS[out]
        stock = int(table.get_state()["stock_size"][0])
        play(table, GOING_OUT[-1])
        assert table.terminations == dict.fromkeys(AGENTS, True)
        state = table.get_state()
        assert int(state["out"][0]) == out
        assert int(state["stock_size"][0]) == stock, "nothing is drawn after the end"
        assert leave(table) == list(AGENTS)


def test_each_agent_sees_its_own_hand() -> None:
    table = env()
    for seed in range(scaled(10)):
        table.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(40):
            state = table.get_state()[0]
            for seat, agent in enumerate(AGENTS):
                seen = decode(raw(table.observe(agent)["observation"]))
                assert seen["hand"] == cards_in(state["hand"][seat])
                assert seen["to move"] == (AGENTS.index(table.agent_selection) - seat) % 4
            play_on(table, rng, steps=1)


def test_each_lay_off_that_the_mask_names_has_its_meld_in_the_view() -> None:
    table = env()
    table.reset(seed=11)
    rng = np.random.default_rng(11)
    targets = 0
    for _ in range(scaled(400, least=60)):
        seen = decode(raw(table.observe(table.agent_selection)["observation"]))
        ranks_in_sets = {card[0] for card, kind, _ in seen["table"] if kind == "set"}
        in_runs = {card for card, kind, _ in seen["table"] if kind == "run"}
        for action in legal_names(mask_of(table)):
            if action.startswith("layoff"):
                _, card, target = action.split()
                assert card[0] in ranks_in_sets if target == "set" else neighbours(card) & in_runs
                targets += 1
        play_on(table, rng, steps=1)
        if over(table):
            table.reset()
    assert targets


def neighbours(card: str) -> set[str]:
    place = RANKS.index(card[0])
    return {RANKS[near] + card[1] for near in (place - 1, place + 1) if 0 <= near < len(RANKS)}


@BOTH
def test_observing_changes_nothing_and_works_for_anyone_at_any_time(make) -> None:
    looked, blind = make(episode="deal"), make(episode="deal")
    looked.reset(seed=3)
    blind.reset(seed=3)
    rngs = np.random.default_rng(3), np.random.default_rng(3)

    def look_around() -> None:
        before = looked.get_state()
        first = {agent: looked.observe(agent) for agent in AGENTS}
        for _, agent in itertools.product(range(5), AGENTS):
            again = looked.observe(agent)
            for part, array in again.items():
                assert array.dtype == first[agent][part].dtype
                assert (array == first[agent][part]).all()
        assert equal(looked.get_state(), before)

    while not over(blind):
        look_around()
        assert play_on(looked, rngs[0], steps=1) == play_on(blind, rngs[1], steps=1)
        assert equal(looked.get_state(), blind.get_state())
    while looked.agents:
        look_around()
        looked.step(None)
    look_around()


def test_an_observation_does_not_depend_on_who_is_to_move_but_for_the_blocks_that_say_so() -> None:
    table = env()
    table.reset(seed=9)
    play_on(table, np.random.default_rng(9), steps=30)
    state = table.get_state()
    seen = {agent: decode(raw(table.observe(agent)["observation"])) for agent in AGENTS}
    state["seat"] = (state["seat"] + 1) % 4
    table.set_state(state)
    for agent in AGENTS:
        other = decode(raw(table.observe(agent)["observation"]))
        assert {fact for fact in other if other[fact] != seen[agent][fact]} == {"to move"}


def test_an_agent_of_another_name_is_refused() -> None:
    table = env()
    table.reset(seed=0)
    with pytest.raises(ValueError, match=r"'player_4'.*player_0, player_1, player_2, player_3"):
        table.observe("player_4")


def test_what_is_handed_out_is_the_callers_to_keep() -> None:
    table = env(episode="deal")
    table.reset(seed=2)
    rng = np.random.default_rng(2)
    kept, copies = [], []
    while not over(table):
        for agent in AGENTS:
            shown = table.observe(agent)
            kept.append(shown)
            copies.append({part: array.copy() for part, array in shown.items()})
        kept.append({"state": table.state()})
        copies.append({"state": kept[-1]["state"].copy()})
        play_on(table, rng, steps=1)
    for one, other in zip(kept, copies, strict=True):
        for part, array in one.items():
            assert (array == other[part]).all()
    mask = mask_of(table)
    mask[:] = 1
    table.reset(seed=2)
    assert mask_of(table).sum() < 60


@pytest.mark.parametrize(("reward", "timing"), [("margin", "dense"), ("margin", "end"), ("win", "dense")])
def test_a_row_of_the_vector_environment_is_this_one_with_the_seed_of_the_row(reward: str, timing: str) -> None:
    options = {"episode": "deal", "reward": reward, "reward_timing": timing}
    many = PersianRummyVecEnv(3, autoreset_mode="SAME_STEP", **options)
    tables = [env(**options) for _ in range(3)]
    shown = many.reset(seed=17)
    for table, seed in zip(tables, lane_seeds(17, 3), strict=True):
        table.reset(seed=seed)
    rng = np.random.default_rng(0)
    for _ in range(scaled(300, least=120)):
        views = {agent: as_float(many.observe(seat)) for seat, agent in enumerate(AGENTS)}
        for lane, table in enumerate(tables):
            assert table.agent_selection == AGENTS[shown.seat[lane]]
            mine = table.observe(table.agent_selection)
            assert (mine["action_mask"] == shown.action_mask[lane]).all()
            assert (mine["observation"] == as_float(shown.observation[lane])).all()
            for agent in AGENTS:
                assert (table.observe(agent)["observation"] == views[agent][lane]).all()
        actions = np.array([lively(row, rng) for row in shown.action_mask])
        shown = many.step(actions)
        for lane, table in enumerate(tables):
            table.step(int(actions[lane]))
            assert list(table.rewards.values()) == shown.reward[lane].tolist()
            assert table.terminations["player_0"] == shown.terminated[lane]
            if over(table):
                table.reset()
