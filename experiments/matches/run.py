"""Shared parts of commands that play matches: options, policies by name, interruption, progress."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from persian_rummy_env.evaluation.match import Pairs
from persian_rummy_env.evaluation.match_cache import MatchSettings
from persian_rummy_env.evaluation.playing_code import playing_code
from persian_rummy_env.evaluation.ray_pool import RayError, RayPool, number_of_workers
from persian_rummy_env.evaluation.workers import Job, LocalPlayers, MatchWorker, Players, RayPlayers
from persian_rummy_env.players.load import load, split_specs
from persian_rummy_env.players.policy import BasePolicy, check_rules
from persian_rummy_env.rules import RULES_HELP, RuleSet
from persian_rummy_env.system.run_folder import FolderError, claimed
from persian_rummy_env.system.signals import on_ending

from ..shared.result_file import add_result_options, fail


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all experiments with matches."""
    parser.add_argument("--seed", type=int, default=1, help="of the deal set (default %(default)s)")
    parser.add_argument("--rules", default="", help=RULES_HELP)
    parser.add_argument("--episode", choices=("deal", "game"), default="deal", help="default %(default)s")
    parser.add_argument("--split-stock", action="store_true", help="each seat draws from a stock of its own")
    parser.add_argument(
        "--anew", action="store_true", help="play again what was played by other code or on other settings"
    )
    parser.add_argument("--device", default="cpu", help="where trained policies compute (default %(default)s)")
    parser.add_argument(
        "--workers",
        default="local",
        help="who plays: local, or ray:N, processes of a Ray cluster (default %(default)s)",
    )
    add_result_options(parser)


def settings_of(options: argparse.Namespace) -> MatchSettings:
    if options.seed < 0:
        fail(f"--seed {options.seed}: expected a number of at least 0")
    try:
        return MatchSettings(options.seed, RuleSet.parse(options.rules), options.episode, options.split_stock)
    except ValueError as error:
        fail(str(error))


def policies_of(text: str, settings: MatchSettings, device: str, least: int = 2) -> dict[str, BasePolicy]:
    """Load the policies of a list, by name, and check that they can play by the rules."""
    try:
        specs = split_specs(text)
        policies = {spec: load(spec, device) for spec in specs}
        for policy in policies.values():
            check_rules(policy, settings.rules)
    except (ValueError, FileNotFoundError) as error:
        fail(str(error))
    if len(policies) < len(specs):
        fail(f"{', '.join(sorted({spec for spec in specs if specs.count(spec) > 1}))}: given twice")
    if len(policies) < least:
        fail(f"{len(policies)} policies ({', '.join(policies)}): expected at least {least}")
    return policies


@contextlib.contextmanager
def stopped_politely() -> Iterator[None]:
    """Handle ``SIGTERM`` and a closed terminal as Ctrl-C."""

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with on_ending(interrupt):
        yield


@contextlib.contextmanager
def folder_for(out: Path, *own: str) -> Iterator[None]:
    """Lock the folder of a result, which must hold no files of a training run.

    Args:
        own: names of files of the command, which are written again.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(claimed(out, but=own))
        except FolderError as error:
            fail(str(error))
        yield


@contextlib.contextmanager
def players_of(options: argparse.Namespace) -> Iterator[Players]:
    """The players of ``--workers``; their faults end the command with one line."""
    try:
        count = number_of_workers(options.workers)
    except ValueError as error:
        fail(str(error))
    if not count:
        yield LocalPlayers()
        return
    try:
        pool: RayPool[Job, Pairs] = RayPool(count, partial(MatchWorker, options.device, playing_code()))
        try:
            yield RayPlayers(pool)
        finally:
            pool.close()
    except RayError as error:
        fail(str(error))
