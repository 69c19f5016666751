"""An approximate best response: the margin of a team that is trained against a frozen policy.

    python -m experiments.best_response --against deepest --minutes 10 --seed 1 --out DIR

Trains a new team (cloned from a bot first, if the preset does so) against the policy, which plays the other two seats
and does not change, then plays fresh duplicate deals against it. The margin of the team is a lower bound of the
exploitability of the policy: a better learning algorithm may find more. Writes ``DIR/results.json`` and the team,
``DIR/policy.safetensors``. Ctrl-C ends the training early; the team so far is then measured. A run cannot be resumed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agents.learned import LearnedPolicy, policy_bytes, read_policy
from persian_rummy_env.evaluation.match import MatchResult, play_match
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import check_rules
from persian_rummy_env.players.tensor_file import NotFiniteError
from persian_rummy_env.system.files import write_whole
from train.algorithms.ppo import Learner
from train.config.base import with_settings
from train.config.ppo import Config
from train.config.presets import PRESETS
from train.data.against import collectors_versus
from train.data.deal_sets import RESPONSE_CURVE, RESPONSE_RESULT
from train.run.budget import progress_of, spent
from train.run.counters import Counters
from train.run.screen import GracefulStop
from train.run.training import Training
from train.scale.workers import LocalWorkers
from train.selfplay import SelfPlay

from .matches.run import folder_for, stopped_politely
from .shared.markdown import plus_minus
from .shared.result_file import STRENGTH, about, add_result_options, fail, write_result


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.best_response", description="Train a team against a frozen policy."
    )
    parser.add_argument("--against", required=True, help="the policy, by name; the file of a trained one: file:PATH")
    parser.add_argument("--init-from", type=Path, help="file of a trained policy whose weights the team starts with")
    parser.add_argument("--preset", choices=tuple(PRESETS), default="two-cores", help="settings (default %(default)s)")
    parser.add_argument("--minutes", type=float, help="of training, measuring not counted (default: the preset's)")
    parser.add_argument("--updates", type=int, help="budget in updates instead")
    parser.add_argument("--deals", type=int, help="deals played for an update (default: the preset's)")
    parser.add_argument("--seed", type=int, default=1, help="of everything (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=4096, help="duplicate pairs of the result (default %(default)s)")
    parser.add_argument("--curve-pairs", type=int, default=512, help="pairs of each measure in between")
    parser.add_argument(
        "--every", type=float, default=60.0, help="seconds of training between them (updates: of those)"
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder of the result")
    add_result_options(parser)
    return parser.parse_args(argv)


def config_of(options: argparse.Namespace) -> Config:
    """The settings of the training, from the preset and the command line."""
    preset = PRESETS[options.preset]
    alone = {"pool.share": 0.0, "bots.names": (), "bots.share": 0.0}  # the policy is the only opponent
    changes: dict[str, Any] = {"seed": options.seed, "out": options.out, **alone}
    if options.updates is not None:
        changes |= {"updates": options.updates, "minutes": options.minutes}
    elif options.minutes is not None:
        changes["minutes"] = options.minutes
    if options.deals is not None:
        changes["deals"] = options.deals
    if options.init_from is not None:
        shape = read_policy(options.init_from).shape
        network = {"network.kind": shape.kind, "network.width": shape.width, "network.blocks": shape.blocks}
        changes |= {"init_from": options.init_from, "bc.fraction": 0.0, **network}
    return with_settings(preset, changes)


def train(
    config: Config, against: str, start: Path | None, measure: Callable[[Learner, dict[str, float]], None], every: float
) -> Learner:
    """Train until the budget is spent or a signal stops it; ``measure`` is called with period ``every``, in seconds or
    updates, and at the end."""
    trainer = SelfPlay(config, workers_of=partial(LocalWorkers, collectors=collectors_versus(against)))
    learner, counters, measured = trainer.learner, Counters(), 0
    if start is not None:
        learner.begin_as(start)
    training = Training(config, trainer, counters, GracefulStop())
    try:
        with stopped_politely():
            while progress_of(config, counters) < 1:
                learner.refuse_divergence(training.update())
                if spent(config, counters) >= every * (measured + 1) and progress_of(config, counters) < 1:
                    measured += 1
                    measure(learner, facts_of(config, counters))
    except KeyboardInterrupt:
        print("interrupted: the team so far is measured", file=sys.stderr, flush=True)
    trainer.close()
    return learner


def facts_of(config: Config, counters: Counters) -> dict[str, float]:
    """The counters of a training, for a point of its curve."""
    return {
        "updates": counters.update,
        "decisions": counters.decisions,
        "seconds": counters.seconds,
        "progress": progress_of(config, counters),
    }


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    options = arguments(argv)
    with folder_for(options.out, "results.json", "policy.safetensors"):
        return experiment(argv, options)


def experiment(argv: Sequence[str], options: argparse.Namespace) -> int:
    """Train the team, measure it, and write the result."""
    try:
        config = config_of(options)
        opponent = load(options.against, config.device)
        check_rules(opponent, config.rule_set)
    except (ValueError, FileNotFoundError) as error:
        fail(str(error))
    facts = about("experiments.best_response", argv, options.out / "results.json", options.allow_dirty)
    curve: list[dict[str, Any]] = []

    def against(learner: Learner, pairs: int, deals: int) -> MatchResult:
        player = LearnedPolicy(learner.actor, config.device)
        player.name = f"trained against {options.against}"
        return play_match(player, opponent, pairs, deals, rules=config.rule_set)

    def measure(learner: Learner, so_far: dict[str, float]) -> None:
        match = against(learner, options.curve_pairs, RESPONSE_CURVE)
        curve.append({**so_far, **{name: getattr(match, name) for name in ("margin", "low", "high", "pairs")}})
        shown = plus_minus(match.margin, match.low, match.high)
        print(f"{so_far['seconds']:.0f} s, {so_far['decisions'] / 1e6:.2f} M decisions: {shown}", flush=True)

    start = time.perf_counter()
    try:
        learner = train(config, options.against, options.init_from, measure, options.every)
    except NotFiniteError as error:
        fail(f"{options.out}: the training diverged: {error}. Nothing was written")
    match = against(learner, options.pairs, RESPONSE_RESULT)
    figures = {
        "against": options.against,
        "start": None if options.init_from is None else str(options.init_from),
        "seed": options.seed,
        "settings": config.as_dict(),
        "deals": {"curve": RESPONSE_CURVE, "result": RESPONSE_RESULT},
        "curve": curve,
        "result": match.as_json(),
        "minutes": round((time.perf_counter() - start) / 60, 2),
    }
    metadata = {"rules": json.dumps(config.rule_set.as_dict()), "against": options.against}
    write_whole(options.out / "policy.safetensors", policy_bytes(learner.actor, metadata))
    seeds = [options.seed, RESPONSE_CURVE, RESPONSE_RESULT]
    out = options.out / "results.json"
    write_result(out, facts, figures, kind=STRENGTH, seeds=seeds, players=[options.against])
    print(f"{match}\nat least so much can be won against {options.against}; {options.out / 'results.json'}")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.best_response", main))
