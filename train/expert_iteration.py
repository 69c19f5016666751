"""Train a player by expert iteration: ``python -m train.expert_iteration --preset two-cores --seed 1 --out runs/x``.

Self-play first (``train.selfplay``). Then search says what to do at decisions of the player's own play, and the player
learns to choose so (Anthony and others 2017). The player is the prior of the search: with few worlds a search
that corrects a strong prior is better than one without. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.learned import LearnedPolicy
from persian_rummy_env.players.priors import PolicyPrior
from persian_rummy_env.players.search import SearchPolicy

from .algorithms.learner import scheduled
from .algorithms.ppo import Learner
from .checkpoint import Counters, Resumable
from .command import parse
from .config.base import with_settings
from .config.expert_iteration import PRESETS, ExpertConfig
from .data.labels import Teacher, by_policy
from .log import COLUMNS as SELF_PLAY_COLUMNS
from .run import device_of, evaluation_matches, progress_of, run
from .scale.shards import Shards
from .selfplay import SelfPlay, make_collectors, workers_of

ROUND = "round "
COLUMNS = (*SELF_PLAY_COLUMNS, "round", "searched_per_second")


@dataclass(frozen=True)
class ExpertIteration:
    """Self-play, and what the rounds need."""

    config: ExpertConfig
    self_play: SelfPlay
    learner: Learner

    @classmethod
    def of(cls, config: ExpertConfig) -> ExpertIteration:
        device = device_of(config)
        shards = Shards(config.threads if device.type == "cpu" else 1)
        learner = Learner(config, device, shards)
        workers = workers_of(config, device, shards)
        return cls(config, SelfPlay(config, shards, workers, learner, make_collectors(config, learner)), learner)

    @property
    def collectors(self) -> Sequence[Resumable]:
        return self.self_play.collectors

    def close(self) -> None:
        self.self_play.close()

    def update(self, counters: Counters) -> dict[str, float]:
        """One update of the stage that the budget has come to; counts it, and returns what there is to log."""
        progress, share = progress_of(self.config, counters), self.config.search.fraction
        reached = int(counters.stage.removeprefix(ROUND)) if counters.stage.startswith(ROUND) else 0
        if progress < 1 - share and not reached:
            return self.self_play.update_at(counters, progress / (1 - share))
        number, progress = round_at(self.config.search.rounds, max(0.0, progress - 1 + share) / share)
        if number < reached:  # a longer budget put the run back: the round goes on, and none is entered again
            number, progress = reached, 0.0
        stage = f"{ROUND}{number}"
        if counters.stage != stage:
            self.learner.begin_distillation()
        counters.stage = stage
        return self.searched(counters, progress) | {"round": number}

    def searched(self, counters: Counters, progress: float) -> dict[str, float]:
        """Learn what search would do; ``progress`` in [0, 1] sets the schedule."""
        lr = scheduled(self.config.search.lr, progress)
        row = self.self_play.collect_and_clone(
            counters, self.search(), lr, self.config.search.passes, self.config.distill.temperature
        )
        return row | {"searched_per_second": row["kept"] / row["collect_seconds"]}

    def search(self) -> Teacher:
        """Search with the player at the start of the round as its prior."""
        config, earlier = self.config, self.learner.earlier
        assert earlier is not None
        prior = PolicyPrior(LearnedPolicy(earlier, config.device))
        return by_policy(
            SearchPolicy(
                config.search.playouts,
                worlds=config.search.worlds,
                method="flat",
                prior=prior,
                prior_worlds=config.search.prior_worlds,
                threads=1,  # each of the threads that play searches by itself
            )
        )


def round_at(rounds: int, progress: float) -> tuple[int, float]:
    """The round, from 1, and the share of it that is done, for a share ``progress`` in [0, 1] of all rounds."""
    number = min(int(progress * rounds), rounds - 1)
    return number + 1, progress * rounds - number


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.expert_iteration", PRESETS)
    return run(config, saved, "train.expert_iteration", ExpertIteration.of, warm_up, COLUMNS)


def warm_up(config: ExpertConfig) -> None:
    """One small update of each kind, apart from the run."""
    sizes = {"deals": config.threads, "optim.minibatch": 64 * config.threads, "bc.batch_size": 1}
    small = ExpertIteration.of(with_settings(config, {**sizes, "parts": None, "workers": "local"}))
    if config.bc.fraction:
        small.self_play.clone_step(Counters(), 0.0)
    small.self_play.ppo_step(Counters(), 0.0)
    small.learner.begin_distillation()
    small.searched(Counters(), 0.0)
    evaluation_matches(config, small.learner.actor, 0, 1)
    small.close()


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.expert_iteration", main))
