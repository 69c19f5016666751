"""An exception in the middle of a call, a second caller, a fork: a half played game is never played on."""

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyGymEnv, PersianRummyGymVectorEnv, PersianRummyVecEnv, env, raw_env
from persian_rummy_env.adapters.parallel import PersianRummyParallel
from persian_rummy_env.core import agent_kernels, batch_kernels
from persian_rummy_env.envs import batch as tables_module
from persian_rummy_env.envs.guard import ResetNeededError
from persian_rummy_env.envs.testing import check_conservation
from persian_rummy_env.players.policy_io import AnswerError
from tests.env.play import equal


class Player:
    """Plays the first legal action, after ``before(batch)``."""

    name = "player"

    def __init__(self, before: Callable[[Any], Any] = lambda _: None) -> None:
        self.before = before

    def act(self, batch: Any) -> np.ndarray:
        answer = self.before(batch)
        return batch.action_mask.argmax(axis=1) if answer is None else answer


def act(environment: Any) -> Any:
    """One action of random play on any environment; whatever ``step`` returns."""
    if isinstance(environment, PersianRummyParallel):
        acting = environment.acting
        return environment.step({acting: int(environment.aec.observe(acting)["action_mask"].argmax())})
    if isinstance(environment, PersianRummyGymEnv):
        return environment.step(int(environment.action_masks().argmax()))
    if isinstance(environment, PersianRummyVecEnv | PersianRummyGymVectorEnv):
        return environment.step(environment.sample_actions())
    return environment.step(int(environment.observe(environment.agent_selection)["action_mask"].argmax()))


def state_of(environment: Any) -> np.ndarray:
    return (environment.aec if isinstance(environment, PersianRummyParallel) else environment).get_state()


ENVIRONMENTS: dict[str, Callable[[], Any]] = {
    "vector": lambda: PersianRummyVecEnv(3),
    "vector, no copies": lambda: PersianRummyVecEnv(3, copy=False),
    "vector, threads": lambda: PersianRummyVecEnv(200, threads=2),
    "AEC": env,
    "raw AEC": raw_env,
    "parallel": PersianRummyParallel,
    "Gymnasium": lambda: PersianRummyGymEnv(opponents=Player()),
    "Gymnasium vector": lambda: PersianRummyGymVectorEnv(3, opponents=Player()),
}
OF_LEARNERS = ("Gymnasium", "Gymnasium vector")


@pytest.fixture(params=ENVIRONMENTS)
def environment(request: pytest.FixtureRequest) -> Any:
    made = ENVIRONMENTS[request.param]()
    made.reset(seed=5)
    return made


def kernel_of(environment: Any) -> tuple[Any, str]:
    """The compiled function that plays the actions of an environment."""
    return (agent_kernels, "decide") if "Gym" in type(environment).__name__ else (batch_kernels, "step")


def fails_after(kernel: Callable[..., Any], error: type[BaseException], times: int = 1) -> Callable[..., Any]:
    """A kernel that does its work and raises then, as many times; and works after that."""
    left = [times]

    def failing(*args: Any) -> Any:
        done = kernel(*args)
        if left[0]:
            left[0] -= 1
            raise error("planted")
        return done

    return failing


