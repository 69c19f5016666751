"""Profile of a decision: ``python -m experiments.profile``.

Times every part of the compiled step separately, over stored states of random play, and the time of only writing the
rows, which is a lower bound. Writes ``results/profile.json``, from which ``python -m tools.result_pages`` prints the
tables of docs/performance.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .shared.claim import Claim
from .shared.result_file import TIMING, about, add_result_options, write_result
from .shared.timing import cores
from .speeds.parts import profiled
from .tables.profile import profile_tables

CLAIM = Claim(
    text="a step takes 10 to 12 times as long as writing its observation and mask alone",
    command="python -m experiments.profile",
    expected="the tables of docs/performance.md",
    minutes=1,
    result="profile.json",
    page="docs/performance.md",
)

RESULT = Path(__file__).parent / "results" / "profile.json"


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.profile", description="where the time of a decision goes"
    )
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--runs", type=int, default=7, help="of each part (default 7)")
    parser.add_argument("--repeats", type=int, default=500, help="passes over the states in a run (default 500)")
    add_result_options(parser)
    options = parser.parse_args(given)
    words = sys.argv[1:] if given is None else list(given)
    facts = about("experiments.profile", words, options.out, options.allow_dirty)
    with cores(1):
        figures = profiled(options.runs, options.repeats)
    result = write_result(options.out, facts, figures, kind=TIMING)
    for table in profile_tables(result).values():
        print(f"\n{table}")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.profile", main))
