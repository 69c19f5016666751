"""What a seat for a language model costs: ``python -m experiments.text.prompts``.

``expert`` plays whole games through prompts. The command counts the tokens of each prompt and of the rules, and
measures how many prompts are rendered and how many answers are parsed a second, in seconds of the processor of one
core. The tokenizer is ``tekken_240911``, whose vocabulary is part of the package ``mistral-common``; without the
package no tokens are counted. Writes ``results/prompts.json``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env import load
from persian_rummy_env.apps.game import TableGame
from persian_rummy_env.text import parse, render, rules
from persian_rummy_env.text.prompt_player import PromptPlayer

from ..shared.claim import Claim
from ..shared.result_file import RESULTS, TIMING, about, add_result_options, write_result

CLAIM = Claim(
    text="a decision costs a language model fewer than 1,200 tokens, the rules included; more than 5,000 prompts are "
    "rendered and more than 5,000 answers parsed a second on one core",
    command="python -m experiments.text.prompts",
    expected="with `mistral-common` installed: rules 553 tokens, prompt 418 in the median and 640 at most",
    minutes=1,
    result="prompts.json",
    page="docs/text.md",
)

RESULT = RESULTS / "prompts.json"
SEED = 62_001
VOCABULARY = "tekken_240911.json"
Position = tuple[np.void, int, list[tuple[int, int, int]], str]
"""A game, the seat to move, the actions so far, and the answer of ``expert``."""


def positions(games: int) -> list[Position]:
    """Every decision of games that ``expert`` plays through prompts."""
    player = PromptPlayer(load("expert"))
    found: list[Position] = []
    for seed in range(SEED, SEED + games):
        game = TableGame(seed=seed)
        while not game.over:
            record, seat = game.games()[0], game.seat
            history = [(one.deal, one.seat, one.action) for one in game.played]
            answer = player.answer(render(record, seat, history))
            found.append((record, seat, history, answer))
            for action in parse(answer, record, seat):
                game.play(action)
    return found


def rate(count: int, action: Callable[[int], Any]) -> float:
    """Calls a second of processor time."""
    start = time.process_time()
    for number in range(count):
        action(number)
    return count / (time.process_time() - start)


def tokens(texts: Sequence[str]) -> dict[str, Any]:
    """The tokens of the rules and of the prompts, and the tokenizer."""
    try:
        tekken = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
    except ImportError:
        return {"tokens": "not counted: mistral-common is not installed"}
    folder = resources.files("mistral_common").joinpath("data")
    tokenizer = tekken.Tekkenizer.from_file(Path(str(folder.joinpath(VOCABULARY))))
    of_rules = len(tokenizer.encode(rules(), bos=False, eos=False))
    counts = sorted(len(tokenizer.encode(text, bos=False, eos=False)) for text in texts)
    return {
        "tokenizer": f"{VOCABULARY} of mistral-common {metadata.version('mistral-common')}",
        "rules_tokens": of_rules,
        "prompt_tokens_median": counts[len(counts) // 2],
        "prompt_tokens_most": counts[-1],
        "rules_and_longest_prompt": of_rules + counts[-1],
    }


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(
        prog="python -m experiments.text.prompts", description="what prompts and answers cost"
    )
    parser.add_argument("--games", type=int, default=20, help="games of two deals (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    facts = about("experiments.text.prompts", argv, options.out, options.allow_dirty)
    found = positions(options.games)
    prompts = rate(len(found), lambda number: render(*found[number][:3]))
    answers = rate(len(found), lambda number: parse(found[number][3], *found[number][:2]))
    figures = {
        "decisions": len(found),
        "prompts_a_second": round(prompts),
        "answers_a_second": round(answers),
        **tokens([render(record, seat, history) for record, seat, history, _ in found]),
    }
    write_result(options.out, facts, figures, kind=TIMING, seeds=[SEED])
    print(*(f"{name}: {figure}" for name, figure in figures.items()), sep="\n")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.text.prompts", main))
