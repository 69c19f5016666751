"""TRL: the tools of a seat, played by a script, and one step of GRPO with a tiny model whose answers are a policy's."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.adapters.trl import PersianRummyTools
from persian_rummy_env.apps.text_game import FORFEIT_POINTS
from persian_rummy_env.text import Notation
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.adapters.text_games import SECRET, TOOLS, aec_margin, exchanged, put_back

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own


def call_of(answer: str) -> tuple[str, dict[str, Any]]:
    """An action in text as the name of a tool and its arguments."""
    verb, *words = answer.split()
    if verb == "meld":
        return "meld", {"cards": words}
    if verb == "layoff":
        return "lay_off", {"card": words[0], "meld": words[1]}
    return {"pass": "pass_turn"}.get(verb, verb), {"card": words[0]} if words else {}


def situation_of(text: str) -> str:
    """The last prompt in a text."""
    return text[[found.start() for found in re.finditer(r"Deal \d+ of", text)][-1] :]


def play(table: PersianRummyTools, player: PromptPlayer, text: str) -> list[str]:
    """Play a game to its end by what the tools return; all texts."""
    texts = [text]
    while "The game is over" not in texts[-1]:
        name, arguments = call_of(player.answer(situation_of(texts[-1])))
        texts.append(getattr(table, name)(**arguments))
    return texts


HUNDRED = pytest.param(2, 1, None, 100, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("seat", "deals", "renamed", "games"), [(0, 1, None, 2), (3, 2, None, 2), (1, 1, 7, 2), HUNDRED]
)
def test_the_champion_that_calls_tools_scores_the_points_of_the_aec_environment(
    seat: int, deals: int, renamed: int | None, games: int
) -> None:
    rules, notation = RuleSet(deals=deals), Notation(renamed)
    table = PersianRummyTools(seat, partner="greedy", rules=rules, notation=notation)
    player = PromptPlayer(persian_rummy_env.load("champion"), notation)
    around = ["champion", "expert", "greedy", "expert"]
    for seed in range(1, games + 1):
        text = table.reset(prompt=[], seed=seed)
        play(table, player, text)
        margin = aec_margin([around[(place - seat) % 4] for place in range(4)], seed, rules)
        assert table.get_reward() == (margin if seat % 2 == 0 else -margin) / 100


def test_the_tools_are_the_documented_ones() -> None:
    """As the trainer finds them; it gives each rollout the class's public functions, less two."""
    found = {name for name, _ in inspect.getmembers(PersianRummyTools, inspect.isfunction) if not name.startswith("_")}
    assert found == TOOLS | {"reset", "get_reward"}
    assert not [name for name in vars(PersianRummyTools()) if not name.startswith("_")]
    page = (Path(__file__).resolve().parents[2] / "docs" / "trl.md").read_text(encoding="utf-8")
    for name in TOOLS:
        signature = inspect.signature(getattr(PersianRummyTools, name))
        arguments = ", ".join(list(signature.parameters)[1:])
        assert f"`{name}({arguments})`" in page


def test_the_first_text_says_the_rules_once_and_no_form_of_an_answer() -> None:
    text = PersianRummyTools(seat=2).reset(seed=1)
    assert text.count("You play Persian Rummy") == 1
    assert "MOVE:" not in text
    assert "Actions:" not in text
    assert "Since your last turn:" in text or "dealer: right" in text


def test_a_refused_call_changes_nothing_and_is_one_sentence() -> None:
    table = PersianRummyTools(attempts=100)
    text = table.reset(seed=3)
    card = text.split("Your hand: ")[1].split()[0]
    sentences = [
        table.discard(card),
        table.take("1S"),
        table.take(card),
        table.meld(["2C", "3D"]),
        table.lay_off("2C", "pile"),
        table.pass_turn(),
        table.take("QS; discard 4D"),
        table.take("QS\ndiscard 4D"),
        table.take(7),  # type: ignore[arg-type]
        table.meld("7S 8S 9S"),  # type: ignore[arg-type]
        table.meld([["7S"]]),  # type: ignore[list-item]
        table.meld([]),
        table.discard(""),
        table.discard(None),  # type: ignore[arg-type]
    ]
    assert all(sentence and "Deal " not in sentence for sentence in sentences)
    assert "found 'QS; discard 4D'" in sentences[6]
    assert "found '7S 8S 9S'" in sentences[9]
    assert "expected" in sentences[8].lower()
    assert table._game is not None
    assert table._game.prompt() in text
    counts = table._game._counts[0]
    assert counts.accepted == 0
    assert counts.refused.total() == len(sentences)


def test_a_model_that_stops_forfeits_or_is_played_on() -> None:
    table = PersianRummyTools()
    table.reset(seed=4)
    assert table.get_reward() == -FORFEIT_POINTS / 100
    assert "The game is over" in table.draw()
    assert table.get_reward() == -FORFEIT_POINTS / 100
    other = PersianRummyTools(seat=1, fallback="greedy")
    other.reset(seed=4)
    assert other.get_reward() == -aec_margin(["expert", "greedy", "expert", "expert"], 4) / 100


def test_a_table_is_used_again_and_keeps_nothing() -> None:
    table, fresh = PersianRummyTools(), PersianRummyTools()
    player = PromptPlayer(persian_rummy_env.load("greedy"))
    table.reset(seed=1)
    table.draw()
    with pytest.raises(ValueError, match="seed"):
        table.reset(seed=-1)
    one, two = table.reset(seed=6), fresh.reset(seed=6)
    assert one == two
    assert play(table, player, one) == play(fresh, player, two)
    assert table.reset() != table.reset()


def test_neither_seed_nor_hidden_cards_are_in_any_text() -> None:
    table = PersianRummyTools(partner="greedy", show_legal=True)
    player, rng = PromptPlayer(persian_rummy_env.load("greedy")), np.random.default_rng(1)
    text, moved = table.reset(seed=SECRET), 0
    while "The game is over" not in text:
        assert str(SECRET) not in text + repr(table)
        game = table._game
        assert game is not None
        before, changed = exchanged(game, rng)
        moved += changed
        assert game.prompt() in text
        refused = table.take("2C 3C")
        put_back(game, before)
        assert table.take("2C 3C") == refused
        name, arguments = call_of(player.answer(situation_of(text)))
        text = getattr(table, name)(**arguments)
    assert moved > 5


@pytest.mark.parametrize("setting", [{"seat": 4}, {"partner": "champ"}, {"fallback": "champ"}, {"attempts": 0}])
def test_wrong_settings_are_refused_when_it_is_made(setting: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"seat|champ|attempts"):
        PersianRummyTools(**setting)
    with pytest.raises(RuntimeError, match="reset"):
        PersianRummyTools().draw()
