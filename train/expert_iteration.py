"""Train a player by expert iteration: ``python -m train.expert_iteration --preset two-cores --seed 1 --out runs/x``.

Self-play first (``train.selfplay``). Then search says what to do at decisions of the player's own play, and the player
learns to choose so (Anthony and others 2017). The search leans on the player: with few worlds it sees little, and what
it adds to a strong opinion is worth more than an opinion of its own. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.learned import LearnedPolicy
from persian_rummy_env.players.priors import PolicyPrior
from persian_rummy_env.players.search import SearchPolicy

from .algorithms.ppo import Learner
from .checkpoint import Counters, Tables
from .command import parse
from .config.expert_iteration import PRESETS, ExpertConfig
from .data.labels import Teacher, by_policy
from .log import COLUMNS as SELF_PLAY_COLUMNS
from .run import against_rungs, device_of, progress, run
from .scale.shards import Shards
from .selfplay import SelfPlay, school, workers_of

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
        return cls(config, SelfPlay(config, shards, workers, learner, school(config, learner)), learner)

    @property
    def tables(self) -> Sequence[Tables]:
        return self.self_play.tables

    def close(self) -> None:
        self.self_play.close()

    def update(self, counters: Counters) -> dict[str, float]:
        """One update of the stage that the budget has come to; counts it, and returns what there is to log."""
        at, share = progress(self.config, counters), self.config.searched
        reached = int(counters.stage.removeprefix(ROUND)) if counters.stage.startswith(ROUND) else 0
        if at < 1 - share and not reached:
            return self.self_play.update_at(counters, at / (1 - share))
        number, way = round_at(self.config.rounds, max(0.0, at - 1 + share) / share)
        if number < reached:  # a longer budget put the run back: the round goes on, and none is entered again
            number, way = reached, 0.0
        stage = f"{ROUND}{number}"
        if counters.stage != stage:
            self.learner.begin_lessons()
        counters.stage = stage
        return self.searched(counters, way) | {"round": number}

    def searched(self, counters: Counters, way: float) -> dict[str, float]:
        """Learn what search would do; ``way`` in [0, 1] sets the schedule."""
        lr = self.learner.scheduled("search_lr", way)
        row = self.self_play.lesson(counters, self.search(), lr, self.config.passes, self.config.temperature)
        return row | {"searched_per_second": row["kept"] / row["collect_seconds"]}

    def search(self) -> Teacher:
        """Search that leans on the player as it was when the round began."""
        config, earlier = self.config, self.learner.earlier
        assert earlier is not None
        prior = PolicyPrior(LearnedPolicy(earlier, config.device))
        return by_policy(
            SearchPolicy(
                config.playouts,
                worlds=config.worlds,
                method="flat",
                prior=prior,
                prior_worlds=config.prior_worlds,
                threads=1,  # each of the threads that play searches by itself
            )
        )


def round_at(rounds: int, way: float) -> tuple[int, float]:
    """The number of the round, from 1, and the share of it that is gone, where ``way`` in [0, 1] is that of all."""
    number = min(int(way * rounds), rounds - 1)
    return number + 1, way * rounds - number


def main(argv: Sequence[str] | None = None) -> int:
    config, saved = parse(argv, "python -m train.expert_iteration", PRESETS)
    return run(config, saved, "train.expert_iteration", ExpertIteration.of, warm_up, COLUMNS)


def warm_up(config: ExpertConfig) -> None:
    """One small update of each kind, apart from the run."""
    sizes = {"deals": config.threads, "minibatch": 64 * config.threads, "lessons": 1}
    small = ExpertIteration.of(replace(config, **sizes, parts=None, workers="local"))
    if config.taught:
        small.self_play.taught(Counters(), 0.0)
    small.self_play.played(Counters(), 0.0)
    small.learner.begin_lessons()
    small.searched(Counters(), 0.0)
    against_rungs(config, small.learner.actor, 0, 1)
    small.close()


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.expert_iteration", main))
