"""The games of an assistant behind ``persian-rummy mcp``, without the protocol: what each tool says."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env.apps.assistant.__main__ import main
from persian_rummy_env.apps.assistant.table import AssistantTable
from persian_rummy_env.apps.game import TableError
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.records.replay import replay
from persian_rummy_env.seeds import lane_seeds
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.env.play import scaled
from tests.text.same_deals import points

POLICIES = ("greedy", "expert")
SECRET = 123_456_789_012_345


def table(**settings: Any) -> AssistantTable:
    return AssistantTable(POLICIES, **settings)


def play_out(tools: AssistantTable, shown: str, player: PromptPlayer) -> list[str]:
    """Play a game to its end; returns every text of the tools."""
    texts = [shown]
    while "The game is over" not in texts[-1]:
        texts.append(tools.act(player.answer(texts[-1])))
        assert not texts[-1].startswith("Refused")
    return texts


def expert() -> PromptPlayer:
    return PromptPlayer(persian_rummy_env.load("expert"))


@pytest.mark.parametrize("seat", [0, 3])
def test_the_points_are_those_of_the_environment(seat: int) -> None:
    deals = scaled(4, least=2)
    tools = table(seed=7)
    players = [persian_rummy_env.load("expert" if one == seat else "greedy") for one in range(4)]
    for seed in lane_seeds(7, deals).tolist():
        play_out(tools, tools.new_game(seat, "greedy", "greedy", "deals=1"), expert())
        us, them = points(players, seed)
        found = json.loads(tools.result(record=True))
        assert found["margin"] == (us - them if seat == 0 else them - us)
        assert found["score"] == ({"us": us, "them": them} if seat == 0 else {"us": them, "them": us})
        assert found["record"]["players"] == ["text" if one == seat else "greedy" for one in range(4)]
        assert replay(found["record"]).states[-1]["score"].tolist() == [us, them]


def test_an_assistant_may_play_all_seats() -> None:
    tools = table(seed=1)
    texts = play_out(tools, tools.new_game(1, "text", "text"), expert())
    seats = {re.search(r"Answer(.*):\n", text)[1] for text in texts[:-1]}  # type: ignore[index]
    assert seats == {"", " for your partner's seat", " for the seat to your left", " for the seat to your right"}
    answers = json.loads(tools.result())["answers"]
    assert sum(count["accepted"] for count in answers.values()) == len(texts) - 1


def test_a_game_says_the_rules_once_and_the_situation_after_each_answer() -> None:
    tools = table(seed=2)
    first = tools.new_game(rules="deals=1,quad_bonus=jacks")
    assert "You play Persian Rummy" in first
    assert "Four Jacks" in first or "Four J " in first
    assert first.endswith(tools.situation())
    reply = tools.act("draw")
    assert reply.startswith("Played: draw.\n\nAnswer:\nDeal 1 of 1")
    assert "You play Persian Rummy" not in reply


def test_a_refused_answer_changes_nothing_and_is_one_line() -> None:
    tools = table(seed=2, attempts=2)
    tools.new_game()
    before = tools.situation()
    refused = tools.act("fold")
    assert refused.startswith("Refused. ")
    assert "\n" not in refused
    assert tools.situation() == before
    assert "You forfeit the game" in tools.act("fold")
    result = json.loads(tools.result(record=True))
    assert (result["forfeited"], result["margin"], result["record"]) == (0, -100, None)
    assert result["answers"]["0"]["refused"] == {"unreadable": 2}


def test_a_fallback_shows_the_next_situation() -> None:
    tools = table(seed=2, attempts=1, fallback="expert")
    tools.new_game()
    reply = tools.act("fold")
    assert reply.startswith("Refused. ")
    assert "Another player finished your turn." in reply
    assert reply.endswith(tools.situation())


def test_a_game_is_not_given_up_for_another_one_by_mistake() -> None:
    tools = table(seed=2)
    tools.new_game(rules="deals=1")
    before = tools.situation()
    with pytest.raises(TableError, match="leave=true"):
        tools.new_game()
    assert tools.situation() == before
    play_out(tools, tools.new_game(rules="deals=1", leave=True), expert())
    assert json.loads(tools.result())["games_left"] == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"seat": 4}, "seat=4"),
        ({"partner": "champ"}, "partner='champ': expected 'text' or one of greedy, expert"),
        ({"opponents": "file:/etc/passwd"}, "expected 'text' or one of greedy, expert"),
        ({"opponents": "python:os:system"}, "expected 'text' or one of greedy, expert"),
        ({"rules": "deals=9"}, "deals=9"),
    ],
)
def test_a_wrong_game_is_refused_and_changes_nothing(arguments: dict[str, Any], why: str) -> None:
    tools = table(seed=3)
    with pytest.raises(TableError, match=re.escape(why)):
        tools.new_game(**arguments)
    tools.new_game()
    before = tools.situation()
    with pytest.raises(TableError, match=re.escape(why)):
        tools.new_game(**arguments, leave=True)
    assert tools.situation() == before
    assert tools.act("draw").startswith("Played: draw.")


def test_without_a_game_every_tool_says_so() -> None:
    tools = table()
    calls: list[Callable[[], str]] = [tools.situation, tools.result, lambda: tools.act("draw")]
    for call in calls:
        with pytest.raises(TableError, match="start one with new_game"):
            call()


def test_after_the_end_an_answer_is_refused() -> None:
    tools = table(seed=1)
    play_out(tools, tools.new_game(rules="deals=1"), expert())
    assert tools.situation() == "The game is over. See result."
    with pytest.raises(TableError, match="the game is over"):
        tools.act("draw")


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "persian_rummy_env.apps.assistant.server", raising=False)
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("persian-rummy mcp: error: ")
    assert line.endswith("install with: pip install 'persian-rummy-rl[mcp]'")


# What must stay hidden ------------------------------------------------------------------------------------------------


def test_neither_seed_nor_deck_is_told_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("persian_rummy_env.apps.game.fresh_seed", lambda: SECRET)
    tools = table()
    texts = [tools.new_game(rules="deals=1")]
    with pytest.raises(TableError, match="not over") as error:
        tools.result(record=True)
    texts += [str(error.value), tools.act("fold"), tools.act("discard 2C")]
    texts = [*texts, *play_out(tools, tools.situation(), expert())]
    assert not [text for text in texts if str(SECRET) in text]
    assert str(SECRET) in tools.result(record=True)


def texts_of(tools: AssistantTable) -> list[str]:
    """What every tool says without changing the game."""
    texts = [tools.situation()]
    texts += [tools.act(answer) for answer in ("fold", "meld 2C 2D 2H; discard AS", "take 9D; discard 9D", "")]
    for call in (tools.result, lambda: tools.result(record=True), tools.new_game):
        with pytest.raises(TableError) as error:
            call()
        texts.append(str(error.value))
    return texts


def test_hidden_cards_change_no_text() -> None:
    """The texts stay the same when the cards that the seat does not see are exchanged."""
    rng, player, changed = np.random.default_rng(1), expert(), 0
    for seed in range(scaled(20, least=4)):
        tools = table(seed=seed, attempts=100)
        shown = tools.new_game(seed % 4, "greedy", "greedy", show_legal=seed % 2 == 0)
        for _ in range(int(rng.integers(0, 12))):
            shown = tools.act(player.answer(shown))
        game = tools._game
        assert game is not None
        before = texts_of(tools)
        held = game._table
        exchanged = exchange_hidden(held._now.games, seed % 4, rng)
        changed += bool((exchanged["hand"] != held._now.games["hand"]).any())
        held._now = held._now._replace(games=exchanged)
        assert texts_of(tools) == before
    assert changed > 0


class Failing(BasePolicy):
    """Fails at each decision, with what its seat sees in the message."""

    name = "failing"

    def act(self, batch: Any) -> np.ndarray:
        raise RuntimeError(f"cards: {batch.observation.tolist()}")


def test_a_player_that_fails_ends_the_game_without_a_result_or_a_card() -> None:
    where = set()
    for seed in range(10):
        tools = table(seed=seed)
        tools._policies["greedy"] = Failing()
        with pytest.raises(TableError) as error:
            play_out(tools, tools.new_game(0, "expert", "greedy"), expert())
        assert re.fullmatch(r"a player failed[a-z ,;]*", str(error.value))
        assert error.value.__suppress_context__
        where.add(str(error.value))
        with pytest.raises(TableError, match="there is no game"):
            tools.result()
    assert len(where) == 2, "before the first answer, and after one"
