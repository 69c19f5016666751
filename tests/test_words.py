"""One word for one thing: words that the project has given up, and sentences that are too long to read once.

Four texts are searched: the code (with its comments and docstrings), the names in the tests, what every command prints
for ``--help``, and the pages. A name is searched whole and by its words: ``_was_told`` consists of "was" and "told".
``tests/words_left.txt`` lists what is still to be renamed, a word and a file on each line; a line may only go.
``python -m tests.test_words`` shortens that list to what is left today, and prints the long sentences.
"""

from __future__ import annotations

import importlib
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEFT = Path(__file__).with_name("words_left.txt")
LONGEST = 30
"""Words in a sentence of a page."""
LONG = "long sentence"
CODE = ("persian_rummy_env", "agents", "train", "experiments", "tools", "examples")
PAGES = (
    "[!C]*.md",  # but the changelog, which names what is gone
    "CO*.md",
    "docs/*.md",
    "docs/api/*.md",
    "experiments/README.md",
    "persian_rummy_env/players/weights/README.md",
)
OLD_NAMES = ("train/config/old_names.py", "persian_rummy_env/system/stored.py", "persian_rummy_env/system/old_games.py")
"""Tables that read old files, and so name what they read."""


PRODUCT = tuple(f"{folder}/*" for folder in CODE)
TIANSHOU = ("examples/tianshou_ppo_dqn.py", "tests/adapters/test_tianshou.py")
"""Files with a class of Tianshou that is called ``Batch``."""


class Word(NamedTuple):
    """A word that is not used any more."""

    say: str
    """What is said instead."""
    text: str = ""
    """A regular expression for the text of code, help and pages."""
    names: str = ""
    """A regular expression for whole names in Python code, also in the tests."""
    parts: str = ""
    """A regular expression for the words of names in Python code, also in the tests."""
    where: tuple[str, ...] = ("*",)
    """The files in which it counts."""
    but: tuple[str, ...] = ()
    """The files in which it is a word of its own."""


