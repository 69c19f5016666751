"""Tune the weights of the expert bot: ``python -m experiments.tune --minutes 5 --seed 1 --out runs/tune``.

The cross-entropy method (Rubinstein 1999): sample weights around a mean, play all samples on the same deals, and move
mean and spread towards the best. Every generation has its own deals, which no other command uses (seeds from
``TUNING`` on). The fitness is the mean margin against several bots, so that the weights do not overfit to one bot.
``OUT/weights.json`` holds the weights so far; it is written atomically.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.arrays import plain
from persian_rummy_env.bots import BOTS
from persian_rummy_env.core import arena_kernels, expert
from persian_rummy_env.core.compiler.compile_on_demand import ensure_compiled
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, FEATURES, NUM_FEATURES
from persian_rummy_env.evaluation.arena import new_games, show
from persian_rummy_env.evaluation.match import deal_seeds
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.tensor_file import one_line
from persian_rummy_env.rules import NUM_SEATS, RuleSet
from persian_rummy_env.state import OVER
from persian_rummy_env.system.escaping import shortened
from persian_rummy_env.system.files import write_whole
from persian_rummy_env.system.run_folder import FolderError, claimed
from persian_rummy_env.system.signals import on_ending
from persian_rummy_env.system.stored import parsed
from train.data.deal_sets import TUNING, TUNING_LAST
from train.run.command import failing, settings_of
from train.run.screen import GracefulStop, Listened

from .shared import weighted

FILE = "weights.json"
MOST_SEED = (TUNING_LAST - TUNING) // 1000 - 1
"""Each seed has a range of 1000 deal seeds."""
MOST_GENERATIONS = 10**6


@dataclass(frozen=True)
class TuneConfig:
    """Tune the expert's weights by the cross-entropy method.

    Attributes:
        out: folder of the result; the run continues from a ``weights.json`` in it.
        minutes: budget.
        seed: of the samples and the deals.
        against: opponents of the fitness; ``expert`` is the bot of the package.
        population: samples per generation.
        elite: number of best samples that determine the next generation.
        pairs: duplicate pairs of a sample against each bot.
        spread: standard deviation of the first generation, in points of margin by which a feature moves an action.
        keep: share of the old mean and spread in the new generation.
        threads: CPU threads.

    Raises:
        ValueError: a setting out of range, or an unknown bot.
    """

    out: Path = Path("runs/tune")
    minutes: float = 5.0
    seed: int = 1
    against: tuple[str, ...] = ("greedy", "deepest", "expert")
    population: int = 48
    elite: int = 12
    pairs: int = 512
    spread: float = 2.0
    keep: float = 0.5
    threads: int = os.cpu_count() or 1

    def __post_init__(self) -> None:
        unknown = [bot for bot in self.against if bot not in BOTS]
        if unknown or not self.against:
            raise ValueError(f"against={self.against}: expected some of {', '.join(BOTS)}")
        if not 2 <= self.elite < self.population:
            raise ValueError(f"elite={self.elite}, population={self.population}: expected 2 <= elite < population")
        if not 0 <= self.seed <= MOST_SEED:
            raise ValueError(f"seed={self.seed}: expected a number from 0 to {MOST_SEED}")
        for name in ("minutes", "pairs", "spread", "threads"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)}: expected a number above 0")
        if not 0 <= self.keep < 1:
            raise ValueError(f"keep={self.keep}: expected a number from 0 to below 1")


def feature_scale(seed: int, deals: int = 200) -> np.ndarray:
    """Standard deviation of each feature over the legal actions of an expert's decisions: (NUM_FEATURES,), with a lower
    bound above 0, so that a rare feature does not get a wild weight."""
    games = new_games(deal_seeds(TUNING + seed, deals), np.zeros(deals, dtype=np.int8), RuleSet(), 1)
    found = []
    while (lanes := np.flatnonzero(games["phase"] != OVER)).size:
        batch = show(games, lanes)
        rows, actions = (plain(places, np.int64) for places in np.nonzero(batch.action_mask))
        values = np.empty((len(rows), NUM_FEATURES))
        expert.features_of(games[lanes], rows, actions, values)
        found.append(values)
        worth = np.full(batch.action_mask.shape, -np.inf)
        worth[rows, actions] = values @ EXPERT_WEIGHTS
        arena_kernels.play_lanes(games, lanes, worth.argmax(axis=1))
    return np.maximum(np.concatenate(found).std(axis=0), 0.05)


def fitness(weights: np.ndarray, against: Sequence[str], pairs: int, deals: int) -> np.ndarray:
    """Margins of experts with these weights against each bot: (bots, pairs) points a deal."""
    seeds = deal_seeds(deals, pairs)
    dealers = (np.arange(pairs) % NUM_SEATS).astype(np.int8)
    team = np.repeat(np.arange(2), pairs)
    margins = []
    for bot in against:
        games = new_games(np.tile(seeds, 2), np.tile(dealers, 2), RuleSet(), 1)
        weighted.play_weighted(games, team, weights, BOTS[bot], 0, len(games))
        score = games["score"].astype(np.int64)
        margins.append(((score[:, 0] - score[:, 1]) * np.where(team == 0, 1, -1)).reshape(2, pairs).mean(axis=0))
    return np.stack(margins)


SHAPING = ("seed", "against", "population", "elite", "pairs", "spread", "keep")
"""Settings that the weights depend on; a run continues only with the same values."""


def write_weights(folder: Path, config: TuneConfig, generation: int, mean: np.ndarray, spread: np.ndarray) -> None:
    """Write the weights so far exactly, so that a continued run equals an uninterrupted one."""
    result = {
        "generation": generation,
        "settings": settings_as_json(config),
        "weights": dict(zip(FEATURES, mean.tolist(), strict=True)),
        "spread": dict(zip(FEATURES, spread.tolist(), strict=True)),
    }
    write_whole(folder / FILE, json.dumps(result | {"digest": digest_of(result)}, indent=2) + "\n")


def settings_as_json(config: TuneConfig) -> dict[str, Any]:
    return {name: json.loads(json.dumps(getattr(config, name))) for name in SHAPING}


def digest_of(result: Mapping[str, Any]) -> str:
    """The digest of a weights file, over everything but the digest."""
    contents = {name: value for name, value in result.items() if name != "digest"}
    return hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()


def start(config: TuneConfig) -> tuple[int, np.ndarray, np.ndarray]:
    """Generation, mean and spread to start from.

    Raises:
        FolderError: the file in the folder is damaged, or has other settings or features.
    """
    file = config.out / FILE
    if not os.path.lexists(file):
        return 0, EXPERT_WEIGHTS.copy(), config.spread / feature_scale(config.seed)
    try:
        contents = parsed(file.read_bytes())
        return _gone_on_from(config, contents)
    except IsADirectoryError:
        raise FolderError(f"{file}: is a folder, expected a file of weights") from None
    except FolderError as error:
        raise FolderError(f"{file}: {error}; choose another --out") from None
    except (OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise FolderError(f"{file}: damaged ({shortened(one_line(error), 200)}); choose another --out") from None


def _gone_on_from(config: TuneConfig, contents: Any) -> tuple[int, np.ndarray, np.ndarray]:
    if not isinstance(contents, dict):
        raise ValueError("expected an object")
    if "digest" in contents and contents["digest"] != digest_of(contents):
        raise ValueError("its content does not match its digest")
    parts = contents["weights"], contents["spread"]
    if not all(isinstance(part, dict) and set(part) == set(FEATURES) for part in parts):
        raise FolderError("weights of other features")
    before = contents.get("settings") or {name: contents[name] for name in ("seed", "against") if name in contents}
    now = settings_as_json(config)
    other = [
        f"{name}={before[name]!r} there, {now.get(name)!r} here" for name in before if before[name] != now.get(name)
    ]
    if other:
        raise FolderError(f"tuned with other settings ({shortened(', '.join(other), 200)})")
    if type(contents["generation"]) is not int or not 0 <= contents["generation"] <= MOST_GENERATIONS:
        raise ValueError(f"generation={contents['generation']!r}")
    if not all(type(number) in (int, float) and math.isfinite(number) for part in parts for number in part.values()):
        raise ValueError("a weight or spread is not a number")
    mean, spread = (np.array([float(part[name]) for name in FEATURES]) for part in parts)
    if (spread < 0).any():
        raise ValueError("a spread below 0")
    return contents["generation"], mean, spread


def run(config: TuneConfig, generations: int | None = None) -> np.ndarray:
    """Tune until the budget is spent, ``generations`` are done, or a signal stops it; returns the weights
    (NUM_FEATURES,).

    Raises:
        FolderError: the folder belongs to another run, or its file cannot be continued.
    """
    with claimed(config.out, but=(FILE,)):
        generation, mean, spread = start(config)
        ensure_compiled("scripted players")
        stop = GracefulStop()
        with on_ending(stop.request):
            return _tuned(config, generations, generation, mean, spread, stop)


def _tuned(
    config: TuneConfig,
    generations: int | None,
    generation: int,
    mean: np.ndarray,
    spread: np.ndarray,
    stop: GracefulStop,
) -> np.ndarray:
    console = Listened(stop.request)
    until = time.monotonic() + 60 * config.minutes
    with ThreadPoolExecutor(config.threads) as pool:
        while not stop.requested and (
            generation < generations if generations is not None else time.monotonic() < until
        ):
            rng = np.random.default_rng([config.seed, generation])
            samples = mean + spread * rng.standard_normal((config.population, NUM_FEATURES))
            samples[0] = mean
            deals = TUNING + 1000 * config.seed + 1 + generation
            played = list(pool.map(lambda w, d=deals: fitness(w, config.against, config.pairs, d), samples))
            fit = np.array([margins.mean() for margins in played])
            best = samples[np.argsort(-fit)[: config.elite]]
            mean = config.keep * mean + (1 - config.keep) * best.mean(axis=0)
            spread = config.keep * spread + (1 - config.keep) * best.std(axis=0)
            generation += 1
            write_weights(config.out, config, generation, mean, spread)
            of_mean = ", ".join(
                f"{bot} {margins.mean():+.1f}" for bot, margins in zip(config.against, played[0], strict=True)
            )
            console.print(f"generation {generation}: mean {fit.mean():+.1f}, best {fit.max():+.1f}; centre v {of_mean}")
    if stop.requested:
        console.print(f"stopped after generation {generation}; the same command goes on with it")
        raise SystemExit(0)
    return mean


def main() -> None:
    config = settings_of(TuneConfig, None, "python -m experiments.tune", description=TuneConfig.__doc__)
    with failing():
        mean = run(config)
    for bot in config.against:
        margin, low, high = mean_interval(fitness(mean, [bot], 8192, TUNING + 1000 * config.seed)[0])
        Listened(lambda: None).print(f"tuned v {bot}: {margin:+.1f} ({low:+.1f} to {high:+.1f})")


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.tune", main))
