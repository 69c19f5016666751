"""A state from outside is a game, or is refused: by its ranges, and by what must hold between its fields."""

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import persian_rummy_env as pr
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.envs.testing import check_conservation, exchange_hidden, rotated
from persian_rummy_env.state import DRAW_PHASE, FIELDS, MELD_PHASE, OVER, RELATIONS, STATE
from persian_rummy_env.state_check import checked_states
from tests.env.play import COMPILED, equal, scaled

BY_NAME = {field.name: field for field in FIELDS}
WHERE_CARDS_LIE = ("hand", "pile", "sets", "runs", "laid")
"""A bit more or less in one of these, and a card is lost or doubled."""


@cache
def _games(lanes: int, steps: int) -> np.ndarray:
    env = PersianRummyVecEnv(lanes, rules={"deals": 3})
    env.reset(seed=4)
    codes = np.tile(np.array([1, 2, 0, 1], dtype=np.int8), (lanes, 1))
    for number in range(steps):
        env.step(env.sample_actions() if number % 4 == 0 else env.bot_actions(codes))
    return env.get_state()


def games(lanes: int = 24, steps: int = 151) -> np.ndarray:
    """Games of three deals under way, at all stages."""
    return np.concatenate([_games(lanes, 50)[: lanes // 3], _games(lanes, steps)[lanes // 3 :]])


def refused(states: np.ndarray) -> str:
    """What is said of states that are refused; "" where they are not."""
    try:
        checked_states(states, len(states))
    except ValueError as error:
        return str(error)
    return ""


def entries(name: str) -> list[tuple[int, ...]]:
    """The places of a field: all but of the decks, whose 224 say the same."""
    places = list(np.ndindex(BY_NAME[name].shape))
    return places[::13] if name == "decks" else places


def as_integer(name: str) -> np.dtype[Any]:
    return np.dtype(BY_NAME[name].dtype)


# What is a game -------------------------------------------------------------------------------------------------------


def test_every_game_of_every_kind_of_play_is_one() -> None:
    rng = np.random.default_rng(0)
    lanes = scaled(150, 4)
    for rules in ({}, {"deals": 1, "quad_bonus": "jacks", "stock_out": "end"}, {"deals": 4}):
        env = PersianRummyVecEnv(lanes, rules=rules)
        env.reset(seed=7)
        codes = rng.integers(0, 4, size=(lanes, 4)).astype(np.int8)
        for number in range(scaled(500, 60)):
            env.step(env.sample_actions() if number % 3 == 0 else env.bot_actions(codes))
            states = env.get_state()
            assert equal(checked_states(states, lanes), states)
            final = env.final.state
            if len(final):
                assert equal(checked_states(final, len(final)), final)


def test_hidden_cards_exchanged_and_tables_turned_are_games() -> None:
    states = games()
    for seat in range(4):
        assert not refused(exchange_hidden(states, seat, np.random.default_rng(seat)))
        assert not refused(rotated(states, seat))


def test_the_names_of_relations_are_fields() -> None:
    assert {relation.field for relation in RELATIONS} <= set(BY_NAME)


def test_a_copy_is_given_and_strides_do_not_matter() -> None:
    states = games()
    checked = checked_states(states[::-2], 12)
    assert equal(checked, states[::-2])
    assert not np.shares_memory(checked, states)
    states.flags.writeable = False
    assert equal(checked_states(states, len(states)), states)


# What is none ---------------------------------------------------------------------------------------------------------


def outside(name: str) -> Iterator[int]:
    limits, dtype = BY_NAME[name].range, as_integer(name)
    edges = {limits.low - 1, limits.high + 1, np.iinfo(dtype).max, np.iinfo(dtype).min, (limits.also or 0) - 1}
    for value in sorted(edges):
        fits = np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
        if fits and not limits.low <= value <= limits.high and value != limits.also:
            yield value


@pytest.mark.parametrize("name", [name for name in BY_NAME if list(outside(name))])
def test_a_number_out_of_range_is_refused_by_name_and_lane(name: str) -> None:
    states = games(3)
    limits = BY_NAME[name].range
    for place in entries(name):
        for value in outside(name):
            wrong = states.copy()
            wrong[name][(1, *place)] = value
            report = refused(wrong)
            index = "".join(f"[{part}]" for part in place)
            shown = hex(value) if BY_NAME[name].dtype == "u8" else str(value)
            assert report.startswith(f"states[1]: {name}{index}={shown}: expected "), report
            assert (f"{limits.high:#x}" if BY_NAME[name].dtype == "u8" else f"{limits.low}..{limits.high}") in report


def changed(**values: Any) -> np.ndarray:
    """A game of the first deal in the draw phase, with some fields changed."""
    env = PersianRummyVecEnv(1, rules={"deals": 2})
    env.reset(seed=3)
    states = env.get_state()
    for name, value in values.items():
        states[name] = value
    return states


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"deals": 1, "deal": 1}, "deal"),
        ({"phase": OVER, "ended": 1}, "deal"),
        ({"owed": 3}, "owed"),
        ({"phase": MELD_PHASE, "owed": 3, "stock_size": 0}, "cards"),
        ({"phase": MELD_PHASE}, "pile_size"),
        ({"passes": 1}, "passes"),
        ({"passes": 4}, "passes"),
        ({"out": 1}, "out"),
        ({"score": (3, 0)}, "score[0]"),
        ({"last_score": (0, 3)}, "last_score[1]"),
        ({"points": (0, 3)}, "points[1]"),
        ({"decisions": 1}, "episode_decisions"),
        ({"episode_decisions": 1}, "episode_decisions"),
        ({"pile_size": 2}, "pile_size"),
        ({"pile_size": 0}, "pile"),
        ({"queue": (0, 0, 0, 1)}, "queue"),
        ({"split_stock": 1}, "queue"),
        ({"stock_size": 26}, "cards"),
        ({"sets": 0b10 << 52}, "sets"),
        ({"run_low": 1}, "run_low"),
        ({"laid": 1}, "laid"),
        ({"declined": (0, 0, 0, 2**52 - 1)}, "declined[3]"),
        ({"known": 2**52 - 1}, "known[0]"),
        ({"hand": 0}, "cards"),
        ({"given": 0b10}, "decks[1]"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(values: dict[str, Any], field: str) -> None:
    assert not refused(changed())
    assert refused(changed(**values)).startswith(f"states[0]: {field}"), refused(changed(**values))


def test_what_was_never_dealt_is_refused() -> None:
    undealt = np.zeros(2, dtype=STATE)
    assert "deals=0" in refused(undealt)
    undealt["deals"] = 2
    assert refused(undealt)
    env = PersianRummyVecEnv(2)
    assert refused(env._batch.games)


def test_random_bytes_are_refused() -> None:
    rng = np.random.default_rng(1)
    for _ in range(scaled(300, 30)):
        assert refused(np.frombuffer(rng.bytes(3 * STATE.itemsize), dtype=STATE))


def flips(states: np.ndarray, rng: np.random.Generator, number: int) -> Iterator[tuple[str, np.ndarray]]:
    """Each field by turns with a bit of an entry flipped in one of the games: (its name, that game)."""
    for turn in range(number):
        for name in BY_NAME:
            lane = int(rng.integers(len(states)))
            state = states[lane : lane + 1].copy()
            places = entries(name)
            place = (0, *places[int(rng.integers(len(places)))])
            dtype = as_integer(name)
            bits = state[name].view(f"u{dtype.itemsize}")
            # Of the wide fields all bits in turn, of the others any.
            bit = turn % 64 if dtype.itemsize == 8 else int(rng.integers(8 * dtype.itemsize))
            bits[place] ^= np.array(1, dtype=bits.dtype) << np.array(bit, dtype=bits.dtype)
            yield name, state


def test_a_flipped_bit_is_refused_or_does_no_harm() -> None:
    rng = np.random.default_rng(2)
    accepted = []
    for name, state in flips(games(), rng, scaled(130, 10)):
        if not refused(state):
            accepted.append(state)
            assert name not in WHERE_CARDS_LIE, name
    assert accepted
    play_out(np.concatenate(accepted))


def test_fields_exchanged_between_games_are_refused_or_do_no_harm() -> None:
    """Values that are good by themselves, from other games."""
    states = games()
    rng = np.random.default_rng(3)
    accepted = []
    for _ in range(scaled(2500, 100)):
        one, other = rng.choice(len(states), size=2, replace=False)
        state = states[one : one + 1].copy()
        for name in rng.choice(list(BY_NAME), size=int(rng.integers(1, 4)), replace=False):
            state[name] = states[name][other]
        if not refused(state):
            accepted.append(state)
    assert accepted
    play_out(np.concatenate(accepted))


def play_out(states: np.ndarray) -> None:
    """Play games to their end and begin the next, as everything that looks at them sees them."""
    states = states if COMPILED else states[:: max(1, len(states) // 4)]
    env = PersianRummyVecEnv(len(states), autoreset_mode="DISABLED")
    shown = env.set_state(states)
    bots = np.array([[0, 1, 2, 3]] * len(states), dtype=np.int8)
    for number in range(4 * 400):
        if (shown.seat < 0).all():
            break
        shown = env.step(env.bot_actions(bots) if number % 2 else env.sample_actions())
        env.observe(number % 4)
    assert (shown.seat < 0).all(), "a game does not end"
    check_conservation(env.get_state())
    shown = env.reset()
    assert (env.get_state()["deals"] == 2).all()
    for _ in range(10):
        shown = env.step(env.sample_actions())


# At the tables --------------------------------------------------------------------------------------------------------


def everything(env: Any) -> Any:
    return copy.deepcopy({name: value for name, value in vars(env).items() if name != "_batch"})


def bad_states(lanes: int) -> list[Any]:
    good = games(lanes)
    wrong = []
    for name, value in {"pile_size": 255, "seat": 200, "deals": 9, "hand": 0, "stock_size": 3}.items():
        states = good.copy()
        states[name][lanes - 1] = value
        wrong.append(states)
    noise = np.frombuffer(np.random.default_rng(5).bytes(lanes * STATE.itemsize), dtype=STATE)
    return [
        *wrong,
        np.zeros(lanes, dtype=STATE),
        noise,
        None,
        3,
        "state",
        good.tolist(),
        good["hand"],
        good[:0],
        good.reshape(1, -1),
    ]


@pytest.mark.parametrize("fresh", [False, True])
def test_the_vector_environment_is_as_it_was(fresh: bool) -> None:
    env = PersianRummyVecEnv(3, rules={"deals": 3})
    if not fresh:
        env.reset(seed=1)
        env.step(env.sample_actions())
    tables = env._batch
    before = tables.games.copy(), tables.observation.copy(), tables.legal.copy(), tables.done.copy()
    for states in bad_states(3):
        with pytest.raises(ValueError, match="state"):
            env.set_state(states)
        assert tables.started is not fresh
        now = tables.games, tables.observation, tables.legal, tables.done
        assert all((one == other).all() for one, other in zip(before, now, strict=True))


@pytest.mark.parametrize("make", [pr.env, pr.raw_env])
def test_the_aec_environment_is_as_it_was(make: Any) -> None:
    table = make()
    for states in bad_states(1):
        with pytest.raises(ValueError, match="state"):
            table.set_state(states)
        assert not hasattr(table, "agent_selection")
    table.reset(seed=1)
    for _ in range(30):
        table.step(int(np.flatnonzero(table.last()[0]["action_mask"])[-1]))
    twin = copy.deepcopy(table)
    for states in bad_states(1):
        with pytest.raises(ValueError, match="state"):
            table.set_state(states)
        assert equal(table.get_state(), twin.get_state())
        assert table.agent_selection == twin.agent_selection
        assert table.rewards == twin.rewards
    for one in (table, twin):
        one.step(int(np.flatnonzero(one.last()[0]["action_mask"])[0]))
    assert equal(table.get_state(), twin.get_state())


def test_a_finished_game_counts_as_ended_whoever_played_it() -> None:
    env = PersianRummyVecEnv(1, episode="deal", autoreset_mode="DISABLED")
    env.reset(seed=1)
    while not env.get_state()["ended"][0]:
        env.step(env.bot_actions(np.full((1, 4), 1, dtype=np.int8)))
    state = env.get_state()
    state["ended"] = 0
    assert env.set_state(state).seat.tolist() == [-1]
    table = pr.env()
    table.set_state(state)
    assert table.terminations["player_0"]


def test_the_phases_are_all_among_the_games_here() -> None:
    assert {DRAW_PHASE, MELD_PHASE} <= set(games()["phase"].tolist())
    assert set(games()["deal"].tolist()) == {0, 1, 2}
