"""Sums up a run of self-play on one device: ``python -m experiments.gpu_report RUN``; see ``gpu_report.sh``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from train import log

from .matches.pages import RESULTS
from .result_file import TIMING, about, add_result_options, write_result


def summed(rows: Sequence[dict[str, str]]) -> dict[str, float]:
    """Decisions per second of the run, and of its two halves alone. The first update warms up and is left out, where
    there is more than one."""
    rest = rows[1:] or rows
    before = float(rows[0]["decisions"]) if len(rows) > 1 else 0.0
    decisions = float(rest[-1]["decisions"]) - before
    collecting, learning = (sum(float(row[name]) for row in rest) for name in ("collect_seconds", "learn_seconds"))
    return {
        "decisions": decisions,
        "collecting_per_second": decisions / collecting,
        "learning_per_second": decisions / learning,
        "both_per_second": decisions / (collecting + learning),
    }


def report(run: Path, gpu: str) -> dict[str, Any]:
    """Speed, closing matches and device of the run in a folder; ``gpu`` is the device's name.

    Raises:
        log.LogError: no log in it, or one of another version. FileNotFoundError: the run has not ended.
    """
    rows = log.read(run / log.FILE)
    if not rows:
        raise log.LogError(f"{run / log.FILE}: no update was made")
    settings = json.loads((run / "config.json").read_text())
    return {
        "device": gpu or settings["settings"]["device"],
        "config": settings,
        "speed": summed(rows),
        "matches": json.loads((run / "results.json").read_text())["matches"],
    }


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.gpu_report", description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a run of train.selfplay that has ended")
    parser.add_argument("--report", type=Path, default=RESULTS / "gpu.json", help="the file to write")
    parser.add_argument("--gpu", default="", metavar="NAME", help="what the GPU is called")
    add_result_options(parser)
    argv = sys.argv[1:] if given is None else list(given)
    options = parser.parse_args(argv)
    facts = about("experiments.gpu_report", argv, options.report, options.allow_dirty)
    try:
        found = report(options.run, options.gpu)
    except (log.LogError, FileNotFoundError) as error:
        parser.error(str(error))
    write_result(options.report, facts, found, kind=TIMING)
    speed = found["speed"]
    print(f"device: {found['device']}")
    print(f"collecting {speed['collecting_per_second']:,.0f}, learning {speed['learning_per_second']:,.0f}, ", end="")
    print(f"together {speed['both_per_second']:,.0f} decisions/s")
    for match in found["matches"]:
        half = (match["high"] - match["low"]) / 2
        print(f"{match['b']:>8}: {match['margin']:+.1f} ± {half:.1f} points a deal, {match['pairs']:,} pairs")
    print(options.report)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.gpu_report", main))
