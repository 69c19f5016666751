"""The course of a training run, whatever learns in it: budget, matches, log, display, checkpoints, the end."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

import persian_rummy_env
from agents.learned import LearnedPolicy
from agents.network import Actor
from persian_rummy_env.evaluation.match import MatchResult, play_match
from persian_rummy_env.players.load import load
from persian_rummy_env.players.tensor_file import NotFiniteError
from persian_rummy_env.system.files import write_whole
from persian_rummy_env.system.run_folder import claimed, locked, new_id, refuse_strangers
from persian_rummy_env.system.signals import on_ending

from . import curve
from .algorithms.learner import NetworkLearner
from .best import BestCopy
from .checkpoint import Checkpoint, CheckpointError, Counters, Resumable, config_text, save_run
from .command import fail, failing
from .config.base import C, RunConfig
from .deal_sets import RUN_CURVE, RUN_REPORT
from .log import COLUMNS, EVALUATION_BOTS, Log
from .scale.ranks import ALONE, Ranks, launched
from .screen import GracefulStop, Listened, Screen, result_table


class Trainer(Protocol):
    """What learns in a run."""

    @property
    def learner(self) -> NetworkLearner: ...

    @property
    def collectors(self) -> Sequence[Resumable]:
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
    with failing(), folder_of(config, saved, ranks) as folder:
        config = replace(config, out=folder)
        counters = Counters() if saved is None else saved.counters
        torch.set_num_threads(1)
        trainer = trainer_of(config)
        try:
            if saved is not None:
                saved.restore(trainer.learner, trainer.collectors)
            elif config.init_from is not None:
                trainer.learner.begin_as(config.init_from)
        except (CheckpointError, FileNotFoundError, ValueError) as error:
            fail(str(error))
        stop = GracefulStop()
        with on_ending(
            stop.request, once=ranks.count > 1
        ):  # torchrun passes on what the terminal may have sent already
            if ranks.first:
                run_main_process(config, saved, counters, command, trainer, warm_up, columns, ranks, stop)
            else:
                warm_up(config)
                for _ in updates(config, counters, trainer, ranks, stop):
                    pass
        trainer.close()
    return 0


def folder_of(config: RunConfig, saved: Checkpoint | None, ranks: Ranks) -> AbstractContextManager[Path]:
    """The folder that a run writes into, which the first rank has to itself."""
    if not ranks.first:
        return nullcontext(config.out)
    return claimed(config.out, config.if_exists) if saved is None else gone_on_with(config.out, saved.run)


@contextmanager
def gone_on_with(folder: Path, run: str) -> Iterator[Path]:
    """The folder of a run that is resumed."""
    with locked(folder):
        refuse_strangers(folder, run)
        yield folder


def updates(
    config: RunConfig, counters: Counters, trainer: Trainer, ranks: Ranks, stop: GracefulStop
) -> Iterator[dict[str, float]]:
    """The rows of the updates of a run, one after the other: as many as its budget has or until somebody stops it.

    Raises:
        NotFiniteError: one of them diverged; the message names it and what was not finite in it. Nobody keeps it.
    """
    while not ranks.largest(stop.requested) and progress_of(config, counters) < 1 and not paused(config, counters):
        number = counters.update + 1
        try:
            row = trainer.update(counters)
            trainer.learner.refuse_divergence(row)
        except NotFiniteError as error:
            raise NotFiniteError(
                f"{config.out}: update {number} diverged: {error}. It is not saved; the last checkpoint and the player "
                "in the folder, if there are any, are of before. A smaller --optim.lr may help, in a new run"
            ) from error
        yield row


def run_main_process(
    config: C,
    saved: Checkpoint | None,
    counters: Counters,
    command: str,
    trainer: Trainer,
    warm_up: Callable[[C], None],
    columns: Sequence[str],
    ranks: Ranks,
    stop: GracefulStop,
) -> None:
    """The course of a run in the process that keeps its folder."""
    learner, collectors = trainer.learner, trainer.collectors
    run, digest = (new_id(), "") if saved is None else (saved.run, saved.log)
    try:
        best = BestCopy(config, run)
    except ValueError as error:
        fail(str(error))
    wandb_settings = config.as_dict() if config.wandb else None
    log = Log(config.out, counters.update, counters.decisions, columns, wandb_settings, run, digest)
    write_whole(config.out / "config.json", config_text(config, about(), run))
    matches: list[MatchResult] = []

    with closing(log), Screen(str(config.out), Listened(stop.request)) as screen:
        screen.say(f"{config.out}: {describe(config)}" + (f", {ranks.count} ranks" if ranks.count > 1 else ""))
        compile_first(config, warm_up, screen)
        for learnt in updates(config, counters, trainer, ranks, stop):
            row = learnt
            measure = due(config, counters, config.eval.every, counters.evaluations)
            if measure:
                counters.evaluations += 1
                matches = evaluation_matches(config, learner.actor, RUN_CURVE, config.eval.pairs)
                best.update(learner.actor, matches, counters.update)
                row = learnt | match_columns(matches)
            log.write(row)
            screen.show(row, left(config, counters), matches, measure)
            if due(config, counters, config.save_every, counters.saves):
                counters.saves += 1
                save_run(config.out, config, counters, learner, collectors, run, log.digest)

        save_run(config.out, config, counters, learner, collectors, run, log.digest)
        log.close()
        curve.draw(config.out, columns)

    if progress_of(config, counters) < 1:
        screen.say(f"paused after update {counters.update}; go on with: python -m {command} --resume {config.out}")
        return
    screen.say(f"playing {config.eval.final_pairs:,} pairs of fresh deals against each bot …")
    challenge = best.challenge(learner.actor, counters.update)
    player = learner.actor
    if challenge is not None:
        screen.say(f"the best copy by the curve, {challenge.a}, against the last one: {challenge}")
        if challenge.low > 0:
            player = best.promote()
            screen.say("it is the player")
    matches = evaluation_matches(config, player, RUN_REPORT, config.eval.final_pairs)
    results = {
        "run": run,
        "counters": vars(counters),
        "deals": RUN_REPORT,
        "matches": [match.as_dict() for match in matches],
        "best against last": challenge and challenge.as_dict(),
    }
    write_whole(config.out / "results.json", json.dumps(results, indent=2) + "\n")
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


def deal_stats(length: np.ndarray, margin: np.ndarray, out: np.ndarray) -> dict[str, float]:
    """What the log holds of how deals went."""
    return {
        "deal_length": float(length.mean()),
        "deal_margin": float(abs(margin).mean()),
        "out_rate": float(out.mean()),
    }


def spent(config: RunConfig, counters: Counters) -> float:
    """The budget that is spent, in seconds or updates."""
    return counters.seconds if config.minutes is not None else counters.update


def progress_of(config: RunConfig, counters: Counters) -> float:
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
    return spent(config, counters) >= every * (done + 1) or progress_of(config, counters) >= 1


def evaluation_matches(config: RunConfig, actor: Actor, deals: int, pairs: int) -> list[MatchResult]:
    player = LearnedPolicy(actor, config.device)
    return [
        play_match(player, load(bot), pairs, deals, rules=config.rule_set, episode=config.episode)
        for bot in EVALUATION_BOTS
    ]


def match_columns(matches: list[MatchResult]) -> dict[str, float]:
    words = (("margin", "margin"), ("low", "low"), ("high", "high"), ("won", "win_rate"))
    return {f"{word}_{m.b}": getattr(m, name) for m in matches for word, name in words}


def timing_stats(
    config: RunConfig, counters: Counters, decisions: int, collect: float, learn: float
) -> dict[str, float]:
    """What the log holds of an update in any run; ``counters`` have counted it."""
    return {
        "update": counters.update,
        "decisions": counters.decisions,
        "deals": counters.deals,
        "seconds": counters.seconds,
        "progress": progress_of(config, counters),
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
