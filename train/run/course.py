"""The course of a run from its command to its end, whatever learns in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from persian_rummy_env.evaluation.ray_pool import RayError
from persian_rummy_env.system.signals import on_ending

from ..algorithms.base import Algorithm, StartError
from ..config.base import C, module_of
from ..scale.ranks import ALONE, Ranks, launched
from .checkpoint import Checkpoint, CheckpointError
from .command import fail, failing, parse
from .counters import Counters
from .folder import folder_of
from .main_process import MainProcess
from .screen import GracefulStop
from .training import Training
from .warm_up import warm_up


def command(algorithm: type[Algorithm[C, Any]], presets: Mapping[str, C], argv: Sequence[str] | None) -> int:
    """The command of an algorithm: read its settings, start or resume the run, and train.

    Args:
        presets: settings by name; the first is the default.
        argv: words of the command line; None: those of the process.

    Returns:
        The exit status.
    """
    config, saved = parse(argv, presets)
    module = module_of(config.algorithm)
    if launched() > 1 and not algorithm.runs_in_ranks:
        fail(f"{module} runs in one process, and torchrun started {launched()}; python -m {module}", status=2)
    ranks = Ranks.join() if algorithm.runs_in_ranks else ALONE
    return run(algorithm, config.completed(ranks.count), saved, ranks)


def run(algorithm: type[Algorithm[C, Any]], config: C, saved: Checkpoint | None, ranks: Ranks = ALONE) -> int:
    """Train until the budget is spent or somebody stops the run; then play the final matches.

    Args:
        saved: the checkpoint that the run continues from; None: a new run.
        ranks: the processes that train together; the first keeps the folder of the run.

    Returns:
        The exit status.
    """
    with failing(), folder_of(config, saved, ranks) as folder:
        config = replace(config, out=folder)
        torch.set_num_threads(1)
        counters = Counters() if saved is None else saved.counters
        training = Training(config, started(algorithm, config, saved, ranks), counters, GracefulStop())
        once = ranks.count > 1  # torchrun passes on what the terminal may have sent already
        with on_ending(training.stop.request, once=once):
            if ranks.first:
                MainProcess(training, saved).run()
            else:
                warm_up(algorithm, config, lambda _: None)
                for _ in training.updates():
                    pass
        training.algorithm.close()
    return 0


def started(algorithm: type[Algorithm[C, Any]], config: C, saved: Checkpoint | None, ranks: Ranks) -> Algorithm[C, Any]:
    """The algorithm as the run begins or as its checkpoint stored it."""
    try:
        made = algorithm(config, ranks)
    except StartError as error:
        fail(str(error), status=2)
    except RayError as error:
        fail(str(error))
    try:
        if saved is not None:
            saved.restore(made.learner, made.collectors)
            made.stage = saved.counters.stage
        elif config.init_from is not None:
            made.learner.begin_as(config.init_from)
    except (CheckpointError, FileNotFoundError, ValueError) as error:
        fail(str(error))
    return made