def assert_half_played(environment: Any, word: str) -> None:
    """It refuses everything but a reset, and says why; after that it plays as a new one does."""
    asked: list[Callable[[], Any]] = [lambda: act(environment), lambda: state_of(environment)]
    if isinstance(environment, PersianRummyVecEnv):
        some = np.arange(environment.num_envs) == 0
        asked += [
            lambda: environment.step(np.zeros(environment.num_envs, dtype=np.int64)),
            environment.sample_actions,
            lambda: environment.final,
            lambda: environment.observe(0),
            lambda: environment.packed_mask,
            lambda: environment.reset(options={"reset_mask": some}),
            lambda: pickle.loads(pickle.dumps(environment)).sample_actions(),
            lambda: environment.clone().sample_actions(),
        ]
    elif isinstance(environment, PersianRummyGymVectorEnv | PersianRummyGymEnv):
        asked += [environment.action_masks]
    elif not isinstance(environment, PersianRummyParallel):
        asked += [
            lambda: environment.step(0),
            environment.last,
            environment.state,
            lambda: environment.observe("player_0"),
        ]
    for ask in asked:
        with pytest.raises(RuntimeError, match="half played") as raised:
            ask()
        assert word in str(raised.value)
        assert not isinstance(raised.value, ResetNeededError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_after_an_exception_in_a_step_only_a_reset_goes_on(
    environment: Any, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name = kernel_of(environment)
    act(environment)
    monkeypatch.setattr(module, name, fails_after(getattr(module, name), error))
    with pytest.raises(error, match="planted"):
        act(environment)
    assert_half_played(environment, error.__name__)
    environment.reset(seed=5)
    for _ in range(5):
        act(environment)
    check_conservation(state_of(environment))
    monkeypatch.undo()
    again = type(environment)(**({"num_envs": len(state_of(environment))} if hasattr(environment, "num_envs") else {}))
    if "Gym" not in type(environment).__name__:
        again.reset(seed=5)
        for _ in range(5):
            act(again)
        assert equal(state_of(environment), state_of(again))


def test_a_reset_that_was_interrupted_is_made_again(environment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_kernels, "reset", fails_after(batch_kernels.reset, KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        environment.reset(seed=5)
    assert_half_played(environment, "reset() was ended by KeyboardInterrupt")
    environment.reset(seed=5)
    act(environment)


def test_games_that_are_set_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for made in (PersianRummyVecEnv(1), env(), raw_env()):
        made.reset(seed=1)
        before = made.get_state()
        with monkeypatch.context() as patch:
            patch.setattr(batch_kernels, "step", fails_after(batch_kernels.step, KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                act(made)
        made.set_state(before)
        assert equal(made.get_state(), before)
        act(made)


def test_without_memory_for_what_is_handed_out_nothing_has_changed(
    environment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not isinstance(environment, PersianRummyVecEnv | PersianRummyGymVectorEnv):
        pytest.skip("hands out no arrays of its own")
    holder: Any = environment._batch
    before, shown = state_of(environment), holder.action_mask
    if isinstance(environment, PersianRummyVecEnv) and not environment.copy:
        pytest.skip("hands out no new arrays")
    actions = environment.sample_actions()
    made = np.zeros

    def full(shape: Any, dtype: Any = float) -> np.ndarray:
        if dtype is bool:
            raise MemoryError("planted")
        return made(shape, dtype)

    with monkeypatch.context() as patch:
        patch.setattr(tables_module.np, "zeros", full)
        with pytest.raises(MemoryError):
            environment.step(actions)
    assert holder.action_mask is shown
    expected = before.copy()
    expected["sample_rng"] = state_of(environment)["sample_rng"]  # the actions were drawn
    assert equal(state_of(environment), expected)
    environment.step(actions)


def test_what_is_refused_changes_nothing(environment: Any) -> None:
    before = state_of(environment)
    wrong = {environment.acting: 546} if isinstance(environment, PersianRummyParallel) else 546
    with pytest.raises((ValueError, TypeError)):
        environment.step("x" if "Gym" in type(environment).__name__ else wrong)
    assert equal(state_of(environment), before)
    act(environment)


# Players outside ------------------------------------------------------------------------------------------------------


def raising(error: BaseException) -> Callable[[Any], Any]:
    def raise_it(batch: Any) -> Any:
        raise error

    return raise_it


OUTSIDE: dict[str, tuple[Callable[[Any], Any], type[BaseException]]] = {
    "an error": (raising(OSError("no network")), OSError),
    "an interrupt": (lambda _: signal.raise_signal(signal.SIGINT), KeyboardInterrupt),
    "an end": (raising(SystemExit(3)), SystemExit),
    "an illegal action": (lambda batch: np.full(len(batch.seat), 546), AnswerError),
    "no action": (lambda batch: np.full(len(batch.seat), -1), AnswerError),
    "broken numbers": (lambda batch: batch.action_mask.argmax(axis=1) + 0.0, AnswerError),
    "too few": (lambda _: np.zeros(0, dtype=int), AnswerError),
}


def until_others_are_asked(made: Any, call: str) -> None:
    if call == "reset":
        made.reset(seed=3, options={"dealer": 0})
    for _ in range(20):
        act(made)


@pytest.mark.parametrize("what", OUTSIDE)
@pytest.mark.parametrize("lanes", [0, 3])
def test_an_opponent_that_fails_leaves_no_half_played_game(what: str, lanes: int) -> None:
    before, error = OUTSIDE[what]
    failing: list[Callable[[Any], Any]] = []
    player = Player(lambda batch: failing.pop()(batch) if failing else None)
    made: Any = PersianRummyGymEnv(opponents=player, seats=0)
    if lanes:
        made = PersianRummyGymVectorEnv(lanes, opponents=player, seats=0)
    for call in ("step", "reset"):
        made.reset(seed=3, options={"dealer": 3})
        act(made)
        failing.append(before)
        with pytest.raises(error):
            until_others_are_asked(made, call)
        assert not failing
        assert_half_played(made, f"{call}() was ended by {error.__name__}")
    made.reset(seed=3)
    check_conservation(made.get_state())
    act(made)


# One caller at a time -------------------------------------------------------------------------------------------------


def test_a_policy_cannot_play_in_the_environment_that_asks_it() -> None:
    refused: list[str] = []

    def meddle(batch: Any) -> None:
        for call in (lambda: table.step(0), table.reset, table.action_masks, table.get_state):
            with pytest.raises(RuntimeError) as raised:
                call()
            refused.append(str(raised.value))

    table: Any = PersianRummyGymEnv(opponents=Player(meddle), seats=0)
    table.reset(seed=3, options={"dealer": 0})
    assert "while another call is in progress" in refused[0]
    act(table)
    check_conservation(table.get_state())


def test_a_second_thread_is_refused_and_the_first_one_plays_on(
    environment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, go_on = threading.Event(), threading.Event()
    module, name = kernel_of(environment)
    kernel = getattr(module, name)

    def slow(*args: Any) -> Any:
        inside.set()
        assert go_on.wait(60)
        return kernel(*args)

    monkeypatch.setattr(module, name, slow)
    failed: list[BaseException] = []

    def play() -> None:
        try:
            act(environment)
        except BaseException as error:  # noqa: BLE001 (told to the test)
            failed.append(error)

    first = threading.Thread(target=play)
    first.start()
    assert inside.wait(60)
    before = [environment.reset]
    if isinstance(environment, PersianRummyVecEnv | PersianRummyGymVectorEnv):
        before += [environment.sample_actions, lambda: environment.step(np.zeros(environment.num_envs, dtype=np.int64))]
    try:
        for call in before:
            with pytest.raises(RuntimeError, match="one call at a time"):
                call()
    finally:
        go_on.set()
        first.join()
    assert not failed
    monkeypatch.undo()
    act(environment)
    check_conservation(state_of(environment))


# Fork -----------------------------------------------------------------------------------------------------------------


def in_child(call: Callable[[], Any], patience: float = 60) -> bool:
    """Whether a forked child comes to the end of a call."""
    child = os.fork()
    if child == 0:
        try:
            call()
            os._exit(0)
        finally:
            os._exit(1)
    until = time.monotonic() + patience
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_plays_on_with_threads_of_its_own() -> None:
    made = PersianRummyVecEnv(256, threads=2)
    made.reset(seed=1)
    made.step(made.sample_actions())
    assert in_child(lambda: [made.step(made.sample_actions()) for _ in range(3)])
    assert in_child(made.close)
    made.step(made.sample_actions())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_child_forked_in_the_middle_of_another_threads_step_knows_that_the_games_are_half_played() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait(_: Any) -> None:
        inside.set()
        go_on.wait(60)

    opponent = Player()
    made, untouched = PersianRummyGymEnv(opponents=opponent), PersianRummyGymEnv()
    made.reset(seed=1)
    untouched.reset(seed=1)
    opponent.before = wait

    def in_the_child() -> None:
        opponent.before = lambda _: None
        with pytest.raises(RuntimeError, match=r"half played since the process was forked.*reset"):
            act(made)
        made.reset(seed=2)
        act(made)
        act(untouched)

    def play_until_an_opponent_is_asked() -> None:
        while not inside.is_set():
            act(made)

    thread = threading.Thread(target=play_until_an_opponent_is_asked)
    thread.start()
    try:
        assert inside.wait(20)
        assert in_child(in_the_child, 20)
    finally:
        go_on.set()
        thread.join(60)
    act(made)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no such signal to send")
def test_an_interrupt_at_any_time_leaves_whole_games_or_a_refusal() -> None:
    """Signals in the middle of play, wherever they fall."""
    made = PersianRummyVecEnv(200, threads=2)
    for _ in range(2):  # all that is compiled is loaded: numba does not take an interrupt while it loads
        made.reset()
        made.step(made.sample_actions())
    main, interrupts = threading.get_ident(), 40
    ready, come = threading.Event(), False

    def arrive(*_: Any) -> None:
        nonlocal come
        come = True
        raise KeyboardInterrupt

    def send() -> None:
        for number in range(interrupts):
            ready.wait()
            ready.clear()
            time.sleep(0.0001 * (number % 20))
            signal.pthread_kill(main, signal.SIGINT)

    before = signal.signal(signal.SIGINT, arrive)
    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        for _ in range(interrupts):
            come = False
            try:
                ready.set()
                while not come:
                    if made._guard.whole:
                        made.step(made.sample_actions())
                    else:
                        with pytest.raises(RuntimeError, match="half played"):
                            made.sample_actions()
                        made.reset()
            except KeyboardInterrupt:
                assert not made._guard.inside
    finally:
        signal.signal(signal.SIGINT, before)
    made.reset()
    made.step(made.sample_actions())
    check_conservation(made.get_state())
