"""What every public constructor, reset and step refuses: one clear line that names the argument, at the door."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import (
    PersianRummyGymEnv,
    PersianRummyGymVectorEnv,
    PersianRummyVecEnv,
    draw_for_partners,
    env,
    lane_seeds,
    parse_deck,
    raw_env,
)
from persian_rummy_env.adapters.parallel import PersianRummyParallel
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.envs.testing import check_conservation, check_no_leak, check_rotation, exchange_hidden, rotated
from persian_rummy_env.records.recorder import Recorder, make_record, simulate
from tests.env.play import PACK, equal

HUGE = 10**5000
"""Python refuses to print it."""
LONG = list(range(100_000))
NO_NUMBER: list[Any] = [
    None, True, np.True_, 1.0, 0.5, float("nan"), float("inf"), np.float64(1), "1", "", b"1", [], [1], [[1]], [None],
    {}, {"a": 1}, object(), int, lambda: 1, 1j, np.array([1, 2]), np.array(1.0), np.array([[1]]), slice(1), LONG,
]  # fmt: skip
ENVIRONMENTS: dict[str, Callable[..., Any]] = {
    "vector": lambda **options: PersianRummyVecEnv(**{"num_envs": 2, **options}),
    "AEC": env,
    "raw AEC": raw_env,
    "parallel": PersianRummyParallel,
    "Gymnasium": PersianRummyGymEnv,
    "Gymnasium vector": lambda **options: PersianRummyGymVectorEnv(**{"num_envs": 2, **options}),
}
VECTORS = ("vector", "Gymnasium vector")
GYMNASIUM = ("Gymnasium", "Gymnasium vector")


def clear(call: Callable[[], Any], name: str) -> None:
    """It is refused in one line that names the argument and says what was expected."""
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    text = str(raised.value)
    assert name in text, text
    assert any(words in text for words in ("expected", "known are", "a deck holds", "not legal")), text
    assert "\n" not in text
    assert len(text) < 700, text


def without(values: list[Any], *types: type) -> list[Any]:
    return [value for value in values if not isinstance(value, types)]


NUMBERS_OUT_OF_RANGE = [0, -1, -HUGE, HUGE, 2**63, np.int8(-1), np.uint64(2**64 - 1)]
OPTIONS: dict[str, list[Any]] = {
    "max_decisions": [*without(NO_NUMBER, type(None)), *NUMBERS_OUT_OF_RANGE],
    "seed": [*without(NO_NUMBER, type(None)), -1, 2**64, HUGE, np.int64(-1)],
    "episode": [*NO_NUMBER, 1, "match", HUGE],
    "reward": [*NO_NUMBER, 1, "points"],
    "reward_timing": [*NO_NUMBER, 1, "late"],
    "illegal_action": [*NO_NUMBER, 1, "ignore"],
    "rules": [*without(NO_NUMBER, type(None), dict), {"a": 1}, {1: 1}],
}
OF_VECTORS: dict[str, list[Any]] = {
    "num_envs": [*NO_NUMBER, *NUMBERS_OUT_OF_RANGE],
    "autoreset_mode": [*NO_NUMBER, 1, "same_step"],
}
OF_GYMNASIUM: dict[str, list[Any]] = {
    "seats": [
        *without(NO_NUMBER, slice),
        4,
        -1,
        HUGE,
        (1, "b"),
        (0, 1),
        (0, 2, 2),
        (False, 2),
        "both",
        [[0], [2]],
        (0.0, 2.0),
    ],
    "opponents": [*NO_NUMBER, 1, "strong", ["greedy"]],
    "partner": [*without(NO_NUMBER, type(None)), 1, "strong"],
    "observation": [*NO_NUMBER, "both"],
}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option(environment: str, option: str) -> None:
    for value in OPTIONS[option]:
        clear(lambda value=value: ENVIRONMENTS[environment](**{option: value}), option)


@pytest.mark.parametrize("environment", VECTORS)
@pytest.mark.parametrize("option", OF_VECTORS)
def test_an_option_of_many_tables(environment: str, option: str) -> None:
    for value in OF_VECTORS[option]:
        clear(lambda value=value: ENVIRONMENTS[environment](**{option: value}), option)


@pytest.mark.parametrize("environment", GYMNASIUM)
@pytest.mark.parametrize("option", OF_GYMNASIUM)
def test_an_option_of_a_learner(environment: str, option: str) -> None:
    for value in OF_GYMNASIUM[option]:
        clear(lambda value=value: ENVIRONMENTS[environment](**{option: value}), option)


def test_other_options() -> None:
    for value in [*without(NO_NUMBER, bool, np.bool_), 0, 1, "no"]:
        clear(lambda value=value: PersianRummyVecEnv(2, copy=value), "copy")
        clear(lambda value=value: PersianRummyGymVectorEnv(2, raw=value), "raw")
    for value in [*NO_NUMBER, *NUMBERS_OUT_OF_RANGE]:
        clear(lambda value=value: PersianRummyVecEnv(2, threads=value), "threads")
    for value in [*without(NO_NUMBER, type(None)), "text"]:
        for make in (env, raw_env, PersianRummyParallel, PersianRummyGymEnv):
            clear(lambda make=make, value=value: make(render_mode=value), "render_mode")
    for value in [*NO_NUMBER, 4, -1, HUGE, "player_4"]:
        clear(lambda value=value: env(viewer=value), "viewer")


def test_a_code_that_no_bot_has() -> None:
    class Odd:
        def act(self, batch: Any) -> Any:
            return batch

    for code in (99, -5, "x", None, 1.0, True):
        Odd.code = code  # type: ignore[attr-defined]
        clear(lambda: PersianRummyGymEnv(opponents=Odd()), "opponents")


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, int])
def test_whole_numbers_of_numpy_are_whole_numbers(kind: Any) -> None:
    one, two = kind(1), kind(2)
    for make in ENVIRONMENTS.values():
        made = make(max_decisions=two, seed=one, rules={"deals": two})
        assert type(made.aec.options.max_decisions if hasattr(made, "aec") else 2) is int
        made.reset()
        made.reset(seed=one, options={"dealer": one})
    for make in (PersianRummyVecEnv, PersianRummyGymVectorEnv):
        made = make(num_envs=two)
        made.reset(seed=[one, two], options={"dealer": [one, two]})
        made.reset(seed=np.array([1, 2]).astype(kind))
        made.reset(seed=np.array(1).astype(kind))
        made.step(np.zeros(2, dtype=kind))
    PersianRummyGymEnv(seats=(kind(0), two)).reset()
    PersianRummyGymEnv(seats=np.array([0, 2]).astype(kind)).reset()
    assert PersianRummyVecEnv(2, copy=np.False_, threads=one).copy is False
    assert (lane_seeds(one, two) == lane_seeds(1, 2)).all()
    draw_for_partners(np.array(list("abcd")), one)  # type: ignore[arg-type]


# Resets ---------------------------------------------------------------------------------------------------------------

FLAT = list(PACK)
BAD_SEEDS = [*without(NO_NUMBER, type(None)), -1, 2**64, HUGE]
NO_MAPPING = [*without(NO_NUMBER, type(None), dict), 1, "dealer", [1], [("dealer", 1)]]
NO_DEALER: list[Any] = [
    *without(NO_NUMBER, type(None), list, np.ndarray), [], [[1]], [None], LONG, np.array(1.0),
    np.array([1, 2, 3]), 4, -1, HUGE, [None, 1], [[0], [1, 2]], [True, 1],
]  # fmt: skip
NO_DECKS: list[Any] = [
    *without(NO_NUMBER, type(None), np.ndarray, list), [1], LONG, np.array([1, 2]), np.array(1.0),
    1, FLAT, range(56), np.arange(56), "2C 3C", [FLAT[:55]], [FLAT] * 5, [[FLAT], 3], [5], ["2C"], [[1.5] * 56],
    [[HUGE] * 56], [FLAT, "AS"], [[FLAT, 5]], [[[FLAT]]], [{"a": 1}],
]  # fmt: skip
BAD_OPTIONS = [
    *((value, "options") for value in NO_MAPPING),
    *(({"dealer": value}, "dealer") for value in NO_DEALER),
    *(({"decks": value}, "decks") for value in NO_DECKS),
]
NO_SEEDS: list[Any] = [
    [None, 3], [3, None], [1, 2, 3], [1, "2"], [1, 2.0], [True, 1], (1, -1), [[1], [2]], np.ones((2, 2), int),
]  # fmt: skip
NO_MASKS: list[Any] = [
    *without(NO_NUMBER, type(None)), [1, 0], [True], "ab", [None, True], [[True], [True, False]], np.ones((2, 1), bool),
]  # fmt: skip


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_reset(environment: str) -> None:
    made = ENVIRONMENTS[environment]()
    made.reset(seed=1)
    holder = made.aec if environment == "parallel" else made
    before = holder.get_state()
    for seed in BAD_SEEDS:
        if environment in VECTORS and isinstance(seed, np.ndarray) and seed.shape == (2,):
            continue
        clear(lambda seed=seed: made.reset(seed=seed), "seed")
    for options, name in BAD_OPTIONS:
        clear(lambda options=options: made.reset(options=options), name)
    if environment in VECTORS:
        for seed in NO_SEEDS:
            clear(lambda seed=seed: made.reset(seed=seed), "seed")
        for mask in NO_MASKS:
            clear(lambda mask=mask: made.reset(options={"reset_mask": mask}), "reset_mask")
    assert equal(holder.get_state(), before)
    made.reset(options={"unknown": 1, 2: 3})  # other keys are left to whoever knows them


def test_one_deck_says_how_to_give_it() -> None:
    with pytest.raises(ValueError, match=r"one deck.*\[deck\]"):
        env().reset(options={"decks": FLAT})


# Steps ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_action_that_is_none(environment: str) -> None:
    made = ENVIRONMENTS[environment](illegal_action="raise")
    made.reset(seed=1)
    holder = made.aec if environment == "parallel" else made
    before = holder.get_state()
    bad = [*NO_NUMBER, "draw", np.array([0.7]), np.array(["0"])]
    if environment == "parallel":
        bad = [one for one in bad if one is not None]
        for actions in (None, 0, [0], "player_0", {}):
            clear(lambda actions=actions: made.step(actions), "step()" if actions == {} else "step(")
    for action in bad:
        one = {made.acting: action} if environment == "parallel" else action
        with pytest.raises((ValueError, TypeError)) as raised:
            made.step([one, 0] if environment in VECTORS else one)
        assert "\n" not in str(raised.value)
        assert any(word in str(raised.value) for word in ("expected", "None is only", "legal: draw", "not legal"))
    for action in (547, -1, 2**31, 2**62, np.uint64(2**64 - 1), HUGE, -HUGE):
        one = {made.acting: action} if environment == "parallel" else action
        with pytest.raises((ValueError, TypeError)) as raised:
            made.step([one, 0] if environment in VECTORS else one)
        assert len(str(raised.value)) < 900
        assert "\n" not in str(raised.value)
    if environment in VECTORS:
        for actions in (0, None, "00", [[0], [0]], [0], [0, 0, 0], [[0], [1, 2]], {0: 0, 1: 0}, {0, 1}):
            clear(lambda actions=actions: made.step(actions), "actions")
    assert equal(holder.get_state(), before)


def test_the_agents_of_the_aec_environment() -> None:
    made = env()
    made.reset(seed=1)
    for agent in [*NO_NUMBER, 0, "player_4"]:
        for call in (made.observe, made.observation_space, made.action_space):
            clear(lambda agent=agent, call=call: call(agent), "player_0")
    for number in NO_NUMBER:
        clear(lambda number=number: made.agent_iter(number), "max_iter")


def test_what_else_the_vector_environment_is_asked() -> None:
    made = PersianRummyVecEnv(2)
    made.reset(seed=1)
    for seats in [*NO_NUMBER, 4, -1, HUGE, [0, None], [[0], [1, 2]], [0, 1, 2], [0.0, 1.0], [True, False]]:
        if not (isinstance(seats, np.ndarray) and seats.shape == (2,)):
            clear(lambda seats=seats: made.observe(seats), "seats")
    for bots in [*NO_NUMBER, 1, "greedy", [[0] * 4] * 2, np.full((2, 4), 99, np.int8)]:
        clear(lambda bots=bots: made.bot_actions(bots), "bots")
    codes = np.zeros((2, 4), dtype=np.int8)
    for actions in [*without(NO_NUMBER, type(None), np.ndarray), [0, None], [0.5, 1]]:
        clear(lambda actions=actions: made.bot_actions(codes, actions), "actions")
    for rng in [*without(NO_NUMBER, type(None)), 1, np.random.RandomState(1)]:
        clear(lambda rng=rng: made.sample_actions(rng), "rng")


# Functions ------------------------------------------------------------------------------------------------------------


def test_functions_beside_the_environments() -> None:
    for seed in [*NO_NUMBER, -1, 2**64, HUGE]:
        clear(lambda seed=seed: lane_seeds(seed, 2), "seed")
        clear(lambda seed=seed: draw_for_partners(list("abcd"), seed), "seed")
        clear(lambda seed=seed: simulate(1, seed, "greedy"), "seed")
    for lanes in [*NO_NUMBER, -1, HUGE]:
        clear(lambda lanes=lanes: lane_seeds(1, lanes), "lanes")
        clear(lambda lanes=lanes: simulate(lanes, 1, "greedy"), "games")
        clear(lambda lanes=lanes: Recorder(lanes), "lanes")
        clear(lambda lanes=lanes: simulate(1, 1, "greedy", batch_size=lanes), "batch_size")
    for names in [*NO_NUMBER, "abcd", list("abc"), list("aabc"), ["a", "b", "c", None], 4]:
        clear(lambda names=names: draw_for_partners(names, 1), "names")
    for bots in [*NO_NUMBER, 1, "strong", ["greedy", None], ["greedy"] * 3, [["greedy"]]]:
        clear(lambda bots=bots: bot_codes(bots), "bot")
        clear(lambda bots=bots: simulate(1, 1, bots), "bot")
    for deck in [*NO_NUMBER, 1, "2C 3C", [None] * 56, [[1]] * 56, [HUGE] * 56]:
        with pytest.raises((ValueError, TypeError)) as raised:
            parse_deck(deck)
        assert len(str(raised.value)) < 700


def test_a_record_that_cannot_be_made() -> None:
    decks = [PACK, PACK]
    for dealer in [*NO_NUMBER, 4, -1, HUGE]:
        clear(lambda dealer=dealer: make_record(decks, dealer, []), "dealer")
    for players in [*NO_NUMBER, "abcd", list("abc"), [1, 2, 3, 4]]:
        clear(lambda players=players: make_record(decks, 0, [], players=players), "players")
    for seed in [*without(NO_NUMBER, type(None)), -1, HUGE]:
        clear(lambda seed=seed: make_record(decks, 0, [], seed=seed), "seed")
    for actions in (None, 1, [0.7], [None], [True], [[0]], ["x" * 10_000]):
        with pytest.raises((ValueError, TypeError)) as raised:
            make_record(decks, 0, actions)
        assert "actions" in str(raised.value)
        assert len(str(raised.value)) < 20_000
    for one in [*NO_NUMBER, 1, [PACK], [PACK] * 3, PACK]:
        with pytest.raises((ValueError, TypeError)):
            make_record(one, 0, [])


def test_testing_functions_say_what_they_need() -> None:
    states = PersianRummyVecEnv(1)
    states.reset(seed=1)
    good, rng = states.get_state(), np.random.default_rng(1)
    for wrong in [*NO_NUMBER, good["hand"], good[0]]:
        clear(lambda wrong=wrong: check_conservation(wrong), "states")
        clear(lambda wrong=wrong: exchange_hidden(wrong, 0, rng), "states")
        clear(lambda wrong=wrong: rotated(wrong, 1), "states")
    for seat in [*NO_NUMBER, 4, -1, HUGE]:
        clear(lambda seat=seat: exchange_hidden(good, seat, rng), "seat")
    for by in NO_NUMBER:
        clear(lambda by=by: rotated(good, by), "by")
    for number in [*NO_NUMBER, 0, -1]:
        clear(lambda number=number: check_no_leak(decisions=number), "decisions")
        clear(lambda number=number: check_rotation(decisions=number), "decisions")
    for seed in [*NO_NUMBER, -1]:
        clear(lambda seed=seed: check_no_leak(seed=seed), "seed")
    for wrong in (1, "env", object(), [1]):
        clear(lambda wrong=wrong: check_no_leak(wrong), "env")


SEATS_NOTED = [None, "0", 0, [0], [[0, 1]], [0.0, 1.0], [0, 4], [True, False], [2**63, 0], np.zeros((2, 1), int)]
ACTIONS_NOTED = [None, "0", 0, [0], [[0, 1]], [0.7, 1.0], [0, 547], [0, -1], ["0", "1"], [0, 2**63]]


@pytest.mark.parametrize("name", ["seat", "actions"])
def test_what_a_recorder_is_told(name: str) -> None:
    recorder = Recorder(2)
    for value in SEATS_NOTED if name == "seat" else ACTIONS_NOTED:
        given: dict[str, Any] = {"seat": [0, 1], "actions": [0, 0], name: value}
        clear(lambda given=given: recorder.note(**given), name)
    recorder.note(np.array([-1, 0], np.int8), np.array([-5, 3], np.int16))  # of a lane that waits, nothing is looked at
    assert recorder._lengths.tolist() == [0, 1]


def test_what_is_noted_is_kept_when_a_record_is_refused() -> None:
    made = PersianRummyVecEnv(2, episode="game", rules={"deals": 1})
    recorder, shown = Recorder(2), made.reset(seed=1)
    while not len(made.final.env_index):
        actions = made.sample_actions()
        recorder.note(shown.seat, actions)
        shown = made.step(actions)
    lane, state = int(made.final.env_index[0]), made.final.state[0]
    bad: list[Any] = [(lane, made.final.state), (lane, None), *((one, state) for one in (2, -1, 0.0, "0"))]
    for given in bad:
        clear(lambda given=given: recorder.finish(*given), "lane" if given[1] is state else "state")
    clear(lambda: recorder.finish(lane, state, players="four"), "players")
    record = recorder.finish(np.int8(lane), state)  # type: ignore[arg-type]
    assert record is not None
    assert recorder._lengths[lane] == 0


def test_a_recorder_that_is_never_finished_says_so() -> None:
    recorder = Recorder(1)
    recorder._lengths[0] = recorder._actions.shape[1]
    clear(lambda: recorder.note([0], [0]), "finish()")  # type: ignore[arg-type]
