"""The engine against a slow second implementation of the rules, game by game.

    python -m experiments.agree --games 10000

Random, greedy and steered players play the same decks in both, with all four combinations of the rule variants. Before
every action the whole state of both is compared: seat to move, legal actions, hands, stock, pile, table, known and
declined cards, points. After each deal the scores are compared, and at the end the records. The second implementation,
``tests/oracle.py``, was written from the rules alone and shares no code with the engine.

Exit status 1: the two disagree, or an event that should occur in so many games did not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import runpy
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from persian_rummy_env.core.compiler.jit import source_hash
from persian_rummy_env.system.signals import ENDING, on_ending

from .shared.claim import Claim
from .shared.lockstep import LINE_UPS, DisagreementError, GamesPlayed, compare, plan_of
from .shared.result_file import STRENGTH, about, add_result_options, write_result

CLAIM = Claim(
    text="the engine and the plain twin of the rules agree at every decision",
    command="python -m experiments.agree --games 10000",
    expected="0 disagreements; every rare branch occurs",
    minutes=10,
    result="agree.json",
)

ROOT = Path(__file__).resolve().parents[1]
TWIN = Path("tests") / "oracle.py"
RESULT = Path("experiments") / "results" / "agree.json"
CHUNK = 20
REPORT_EVERY = 10.0


class Chunk(NamedTuple):
    """A range of compared games: counts by line-up, and the first disagreement."""

    played: dict[str, GamesPlayed]
    disagreement: str | None


def load_twin(path: Path) -> Any:
    """Load a Python file by path. Nothing imports the tests; this file is named on the command line."""
    return SimpleNamespace(**runpy.run_path(str(ROOT / path)))


def compare_chunk(task: tuple[Path, int, range]) -> Chunk:
    path, seed, numbers = task
    twin = load_twin(path)
    played = {name: GamesPlayed() for name in LINE_UPS}
    for number in numbers:
        plan = plan_of(seed, number)
        try:
            played[plan.line_up].add(compare(plan, twin))
        except DisagreementError as difference:
            again = f"python -m experiments.agree --seed {seed} --first {number} --games 1"
            return Chunk(played, f"game {number} ({again})\n{difference}")
    return Chunk(played, None)


def leave_interrupts_to_the_parent() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.SIG_IGN)


def run(options: argparse.Namespace) -> tuple[dict[str, GamesPlayed], list[str], bool]:
    """Compare all games; returns counts by line-up, the disagreements, and whether it was interrupted."""
    played = {name: GamesPlayed() for name in LINE_UPS}
    disagreements: list[str] = []
    stop = options.first + options.games
    tasks = [
        (options.twin, options.seed, range(first, min(first + CHUNK, stop)))
        for first in range(options.first, stop, CHUNK)
    ]
    start = reported = time.perf_counter()
    pool = multiprocessing.get_context("spawn").Pool(options.workers, leave_interrupts_to_the_parent)
    try:
        with on_ending():
            print(f"comparing {options.games:,} games", file=sys.stderr, flush=True)
            for chunk in pool.imap_unordered(compare_chunk, tasks):
                for name, more in chunk.played.items():
                    played[name].add(more)
                if chunk.disagreement is not None:
                    disagreements.append(chunk.disagreement)
                    print(chunk.disagreement, file=sys.stderr, flush=True)
                if time.perf_counter() - reported > REPORT_EVERY:
                    reported = time.perf_counter()
                    report(played, options.games, (reported - start) / 60)
    except KeyboardInterrupt:
        print("interrupted: what was compared so far is written", file=sys.stderr)
        return played, disagreements, True
    finally:
        pool.terminate()
        pool.join()
    return played, disagreements, False


def report(played: dict[str, GamesPlayed], games: int, minutes: float) -> None:
    done = sum(part.games for part in played.values())
    decisions = sum(part.decisions for part in played.values())
    left = minutes * (games - done) / max(done, 1)
    print(
        f"{done:,} of {games:,} games, {decisions:,} decisions, {minutes:.1f} min, about {left:.1f} min left",
        file=sys.stderr,
        flush=True,
    )


def figures_of(
    options: argparse.Namespace, played: dict[str, GamesPlayed], disagreements: list[str], cut: bool, minutes: float
) -> dict[str, Any]:
    total = GamesPlayed()
    for part in played.values():
        total.add(part)
    return {
        "seed": options.seed,
        "games": total.games,
        "deals": total.deals,
        "decisions": total.decisions,
        "disagreements": disagreements,
        "interrupted": cut,
        "events": dict(sorted(total.events.items())),
        "never happened": never_happened(options, total.events),
        "players": {name: {"games": part.games, "decisions": part.decisions} for name, part in played.items()},
        "minutes": round(minutes, 1),
        "workers": options.workers,
    }


def never_happened(options: argparse.Namespace, events: Counter[str]) -> list[str]:
    return sorted(set(load_twin(options.twin).EVENTS) - set(events))


def parse(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.agree",
        description="Play games in the engine and in a slow second implementation, and compare them at every decision.",
    )
    parser.add_argument("--games", type=int, default=10_000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the series of games (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first game, to go on or to see one again")
    parser.add_argument("--workers", type=int, default=2, help="processes (default %(default)s)")
    parser.add_argument("--twin", type=Path, default=TWIN, help="the second implementation (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="where the result is written (default %(default)s)")
    add_result_options(parser)
    return parser.parse_args(args)


def main(args: Sequence[str] | None = None) -> int:
    options = parse(args)
    words = ["--games", str(options.games), "--seed", str(options.seed), "--first", str(options.first)]
    facts = about("experiments.agree", words, options.out, options.allow_dirty)
    sources = source_hash()  # at the start, because files may change during the run
    start = time.perf_counter()
    played, disagreements, cut = run(options)
    figures = figures_of(options, played, disagreements, cut, (time.perf_counter() - start) / 60)
    figures["engine sources"] = sources
    result = write_result(options.out, facts, figures, kind=STRENGTH, seeds=[options.seed])
    print(
        f"{result['games']:,} games, {result['decisions']:,} decisions: {len(disagreements)} disagreements; "
        f"never happened: {', '.join(result['never happened']) or 'nothing'}; "
        f"{result['minutes']} min; written to {options.out}"
    )
    return 1 if disagreements or (result["never happened"] and not cut) else 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.agree", main))
