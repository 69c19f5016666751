"""The course of a training run, whatever learns in it: budget, matches, log, display, checkpoints, the end."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

import persian_rummy_env
from agents.learned import LearnedPolicy
from agents.load import load
from agents.network import Actor
from persian_rummy_env.files import write_whole

from . import curve
from .best import BestCopy
from .checkpoint import FILE, Checkpoint, CheckpointError, Counters, Tables, config_text, save_run
from .command import fail
from .config import C, RunConfig
from .learner import NetworkLearner
from .log import COLUMNS, RUNGS, Log, LogError
from .match import MatchResult, play_match
from .ranks import ALONE, Ranks, launched
from .screen import Screen, result_table

CURVE_DEALS, FINAL_DEALS = 20_001, 20_002
"""Seeds of the deal sets: one for the curve, another for the result."""


class Trainer(Protocol):
    """What learns in a run."""

    @property
    def learner(self) -> NetworkLearner: ...

    @property
    def tables(self) -> Sequence[Tables]:
        """Those that go on where they were from one update to the next."""
        ...

    def update(self, counters: Counters) -> dict[str, float]:
        """One update; counts it, and returns the row of the log."""
        ...

    def close(self) -> None:
        """Let go of whatever helped."""
        ...


def run(
    config: C,
    saved: Checkpoint | None,
    command: str,
    trainer_of: Callable[[C], Trainer],
    warm_up: Callable[[C], None],
    columns: Sequence[str] = COLUMNS,
    ranks: Ranks = ALONE,
) -> int:
    """Train until the budget is spent or somebody stops it; then the matches of the result.

    Args:
        saved: the checkpoint to go on from.
        command: the module that is run, for what is said.
        warm_up: compiles what the run needs, apart from it.
        columns: of the log.
        ranks: the processes that do it together; the first of them keeps the run's folder.
    """
    if launched() > ranks.count:
        fail(f"{command} runs in one process, and torchrun started {launched()}; python -m {command}", status=2)
    counters = Counters() if saved is None else saved.counters
    if saved is None and ranks.first:
        config = replace(config, out=free_folder(config))
    torch.set_num_threads(1)
    trainer = trainer_of(config)
    try:
        if saved is not None:
            saved.restore(trainer.learner, trainer.tables)
        elif config.start is not None:
            trainer.learner.begin_as(config.start)
    except (CheckpointError, FileNotFoundError, ValueError) as error:
        fail(str(error))
    with StopAsked(once=ranks.count > 1) as stop:
        if ranks.first:
            keep(config, counters, command, trainer, warm_up, columns, ranks, stop)
        else:
            warm_up(config)
            for _ in updates(config, counters, trainer, ranks, stop):
                pass
    trainer.close()
    return 0


def updates(
    config: RunConfig, counters: Counters, trainer: Trainer, ranks: Ranks, stop: StopAsked
) -> Iterator[dict[str, float]]:
    """The rows of the updates of a run, one after the other: as many as its budget has or until somebody stops it."""
    while not ranks.largest(stop.asked) and progress(config, counters) < 1 and not paused(config, counters):
        yield trainer.update(counters)


def keep(
    config: C,
    counters: Counters,
    command: str,
    trainer: Trainer,
    warm_up: Callable[[C], None],
    columns: Sequence[str],
    ranks: Ranks,
    stop: StopAsked,
) -> None:
    """The course of a run in the process that keeps its folder."""
    learner, tables = trainer.learner, trainer.tables
    try:
        config.out.mkdir(parents=True, exist_ok=True)
        log = Log(config.out, counters.update, counters.decisions, columns, config.as_dict() if config.wandb else None)
    except LogError as error:
        fail(str(error))
    write_whole(config.out / "config.json", config_text(config, about()).encode())
    matches: list[MatchResult] = []
    best = BestCopy(config)

    with Screen(str(config.out)) as screen:
        screen.say(f"{config.out}: {describe(config)}" + (f", {ranks.count} ranks" if ranks.count > 1 else ""))
        compile_first(config, warm_up, screen)
        for learnt in updates(config, counters, trainer, ranks, stop):
            row = learnt
            measure = due(config, counters, config.eval_every, counters.evaluations)
            if measure:
                counters.evaluations += 1
                matches = against_rungs(config, learner.actor, CURVE_DEALS, config.eval_pairs)
                best.offer(learner.actor, matches, counters.update)
                row = learnt | match_columns(matches)
            log.write(row)
            screen.show(row, left(config, counters), matches, measure)
            if due(config, counters, config.save_every, counters.saves):
                counters.saves += 1
                save_run(config.out, config, counters, learner, tables)

        save_run(config.out, config, counters, learner, tables)
        log.close()
        curve.draw(config.out, columns)

    if progress(config, counters) < 1:
        screen.say(f"paused after update {counters.update}; go on with: python -m {command} --resume {config.out}")
        return
    screen.say(f"playing {config.final_pairs:,} pairs of fresh deals against each bot …")
    rival = best.against(learner.actor, counters.update)
    player = learner.actor
    if rival is not None:
        screen.say(f"the best copy by the curve, {rival.a}, against the last one: {rival}")
        if rival.low > 0:
            player = best.take()
            screen.say("it is the player")
    matches = against_rungs(config, player, FINAL_DEALS, config.final_pairs)
    results = {
        "counters": vars(counters),
        "deals": FINAL_DEALS,
        "matches": [match.as_dict() for match in matches],
        "best against last": rival and rival.as_dict(),
    }
    write_whole(config.out / "results.json", (json.dumps(results, indent=2) + "\n").encode())
    screen.console.print(result_table(matches))
    screen.say(
        f"{counters.decisions / 1e6:.2f} M decisions in {counters.seconds:.0f} s of training "
        f"({counters.decisions / counters.seconds:,.0f} a second); the player: {config.out / 'policy.safetensors'}"
    )


def compile_first(config: C, warm_up: Callable[[C], None], screen: Screen) -> None:
    """Compiling is neither counted nor mistaken for standing still."""
    start = time.perf_counter()
    warm_up(config)
    if time.perf_counter() - start > 5:
        screen.say(f"compiled in {time.perf_counter() - start:.0f} s (kept for the next time)")


def device_of(config: RunConfig) -> torch.device:
    """The device of a run; one that is not there is an error."""
    try:
        device = torch.device(config.device)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        fail(f"device={config.device!r}: {error}", status=2)
    return device


def parts_of(total: int, count: int) -> list[int]:
    """A whole number as the sum of ``count`` that are as equal as can be."""
    return [total * (part + 1) // count - total * part // count for part in range(count)]


def deal_facts(length: np.ndarray, margin: np.ndarray, out: np.ndarray) -> dict[str, float]:
    """What the log holds of how deals went."""
    return {
        "deal_length": float(length.mean()),
        "deal_margin": float(abs(margin).mean()),
        "out_rate": float(out.mean()),
    }


def free_folder(config: RunConfig) -> Path:
    """Where a new run goes: no folder that holds one already."""
    if not (config.out / FILE).exists():
        return config.out
    if config.exists == "refuse":
        fail(f"{config.out / FILE}: there is a run already; --resume {config.out} goes on with it")
    numbered = (config.out.with_name(f"{config.out.name}-{number}") for number in count(2))
    return next(folder for folder in numbered if not (folder / FILE).exists())


class StopAsked:
    """Within it, Ctrl-C or a polite kill lets the update under way be finished and saved; a second stops at once.

    Args:
        once: no second one is listened to. torchrun passes on what the terminal may have sent already, and ends what
            takes longer than 30 seconds itself.
    """

    def __init__(self, once: bool = False) -> None:
        self.asked = False
        self._once = once
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopAsked:
        self._before = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, *_: object) -> None:
        self.asked = True
        if not self._once:
            self.__exit__()


def spent(config: RunConfig, counters: Counters) -> float:
    """The budget that is spent, in seconds or updates."""
    return counters.seconds if config.minutes is not None else counters.update


def progress(config: RunConfig, counters: Counters) -> float:
    """The share of the budget that is spent."""
    budget = 60 * config.minutes if config.minutes is not None else config.updates
    assert budget is not None
    return min(1.0, spent(config, counters) / budget)


def left(config: RunConfig, counters: Counters) -> str:
    if config.minutes is None:
        return f"{config.updates} - {counters.update} updates"
    seconds = max(0, round(60 * config.minutes - counters.seconds))
    return f"{seconds // 60}:{seconds % 60:02d}"


def paused(config: RunConfig, counters: Counters) -> bool:
    return config.pause_after is not None and counters.update >= config.pause_after


def due(config: RunConfig, counters: Counters, every: float, done: int) -> bool:
    """Something that is done ``every`` so many seconds or updates, and at the end, was done fewer times than that."""
    return spent(config, counters) >= every * (done + 1) or progress(config, counters) >= 1


def against_rungs(config: RunConfig, actor: Actor, deals: int, pairs: int) -> list[MatchResult]:
    player = LearnedPolicy(actor, config.device)
    return [play_match(player, load(rung), pairs, deals, rules=config.rules, episode=config.episode) for rung in RUNGS]


def match_columns(matches: list[MatchResult]) -> dict[str, float]:
    words = (("margin", "margin"), ("low", "low"), ("high", "high"), ("won", "win_rate"))
    return {f"{word}_{m.b}": getattr(m, name) for m in matches for word, name in words}


def time_facts(config: RunConfig, counters: Counters, decisions: int, collect: float, learn: float) -> dict[str, float]:
    """What the log holds of an update in any run; ``counters`` have counted it."""
    return {
        "update": counters.update,
        "decisions": counters.decisions,
        "deals": counters.deals,
        "seconds": counters.seconds,
        "progress": progress(config, counters),
        "decisions_per_second": decisions / (collect + learn),
        "collect_seconds": collect,
        "learn_seconds": learn,
    }


def describe(config: RunConfig) -> str:
    budget = f"{config.minutes:g} minutes" if config.minutes is not None else f"{config.updates} updates"
    return f"{budget}, seed {config.seed}, {config.device}, {config.threads} threads, {config.precision}"


def about() -> dict[str, str]:
    return {
        "persian_rummy_env": persian_rummy_env.__version__,
        "torch": torch.__version__,
        "python": sys.version.split()[0],
    }
