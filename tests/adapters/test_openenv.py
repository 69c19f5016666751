"""The OpenEnv environment with the library's own server, client and validator, on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openenv", reason="OpenEnv is not installed: nox -s openenv")
pytest.importorskip("persian_rummy_openenv", reason="integrations/persian_rummy_openenv is not installed")

import uvicorn
from persian_rummy_openenv.client import PersianRummyClient
from persian_rummy_openenv.models import PersianRummyAction
from persian_rummy_openenv.server.app import app
from persian_rummy_openenv.server.environment import PersianRummyEnvironment, reward_of

import persian_rummy_env
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.text.same_deals import points

pytestmark = pytest.mark.filterwarnings("default")
SECRET = 987_654_321_012_345


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)


def play(client: Any, player: PromptPlayer, **game: Any) -> Any:
    """The last step of a game."""
    step = client.reset(**game)
    while not step.done:
        step = client.step(PersianRummyAction(answer=player.answer(step.observation.prompt)))
        assert step.observation.accepted, step.observation.message
    return step


@pytest.mark.parametrize("name", ["champion", "greedy"])
def test_a_policy_scores_by_text_what_it_scores_in_the_environment(address: str, name: str) -> None:
    policy, expert = persian_rummy_env.load(name), persian_rummy_env.load("expert")
    with PersianRummyClient(base_url=address).sync() as client:
        for seed in range(3):
            step = play(client, PromptPlayer(policy), seed=seed, seat=1, partner=name)
            us, them = points([expert, policy, expert, policy], seed)
            assert step.observation.margin == them - us
            assert step.reward == reward_of(them - us)
            assert (step.observation.prompt, step.observation.refused) == ("", 0)


def test_the_validator_of_the_library_accepts_the_server(address: str) -> None:
    program = str(Path(sys.executable).with_name("openenv"))
    ran = subprocess.run([program, "validate", "--url", address], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert json.loads(ran.stdout)["passed"]


def test_rewards_are_in_the_range() -> None:
    assert [reward_of(margin) for margin in (-9999, -400, 0, 200, 9999)] == [0, 0, 0.5, 0.75, 1]


def test_refused_answers_are_counted_and_then_the_seat_forfeits() -> None:
    environment = PersianRummyEnvironment()
    first = environment.reset(seed=1, attempts=2)
    once = environment.step(PersianRummyAction(answer="fold"))
    assert (once.accepted, once.done, once.reward, once.refused) == (False, False, None, 1)
    assert once.prompt == first.prompt
    twice = environment.step(PersianRummyAction(answer="fold"))
    assert (twice.done, twice.margin, twice.reward, twice.refused) == (True, -100, reward_of(-100), 2)


@pytest.mark.parametrize("arguments", [{"partner": "file:x"}, {"opponents": "python:os:system"}, {"seat": 4}, {"a": 1}])
def test_a_wrong_game_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        PersianRummyEnvironment().reset(**arguments)


def test_hidden_cards_and_the_seed_change_nothing_that_leaves() -> None:
    environment = PersianRummyEnvironment()
    environment.reset(seed=SECRET, attempts=9)
    first = environment.step(PersianRummyAction(answer="fold"))
    assert environment._game is not None
    table = environment._game._table
    exchanged = exchange_hidden(table._now.games, 0, np.random.default_rng(1))
    assert (exchanged["hand"] != table._now.games["hand"]).any()
    table._now = table._now._replace(games=exchanged)
    second = environment.step(PersianRummyAction(answer="fold"))
    assert second.model_copy(update={"refused": first.refused}) == first
    assert str(SECRET) not in first.model_dump_json() + environment.state.model_dump_json()
