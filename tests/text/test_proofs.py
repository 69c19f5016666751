"""What holds of every game by text, shown without a language model.

The champion that reads prompts plays as the champion in the AEC environment. Hidden cards change nothing that leaves a
text game. Two thousand damaged answers change nothing. A transcript replays as a record.
"""

import copy
import logging
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import persian_rummy_env
from persian_rummy_env.actions import ACTION_NAMES, NUM_ACTIONS, encode_action
from persian_rummy_env.apps.text_game import TextGame
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.records.replay import replay
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.text import Notation, legal_actions, names_of, to_json
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.env.play import scaled
from tests.oracle import replay as replay_in_the_twin

FOUR = ["text"] * 4
CHAMPION_DEALS = 100
MANY = 10**9
"""Attempts: no seat forfeits."""


# The champion by text -------------------------------------------------------------------------------------------------


def aec_game(policy: Any, seed: int) -> tuple[list[str], tuple[int, ...]]:
    """The actions and the score of a game that a policy plays at all seats of the AEC environment."""
    env = persian_rummy_env.env()
    env.reset(seed=seed)
    actions: list[str] = []
    while env.agents:
        if env.terminations[env.agent_selection]:
            env.step(None)
            continue
        action = int(choose(env.unwrapped.get_state(), policy)[0])
        actions.append(ACTION_NAMES[action])
        env.step(action)
    return actions, tuple(env.unwrapped.get_state()[0]["score"].tolist())


def by_prompts(policy: Any, seed: int, notation: Notation) -> tuple[list[str], tuple[int, ...]]:
    """The same from a game in which the policy reads prompts and writes answers."""
    player = PromptPlayer(policy, notation)
    game = TextGame(FOUR, seed=seed, notation=notation, show_legal=bool(seed % 2))
    while not game.over:
        assert game.answer(player.answer(game.prompt())).accepted
    result = game.result()
    assert result.record is not None
    return [action for deal in result.record["deals"] for action in deal["actions"]], result.score


