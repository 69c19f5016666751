"""What the process that keeps the folder of a run does besides training: measure, log, show, save and finish."""

from __future__ import annotations

import sys
from contextlib import closing

import torch

import persian_rummy_env
from persian_rummy_env.evaluation.match import MatchResult
from persian_rummy_env.system.files import write_whole
from persian_rummy_env.system.run_folder import new_id

from ..config.base import RunConfig, module_of
from ..data.deal_sets import RUN_CURVE
from . import curve
from .best import BestCopy
from .budget import due, left, progress_of
from .checkpoint import Checkpoint, config_text, save_run
from .command import fail
from .log import Log, columns_of
from .matches import evaluation_matches, match_columns
from .result import write_result
from .screen import Listened, Screen
from .training import Training
from .warm_up import warm_up


class MainProcess:
    """The first process of a run.

    Args:
        saved: the checkpoint that the run continues from; None: a new run.
    """

    def __init__(self, training: Training, saved: Checkpoint | None) -> None:
        self.training = training
        self.config, self.counters = training.config, training.counters
        self.algorithm, self.learner = training.algorithm, training.algorithm.learner
        self.identity, digest = (new_id(), "") if saved is None else (saved.run, saved.log)
        try:
            self.best = BestCopy(self.config, self.identity)
        except ValueError as error:
            fail(str(error))
        self.log = Log(
            self.config.out,
            self.counters.update,
            self.counters.decisions,
            columns_of(self.algorithm.columns),
            self.config.as_dict() if self.config.wandb else None,
            self.identity,
            digest,
        )
        self.matches: list[MatchResult] = []

    def run(self) -> None:
        """Train, and play the final matches if the budget is spent."""
        config = self.config
        write_whole(config.out / "config.json", config_text(config, about(), self.identity))
        console = Listened(self.training.stop.request)
        with closing(self.log), Screen(str(config.out), console, self.algorithm.shown) as screen:
            count = self.algorithm.ranks.count
            screen.say(f"{config.out}: {describe(config)}" + (f", {count} ranks" if count > 1 else ""))
            warm_up(type(self.algorithm), config, screen.say)
            for row in self.training.updates():
                self._after(row, screen)
            self._save()
            self.log.close()
            curve.draw(config.out)
        if progress_of(config, self.counters) < 1:
            resume = f"python -m {module_of(config.algorithm)} --resume {config.out}"
            screen.say(f"paused after update {self.counters.update}; go on with: {resume}")
        else:
            write_result(config, self.counters, self.learner.actor, self.best, self.identity, screen)

    def _after(self, row: dict[str, float], screen: Screen) -> None:
        """Measure, log, show and save what is due after an update; ``row``: its numbers."""
        config, counters = self.config, self.counters
        measure = due(config, counters, config.eval.every, counters.evaluations)
        if measure:
            counters.evaluations += 1
            self.matches = evaluation_matches(config, self.learner.actor, RUN_CURVE, config.eval.pairs)
            self.best.update(self.learner.actor, self.matches, counters.update)
            row = row | match_columns(self.matches)
        self.log.write(row)
        screen.show(row, left(config, counters), self.matches, measure)
        if due(config, counters, config.save_every, counters.saves):
            counters.saves += 1
            self._save()

    def _save(self) -> None:
        collectors = self.algorithm.collectors
        save_run(self.config, self.counters, self.learner, collectors, self.identity, self.log.digest)


def describe(config: RunConfig) -> str:
    """``5 minutes, seed 1, cpu, 2 threads, fp32``."""
    budget = f"{config.minutes:g} minutes" if config.minutes is not None else f"{config.updates} updates"
    return f"{budget}, seed {config.seed}, {config.device}, {config.threads} threads, {config.precision}"


def about() -> dict[str, str]:
    """The versions that a run is made with."""
    return {
        "persian_rummy_env": persian_rummy_env.__version__,
        "torch": torch.__version__,
        "python": sys.version.split()[0],
    }
