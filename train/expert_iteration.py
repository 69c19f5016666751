"""Train a player by expert iteration: ``python -m train.expert_iteration --preset two-cores --seed 1 --out runs/x``.

Self-play first (``train.selfplay``). Then search says what to do at decisions of the player's own play, and the player
learns to choose so (Anthony and others 2017). The player is the prior of the search: with few worlds a search
that corrects a strong prior is better than one without. The folder is that of ``train.selfplay``, and so
are ``--resume`` and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.learned import LearnedPolicy
from persian_rummy_env.players.priors import PolicyPrior
from persian_rummy_env.players.search import SearchPolicy

from .algorithms.base import Step
from .algorithms.learner import scheduled
from .config.expert_iteration import PRESETS, ExpertConfig
from .data.labels import Teacher, by_policy
from .run.course import command
from .selfplay import SelfPlay

ROUND = "round "


class ExpertIteration(SelfPlay):
    """Self-play, then rounds in which search labels the player's decisions."""

    columns = (*SelfPlay.columns, "round", "searched_per_second")
    shown = {**SelfPlay.shown, "searched_per_second": "{:,.0f} searched/s"}
    runs_in_ranks = False
    config: ExpertConfig  # type: ignore[assignment]

    def _learns_labels(self) -> bool:
        return True

    def update(self, progress: float) -> Step:
        """One update of the stage that the budget has come to."""
        share = self.config.search.fraction
        reached = int(self.stage.removeprefix(ROUND)) if self.stage.startswith(ROUND) else 0
        if progress < 1 - share and not reached:
            return super().update(progress / (1 - share))
        number, progress = round_at(self.config.search.rounds, max(0.0, progress - 1 + share) / share)
        if number < reached:  # a longer budget put the run back: the round goes on, and none is entered again
            number, progress = reached, 0.0
        if number != reached:
            self.learner.begin_distillation()
        self.stage = f"{ROUND}{number}"
        step = self.search_step(progress)
        return step._replace(row=step.row | {"round": number})

    def rehearse(self) -> None:
        super().rehearse()
        self.learner.begin_distillation()
        self.search_step(0.0)

    def search_step(self, progress: float) -> Step:
        """Learn what search would do; ``progress`` in [0, 1] sets the schedule."""
        config = self.config
        lr = scheduled(config.search.lr, progress)
        step = self.clone(self.search(), lr, config.search.passes, config.distill.temperature)
        return step._replace(row=step.row | {"searched_per_second": step.row["kept"] / step.collect_seconds})

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
    return command(ExpertIteration, PRESETS, argv)


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m train.expert_iteration", main))
