"""PettingZoo's own tests of an environment, with its warnings as errors."""

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test, state_test
from pettingzoo.utils.random_demo import random_demo

import persian_rummy_env
from persian_rummy_env import PersianRummyAEC, env, raw_env
from persian_rummy_env.envs.registration import PETTINGZOO_ID, register
from tests.env.play import scaled

# Raised for every environment with masks whose name is not on PettingZoo's own list.
ABOUT_MASKED_ENVIRONMENTS = (
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
)
BOTH = pytest.mark.parametrize("make", [env, raw_env])
Make = Callable[..., PersianRummyAEC]


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in ABOUT_MASKED_ENVIRONMENTS:
            warnings.filterwarnings("ignore", message=f"^{re.escape(text)}$")
        yield


@BOTH
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"episode": "deal", "reward": "win"},
        {"reward_timing": "end", "rules": {"stock_out": "end"}},
        {"max_decisions": 50},
        {"illegal_action": "forfeit", "render_mode": "ansi"},
    ],
)
def test_api(make: Make, options: dict[str, Any]) -> None:
    api_test(make(**options), num_cycles=1000)  # more than any game takes, so the end of one is among them


@BOTH
def test_seed(make: Make) -> None:
    seed_test(make, num_cycles=500)


@BOTH
def test_render(make: Make) -> None:
    render_test(make)


@BOTH
def test_state(make: Make) -> None:
    # It plays without looking at masks, so each episode ends at the first illegal action. Of the second environment it
    # asks nothing but what every environment with a state has.
    for _ in range(scaled(20)):
        state_test(make(illegal_action="forfeit"), make(illegal_action="forfeit"))  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [env])
def test_performance_benchmark(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(make())
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_random_demo() -> None:
    assert random_demo(env(render_mode="ansi", episode="deal"), render=True, episodes=1) == pytest.approx(0, abs=1e-4)


has_registry = pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry")


@has_registry
@pytest.mark.parametrize("name", [PETTINGZOO_ID, "persian_rummy-v0", "persian_rummy"])
def test_registry_makes_the_environment(name: str) -> None:
    made = pettingzoo.make("aec", name, episode="deal", render_mode="ansi")  # type: ignore[attr-defined]
    assert type(made) is type(env())
    assert str(made) == PETTINGZOO_ID
    assert made.options.deals == 1
    assert made.render_mode == "ansi"


@has_registry
def test_registering_again_changes_nothing() -> None:
    before = dict(pettingzoo.aec_registry)  # type: ignore[attr-defined]
    register()
    assert pettingzoo.aec_registry == before  # type: ignore[attr-defined]


def test_a_pettingzoo_without_registry_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("aec_registry", "register"):
        monkeypatch.delattr(pettingzoo, name, raising=False)
    register()


def test_the_package_offers_the_environment() -> None:
    assert persian_rummy_env.env is env
    assert persian_rummy_env.raw_env is raw_env
    assert isinstance(env(), persian_rummy_env.PersianRummyAEC)
    assert isinstance(env().unwrapped, pettingzoo.AECEnv)