@pytest.mark.parametrize(
    "deals", [2 * scaled(3), pytest.param(CHAMPION_DEALS, marks=pytest.mark.slow)], ids=["few", "100 deals"]
)
def test_the_champion_that_reads_prompts_plays_the_games_of_the_aec_environment(deals: int):
    champion = persian_rummy_env.load("champion")
    for seed in range(deals // RuleSet().deals):
        notation = Notation(seed if seed % 3 == 0 else None)
        assert by_prompts(champion, seed, notation) == aec_game(champion, seed)


# Hidden cards ---------------------------------------------------------------------------------------------------------


def copied(game: TextGame) -> TextGame:
    """A game that goes on by itself; its states are never changed in place."""
    other = copy.copy(game)
    other._table, other._counts = copy.copy(game._table), copy.deepcopy(game._counts)
    return other


def exchanged(game: TextGame, rng: np.random.Generator) -> TextGame:
    """The same game with other hidden cards; the seat to answer knows of no difference."""
    other = copied(game)
    table = other._table
    table._now = table._now._replace(games=exchange_hidden(table._now.games, table.seat, rng))
    return other


def leaving(game: TextGame, answers: list[str]) -> Iterator[Any]:
    """What leaves a game: texts, JSON of the seat to answer, and the reply to each answer."""
    yield game.instructions()
    yield game.prompt()
    yield re.sub("0x[0-9a-f]+", "", repr(game))
    seat = game.seat
    assert seat is not None
    yield to_json(game._table.games()[0], seat, game._history(), notation=game.notation)
    for answer in answers:
        trial = copied(game)
        yield trial.answer(answer)
        yield trial.over, trial._counts


def test_exchanged_hidden_cards_change_nothing_that_leaves_a_game(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
):
    caplog.set_level(logging.DEBUG, logger="persian_rummy_env")
    rng = np.random.default_rng(31)
    changed = compared = refused = 0
    for seed in range(scaled(4, least=4)):
        notation = Notation(seed if seed % 2 else None)
        game = TextGame(FOUR, seed=seed, notation=notation, show_legal=seed % 4 > 1, attempts=1 + seed % 2)
        while not game.over:
            legal = legal_actions(game._table.games()[0])
            if rng.random() < 0.1:
                other = exchanged(game, rng)
                names = [notation.actions[action] for action in rng.choice(NUM_ACTIONS, 12)]
                answers = [*names, names_of(legal[:1], notation), "draw; " + names[0], "?", "", "MOVE: take 7S"]
                pair = list(leaving(game, answers)), list(leaving(other, answers))
                assert pair[0] == pair[1]
                states = game._table.games(), other._table.games()
                changed += (states[0]["hand"] != states[1]["hand"]).any()
                refused += sum(getattr(one, "accepted", True) is False for one in pair[0])
                compared += 1
            game.answer(notation.actions[rng.choice(legal)])
    assert changed > compared // 2, "hidden cards were hardly exchanged"
    assert refused > compared
    assert not caplog.records
    assert capsys.readouterr() == ("", "")


# Damaged answers ------------------------------------------------------------------------------------------------------

LOOK_ALIKES = str.maketrans(
    {
        "A": "\u0410",
        "K": "\u041a",
        "C": "\u0421",
        "H": "\u041d",
        "T": "\u0422",
        "a": "\u0430",
        "e": "\u0435",
        "d": "\u0501",
    }
)
FULL_WIDTH = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
FOREIGN = ["velciet kārti", "roba una carta", "weź kartę 7S", "カードを引く", "اسحب ورقة", "सेट रखो 4D 4H 4S", "🂡 🂢 🂣"]
SIGNS = "\x00\x07\x1b\x7f\x85\xad\u200b\u202e\u2028\u0301\ufeff\ud800\U0010ffff;.,:'\"`*_#>|{}[]()\\%s\t\r\n"
Mutation = Callable[[np.random.Generator, str, str], str]
"""An answer from a legal one and from another that was legal at the same time."""


def one_of(rng: np.random.Generator, items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


def with_signs(rng: np.random.Generator, text: str) -> str:
    letters = list(text)
    for _ in range(int(rng.integers(1, 5))):
        letters.insert(int(rng.integers(len(letters) + 1)), one_of(rng, SIGNS))
    return "".join(letters)


def without_a_letter(rng: np.random.Generator, text: str) -> str:
    place = int(rng.integers(len(text)))
    return text[:place] + text[place + 1 :]


def with_another_word(rng: np.random.Generator, text: str) -> str:
    words = text.split()
    words[int(rng.integers(len(words)))] = one_of(rng, ["4D", "JK", "JK5", "1S", "null", "None", "NaN", "-1", "set"])
    return " ".join(words)


MUTATIONS: dict[str, Mutation] = {
    "signs": lambda rng, text, _: with_signs(rng, text),
    "a letter less": lambda rng, text, _: without_a_letter(rng, text),
    "a letter twice": lambda rng, text, _: text[: (place := int(rng.integers(1, len(text))))] + text[place - 1 :],
    "another word": lambda rng, text, _: with_another_word(rng, text),
    "words in any order": lambda rng, text, _: " ".join(rng.permutation(text.split()).tolist()),
    "look-alikes": lambda _, text, __: text.translate(LOOK_ALIKES),
    "full width": lambda _, text, __: text.translate(FULL_WIDTH),
    "another language": lambda rng, text, _: one_of(rng, FOREIGN) + one_of(rng, ["", " ", "\n"]) + text,
    "two in one line": lambda _, text, other: f"{text} {other}",
    "half a turn, and no more": lambda _, text, __: f"{text};",
    "a turn and a half": lambda _, text, other: f"{text}; {other}; draw; draw",
    "draw and go on": lambda _, text, other: f"draw; {text}; {other}",
    "cut off": lambda rng, text, other: f"{text}; {other}"[: int(rng.integers(1, len(text) + 4))],
    "nested markdown": lambda _, text, other: (
        f"> 1. **_`{text}`_**\n>    ```json\n>    [{other}](x)\n>    ```\n| a | b |"
    ),
    "JSON": lambda _, text, other: f'{{"action": "{text}", "why": null, "or": ["{other}"]}}',
    "thinking": lambda _, text, other: f"<think>I could {other}, but no.</think>\n{text}",
    "marked": lambda _, text, other: f"I could {other}.\nMOVE: {text}",
    "marked twice": lambda _, text, other: f"MOVE: {other}\nMOVE: {text}",
    "marked in a fence": lambda _, text, other: f"```\n{other}\n```\n- **Move:** `{text}`.",
    "huge word": lambda rng, text, _: one_of(rng, "x9 \n\0🂡") * 20_000 + text,
    "huge turn": lambda _, text, __: f"{text}; " * 5_000,
    "huge meld": lambda _, text, __: "meld " + f"{text} " * 5_000,
    "nulls": lambda rng, text, _: text.replace(" ", "\0" * int(rng.integers(1, 4))),
    "random code points": lambda rng, _, __: "".join(map(chr, rng.integers(0, 0x10FFFF, 40))),
}


def heard(answer: str, action: int) -> bool:
    """Whether an answer holds each word of an action, in any order and case, and with suit signs."""
    words = answer.translate(str.maketrans("♣♦♥♠", "CDHS")).upper().replace("10", "T").replace("LAY OFF", "LAYOFF")
    verb, *rest = ACTION_NAMES[action].upper().split()
    optional = ("SET", "RUN") if verb == "LAYOFF" else ()
    return verb in words and all(word in words or word in optional or word[:2] == "JK" for word in rest)


def is_one_sentence(message: str) -> bool:
    """Whether a message is one sentence, apart from what it repeats of an answer in quotes."""
    without = re.sub(r"'[^']*'", "x", message)
    return len(re.findall(r"[.!?](?:\s|$)", without)) == 1 and message.isprintable() and len(message) < 300


def test_two_thousand_damaged_answers_change_nothing():
    rng = np.random.default_rng(32)
    refused = dict.fromkeys(MUTATIONS, 0)
    seed, game = 0, TextGame(FOUR, seed=0, attempts=MANY)
    for number in range(scaled(2000, least=2 * len(MUTATIONS))):
        if game.over:
            seed += 1
            game = TextGame(FOUR, rules=RuleSet(deals=1 + seed % 2), seed=seed, attempts=MANY)
        before, prompt = game._table._now, game.prompt()
        legal = [ACTION_NAMES[action] for action in legal_actions(before.games[0])]
        name = list(MUTATIONS)[number % len(MUTATIONS)]
        answer = MUTATIONS[name](rng, one_of(rng, legal), one_of(rng, legal))
        bytes_before = before.games.tobytes()
        reply = game.answer(answer)
        if reply.accepted:
            assert all(heard(answer, one.action) for one in game._table.played[len(before.played) :]), (name, answer)
        else:
            refused[name] += 1
            assert game._table._now is before
            assert (before.games.tobytes(), game.prompt()) == (bytes_before, prompt)
            assert is_one_sentence(reply.message), (name, reply.message)
            game.answer(one_of(rng, legal))
    assert not [name for name, count in refused.items() if not count and name not in NEVER_REFUSED]


NEVER_REFUSED = ("half a turn, and no more", "marked in a fence", "marked", "words in any order")
"""Mutations that may leave every answer legal."""


@pytest.mark.parametrize("text", ["\n", " \n", "> ", "move ", "MOVE:\n", ";", "\0", "lay off ", "4C "])
def test_a_huge_answer_is_read_at_once(text: str):
    game = TextGame(FOUR, seed=0)
    start = time.process_time()
    assert not game.answer(text * 20_000).accepted
    assert time.process_time() - start < 2


@pytest.mark.parametrize("message", ["Two. Sentences.", "No end", "A line.\nAnother", "x" * 400 + "."])
def test_what_is_no_sentence_is_found(message: str):
    assert not is_one_sentence(message)


# Transcripts ----------------------------------------------------------------------------------------------------------


def test_a_transcript_replays_as_a_record():
    rng = np.random.default_rng(33)
    notation = Notation(5)
    settings = {"seed": 8, "notation": notation, "attempts": MANY}
    game = TextGame(["text", "expert", "text", "greedy"], **settings)
    player = PromptPlayer(persian_rummy_env.load("expert"), notation)
    transcript: list[tuple[int | None, str, str, str]] = []
    while not game.over:
        seat, prompt = game.seat, game.prompt()
        answer = one_of(rng, ["fold", "", "draw; draw"]) if rng.random() < 0.3 else player.answer(prompt)
        transcript.append((seat, prompt, answer, game.answer(answer).message))
    result = game.result()
    record = result.record
    assert record is not None

    assert tuple(replay(record).states[-1]["score"].tolist()) == result.score
    assert tuple(replay_in_the_twin(record).total) == result.score
    played = [encode_action(action) for deal in record["deals"] for action in deal["actions"]]
    repeated = [text.removeprefix("Played: ")[:-1] for *_, text in transcript if text.startswith("Played: ")]
    assert {seat for seat, *_ in transcript} == {0, 2}
    by_text = [one.action for one in game._table.played if one.seat in (0, 2)]
    assert "; ".join(repeated) == names_of(by_text, notation)
    assert [one.action for one in game._table.played] == played

    again = TextGame(["text", "expert", "text", "greedy"], **settings)
    for seat, prompt, answer, message in transcript:
        assert (again.seat, again.prompt()) == (seat, prompt)
        assert again.answer(answer).message == message
    assert again.result() == result
