"""After a game was put on a table: by which rules the next episode is played, and what becomes of an ended one."""

import copy
from typing import Any

import numpy as np
import pytest

import persian_rummy_env as pr
from persian_rummy_env import PersianRummyVecEnv, lane_seeds
from persian_rummy_env.players.policy_io import sample_worlds, views_of
from persian_rummy_env.state import FIELDS, OVER
from tests.env.play import equal, scaled

MODES = ("SAME_STEP", "NEXT_STEP", "DISABLED")
RULES = [field.name for field in FIELDS if field.meaning.startswith("rule:")]
FOREIGN = {"deals": 1, "quad_bonus": "jacks", "stock_out": "end"}
GREEDY = np.ones((1, 4), dtype=np.int8)


def foreign_state(steps: int = 30, **options: Any) -> np.ndarray:
    """A game under way, by other rules than the default in every field."""
    env = PersianRummyVecEnv(1, **{"rules": FOREIGN, "autoreset_mode": "DISABLED", **options})
    env.reset(seed=1)
    for _ in range(steps):
        env.step(env.bot_actions(GREEDY))
    return env.get_state()


def ended_state(kind: str) -> np.ndarray:
    """A game that is over, was cut short, or was forfeited."""
    options = {"over": {}, "cut": {"max_decisions": 20}, "forfeited": {"illegal_action": "forfeit"}}[kind]
    env = PersianRummyVecEnv(1, rules=FOREIGN, autoreset_mode="DISABLED", **options)
    env.reset(seed=1)
    while not env.get_state()["ended"][0]:
        forfeit = kind == "forfeited" and env.get_state()["decisions"][0] == 5
        env.step(np.array([546 + 100]) if forfeit else env.bot_actions(GREEDY))
    state = env.get_state()
    assert (int(state["phase"][0]) == OVER) == (kind == "over")
    return state


def rules_of(states: np.ndarray) -> list[list[int]]:
    return [states[name].tolist() for name in RULES]


def play_on(env: PersianRummyVecEnv, lane: int = 0) -> int:
    """Play until the episode of a lane ends; the decisions it took."""
    for number in range(1, 2000):
        shown = env.step(env.bot_actions(np.repeat(GREEDY, env.num_envs, axis=0)))
        if shown.terminated[lane]:
            return number
    raise AssertionError("the episode does not end")


# Rules ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("episode", ["game", "deal"])
def test_the_next_episode_is_played_by_the_environments_own_rules(mode: str, episode: str) -> None:
    env, plain = (PersianRummyVecEnv(2, rules={"deals": 3}, episode=episode, autoreset_mode=mode) for _ in range(2))
    plain.reset(seed=1)
    own = rules_of(plain.get_state())
    states = np.concatenate([foreign_state(), foreign_state(episode="game", rules={"deals": 4, "stock_out": "end"})])
    env.set_state(states)
    assert rules_of(env.get_state()) == rules_of(states), "the game put on the table is played by its own"
    play_on(env)
    if mode != "SAME_STEP":
        assert rules_of(env.get_state())[0][0] == 1
    if mode == "DISABLED":
        env.reset(options={"reset_mask": np.array([True, False])})
        assert [rule[1] for rule in rules_of(env.get_state())] == [rule[1] for rule in rules_of(states)]
    elif mode == "NEXT_STEP":
        env.step(env.sample_actions())
    assert [rule[0] for rule in rules_of(env.get_state())] == [rule[0] for rule in own]
    assert int(env.get_state()["decisions"][0]) == 0
    play_on(env)
    assert int(env.final.state["deal"][0]) + 1 == (3 if episode == "game" else 1)


@pytest.mark.parametrize("mode", MODES)
def test_a_reset_after_set_state_is_the_episode_of_its_seed(mode: str) -> None:
    env, plain = (PersianRummyVecEnv(2, autoreset_mode=mode) for _ in range(2))
    env.set_state(np.repeat(foreign_state(), 2))
    seen, wanted = env.reset(seed=5), plain.reset(seed=5)
    assert equal(env.get_state(), plain.get_state())
    assert (seen.observation == wanted.observation).all()
    for _ in range(scaled(150, 20)):
        actions = env.sample_actions()
        assert (plain.sample_actions() == actions).all()
        assert (plain.step(actions).observation == env.step(actions).observation).all()
    assert equal(env.get_state(), plain.get_state())


def test_a_split_stock_is_for_the_game_that_was_put_on_the_table() -> None:
    from persian_rummy_env.evaluation.arena import new_games

    env = PersianRummyVecEnv(1, episode="deal")
    env.set_state(new_games(np.array([3], dtype=np.uint64), np.array([1], dtype=np.int8), deals=1, split_stock=True))
    play_on(env)
    assert env.final.state["split_stock"].tolist() == [1]
    assert env.get_state()["split_stock"].tolist() == [0]
    assert not env.get_state()["queue"].any()


