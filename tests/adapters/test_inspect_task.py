"""Inspect AI: pairs of games by a model that is a policy, what its log holds and when, and failures of the model."""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("inspect_ai", reason="Inspect AI is not installed: nox -s inspect")

import inspect_ai
from inspect_ai.log import transcript
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver._task_state import sample_state

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.adapters import inspect_task as adapter
from persian_rummy_env.adapters.inspect_task import duplicate_deals, persian_rummy
from persian_rummy_env.apps.text_game import FORFEIT_POINTS, TextGame
from persian_rummy_env.records.replay import replay
from persian_rummy_env.text import Notation, rules
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.adapters.text_games import SECRET, aec_margin, exchanged, put_back

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own

Answer = Callable[[list[Any]], str]


def run(task: Any, answer: Answer, logs: Path, **options: Any) -> Any:
    """The log of a task whose model answers the messages of each call."""

    def output(messages: list[Any], tools: Any, choice: Any, config: Any) -> ModelOutput:
        made = ModelOutput.from_content("mockllm", answer(messages))
        made.usage = ModelUsage()  # without it the library counts tokens with a file that it downloads
        return made

    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    [log] = inspect_ai.eval(task, model=model, display="none", log_dir=str(logs), **options)
    return log


def reader(name: str, notation: Notation | None = None) -> Answer:
    player = PromptPlayer(persian_rummy_env.load(name), notation or Notation())
    return lambda messages: player.answer(messages[-1].text)


def members(log: Path) -> list[str]:
    """The files in a log that is being written; none while its list of them is not there yet."""
    if not zipfile.is_zipfile(log):
        return []
    with zipfile.ZipFile(log) as archive:
        return [archive.read(name).decode() for name in archive.namelist()]


def scores(log: Any) -> list[Any]:
    assert log.status == "success", log.error
    return [sample.scores["points_a_deal"] for sample in log.samples]


def test_the_champion_that_reads_prompts_scores_the_points_of_the_aec_environment(tmp_path: Path) -> None:
    seeds = [3, 4]
    log = run(duplicate_deals(seeds), reader("champion"), tmp_path)
    for seed, score in zip(seeds, scores(log), strict=True):
        first = aec_margin(["champion", "expert"] * 2, seed)
        second = -aec_margin(["expert", "champion"] * 2, seed)
        assert [game["margin"] for game in score.metadata["games"]] == [first, second]
        assert score.value == {"points": (first + second) / 2, "refused": 0, "forfeited": 0}
    mean = next(one for one in log.results.scores if one.name == "points").metrics["mean"].value
    assert mean == pytest.approx(np.mean([score.value["points"] for score in scores(log)]))


def test_a_partner_of_ours_renamed_cards_and_games_of_two_deals(tmp_path: Path) -> None:
    task = duplicate_deals([8], partner="greedy", opponents="deepest", renamed=5, rules=RuleSet(deals=2))
    [score] = scores(run(task, reader("expert", Notation(5)), tmp_path))
    first = aec_margin(["expert", "deepest", "greedy", "deepest"], 8, RuleSet(deals=2))
    second = -aec_margin(["deepest", "expert", "deepest", "greedy"], 8, RuleSet(deals=2))
    assert score.value["points"] == (first + second) / 4
    for game in score.metadata["games"]:
        assert tuple(replay(game["record"]).states[-1]["score"].tolist()) == tuple(game["record"]["score"])


def test_a_conversation_holds_the_rules_the_prompt_and_refused_answers_alone(tmp_path: Path) -> None:
    calls: list[list[str]] = []
    play = reader("expert")

    def answer(messages: list[Any]) -> str:
        calls.append([message.text for message in messages])
        if len(messages) == 2 and len(calls) % 3 == 0:
            return "fold"
        return play(messages[:2])

    [score] = scores(run(duplicate_deals([1]), answer, tmp_path))
    assert {call[0] for call in calls} == {rules(RuleSet(deals=1))}
    assert {len(call) for call in calls} == {2, 4}
    for call, after in itertools.pairwise(calls):
        if len(after) == 4:
            assert after[:2] == call
            assert after[2] == "fold"
            assert "'fold' is no action" in after[3]
    refused = sum(len(call) == 4 for call in calls)
    assert sum(game["refused"]["unreadable"] for game in score.metadata["games"]) == refused > 5
    assert score.value["refused"] == refused / len(calls)
    assert score.value["points"] == 0  # expert against expert, both ways round


