"""Size of a replay page, and the time to make and to open it: ``python -m experiments.replay_size``.

The page holds games of four deals of random play, the longest games, up to a total number of actions. It is made for
all viewers, opened in the system's chromium, and stepped through by its key. Making it is measured in processor time.
Opening and stepping, which the browser does in several processes, are measured in wall-clock time, and only on an idle
machine. Writes ``results/replay_size.json``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env import RuleSet
from persian_rummy_env.apps.replay_page import replay_page
from persian_rummy_env.records.record import Record
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.system.files import write_whole

from .shared.browser import chromium
from .shared.claim import Claim
from .shared.result_file import RESULTS, TIMING, about, add_result_options, write_result

CLAIM = Claim(
    text="a replay page takes 0.35 KB an action with all views, also with more than 5,000 actions",
    command="python -m experiments.replay_size",
    expected="5,226 actions: 1.9 MB, made in 17 s of processor time",
    minutes=1,
    result="replay_size.json",
    page="docs/play.md",
)

RESULT = RESULTS / "replay_size.json"
SEED = 61_001
STEPS = 200


def actions_of(record: Record) -> int:
    return sum(len(deal["actions"]) for deal in record["deals"])


def games(actions: int) -> Iterator[tuple[int, Record]]:
    """Numbered games, at least two, until they have this many actions in total."""
    found = 0
    for number, record in enumerate(simulate(10_000, SEED, "random", rules=RuleSet(deals=4), batch_size=16), start=1):
        yield number, record
        found += actions_of(record)
        if found >= actions and number > 1:
            return


def opened(page_file: Path) -> dict[str, Any]:
    """Seconds from the click to the first table, and milliseconds per step by the key."""
    with chromium() as launched:
        page = launched.new_page(viewport={"width": 1280, "height": 800})
        start = time.perf_counter()
        page.goto(page_file.as_uri())
        page.locator("#list button").first.wait_for()
        ready = time.perf_counter() - start
        heap = page.evaluate("performance.memory.usedJSHeapSize") / 2**20
        step = page.evaluate(
            f"""async () => {{
                const start = performance.now();
                for (let n = 0; n < {STEPS}; n++) {{
                    dispatchEvent(new KeyboardEvent("keydown", {{ key: "ArrowRight" }}));
                    await new Promise(requestAnimationFrame);
                }}
                return (performance.now() - start) / {STEPS};
            }}"""
        )
    return {"open_s": round(ready, 2), "heap_mb": round(heap), "step_ms": round(step, 1)}


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.replay_size", description="how large replay pages are")
    parser.add_argument("--actions", type=int, default=5000, help="at least so many (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    facts = about("experiments.replay_size", argv, options.out, options.allow_dirty)
    records = list(games(options.actions))
    actions = sum(actions_of(record) for _, record in records)
    first = len(replay_page(records[:1]))  # also compiles
    start = time.process_time()
    page = replay_page(records)
    took = time.process_time() - start
    an_action = (len(page) - first) / (actions - actions_of(records[0][1]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.html"
        write_whole(path, page)
        browser = opened(path)
    if facts["machine"]["load_before"] > len(os.sched_getaffinity(0)):
        browser |= {"open_s": None, "step_ms": None, "not timed": "the machine was busy with other work"}
    figures = {
        "games": len(records),
        "actions": actions,
        "page_kb": round(len(page) / 1000),
        "bytes_an_action": round(an_action),
        "kb_without_games": round((len(page) - an_action * actions) / 1000),
        "make_cpu_s": round(took, 1),
        **browser,
    }
    write_result(options.out, facts, figures, kind=TIMING, seeds=[SEED])
    print(*(f"{name}: {figure}" for name, figure in figures.items()), sep="\n")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.replay_size", main))
