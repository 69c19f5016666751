"""Before the first reset there is no game: it cannot be asked for, and it begins in every lane at once."""

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import persian_rummy_env as pr
from persian_rummy_env import PersianRummyGymEnv, PersianRummyGymVectorEnv, PersianRummyVecEnv
from persian_rummy_env.adapters.parallel import PersianRummyParallel
from persian_rummy_env.core.batch_kernels import reset as deal
from persian_rummy_env.core.rng import next_below
from persian_rummy_env.envs.aec import ResetNeededError
from persian_rummy_env.state import STATE
from tests.env.play import COMPILED, equal

LANES = 3
ACTIONS = np.zeros(LANES, dtype=np.int64)
BOTS = np.ones((LANES, 4), dtype=np.int8)

MAKE: dict[str, Callable[[], Any]] = {
    "vector": lambda: PersianRummyVecEnv(LANES),
    "gym vector": lambda: PersianRummyGymVectorEnv(LANES),
    "gym": lambda: PersianRummyGymEnv(render_mode="ansi"),
    "env": lambda: pr.env(render_mode="ansi"),
    "raw_env": lambda: pr.raw_env(render_mode="ansi"),
    "parallel": lambda: PersianRummyParallel(render_mode="ansi"),
}
CALLS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "vector": {
        "step": lambda env: env.step(ACTIONS),
        "observe": lambda env: env.observe(0),
        "sample_actions": lambda env: env.sample_actions(),
        "sample_actions(rng)": lambda env: env.sample_actions(np.random.default_rng(0)),
        "bot_actions": lambda env: env.bot_actions(BOTS),
        "get_state": lambda env: env.get_state(),
        "final": lambda env: env.final,
        "packed_mask": lambda env: env.packed_mask,
    },
    "gym vector": {
        "step": lambda env: env.step(ACTIONS),
        "sample_actions": lambda env: env.sample_actions(),
        "action_masks": lambda env: env.action_masks(),
        "get_state": lambda env: env.get_state(),
    },
    "gym": {
        "step": lambda env: env.step(0),
        "action_masks": lambda env: env.action_masks(),
        "get_state": lambda env: env.get_state(),
        "render": lambda env: env.render(),
    },
    "env": {
        "step": lambda env: env.step(0),
        "step(None)": lambda env: env.step(None),
        "last": lambda env: env.last(),
        "observe": lambda env: env.observe("player_0"),
        "state": lambda env: env.state(),
        "get_state": lambda env: env.get_state(),
        "render": lambda env: env.render(),
        "agent_iter": lambda env: env.agent_iter(),
        "agents": lambda env: env.agents,
    },
    "parallel": {
        "step": lambda env: env.step(dict.fromkeys(env.possible_agents, 0)),
        "acting": lambda env: env.acting,
        "render": lambda env: env.render(),
    },
}
CALLS["raw_env"] = {name: call for name, call in CALLS["env"].items() if name != "agent_iter"}


@pytest.mark.parametrize(("kind", "call"), [(kind, call) for kind, calls in CALLS.items() for call in calls])
def test_all_that_asks_for_a_game_is_refused_alike(kind: str, call: str) -> None:
    env = MAKE[kind]()
    with pytest.raises(ResetNeededError, match=r"before reset\(\): call reset\(seed=…\) first"):
        CALLS[kind][call](env)
    env.reset(seed=1)
    if not call.startswith("step"):
        CALLS[kind][call](env)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("kind", ["vector", "gym vector", "gym", "env", "raw_env"])
def test_a_fresh_environment_can_be_copied(kind: str, copied: Any) -> None:
    env = MAKE[kind]()
    other = copied(env)
    with pytest.raises(ResetNeededError):
        other.get_state()
    for one in (env, other):
        one.reset(seed=3)
    assert equal(env.get_state(), other.get_state())


@pytest.mark.parametrize("kind", ["vector", "gym vector"])
@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
def test_the_first_reset_starts_every_lane(kind: str, mode: str) -> None:
    make = {"vector": PersianRummyVecEnv, "gym vector": PersianRummyGymVectorEnv}[kind]
    env = make(LANES, autoreset_mode=mode)
    for mask in ([True, False, True], [False] * LANES):
        with pytest.raises(ValueError, match="first reset must start every sub-environment"):
            env.reset(seed=1, options={"reset_mask": np.array(mask)})
        with pytest.raises(ResetNeededError):
            env.step(ACTIONS)
    env.reset(seed=1, options={"reset_mask": np.ones(LANES, dtype=bool)})
    env.reset(options={"reset_mask": np.array([True, False, False])})
    other = make(LANES, autoreset_mode=mode)
    other.reset(seed=1)
    assert equal(env.get_state()[1:], other.get_state()[1:])


def test_a_seed_of_the_options_is_not_used_up_by_a_refused_reset() -> None:
    env, other = (PersianRummyGymVectorEnv(LANES, seed=9) for _ in range(2))
    with pytest.raises(ValueError, match="first reset"):
        env.reset(options={"reset_mask": np.array([True, False, True])})
    env.reset()
    other.reset()
    assert equal(env.get_state(), other.get_state())


# The generator --------------------------------------------------------------------------------------------------------


def ends(call: Callable[[], Any]) -> bool:
    """Whether a call comes back. (Compiled code cannot be interrupted, but it lets go of the interpreter.)"""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(60)
    return not thread.is_alive()


EDGES = (0, 1, 2**32 - 1, 2**63, 2**64 - 1)


def test_no_generator_loops_forever() -> None:
    numbers: list[int] = []

    def draw() -> None:
        for one in EDGES:
            for other in EDGES:
                game = np.zeros(1, dtype=STATE)
                game["rng"] = one, other
                deal(
                    game, np.ones(1, dtype=bool), np.zeros(1, dtype=np.uint64), False, np.zeros(1, dtype=np.int8), 0, 1
                )
                numbers.append(len(set(game["decks"][0, 0].tolist())))

    assert ends(draw)
    assert numbers == [53] * len(EDGES) ** 2


@pytest.mark.skipif(COMPILED, reason="next_below alone is compiled for a record, which only plain Python hands it")
def test_a_generator_of_zeros_is_started_from_seed_0() -> None:
    game = np.zeros(1, dtype=STATE)
    drawn = [next_below(game[0], 56) for _ in range(200)]
    assert len(set(drawn)) > 40
    assert game["rng"].any()