def test_no_seed_and_no_hidden_card_leaves_before_both_games_are_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games: list[TextGame] = []

    class Watched(TextGame):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            games.append(self)

    monkeypatch.setattr(adapter, "TextGame", Watched)
    rng, play, moved = np.random.default_rng(0), reader("expert"), 0

    def answer(messages: list[Any]) -> str:
        nonlocal moved
        state = sample_state()
        logged = [event.model_dump_json() for event in transcript().events]
        logged += [state.store.model_dump_json() if hasattr(state.store, "model_dump_json") else repr(state.store)]
        logged += [repr(state.metadata), repr(state.input), repr(state.messages), repr(messages)]
        logged += [text for path in tmp_path.rglob("*.eval") for text in members(path)]
        assert not any(str(SECRET) in text for text in logged)
        if len(messages) == 2:
            game = games[-1]
            before, changed = exchanged(game, rng)
            assert game.prompt() == messages[1].text
            moved += changed
            put_back(game, before)
        return "fold" if len(messages) == 2 and moved % 7 == 1 else play(messages[:2])

    log = run(duplicate_deals([SECRET]), answer, tmp_path)
    [score] = scores(log)
    assert moved > 20
    assert str(SECRET) not in log.eval.model_dump_json() + log.plan.model_dump_json()  # written before the first call
    assert score.metadata["games"][0]["record"]["seed"] == SECRET  # at the end it is told


def test_forfeits_count_and_a_model_that_fails_has_no_score(tmp_path: Path) -> None:
    [score] = scores(run(persian_rummy(pairs=1, attempts=2), lambda _: "?", tmp_path))
    assert score.value == {"points": -FORFEIT_POINTS, "refused": 1, "forfeited": 1}
    assert [game["record"] for game in score.metadata["games"]] == [None, None]

    def fail(messages: list[Any]) -> str:
        raise RuntimeError("the endpoint is down")

    log = run(persian_rummy(pairs=2), fail, tmp_path, fail_on_error=False)
    assert [sample.scores for sample in log.samples] == [{}, {}] or not any(s.scores for s in log.samples)
    assert all("the endpoint is down" in sample.error.message for sample in log.samples)


def test_a_fallback_policy_plays_on(tmp_path: Path) -> None:
    task = duplicate_deals([6], attempts=1, fallback="greedy")
    [score] = scores(run(task, lambda _: "?", tmp_path))
    first = aec_margin(["greedy", "expert"] * 2, 6)
    second = -aec_margin(["expert", "greedy"] * 2, 6)
    assert score.value == {"points": (first + second) / 2, "refused": 1, "forfeited": 0}
    assert all(game["replaced"] for game in score.metadata["games"])


def test_epochs_play_the_same_deals_and_the_task_draws_its_own(tmp_path: Path) -> None:
    log = run(duplicate_deals([5], opponents="greedy"), reader("expert"), tmp_path, epochs=2)
    one, two = scores(log)
    assert one.value == two.value
    assert one.metadata == two.metadata
    drawn = [run(persian_rummy(pairs=1, opponents="greedy"), lambda _: "?", tmp_path, limit=1) for _ in range(2)]
    assert all(log.status == "success" for log in drawn)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"seeds": []}, "expected one or more"),
        ({"seeds": [-1]}, "seed=-1"),
        ({"opponents": "champ"}, "unknown policy 'champ'"),
        ({"partner": "champ"}, "unknown policy 'champ'"),
        ({"fallback": "champ"}, "unknown policy 'champ'"),
        ({"attempts": 0}, "attempts"),
        ({"renamed": -1}, "seed"),
    ],
)
def test_wrong_settings_are_refused_when_the_task_is_made(change: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        duplicate_deals(**{"seeds": [1], **change})
