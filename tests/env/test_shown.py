"""What a policy is shown it cannot change, and arrays from outside are compiled for once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyGymEnv, PersianRummyVecEnv
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.core import agent_kernels, arena_kernels, batch_kernels, belief_kernels, bot_kernels, observe
from persian_rummy_env.envs.vector import observe_states
from persian_rummy_env.players.policy_io import show, views_of
from tests.env.play import COMPILED

KERNELS = [
    kernel
    for module in (arena_kernels, batch_kernels, belief_kernels, bot_kernels, agent_kernels, observe)
    for kernel in vars(module).values()
    if hasattr(kernel, "signatures")
]


def forms(array: np.ndarray) -> list[np.ndarray]:
    """The same numbers in forms that numba takes for other types."""
    fixed = array.copy()
    fixed.setflags(write=False)
    return [
        array, fixed, np.repeat(array, 2, axis=0)[::2], array[::-1].copy()[::-1], np.asfortranarray(array),
        array.astype(array.dtype.newbyteorder(">")) if array.dtype.names is None else fixed,
    ]  # fmt: skip


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_no_form_of_an_array_is_compiled_for() -> None:
    made = PersianRummyVecEnv(4, autoreset_mode="DISABLED")
    made.reset(seed=1)
    made.step(made.sample_actions())
    codes = np.tile(bot_codes("greedy"), (4, 1))
    made.bot_actions(codes)
    games = made.get_state()
    lanes, seats = np.arange(4), games["seat"].astype(np.int64)
    show(games, lanes, views=True)
    observe_states(games, seats)
    made.reset(seed=2, options={"reset_mask": np.ones(4, bool)})
    made.sample_actions(np.random.default_rng(1))
    before = [len(kernel.signatures) for kernel in KERNELS]
    for kind in (np.int16, np.uint16, np.int32, np.uint64, np.int64):
        for number in range(6):
            made.step(forms(made.sample_actions().astype(kind))[number])
    for mask in [*forms(np.ones(4, bool)), np.broadcast_to(np.True_, 4)]:
        made.reset(seed=3, options={"reset_mask": mask, "dealer": np.broadcast_to(np.int16(2), 4)})
    for some in [*forms(codes)[:5], np.broadcast_to(bot_codes("greedy"), (4, 4))]:
        made.bot_actions(some)
    for some in forms(seats):
        made.observe(some)
        observe_states(games, some)
        views_of(games, lanes, some)
    for some in forms(games):
        views_of(some, lanes, seats)
        show(some, lanes, views=True)
        observe_states(some, seats)
        made.set_state(some)
    assert [len(kernel.signatures) for kernel in KERNELS] == before


def test_what_is_shown_cannot_be_written_to() -> None:
    made = PersianRummyVecEnv(3)
    made.reset(seed=1)
    shown = show(made.get_state(), np.arange(3), views=True)
    assert shown.views is not None
    for array in (shown.observation, shown.legal, shown.action_mask, shown.seat, shown.lane, shown.views):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = array


def opened(array: np.ndarray) -> np.ndarray:
    array.setflags(write=True)
    return array


CHEATS: dict[str, Callable[[Any], Any]] = {
    "the mask": lambda shown: opened(shown.action_mask).__setitem__((..., 546), 1),
    "the packed mask": lambda shown: opened(shown.legal).__setitem__(..., 2**64 - 1),
    "the seat": lambda shown: opened(shown.seat).__setitem__(..., 0),
    "the lane": lambda shown: opened(shown.lane).__setitem__(..., 0),
}


@pytest.mark.parametrize("what", CHEATS)
def test_the_check_of_an_answer_reads_the_engines_own(what: str) -> None:
    class Cheat:
        name = "cheat"

        def act(self, shown: Any) -> np.ndarray:
            CHEATS[what](shown)
            return np.full(len(shown.seat), 546)

    table = PersianRummyGymEnv(opponents=Cheat(), seats=0)
    with pytest.raises(ValueError, match="policy cheat chose action 546"):
        table.reset(seed=1, options={"dealer": 0})
