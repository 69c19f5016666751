"""What a policy is shown it cannot change, and arrays from outside are compiled for once."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyGymEnv, PersianRummyVecEnv, RuleSet
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.core import (
    agent_kernels,
    arena_kernels,
    batch_kernels,
    belief_kernels,
    bot_kernels,
    expert,
    masks,
    network_kernels,
    observe,
    replay_kernels,
    search_kernels,
)
from persian_rummy_env.core.compiler.warm_up import compile_prior
from persian_rummy_env.envs.batch import observe_states
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import DecisionBatch
from persian_rummy_env.players.policy_io import sample_worlds, show, views_of
from persian_rummy_env.players.priors import ExpertPrior
from persian_rummy_env.players.search import METHODS, SearchPolicy
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.records.replay import play, replay
from tests.env.play import COMPILED


def kernels_of(*modules: Any) -> list[Any]:
    """The compiled functions that modules name."""
    return [kernel for module in modules for kernel in vars(module).values() if hasattr(kernel, "signatures")]


KERNELS = kernels_of(arena_kernels, batch_kernels, belief_kernels, bot_kernels, agent_kernels, observe)


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


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_no_form_of_an_array_is_compiled_for_by_replays_search_and_the_expert() -> None:
    compile_prior()  # as where nothing is cached
    kernels = kernels_of(replay_kernels, search_kernels, expert, belief_kernels, bot_kernels)
    [record] = simulate(1, 1, "greedy", rules=RuleSet(deals=1))
    again = replay(record)
    decks = np.stack([again.states[0]["decks"][:1]])[0]
    views = show(again.states[:3], np.arange(3), views=True).views
    assert views is not None
    mask = show(again.states[:3], np.arange(3)).action_mask
    searches = [SearchPolicy("greedy", worlds=2, prior=ExpertPrior(), method=method) for method in METHODS]
    wanted = [search.values(views.copy(), mask.copy()) for search in searches]
    sampled = sample_worlds(views.copy(), views["seat"].copy(), 2, np.random.default_rng(1))
    before = [len(kernel.signatures) for kernel in kernels]
    dealt: list[tuple[Any, np.ndarray]] = [(0, decks), (np.int8(0), np.asfortranarray(decks)), (0, decks.astype("i8"))]
    for kind in (np.int16, np.int32, np.int64):
        for actions in [*forms(again.actions.astype(kind)), again.actions.tolist()]:
            for dealer, some in dealt:
                assert play(RuleSet(deals=1), dealer, some, actions).played == len(again.actions)
    for some in forms(views):
        for kind in (bool, np.int8, np.uint8, np.int64):
            for legal in forms(mask.astype(kind)):
                for search, values in zip(searches, wanted, strict=True):
                    assert (search.values(some, legal) == values).all()
        assert (sample_worlds(some, some["seat"], 2, np.random.default_rng(1)) == sampled).all()
    assert [len(kernel.signatures) for kernel in kernels] == before
    assert [len(kernel.signatures) for kernel in kernels_of(expert) if kernel is expert.features_of] == [1], (
        "what is compiled beforehand is not what is called"
    )


@pytest.mark.skipif(not COMPILED or find_spec("torch") is None, reason="nothing is compiled, or no torch")
def test_no_form_of_an_array_is_compiled_for_by_networks() -> None:
    kernels = kernels_of(network_kernels, masks)
    champion: Any = load("champion")
    made = PersianRummyVecEnv(4, rules=champion.rules)
    made.reset(seed=1)
    batch = show(made.get_state(), np.arange(4))
    wanted = champion.act(batch), champion.probabilities(batch)
    before = [len(kernel.signatures) for kernel in kernels]
    for observation in forms(batch.observation):
        for legal in forms(batch.legal):
            some = DecisionBatch(observation, legal, batch.seat, batch.lane)
            assert (champion.act(some) == wanted[0]).all()
            assert (champion.probabilities(some) == wanted[1]).all()
    assert [len(kernel.signatures) for kernel in kernels] == before


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
