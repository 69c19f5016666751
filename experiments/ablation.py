"""Ablation of training: ``python -m experiments.ablation --minutes 5 --seeds 2``.

Trains with the default recipe, with the recipe without one part at a time, and by the other algorithms, each with the
same minutes and seeds. Every player plays the bots on the same fresh deals. The worth of a part is what the recipe
without it loses against each bot. The interval is that of the matches; results of all seeds are listed. Writes
``DIR/results.json`` after each run; ``python -m tools.result_pages`` prints its table into docs/. The runs are in
``DIR/runs`` (not committed), and the same command resumes them.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from train.run.log import EVALUATION_BOTS

from .shared.claim import Claim
from .shared.result_file import STRENGTH, about, add_result_options, fail, write_result

CLAIM = Claim(
    text="each part of training is worth what its ablation says",
    command="python -m experiments.ablation --threads 1",
    expected="the table of docs/notes/training.md; the command resumes",
    minutes=130,
    result="ablation/results.json",
    page="docs/notes/training.md",
)

OUT = Path("experiments/results/ablation")


class Variant(NamedTuple):
    """A variant of training: the module, and settings that differ from its preset."""

    module: str
    settings: str
    preset: str = "two-cores"


VARIANTS = {
    "the recipe": Variant("train.selfplay", ""),
    "no teacher": Variant("train.selfplay", "--bc.fraction 0 --bc.logit-scale 1"),
    "not sharpened": Variant("train.selfplay", "--bc.logit-scale 1"),
    "no bots as opponents": Variant("train.selfplay", "--bots.names --bots.share 0"),
    "no earlier copies as opponents": Variant("train.selfplay", "--pool.share 0"),
    "critic without the hidden hands": Variant("train.selfplay", "--ppo.no-privileged-critic"),
    "without what seats left in the pile": Variant("experiments.shared.masked_training", ""),
    "PPO from nothing": Variant("train.selfplay", "", "scratch"),
    "deep Monte Carlo": Variant("train.dmc", ""),
    "imitation alone": Variant("train.imitate", "", "quick"),
    "expert iteration": Variant("train.expert_iteration", ""),
}


def command_of(variant: Variant, minutes: float, seed: int, threads: int, pairs: int, out: Path) -> list[str]:
    """The command that trains a variant."""
    words = [variant.module, "--preset", variant.preset, *shlex.split(variant.settings)]
    never = str(60 * minutes + 1)  # no matches during the run
    budget = ["--minutes", str(minutes), "--seed", str(seed), "--threads", str(threads), "--eval.every", never]
    return ["-m", *words, *budget, "--eval.final-pairs", str(pairs), "--out", str(out)]


def trained(name: str, variant: Variant, options: argparse.Namespace, seed: int) -> dict[str, Any]:
    """The result of a run: read if it is complete, resumed if it was started, else trained."""
    out = options.out / "runs" / f"{name.replace(' ', '_')}-{seed}"
    if not (out / "results.json").is_file():
        words = command_of(variant, options.minutes, seed, options.threads, options.pairs, out)
        if (out / "checkpoint.safetensors").is_file():
            words = ["-m", variant.module, "--resume", str(out)]
        else:
            shutil.rmtree(out, ignore_errors=True)  # a run that ended before its first checkpoint
        print(f"{name}, seed {seed}: python {shlex.join(words)}", flush=True)
        done = subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0 or not (out / "results.json").is_file():
            fail(f"{name}, seed {seed}: the run ended with status {done.returncode}; the same command goes on with it")
    result = json.loads((out / "results.json").read_text())
    saved = json.loads((out / "config.json").read_text())["settings"]
    if saved["minutes"] != options.minutes or saved["threads"] != options.threads:
        fail(f"{out}: a run of {saved['minutes']} minutes with {saved['threads']} threads; give another --out")
    return {
        "seed": seed,
        "decisions": result["counters"]["decisions"],
        "matches": {m["b"]: {key: m[key] for key in ("margin", "low", "high", "pairs")} for m in result["matches"]},
    }


def table(found: dict[str, list[dict[str, Any]]]) -> str:
    """Markdown: a row for each variant, with the margins by seed and the half-width of their intervals."""
    lines = ["| way | M decisions | " + " | ".join(f"`{bot}`" for bot in EVALUATION_BOTS) + " |"]
    lines.append("| --- | ---: |" + " ---: |" * len(EVALUATION_BOTS))
    for name, runs in found.items():
        cells = [", ".join(f"{run['decisions'] / 1e6:.1f}" for run in runs)]
        for bot in EVALUATION_BOTS:
            matches = [run["matches"][bot] for run in runs]
            half = max((m["high"] - m["low"]) / 2 for m in matches)
            cells.append(", ".join(f"{m['margin']:+.1f}" for m in matches) + f" ± {half:.1f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def tables(result: Mapping[str, Any]) -> dict[str, str]:
    """The table of a result, by its name in docs/."""
    return {"train: ablation": table(result["ways"]).rstrip()}


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ablation", description="what each part of training is worth"
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="of training, each (default %(default)s)")
    parser.add_argument("--seeds", type=int, default=2, help="seeds 1 to this (default %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="of each run (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=4096, help="duplicate pairs of a match (default %(default)s)")
    parser.add_argument("--only", nargs="+", choices=tuple(VARIANTS), help="these ways (default: all)", metavar="WAY")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder of the result (default %(default)s)")
    add_result_options(parser)
    options = parser.parse_args(argv)
    for name in ("minutes", "seeds", "threads", "pairs"):
        if not getattr(options, name) > 0:
            fail(f"--{name} {getattr(options, name)}: expected a number above 0")
    out, seeds = options.out / "results.json", range(1, options.seeds + 1)
    facts = about("experiments.ablation", argv, out, options.allow_dirty)
    found: dict[str, list[dict[str, Any]]] = {}
    for seed in seeds:
        for name in options.only or VARIANTS:
            found.setdefault(name, []).append(trained(name, VARIANTS[name], options, seed))
            figures = {"minutes": options.minutes, "threads": options.threads, "ways": found}
            write_result(out, facts, figures, kind=STRENGTH, seeds=seeds, players=EVALUATION_BOTS)
    print(table(found))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.ablation", main))