WORDS = {
    "face": Word(
        "environment, interface",
        r"\b(?<!card )(?<!cards' )faces?\b(?! up| down| of the cards?|s of the cards)",
        parts=r"faces?",
        but=(
            "persian_rummy_env/drawing/*",
            "persian_rummy_env/apps/*",
            "docs/render.md",
            "docs/play.md",
            "tests/env/test_drawing.py",
            "tools/render_pictures.py",
        ),
    ),
    "lane": Word(
        "sub-environment, env index",
        r"\blanes?\b",
        where=("help:*", "docs/*", "README.md", "persian_rummy_env/envs/*", "persian_rummy_env/adapters/*"),
        but=("docs/policy.md",),  # an attribute of what a policy is given
    ),
    "taught": Word(
        "cloned, bc_fraction", r"\btaught\b|\blessons?\b|teach_lr", parts=r"taught|teach|teaches|lessons?|pupil"
    ),
    "sharpen": Word("logit_scale", r"\bsharpen\w*", parts=r"sharpen\w*", but=("experiments/ablation.py",)),
    "settled": Word(
        "distilled, distill_fraction", r"\bsettle[ds]?\b|\bsettling\b|\bsettle_lr\b", parts=r"settle[ds]?|settling"
    ),
    "suits=learn": Word("(deleted)", r"suits=[\"']?learn|--suits\b"),
    "objective": Word("reward.kind", r"--objective\b|\bpaid=|--paid\b"),
    "hidden_hands": Word("privileged_critic", r"\bhidden_hands\b|--hidden-hands\b"),
    "in the box": Word("bundled, bot ladder", r"\bin the box\b|\bladder of players\b"),
    "kl_stop": Word("target_kl", r"\bkl_stop\b|--kl-stop\b"),
    "critic_updates": Word("critic_warmup_updates", r"\bcritic_updates\b|--critic-updates\b"),
    "exists, start, unread": Word("if_exists, init_from, masked_blocks", r"--exists\b|--start\b|--unread\b|\bunread\b"),
    "strays": Word("epsilon", r"\bstrays?\b|\brandom_share\b", parts=r"strays?"),
    "school()": Word("make_collectors, assign_opponents, …", names=r"school|seated|lesson|taught|settled"),
    "told": Word("stats, metadata, message, local, …", names=r"_?(?:told|says|said|ours|theirs)"),
    "_was_told": Word("stats, metadata, message, local, …", parts=r"told|says|said|ours|theirs", where=PRODUCT),
    "tables": Word(
        "batch, game_batch",
        names=r"_?tables",
        where=tuple(f"persian_rummy_env/{room}/*" for room in ("envs", "evaluation", "core", "adapters", "players")),
    ),
    "Batch": Word(
        "StepResult, DecisionBatch", names=r"Batch", but=("persian_rummy_env/adapters/tianshou.py", *TIANSHOU)
    ),
    "view record": Word("infostate", r"\bview records?\b"),
    "part": Word(
        "chunk, kernel_group, grads",
        names=r"_?parts?",
        where=("persian_rummy_env/envs/*", "persian_rummy_env/evaluation/*", "persian_rummy_env/players/search.py"),
    ),
    "choices": Word("labels, legal, legal_log_probs", names=r"choices", where=("agents/*", "train/algorithms/*")),
    "paid": Word("reward, return", names=r"_?paid", where=PRODUCT),
    "keep()": Word("run_main_process, GracefulStop", names=r"keep", where=("train/run/*",)),
    "way": Word("progress", names=r"way", where=("train/*", "agents/*")),
    "StopAsked": Word("GracefulStop, update/challenge/promote", names=r"StopAsked"),
    "forget": Word("zero_inputs, reset_adam, reset_actor_optimizer", names=r"forget\w*"),
    "first_says": Word("broadcast_from_first, with_prefix", names=r"first_says|under"),
    "SparseRows": Word("SparseInputs, DenseInputs", names=r"SparseRows|DenseRows"),
    "Cast": Word("Lineup, base_seat, no_decision_yet, …", names=r"Cast|roles|acted", where=("persian_rummy_env/*",)),
    "hide": Word("redact", names=r"hide"),
    "show_all": Word("write_outputs, set_games, sample_from", names=r"show_all"),
    "notice.py": Word("compile_on_demand.py, …", r"\b(notice|typed|account|decisions)\.py\b"),
    "Book": Word("MatchCache, MatchSettings, LocalPlayers, PlayedPairs", names=r"Book|Terms|Here"),
    "opinion": Word(
        "analysis, Analysis, Analyst", r"\b[Oo]pinions?\b|\bAdvisers?\b|\badvisers?\b", parts=r"opinions?|advisers?"
    ),
    "RUNGS": Word("evaluation bots, baseline", r"\bRUNGS\b|\b[Yy]ardsticks?\b", parts=r"rungs?|yardsticks?"),
    "hangs on": Word("depends on", r"\bhangs? on\b|\bhung on\b", parts=r"hangs?|hung"),
    "in the stead of": Word(
        "counts as n worlds", r"\bin (?:the|its|their|his|\w+s') stead\b|\bworlds' stead\b", parts=r"stead"
    ),
    "account": Word("transcript", names=r"account", where=("persian_rummy_env/records/*", "persian_rummy_env/cli/*")),
    "so many times": Word("n times", r"\bso many times\b"),
    "anew": Word("again", r"(?<![-.])\banew\b(?![:=]| =)", but=("persian_rummy_env/evaluation/match_cache.py",)),
    "of chance": Word("random", r"\bof chance\b"),
    "leans on": Word("uses as prior", r"\bleans? on\b"),
    "a unit of it": Word("unit", r"\ba unit of it\b"),
    "he": Word("they", r"\b(?:[Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b", parts=r"he|his|him|himself"),
}


class Text(NamedTuple):
    """A text that is searched."""

    name: str
    """The file, or ``help:COMMAND``."""
    text: str
    names: frozenset[str] = frozenset()


# What is searched -----------------------------------------------------------------------------------------------------


