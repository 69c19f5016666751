"""The verifiers environment with the library itself and a stand-in for a model (``integrations/stub_model.py``)."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="verifiers is not installed: nox -s verifiers")
pytest.importorskip("persian_rummy_v1", reason="integrations/persian_rummy_verifiers is not installed")

import verifiers.v1 as vf
from persian_rummy_v1.environment import PersianRummyEnvConfig, score
from persian_rummy_v1.taskset import PersianRummyConfig, PersianRummyTaskset

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.apps.text_game import TextGame
from persian_rummy_env.seeds import lane_seeds
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.adapters.stub import stub_model
from tests.text.same_deals import ONE_DEAL, points

SEED = 987_654_321_012_345


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of a model that plays as the champion."""
    server = stub_model.make_server(PromptPlayer(persian_rummy_env.load("champion")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


def evaluated(folder: Path, endpoint: str, *options: str) -> dict[str, Any]:
    """The one episode of ``vf-eval``."""
    command = [
        str(Path(sys.executable).with_name("vf-eval")), "persian-rummy-v1", "-n", "1", "-m", "stub",
        "--client.base-url", endpoint, "--client.api-key-var", "STUB_KEY", "--no-rich", "--no-push",
        "--env.taskset.task.seed", str(SEED), "--run.dir", "run", "-o", str(folder), *options,
    ]  # fmt: skip
    ran = subprocess.run(command, env={**os.environ, "STUB_KEY": "none"}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    [line] = (folder / "run" / "traces.jsonl").read_text().splitlines()
    return json.loads(line)


def games() -> PersianRummyTaskset:
    return PersianRummyTaskset(PersianRummyConfig.model_validate({"task": {"seed": SEED}}))


def test_a_task_has_no_seed() -> None:
    tasks = list(itertools.islice(games(), 3))
    seeds = lane_seeds(SEED, 3).tolist()
    assert [task.game_seed() for task in tasks] == seeds
    for task in tasks:
        assert not [seed for seed in (SEED, *seeds) if str(seed) in task.data.model_dump_json()]


def test_reward_is_the_margin_and_refused_answers_are_counted() -> None:
    class Trace:
        def __init__(self) -> None:
            self.rewards: dict[str, float] = {}
            self.metrics: dict[str, float] = {}

        def record_reward(self, name: str, value: float) -> None:
            self.rewards[name] = value

        def record_metrics(self, values: dict[str, float]) -> None:
            self.metrics.update(values)

    game = TextGame(["text", "greedy", "text", "greedy"], rules=RuleSet(deals=1), seed=1, attempts=2)
    player = PromptPlayer(persian_rummy_env.load("expert"))
    assert not game.answer("fold").accepted
    while not game.over:
        game.answer(player.answer(game.prompt()))
    traces = {0: Trace(), 2: Trace()}
    score(game.result(), traces)  # type: ignore[arg-type]
    margin = game.result().margin
    assert traces[0].rewards == traces[2].rewards == {"margin": margin / 100}
    refused = {seat: trace.metrics["refused_answers"] for seat, trace in traces.items()}
    assert sorted(refused.values()) == [0, 1]
    assert sum(trace.metrics.get("refused_unreadable", 0) for trace in traces.values()) == 1


@pytest.mark.slow
def test_the_champion_scores_by_text_what_it_scores_in_the_environment(tmp_path: Path, endpoint: str) -> None:
    episode = evaluated(tmp_path, endpoint, "--env.partner", "champion", "--env.opponents", "greedy")
    champion, greedy = persian_rummy_env.load("champion"), persian_rummy_env.load("greedy")
    us, them = points([champion, greedy, champion, greedy], int(lane_seeds(SEED, 1)[0]), ONE_DEAL)
    [trace] = episode["traces"]
    assert trace["rewards"]["margin"]["score"] == (us - them) / 100
    assert trace["metrics"]["points"] == us - them
    assert trace["metrics"]["refused_answers"] == 0


@pytest.mark.slow
def test_a_model_that_fails_gives_no_reward(tmp_path: Path) -> None:
    episode = evaluated(tmp_path, "http://127.0.0.1:9/v1")
    assert not episode["ok"]
    assert all(not trace["rewards"] for trace in episode["traces"])


def test_the_agents_are_two_roles() -> None:
    fields = PersianRummyEnvConfig.model_fields.items()
    assert [name for name, field in fields if field.annotation is vf.AgentConfig] == ["player", "opponent"]
