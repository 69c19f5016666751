"""Grades a program that plays the game by its rules: ``python -m experiments.write_the_game solution.py``.

docs/write_the_game.md states the task. ``--traces FILE`` writes sample games to give to whoever solves it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from persian_rummy_env.system.escaping import visible_lines
from persian_rummy_env.system.files import write_whole

from ..shared.result_file import fail
from .games import TRACE_SEEDS, traces
from .grade import as_json, as_text, grade
from .solution import Limits

PROG = "python -m experiments.write_the_game"


def whole(least: int, most: int = TRACE_SEEDS - 1) -> Callable[[str], int]:
    """A whole number from ``least`` to ``most``, as an argument."""

    def number(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value}: expected {least} or more, and at most {most}")
        return value

    return number


def above_zero(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return value


def main(given: Sequence[str] | None = None) -> int:
    limits = Limits()
    parser = argparse.ArgumentParser(
        prog=PROG, description="Compare a program that was written from the rules with the engine, at every decision."
    )
    parser.add_argument("solution", type=Path, nargs="?", help="a Python file as docs/write_the_game.md asks for")
    parser.add_argument("--decisions", type=whole(1), default=100_000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=whole(0), default=1, help="of the games (default %(default)s)")
    parser.add_argument("--seconds", type=above_zero, default=limits.seconds, help="for one answer")
    parser.add_argument("--minutes", type=above_zero, default=limits.minutes, help="for all answers")
    parser.add_argument("--memory-mb", type=whole(64), default=limits.memory_mb, help="of the process")
    parser.add_argument("--out", type=Path, help="also write the result as JSON")
    parser.add_argument("--traces", type=Path, help="instead: write the decisions of sample games, one in a line")
    parser.add_argument("--games", type=whole(1), default=20, help="sample games (default %(default)s)")
    options = parser.parse_args(given)
    if (options.solution is None) == (options.traces is None):
        fail("expected a solution to grade, or --traces FILE")
    if options.traces is not None:
        lines = [json.dumps(line) + "\n" for line in traces(options.seed, options.games)]
        write_whole(options.traces, "".join(lines))
        print(f"{options.traces}: {len(lines) - options.games:,} decisions")
        return 0
    limits = Limits(options.seconds, options.minutes, options.memory_mb)
    result = grade(options.solution, options.decisions, options.seed, limits, progress=True)
    if not result.memory_limited and result.ended is None:
        sys.stderr.write("this system does not limit the memory of the solution\n")
    if options.out is not None:
        write_whole(options.out, json.dumps(as_json(result, options.solution, options.seed, limits), indent=1) + "\n")
    print(visible_lines(as_text(result, options.solution.name)))
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command(PROG, main))
