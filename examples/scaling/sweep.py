"""A run for each of several seeds and settings, as many at once as a Ray cluster has room for.

    python examples/scaling/sweep.py --seeds 1 2 3 --out runs/sweep -- --preset quick --minutes 5
    python examples/scaling/sweep.py --seeds 1 2 --vary optim.lr "7e-4 7e-5" "3e-4 3e-5" --out runs/sweep

Each run is a command of its own, in a folder of its own; one that is there already is not run again. The table is of
the closing matches.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import ray

ROOT = Path(__file__).resolve().parents[2]


@ray.remote
def trained(words: Sequence[str], out: str) -> str:
    """Run a training; returns its folder."""
    if not (Path(out) / "results.json").exists():
        command = [sys.executable, "-m", "train.selfplay", *words, "--out", out]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return out


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    own_args, rest = (argv[: argv.index("--")], argv[argv.index("--") + 1 :]) if "--" in argv else (argv, [])
    parser = argparse.ArgumentParser(description="A run for each of several seeds and settings.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--vary", nargs="+", metavar=("SETTING", "VALUE"), help="a setting, and values of it")
    parser.add_argument("--cpus", type=int, default=2, help="of each run, which has as many threads")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(own_args)
    setting, *values = options.vary or [None, None]
    waiting = []
    if not ray.is_initialized():
        ray.init(include_dashboard=False)
    for value, seed in itertools.product(values, options.seeds):
        varied = [] if setting is None else [f"--{setting}", *value.split()]
        name = "-".join(filter(None, [setting, value and value.replace(" ", "-"), f"seed-{seed}"]))
        words = [*rest, *varied, "--threads", str(options.cpus), "--seed", str(seed)]
        waiting.append(trained.options(num_cpus=options.cpus).remote(words, str((options.out / name).resolve())))
    for reference in waiting:
        out = Path(ray.get(reference))
        matches = json.loads((out / "results.json").read_text())["matches"]
        print(f"{out.name}: " + ", ".join(f"{match['b']} {match['margin']:+.1f}" for match in matches), flush=True)


if __name__ == "__main__":
    main()
