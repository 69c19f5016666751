"""Trained policies play like bots: by name in every environment, and asked only where they have a choice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from persian_rummy_env import PersianRummyGymEnv, PersianRummyGymVectorEnv
from persian_rummy_env.envs.agent_batch import Lineup
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.players.bundled import CHAMPION
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch
from persian_rummy_env.records.recorder import simulate

ID = "persian_rummy_env:PersianRummy-v0"
SEARCH = "search(champion, worlds=1, prior=champion, candidates=2)"


class Counting(BasePolicy):
    """The champion, which counts what it is asked."""

    name = "counting"

    def __init__(self, skips_forced: bool) -> None:
        self.skips_forced = skips_forced
        self.champion = load("champion")
        self.choices = self.forced = 0

    def act(self, batch: DecisionBatch) -> np.ndarray:
        forced = np.bitwise_count(batch.legal).sum(axis=1) == 1
        self.forced += int(forced.sum())
        self.choices += int((~forced).sum())
        return self.champion.act(batch)


def played(env: Any, steps: int = 60) -> list[tuple[int, float]]:
    """What an agent meets that takes the lowest legal action: the sum of the observation and the reward."""
    observation, _ = env.reset(seed=5)
    met = []
    for _ in range(steps):
        action = int(np.argmax(env.unwrapped.action_masks()))
        observation, reward, terminated, truncated, _ = env.step(action)
        values = observation["observation"] if isinstance(observation, dict) else observation
        met.append((round(float(values.sum()), 3), float(reward)))
        if terminated or truncated:
            env.reset()
    return met


@pytest.mark.parametrize("spec", ["champion", "champion-1", f"file:{CHAMPION}", "search(greedy, worlds=1)", SEARCH])
def test_gymnasium_makes_opponents_by_name(spec: str) -> None:
    by_name = played(gymnasium.make(ID, opponents=spec))
    assert by_name == played(PersianRummyGymEnv(opponents=load(spec)))
    assert by_name != played(gymnasium.make(ID, opponents="random"))


def test_make_vec_makes_opponents_by_name() -> None:
    envs = gymnasium.make_vec(ID, num_envs=4, opponents="champion", partner="champion-1")
    expected = PersianRummyGymVectorEnv(4, opponents=load("champion"), partner=load("champion-1"))
    for one in (envs, expected):
        one.reset(seed=3)
    for _ in range(40):
        actions = np.argmax(expected.unwrapped.action_masks(), axis=1)  # type: ignore[attr-defined]
        results = [one.step(actions) for one in (envs, expected)]
        assert (results[0][1] == results[1][1]).all()
        assert str(results[0][0]) == str(results[1][0])


def test_one_name_is_one_policy_and_is_asked_for_all_its_seats_together() -> None:
    same, other = Lineup.parse(0, "champion", "champion"), Lineup.parse(0, "champion-1", "champion")
    assert (len(same.players), len(other.players)) == (1, 2)
    assert same.seat_codes.tolist() == [-1, -2, -2, -2]
    assert other.seat_codes.tolist() == [-1, -2, -3, -2]
    assert same.skips_forced.tolist() == [False, True, True, True]
    policy = load("champion")
    assert len(Lineup.parse(0, policy, policy).players) == 1


@pytest.mark.parametrize("option", ["opponents", "partner"])
@pytest.mark.parametrize(
    ("spec", "error", "report"),
    [
        ("champoin", ValueError, "did you mean 'champion'"),
        ("file:none.safetensors", FileNotFoundError, "no such policy file"),
        ("search(deepest, worlds=0)", ValueError, "worlds=0"),
    ],
)
def test_a_wrong_name_is_refused_at_once(option: str, spec: str, error: type[Exception], report: str) -> None:
    for make in (PersianRummyGymEnv, lambda **options: PersianRummyGymVectorEnv(2, **options)):
        with pytest.raises(error, match=report) as refused:
            make(**{option: spec})  # type: ignore[arg-type]
        assert str(refused.value).startswith(f"{option}='{spec}'")


def in_a_match(player: BasePolicy) -> Any:
    games = new_games(np.arange(40), np.arange(40) % 4, deals=1)
    decisions = play(games, [player, load("greedy")], np.tile([0, 1, 0, 1], (40, 1)))
    return games["score"].tolist(), decisions.tolist()


def against_an_agent(player: BasePolicy) -> Any:
    return played(PersianRummyGymEnv(opponents=player))


def in_records(player: BasePolicy) -> Any:
    return [record["deals"] for record in simulate(6, 3, [player, load("greedy")])]


@pytest.mark.parametrize("door", [in_a_match, against_an_agent, in_records])
def test_a_forced_decision_is_played_without_asking(door: Callable[[BasePolicy], Any]) -> None:
    asked, skipping = Counting(False), Counting(True)
    assert door(asked) == door(skipping)
    assert asked.forced > 0.2 * asked.choices
    assert skipping.forced == 0
    assert skipping.choices == asked.choices


def test_the_agent_itself_decides_forced_decisions() -> None:
    env = PersianRummyGymEnv(opponents="champion", seats=0)
    env.reset(seed=5)
    counts = []
    for _ in range(60):
        mask = env.action_masks()
        counts.append(int(mask.sum()))
        _, _, terminated, truncated, _ = env.step(int(np.argmax(mask)))
        if terminated or truncated:
            env.reset()
    assert 1 in counts


WITHOUT_TORCH = f"""
import sys
for name in ("torch", "scipy", "choix", "agents", "train", "experiments"):
    sys.modules[name] = None
import gymnasium
import persian_rummy_env
from persian_rummy_env.records.recorder import record
for opponents in ("champion", {f"file:{CHAMPION}"!r}, "search(greedy, worlds=1, prior=champion)"):
    env = gymnasium.make({ID!r}, opponents=opponents)
    env.reset(seed=1)
    for _ in range(5):
        env.step(int(env.unwrapped.action_masks().argmax()))
envs = gymnasium.make_vec({ID!r}, num_envs=2, opponents="champion", partner="expert")
envs.reset(seed=1)
assert len(record("champion,random", 2, seed=1)) == 2
assert persian_rummy_env.match("champion", "random", 2).margin > 0
"""


def test_nothing_on_the_way_of_a_user_imports_torch(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
