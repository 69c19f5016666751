"""Profile of training: ``python -m experiments.train_profile``.

Runs updates of PPO self-play on one thread with the networks of the preset, in fp32 and in bf16. It adds up the
processor time of every part without the parts that it calls; other work on the machine changes this little. Writes
``results/train_profile.json``; ``python -m tools.result_pages`` prints it into docs/.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import train.algorithms.ppo
import train.data.rollout
from agents.network import Actor, Critic
from persian_rummy_env import PersianRummyVecEnv
from train.algorithms.learner import NetworkLearner
from train.algorithms.ppo import Learner
from train.config.base import with_settings
from train.config.ppo import Config
from train.config.presets import PRESETS
from train.data.rollout import Collector, EpisodeCollector
from train.selfplay import SelfPlay

from .shared.claim import Claim
from .shared.result_file import TIMING, about, add_result_options, fail, write_result

CLAIM = Claim(
    text="the environment takes 2% of the time of training; bf16 saves a fifth",
    command="python -m experiments.train_profile",
    expected="the table of docs/notes/training.md",
    minutes=1,
    result="train_profile.json",
    page="docs/notes/training.md",
)

RESULT = Path(__file__).parent / "results" / "train_profile.json"
PARTS: dict[str, list[tuple[Any, str]]] = {
    "the environment": [(PersianRummyVecEnv, name) for name in ("step", "reset", "get_state", "bot_actions")],
    "collecting: what networks read is listed": [(EpisodeCollector, "inputs")],
    "collecting: the actor chooses": [(Actor, "choose")],
    "collecting: advantages": [(train.data.rollout, "advantages")],
    "collecting: the rest": [(Collector, "collect")],
    "learning: what networks read is listed": [(Learner, "_inputs")],
    "learning: forward, actor": [(Actor, "evaluate_near")],
    "forward, critic: values for collecting, and learning": [(Critic, "forward")],
    "learning: backward": [(train.algorithms.ppo.torch.autograd, "grad")],
    "learning: steps of the optimisers": [(NetworkLearner, "step")],
    "learning: the rest": [(Learner, "update")],
}
"""The functions of each part. A call of a function of another part counts for that part."""


class Watch:
    """Adds up processor seconds by part, for functions that call each other."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._within: list[str] = []
        self._since = time.thread_time()

    def _turn(self) -> None:
        now = time.thread_time()
        if self._within:
            self.seconds[self._within[-1]] += now - self._since
        self._since = now

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **options: Any) -> Any:
            self._turn()
            self._within.append(part)
            try:
                return function(*args, **options)
            finally:
                self._turn()
                self._within.pop()

        return watched


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Patch all functions of ``PARTS`` to report to ``watch``."""
    before = [(home, name, getattr(home, name)) for functions in PARTS.values() for home, name in functions]
    try:
        for part, functions in PARTS.items():
            for home, name in functions:
                setattr(home, name, watch.timed(part, getattr(home, name)))
        yield
    finally:
        for home, name, function in before:
            setattr(home, name, function)


def measured(config: Config, updates: int) -> dict[str, Any]:
    """Processor microseconds per decision, by part; all decisions count, as in the log."""
    trainer = SelfPlay(config)
    trainer.ppo_step(0.0)  # compiles and fills caches
    watch = Watch()
    with watching(watch):
        decisions = sum(trainer.ppo_step(0.0).decisions for _ in range(updates))
    trainer.close()
    each = {part: 1e6 * seconds / decisions for part, seconds in watch.seconds.items()}
    return {"decisions": decisions, "microseconds": {part: round(us, 3) for part, us in each.items()}}


def table(result: Mapping[str, Any]) -> str:
    """Markdown: the parts in both precisions."""
    columns = {name: result[name]["microseconds"] for name in ("fp32", "bf16")}
    totals = {name: sum(column.values()) for name, column in columns.items()}
    lines = ["| part | µs a decision | share | µs in bf16 |", "| --- | ---: | ---: | ---: |"]
    for part, us in columns["fp32"].items():
        lines.append(f"| {part} | {us:.2f} | {us / totals['fp32']:.0%} | {columns['bf16'][part]:.2f} |")
    lines.append(f"| all | {totals['fp32']:.1f} | | {totals['bf16']:.1f} |")
    return "\n".join(lines)


def tables(result: Mapping[str, Any]) -> dict[str, str]:
    """The table of a result, by its name in docs/."""
    return {"train: profile": table(result)}


def main(given: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(
        prog="python -m experiments.train_profile", description="where the time of training goes"
    )
    parser.add_argument("--updates", type=int, default=10, help="that are measured (default %(default)s)")
    parser.add_argument("--preset", choices=("quick", "two-cores", "scratch"), default="two-cores")
    parser.add_argument("--deals", type=int, help="for an update (default: the preset's)")
    parser.add_argument("--out", type=Path, default=RESULT, help="default %(default)s")
    add_result_options(parser)
    options = parser.parse_args(argv)
    if options.updates < 1:
        fail(f"--updates {options.updates}: expected at least 1")
    preset = PRESETS[options.preset]
    stages = {"bc.fraction": 0.0, "bc.logit_scale": 1.0, "ppo.critic_warmup_updates": 0}
    config = with_settings(preset, {**stages, "threads": 1, "deals": options.deals or preset.deals})
    facts = about("experiments.train_profile", argv, options.out, options.allow_dirty)
    figures = {
        "settings": config.as_dict(),
        "fp32": measured(config, options.updates),
        "bf16": measured(replace(config, precision="bf16"), options.updates),
    }
    result = write_result(options.out, facts, figures, kind=TIMING, seeds=[config.seed])
    print(table(result))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.train_profile", main))
