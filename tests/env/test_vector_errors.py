"""What the vector environment refuses: the message says what is wrong, and nothing has moved."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, RuleSet, encode_action
from persian_rummy_env.actions import legal_names
from tests.env.play import equal, everything

LANES = 5


@pytest.fixture
def env() -> PersianRummyVecEnv:
    env = PersianRummyVecEnv(LANES)
    env.reset(seed=3)
    env.step(env.sample_actions())
    return env


def refused(env: PersianRummyVecEnv, error: type[Exception], call: Callable[[], Any]) -> str:
    """The message of an error that has changed nothing."""
    before = everything(env)
    with pytest.raises(error) as raised:
        call()
    assert everything(env) == before
    env.step(env.sample_actions())  # and play goes on
    return str(raised.value)


@pytest.mark.parametrize(
    ("actions", "error", "words"),
    [
        (np.zeros(LANES), TypeError, "float64"),
        (np.zeros(LANES, dtype=bool), TypeError, "bool"),
        (["draw"] * LANES, TypeError, "<U4"),
        ([None] * LANES, TypeError, "object"),
        (np.zeros(LANES + 1, dtype=np.int64), ValueError, "(6,)"),
        (np.zeros((LANES, 1), dtype=np.int64), ValueError, "(5, 1)"),
        (0, ValueError, "()"),
    ],
)
def test_actions_of_a_wrong_type_or_shape(env: PersianRummyVecEnv, actions: Any, error: Any, words: str) -> None:
    message = refused(env, error, lambda: env.step(actions))
    assert words in message
    assert "(5,)" in message


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64, list])
def test_actions_of_any_whole_type_are_played(dtype: Any) -> None:
    env, other = PersianRummyVecEnv(LANES), PersianRummyVecEnv(LANES)
    env.reset(seed=3)
    other.reset(seed=3)
    actions = np.array([np.flatnonzero(mask)[0] for mask in env._result().action_mask])
    env.step(actions.tolist() if dtype is list else actions.astype(dtype))
    other.step(actions)
    assert equal(env.get_state(), other.get_state())


@pytest.mark.parametrize(
    ("action", "name"), [(1, "'pass'"), (547, "an id outside 0..546"), (-1, "an id outside 0..546")]
)
@pytest.mark.parametrize("lane", [0, 2, 4])
def test_an_illegal_action(lane: int, action: int, name: str) -> None:
    env = PersianRummyVecEnv(LANES)
    shown = env.reset(seed=3)
    actions = env.sample_actions()
    actions[lane] = action
    message = refused(env, ValueError, lambda: env.step(actions))
    legal = ", ".join(legal_names(shown.action_mask[lane]))
    assert message.startswith(f"env {lane}, seat {shown.seat[lane]}: action {action} ({name}")
    assert "not legal" in message
    assert message.endswith(f"legal: {legal}")


def test_the_first_illegal_lane_is_named(env: PersianRummyVecEnv) -> None:
    actions = env.sample_actions()
    actions[[1, 3]] = 547
    assert refused(env, ValueError, lambda: env.step(actions)).startswith("env 1, ")


def test_nothing_is_played_before_the_first_reset() -> None:
    env = PersianRummyVecEnv(LANES)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(np.zeros(LANES, dtype=np.int64))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 2.0}, "num_envs=2.0"),
        ({"num_envs": True}, "num_envs=True"),
        ({"rules": {"quad_bonus": "queens"}}, "'queens'"),
        ({"rules": {"jokers": 2}}, "'jokers'"),
        ({"rules": {"deals": 5}}, "deals=5"),
        ({"rules": {"deals": True}}, "deals=True"),
        ({"rules": "jacks"}, "'jacks'"),
        ({"episode": "match"}, "'match'"),
        ({"reward": "points"}, "'points'"),
        ({"reward_timing": "late"}, "'late'"),
        ({"illegal_action": "ignore"}, "'ignore'"),
        ({"autoreset_mode": None}, "None"),
        ({"max_decisions": 0}, "max_decisions=0"),
        ({"max_decisions": 2.5}, "max_decisions=2.5"),
        ({"threads": 0}, "threads=0"),
        ({"seed": -1}, "-1"),
        ({"seed": 1.5}, "1.5"),
        ({"seed": 2**64}, str(2**64)),
    ],
)
def test_an_option_that_makes_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        PersianRummyVecEnv(**{"num_envs": 2, **options})
    assert words in str(raised.value)
    assert "expected" in str(raised.value) or "known are" in str(raised.value)


def test_an_unknown_option() -> None:
    with pytest.raises(TypeError, match="jokers"):
        PersianRummyVecEnv(2, jokers=2)  # type: ignore[call-arg]


@pytest.mark.parametrize("rules", [None, RuleSet(), {"deals": 2}, {}])
def test_rules_may_be_given_in_three_ways(rules: Any) -> None:
    assert PersianRummyVecEnv(1, rules).rules == RuleSet(deals=2, quad_bonus="any", stock_out="pass")


@pytest.mark.parametrize(
    "seed", [True, 1.0, "7", -1, 2**64, [1, 2], [1] * LANES + [2], [1, 2, 3, 4, 5.5], [True] * LANES]
)
def test_a_seed_that_is_none(env: PersianRummyVecEnv, seed: Any) -> None:
    message = refused(env, (ValueError, TypeError), lambda: env.reset(seed=seed))  # type: ignore[arg-type]
    assert "seed" in message
    assert "expected" in message


@pytest.mark.parametrize("dealer", [4, -1, 1.0, "0", True, [0, 1], [0, 1, 2, 3, 4]])
def test_a_dealer_that_is_no_seat(env: PersianRummyVecEnv, dealer: Any) -> None:
    assert "dealer" in refused(env, ValueError, lambda: env.reset(seed=1, options={"dealer": dealer}))


def test_states_that_do_not_fit(env: PersianRummyVecEnv) -> None:
    for states in (env.get_state()[:3], env.get_state().reshape(1, -1), np.zeros(LANES), env.get_state()["hand"]):
        assert "STATE" in refused(env, ValueError, lambda states=states: env.set_state(states))


def test_an_action_ignored_by_a_waiting_lane_may_be_anything() -> None:
    env = PersianRummyVecEnv(2, episode="deal", autoreset_mode="DISABLED", max_decisions=1)
    env.reset(seed=1)
    env.step(env.sample_actions())
    assert (env.step([547, encode_action("draw")]).seat == -1).all()


@pytest.mark.parametrize(
    "codes",
    [np.zeros((LANES, 3), np.int8), np.zeros((LANES, 4), np.int64), np.full((LANES, 4), 9, np.int8)],
    ids=["shape", "dtype", "no such bot"],
)
def test_codes_that_are_none(env: PersianRummyVecEnv, codes: np.ndarray):
    printed = refused(env, ValueError, lambda: env.bot_actions(codes))
    assert "int8[5, 4]" in printed
    assert "expert" in printed


def test_actions_beside_bots_are_one_a_lane(env: PersianRummyVecEnv):
    codes = np.full((LANES, 4), -1, np.int8)
    assert "(5,)" in refused(env, ValueError, lambda: env.bot_actions(codes, np.zeros(4, np.int64)))
    assert env.bot_actions(codes, np.arange(LANES)).tolist() == list(range(LANES))