def pages() -> Iterator[Text]:
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            yield Text(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def notes() -> Iterator[Text]:
    """Lab notes; they may name what is gone."""
    for path in sorted((ROOT / "docs" / "notes").glob("*.md")):
        yield Text(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def names_in(text: str) -> frozenset[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return frozenset(token.string for token in tokens if token.type == tokenize.NAME)


def code() -> Iterator[Text]:
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            yield Text(path.relative_to(ROOT).as_posix(), text, names_in(text))


def suite() -> Iterator[Text]:
    """The names in the tests, and not their text."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        yield Text(path.relative_to(ROOT).as_posix(), "", names_in(path.read_text(encoding="utf-8")))


def words_of_name(name: str) -> list[str]:
    """The words of a name in small letters: ``_was_told``, ``WasTold`` and ``WAS_TOLD`` are "was" and "told"."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def commands() -> list[str]:
    """The modules that are run with ``python -m`` and take arguments."""
    found = []
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            takes = re.search(r"^def main\(\w+:", text, re.MULTILINE) and re.search(
                r"Parser|parse|settings_of|Config", text
            )
            if "__main__" in text and takes and folder != "examples":
                found.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return found


def help_of(module: str) -> str:
    """What a command prints for ``--help``."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
        importlib.import_module(module).main(["--help"])
    return printed.getvalue()


def subcommands() -> list[str]:
    """The commands of ``persian-rummy``."""
    printed = io.StringIO()
    from persian_rummy_env.cli.program import main

    with redirect_stdout(printed), pytest.raises(SystemExit):
        main(["--help"])
    return re.findall(
        r"^    ([a-z][\w-]*)\s", printed.getvalue().partition("COMMAND\n")[2].partition("\n\n")[0], re.MULTILINE
    )


def helps() -> Iterator[Text]:
    pytest.importorskip("torch")
    from persian_rummy_env.cli.program import main

    for module in commands():
        yield Text(f"help:{module}", help_of(module))
    for name in subcommands():
        printed = io.StringIO()
        with redirect_stdout(printed), pytest.raises(SystemExit):
            main([name, "--help"])
        yield Text(f"help:persian-rummy {name}", printed.getvalue())


# What is found --------------------------------------------------------------------------------------------------------


def counts_in(word: Word, name: str) -> bool:
    if name in OLD_NAMES or any(fnmatch(name, pattern) for pattern in word.but):
        return False
    return any(fnmatch(name, pattern) for pattern in word.where)


def found_in(text: Text) -> Iterator[str]:
    """The words that are used in a text and are no longer to be."""
    for name, word in WORDS.items():
        if not counts_in(word, text.name):
            continue
        if (
            (word.text and re.search(word.text, text.text))
            or (word.names and any(re.fullmatch(word.names, one) for one in text.names))
            or (word.parts and any(re.fullmatch(word.parts, part) for one in text.names for part in words_of_name(one)))
        ):
            yield name


@cache
def left() -> frozenset[tuple[str, str]]:
    """What is still to be renamed: word and file."""
    lines = LEFT.read_text(encoding="utf-8").splitlines() if LEFT.exists() else []
    return frozenset((word, file) for word, _, file in (line.partition(" | ") for line in lines))


def new_in(texts: Iterator[Text]) -> list[str]:
    found = [(word, text.name) for text in texts for word in found_in(text)]
    return [f"{file}: {word}: say {WORDS[word].say}" for word, file in found if (word, file) not in left()]


def sentences(page: str) -> Iterator[tuple[int, str]]:
    """The sentences of a page that are prose, each with its line: no code, tables, headings or printed parts."""
    page = re.sub(
        r"<!-- ([\w: ]+) -->.*?<!-- end \1 -->", lambda part: "\n" * part[0].count("\n"), page, flags=re.DOTALL
    )
    page = re.sub(r"```.*?```", lambda part: "\n" * part[0].count("\n"), page, flags=re.DOTALL)
    page = re.sub(r"^(?:    |\||#|<|!\[).*$", "", page, flags=re.MULTILINE)
    page = re.sub(r"`[^`]*`", "x", page)
    page = re.sub(r"\]\([^)]*\)", "]", page)
    line = 1
    for block in re.split(r"(\n\s*(?:\n|(?=[-*] |\d+\. )))", page):
        at = line
        line += block.count("\n")
        for one in re.split(r'(?<=[.!?:;])[)*"]*\s+(?=["A-Z`*\[(x])', " ".join(block.split())):
            if one:
                yield at, one


def words_of(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def long_sentences() -> list[tuple[str, str]]:
    """The long sentences of the pages, each with its page."""
    return [
        (page.name, f"from line {line}: {words_of(one)} words: {one}")
        for page in (*pages(), *notes())
        for line, one in sentences(page.text)
        if words_of(one) > LONGEST
    ]


# Tests ----------------------------------------------------------------------------------------------------------------


def test_pages_use_the_words_of_today() -> None:
    assert new_in(pages()) == []


def test_code_uses_the_words_of_today() -> None:
    assert new_in(code()) == []


def test_names_in_tests_use_the_words_of_today() -> None:
    assert new_in(suite()) == []


def test_help_uses_the_words_of_today() -> None:
    assert new_in(helps()) == []


def test_sentences_are_short() -> None:
    assert [(page, one) for page, one in long_sentences() if (LONG, page) not in left()] == []


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("docs/a.md", "the AEC face", "face"),
        ("docs/a.md", "the player knows his hand", "he"),
        ("train/a.py", "search leans on it", "leans on"),
        ("help:train.selfplay", "--sharpen FLOAT", "sharpen"),
    ],
)
def test_a_word_of_before_is_found(name: str, text: str, word: str) -> None:
    assert list(found_in(Text(name, text))) == [word]


@pytest.mark.parametrize(
    ("file", "name", "word"),
    [
        ("tests/env/test_a.py", "test_the_aec_face", "face"),
        ("tests/train/test_a.py", "TAUGHT", "taught"),
        ("tests/train/test_a.py", "told", "told"),
        ("train/a.py", "_was_told", "_was_told"),
        ("persian_rummy_env/envs/a.py", "tables", "tables"),
        ("persian_rummy_env/adapters/a.py", "_paid", "paid"),
        ("tests/agents/test_a.py", "PolicyAdviser", "opinion"),
    ],
)
def test_a_name_of_before_is_found(file: str, name: str, word: str) -> None:
    assert list(found_in(Text(file, "", frozenset({name})))) == [word]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("tests/env/test_a.py", "test_what_a_page_says"),
        ("tests/env/test_drawing.py", "card_face"),
        ("persian_rummy_env/drawing/a.py", "parts"),
        ("persian_rummy_env/apps/web/a.py", "tables"),
        ("train/a.py", "held"),
    ],
)
def test_a_name_of_its_own_is_left_alone(file: str, name: str) -> None:
    assert list(found_in(Text(file, "", frozenset({name})))) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/a.md", "the card turned face up, the interface, these and this"),
        ("persian_rummy_env/core/a.py", "for each lane"),
        ("train/config/old_names.py", "sharpen"),
    ],
)
def test_a_word_of_its_own_is_left_alone(name: str, text: str) -> None:
    assert list(found_in(Text(name, text))) == []


def test_a_long_sentence_is_found() -> None:
    [(line, one)] = sentences("# A\n\n" + "word " * 31 + "end.\n")
    assert line > 1
    assert words_of(one) > LONGEST


if __name__ == "__main__":
    today = {
        (word, text.name) for texts in (pages(), code(), suite(), helps()) for text in texts for word in found_in(text)
    }
    today |= {(LONG, page) for page, _ in long_sentences()}
    kept = today & left() if LEFT.exists() else today
    LEFT.write_text("".join(f"{word} | {file}\n" for word, file in sorted(kept)), encoding="utf-8")
    lines = [f"{page}, {one}" for page, one in long_sentences()]
    lines += [f"{file}: {word}" for word, file in sorted(today - left())]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
