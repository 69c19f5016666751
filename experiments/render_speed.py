"""Pictures of the table per second on one core: ``python -m experiments.render_speed``.

The bot ``expert`` plays games in the AEC environment with ``render_mode="rgb_array"``, and every position is drawn.
Only ``render()`` is timed, in wall-clock and processor time; other work on the core does not change the latter. Each
run starts with empty caches. Writes ``results/render_speed.json``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from persian_rummy_env import env
from persian_rummy_env.drawing import draw_table, raster
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy_io import choose

from .shared.claim import Claim
from .shared.result_file import RESULTS, TIMING, about, add_result_options, write_result
from .shared.timing import cores, figure, versions

CLAIM = Claim(
    text="`rgb_array` draws at least 60 pictures a second on one core",
    command="python -m experiments.render_speed --pictures 150 --runs 3",
    expected="90 a second by the clock",
    minutes=1,
    result="render_speed.json",
    page="docs/render.md",
)

RESULT = RESULTS / "render_speed.json"
SEED = 60_001
GOAL = 60
"""The goal: pictures per second on one core."""
VIEWERS = {"all hands": "all", "one seat": 0}


def play_and_draw(viewer: Any, pictures: int, seed: int) -> dict[str, float]:
    """Draw positions in a row, as pixels and as SVG. Returns figures in drawings per second or milliseconds."""
    table, expert = env(render_mode="rgb_array", viewer=viewer), load("expert")
    table.reset(seed=seed)
    raster.clear_cache()
    clock, own, svg, first, worst = 0.0, 0.0, 0.0, 0.0, 0.0
    for number in range(pictures):
        before, own_before = time.perf_counter(), time.process_time()
        table.render()
        took, own_took = time.perf_counter() - before, time.process_time() - own_before
        clock, own = clock + took, own + own_took
        first = own_took if number == 0 else first
        worst = max(worst, own_took) if number else worst
        game, before = table.get_state()[0], time.process_time()
        draw_table(game, None if viewer == "all" else viewer)
        svg += time.process_time() - before
        if game["ended"]:
            table.reset()
        else:
            table.step(int(choose(table.get_state(), expert)[0]))
    return {
        "clock": pictures / clock,
        "own": pictures / own,
        "svg": pictures / svg,
        "first": 1000 * first,
        "slowest": 1000 * worst,
    }


def speeds(pictures: int, runs: int) -> dict[str, Any]:
    """Measure every figure on one core, with the runs of both viewers in turn."""
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in VIEWERS}
    with cores(1):
        for number in range(runs):
            for name, viewer in VIEWERS.items():
                taken[name].append(play_and_draw(viewer, pictures, SEED + number))
    units = {"clock": "pictures/s", "own": "pictures/s", "svg": "drawings/s", "first": "ms", "slowest": "ms"}
    return {
        name: {key: figure([one[key] for one in all_of], unit) for key, unit in units.items()}
        for name, all_of in taken.items()
    }


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.render_speed", description="pictures a second")
    parser.add_argument("--pictures", type=int, default=300, help="drawn in each run (default %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="of each figure (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    facts = about("experiments.render_speed", argv, options.out, options.allow_dirty)
    start = time.perf_counter()
    figures = {
        "drawn with": versions("pillow", "resvg-py"),
        "seed": SEED,
        "pictures": options.pictures,
        "goal": GOAL,
        **speeds(options.pictures, options.runs),
    }
    figures["minutes"] = round((time.perf_counter() - start) / 60, 1)
    result = write_result(options.out, facts, figures, kind=TIMING, seeds=[SEED])
    for name in VIEWERS:
        one = {key: f"{value['median']:.0f}" for key, value in result[name].items()}
        print(
            f"rgb_array, {name}: {one['own']} pictures a second of the process's own time, {one['clock']} by the clock "
            f"(load {result['machine']['load_before']}); the first {one['first']} ms, the slowest after it "
            f"{one['slowest']} ms; as SVG {one['svg']} drawings a second"
        )
    least = min(result[name]["own"]["median"] for name in VIEWERS)
    print(f"the goal of {GOAL} a second is {'reached' if least >= GOAL else 'not reached'}")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.render_speed", main))