@pytest.mark.parametrize("make", [pr.env, pr.raw_env])
def test_the_aec_environments_next_episode_is_played_by_its_own_rules(make: Any) -> None:
    for options, deals in (({}, 2), ({"episode": "deal"}, 1), ({"rules": {"deals": 4}}, 4)):
        table, plain = make(**options), make(**options)
        table.set_state(foreign_state())
        assert int(table.get_state()["deals"][0]) == 1
        table.reset(seed=7)
        plain.reset(seed=7)
        assert int(table.get_state()["deals"][0]) == deals
        assert equal(table.get_state(), plain.get_state())


def test_the_generators_go_on_from_the_game_that_was_put_on_the_table() -> None:
    states = foreign_state()
    one, other = PersianRummyVecEnv(1), PersianRummyVecEnv(1)
    one.set_state(states)
    other.set_state(states)
    one.reset()
    other.reset()
    assert equal(one.get_state(), other.get_state())
    states["rng"] += np.uint64(1)
    other.set_state(states)
    other.reset()
    assert not equal(one.get_state(), other.get_state())


# Ended games ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
@pytest.mark.parametrize("kind", ["over", "cut", "forfeited"])
def test_an_ended_game_gives_way_to_the_next_in_the_next_step(mode: str, kind: str) -> None:
    env = PersianRummyVecEnv(2, episode="deal", autoreset_mode=mode)
    going_on = foreign_state()
    shown = env.set_state(np.concatenate([ended_state(kind), going_on]))
    assert shown.seat.tolist() == [-1, int(going_on["seat"][0])]
    assert not shown.action_mask[0].any()
    actions = env.sample_actions()
    assert actions[0] == 0
    shown = env.step(actions)
    assert shown.seat[0] >= 0
    assert shown.action_mask[0].any()
    assert shown.reward[0].tolist() == [0, 0, 0, 0]
    assert not shown.terminated[0]
    assert not shown.truncated[0]
    assert 0 not in env.final.env_index
    fresh = env.get_state()[0]
    assert (int(fresh["decisions"]), int(fresh["ended"]), int(fresh["deals"]), int(fresh["stock_end"])) == (0, 0, 1, 0)
    assert int(env.get_state()["decisions"][1]) == int(going_on["decisions"][0]) + 1
    play_on(env)


@pytest.mark.parametrize("kind", ["over", "cut", "forfeited"])
def test_an_ended_game_waits_for_its_reset_where_nothing_restarts_by_itself(kind: str) -> None:
    env = PersianRummyVecEnv(1, episode="deal", autoreset_mode="DISABLED")
    state = ended_state(kind)
    env.set_state(state)
    for _ in range(3):
        shown = env.step(env.sample_actions())
        assert shown.seat.tolist() == [-1]
        assert equal(env.get_state(), state)
    assert env.reset(options={"reset_mask": np.array([True])}).seat[0] >= 0
    play_on(env)


@pytest.mark.parametrize(("kind", "terminated"), [("over", True), ("cut", False), ("forfeited", False)])
def test_an_ended_game_on_an_aec_table_is_over(kind: str, terminated: bool) -> None:
    table = pr.env()
    table.set_state(ended_state(kind))
    assert set(table.terminations.values()) == {terminated}
    assert set(table.truncations.values()) == {not terminated}
    for _ in range(4):
        table.step(None)
    assert table.agents == []
    table.reset(seed=1)
    assert int(table.get_state()["deals"][0]) == 2


def test_the_final_state_of_a_table_that_restarts_can_be_put_back() -> None:
    env = PersianRummyVecEnv(1, episode="deal")
    env.reset(seed=1)
    play_on(env)
    env.set_state(env.final.state)
    assert env.step(env.sample_actions()).seat[0] >= 0


# Records without generators -------------------------------------------------------------------------------------------


def test_what_a_seat_knows_and_worlds_that_agree_with_it_can_be_played() -> None:
    """Such records have no generators and no dealt decks: the next deals come from seed 0."""
    env = PersianRummyVecEnv(8, rules={"deals": 2}, autoreset_mode="DISABLED")
    env.reset(seed=2)
    for _ in range(40):
        env.step(env.sample_actions())
    games = env.get_state()
    views = views_of(games, np.arange(8), games["seat"])
    worlds = sample_worlds(views, games["seat"], 1, np.random.default_rng(0))[:, 0]
    for states in (views, worlds):
        shown = env.set_state(states)
        while (shown.seat >= 0).any():
            shown = env.step(env.bot_actions(np.repeat(GREEDY, 8, axis=0)))
        assert (env.get_state()["deal"] == 1).all()
        assert env.get_state()["rng"].any()


def test_a_table_goes_on_from_a_state_as_a_copy_does() -> None:
    env = PersianRummyVecEnv(3)
    env.reset(seed=lane_seeds(4, 3))
    for _ in range(45):
        env.step(env.sample_actions())
    other = PersianRummyVecEnv(3)
    other.set_state(env.get_state())
    twin = copy.deepcopy(env)
    for _ in range(60):
        actions = other.sample_actions()
        assert (other.step(actions).observation == twin.step(actions).observation).all()
