"""Scaling of collecting and learning with workers and ranks: ``python -m experiments.scaling``.

Collecting: decisions per second of one thread, two threads, and Ray workers, with one core for each worker, in turn.
Learning: an update by one rank and by two. It also measures the inputs of the calculation in docs/scaling.md: bytes of
a packed decision and of the weights, and the times of packing, unpacking and learning. Writes
``results/scaling.json``. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from persian_rummy_env.evaluation.ray_pool import RayError
from train.algorithms.base import device_of
from train.config.base import with_settings
from train.config.ppo import Config
from train.config.presets import PRESETS
from train.data.packed import pack, unpack
from train.data.rollout import Rollout
from train.scale.ray_workers import RayWorkers, weights_of
from train.scale.shards import Shards
from train.scale.workers import LocalWorkers, Workers, jobs_of
from train.selfplay import SelfPlay

from .shared.claim import Claim
from .shared.result_file import RESULTS, ROOT, TIMING, about, add_result_options, fail, write_result
from .shared.timing import ALL_CORES, cores, figure, in_turn
from .tables.scaling import tables

CLAIM = Claim(
    text=(
        "two workers collect at least 1.7 times what one collects; docs/scaling.md says where a network, a learner "
        "and the environment saturate"
    ),
    command="python -m experiments.scaling",
    expected="2.05 × by Ray's workers (group `ray`)",
    minutes=2,
    result="scaling.json",
    page="docs/scaling.md",
)

RESULT = RESULTS / "scaling.json"
GOAL = 1.7
"""The goal: speed of two collecting workers relative to one."""


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


class Collecting:
    """Collects updates with the settings, always with the same weights."""

    def __init__(self, config: Config, workers: Workers) -> None:
        self.config = config
        self.workers = workers
        self.learner = SelfPlay(replace(config, threads=1)).learner
        self.updates = 0

    def __call__(self) -> float:
        """Decisions per second of an update, with forced ones, until its rollout is complete in this process."""
        jobs = jobs_of(self.config, self.updates, 0)
        self.updates += 1
        seconds, rollout = timed(lambda: Rollout.join(self.workers.collect(self.learner.players, jobs)))
        return float(rollout.length.sum()) / seconds


def collecting(config: Config, counts: Sequence[int], runs: int) -> dict[str, Any]:
    """Decisions per second by kind and number of workers."""
    found: dict[str, Any] = {}
    for count in counts:
        with cores(count):
            shards = Shards(count)
            local = LocalWorkers(config, device_of(config), shards)
            ray = RayWorkers(config, count)
            measures = {"threads": Collecting(config, local), "ray": Collecting(config, ray)}
            for measure in measures.values():
                measure()  # compiles and fills caches
            for kind, values in in_turn(measures, runs).items():
                found[f"{kind}:{count}"] = figure(values, "decisions/s")
            assert ray.pool.lost == 0
            ray.close()
            shards.close()
    return found


def costs(config: Config, runs: int) -> dict[str, Any]:
    """Costs of the parts of an update on a single core, in microseconds per learnt decision; and bytes."""
    with cores(1):
        config = replace(config, threads=1, parts=1)
        trainer = SelfPlay(config)
        learner, workers = trainer.learner, trainer.workers
        play = Collecting(config, workers)
        play()
        rollout = Rollout.join(workers.collect(learner.players, jobs_of(config, 0, 0)))
        kept, decisions = len(rollout), int(rollout.length.sum())
        packed = pack(rollout)
        measures: dict[str, Callable[[], float]] = {
            "collect": lambda: timed(lambda: workers.collect(learner.players, jobs_of(config, 0, 0)))[0],
            "pack": lambda: timed(lambda: pack(rollout))[0],
            "unpack": lambda: timed(lambda: unpack(packed))[0],
            "learn": lambda: timed(lambda: learner.update(rollout, 0.5))[0],
        }
        for measure in measures.values():
            measure()
        micro = {
            name: figure([1e6 * value / kept for value in values], "us a kept decision")
            for name, values in in_turn(measures, runs).items()
        }
        trainer.close()
    networks = {name: sum(array.nbytes for array in weights_of(net).values()) for name, net in learner.networks.items()}
    return {
        "kept share": kept / decisions,
        "packed bytes": packed.nbytes / kept,
        "plain bytes": sum(column.nbytes for column in vars(rollout).values()) / kept,
        "weight bytes": networks,
        "minibatches": config.optim.epochs * max(1, round(kept / config.optim.minibatch)),
        "kept of an update": kept,
        "microseconds": micro,
    }


def learning(config: Config, counts: Sequence[int], updates: int) -> dict[str, Any]:
    """Decisions per second of whole updates of ``train.selfplay`` by number of ranks, each on its own core."""
    found: dict[str, Any] = {}
    for count in counts:
        with cores(count):
            command = [sys.executable, "-m", "experiments.shared.scaling_rank", str(updates), str(config.deals)]
            if count > 1:
                command[1:2] = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count), "-m"]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            fail(f"{' '.join(command)}: {done.stderr}")
        rows = json.loads(done.stdout.splitlines()[-1])
        found[f"ranks:{count}"] = {
            name: figure([row[name] for row in rows], "decisions/s") for name in ("collect", "learn", "both")
        }
    return found


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(prog="python -m experiments.scaling", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], metavar="N", help="default: 1 2")
    parser.add_argument("--deals", type=int, default=384, help="of an update (default %(default)s)")
    parser.add_argument("--runs", type=int, default=7, help="of each figure (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    most = len(ALL_CORES) or 1
    if min(options.workers) < 1 or max(options.workers) > most:
        fail(f"--workers {options.workers}: expected numbers from 1 to the {most} cores that there are")
    if options.runs < 1 or options.deals < 2 * max(options.workers):
        fail(f"--runs {options.runs} --deals {options.deals}: expected at least 1, and two deals a worker")
    facts = about("experiments.scaling", argv, options.out, options.allow_dirty)
    start = time.perf_counter()
    sizes = {"threads": 1, "deals": options.deals, "parts": 2 * max(options.workers), "pool.share": 0.0, "seed": 1}
    config = with_settings(PRESETS["two-cores"], sizes)
    try:
        figures = {
            "settings": config.as_dict(),
            "goal": GOAL,
            "collecting": collecting(config, options.workers, options.runs),
            "learning": learning(config, options.workers, options.runs),
            "costs": costs(config, options.runs),
        }
    except RayError as error:
        fail(str(error))
    figures["minutes"] = round((time.perf_counter() - start) / 60, 1)
    result = write_result(options.out, facts, figures, kind=TIMING, seeds=[config.seed])
    print("\n\n".join(tables(result).values()))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.scaling", main))
