"""The settings of a training run: a frozen dataclass, checked when it is made. ``RunConfig`` is what every way of
training has, ``Config`` is PPO self-play."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from agents.network import Shape
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.evaluation.ray_pool import number_of_workers
from persian_rummy_env.observation import BLOCK
from persian_rummy_env.players.policy import unknown_name
from persian_rummy_env.rules import RULE_FIELDS, RuleSet
from persian_rummy_env.system.stored import ANY, LARGEST, later, settings_of

C = TypeVar("C", bound="RunConfig")
T = TypeVar("T")
TABLE_RULES = tuple(rule for rule in RULE_FIELDS if rule.name != "deals")
"""The rules that are settings of a run. How many deals are played follows from what it aims at (``episode``)."""

GIVEN_UP: Mapping[str, Any] = {"lean": ANY}
"""Settings that runs were saved with and that there are no more; see ``stored.settings_of``. ``lean`` was of the rounds
of expert iteration, in which search now leans on the player as it is."""
MOST = {
    "threads": 4096,
    "deals": 2**20,
    "blocks": 1024,
    "minibatch": LARGEST,
    "epochs": 2**20,
    "eval_pairs": 10**8,
    "final_pairs": 10**8,
}
"""Of settings that are at least 1: more is a slip of the pen, and would take all memory before it is seen."""


def with_table_rules(settings: type[T]) -> type[T]:
    """Make a setting of each rule that the class does not name itself, so that no rule is left out of training."""
    for rule in TABLE_RULES:
        if rule.name not in settings.__annotations__:
            settings.__annotations__[rule.name] = int if rule.numbers else Literal[rule.values]
            setattr(settings, rule.name, later(rule.absent, rule.default))
    return settings


@dataclass(frozen=True)
@with_table_rules
class RunConfig:
    """What every training has.

    Attributes:
        preset: where the defaults come from.
        resume: go on with the run in this folder; of the other settings only the budget may then be given.
        out: folder of the run.
        exists: what happens if there is a run in it: ``refuse``; ``number``, the new one goes to ``OUT-2``, ``OUT-3`` …
        start: begin as the trained policy of this file; its shape must be that of ``width`` and ``blocks``.
        seed: of everything: weights, deals, draws, order of minibatches.
        minutes: budget in minutes of training (evaluation not counted). Schedules follow the share that is spent.
        updates: budget in updates instead; schedules follow their number, and runs repeat bit for bit on a CPU.
        pause_after: stop cleanly after so many updates, as by Ctrl-C; schedules do not change.
        device: where the networks compute: ``cpu``, ``cuda``, ``cuda:1`` …
        threads: CPU threads. On a CPU each plays and learns a part of its own; the number is part of a run.
        precision: of the square layers: ``fp32``, exact; or ``bf16``, quicker where the hardware has it.
        quad_bonus: rule: which sets of four laid at once count double.
        stock_out: rule: what ends a deal once the stock is empty.
        deals: deals played for an update, all to their end.
        width: features of every network.
        blocks: residual blocks of every network.
        minibatch: decisions per step of the optimiser.
        epochs: passes over the decisions of an update.
        lr: learning rate (Adam), at the start and at the end.
        clip_norm: largest norm of the gradient of a network.
        adam_eps: Adam's epsilon.
        eval_every: seconds of training between matches against the bots; with ``updates``, updates.
        eval_pairs: duplicate pairs of such a match.
        final_pairs: duplicate pairs of the matches at the end.
        save_every: seconds of training between checkpoints; with ``updates``, updates.
        bots: scripted bots that some of the deals are played against, in turn. They are whole teams whose decisions are
            not learnt from, but for teaching, which says of theirs too what would have been right.
        bot_share: of the deals, against them.
        unread: blocks of the observation that no network reads, to see what they are worth
            (``persian_rummy_env.observation.BLOCK``).
        report: the closing matches are played on the deals of reports (``train.deal_sets``), by which no settings are
            chosen: for a run whose result is quoted.
        wandb: log to Weights & Biases as well (``pip install wandb``); ``WANDB_MODE=offline`` is obeyed.

    Raises:
        ValueError: a setting out of range, or two that contradict each other; the message names them.
    """

    algorithm: ClassVar[str] = "selfplay"
    preset: str = "quick"
    resume: Path | None = None
    out: Path = Path("runs/quick")
    exists: Literal["refuse", "number"] = "refuse"
    start: Path | None = None
    seed: int = 1
    minutes: float | None = 5.0
    updates: int | None = None
    pause_after: int | None = None
    device: str = "cpu"
    threads: int = 2
    precision: Literal["fp32", "bf16"] = "fp32"
    quad_bonus: Literal["any", "jacks"] = "any"
    stock_out: Literal["pass", "end"] = "pass"
    deals: int = 256
    width: int = 256
    blocks: int = 2
    minibatch: int = 1024
    epochs: int = 2
    lr: tuple[float, float] = (7e-4, 7e-5)
    clip_norm: float = 0.5
    adam_eps: float = 1e-5
    eval_every: float = 30.0
    eval_pairs: int = 512
    final_pairs: int = 4096
    save_every: float = 30.0
    bots: tuple[str, ...] = ()
    bot_share: float = 0.0
    unread: tuple[str, ...] = ()
    report: bool = later(absent=False)
    wandb: bool = False

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.updates is None):
            raise ValueError(f"minutes={self.minutes}, updates={self.updates}: expected one of the two, as the budget")
        at_least(self, "seed", 0, 2**64 - 1)
        for name, most in MOST.items():
            at_least(self, name, 1, most)
        for name in ("updates", "pause_after"):
            if getattr(self, name) is not None:
                at_least(self, name, 1)
        above(self, "minutes", "clip_norm", "adam_eps", "eval_every", "save_every")
        pair(self, "lr")
        if max(self.lr) == 0:
            raise ValueError(f"lr={self.lr}: expected a number above 0 at the start or at the end")
        for bot in self.bots:
            bot_codes(bot)
        for block in self.unread:
            if block not in BLOCK:
                raise ValueError(f"unread: {unknown_name('block of the observation', block, BLOCK)}")
        if not 0 <= self.bot_share < 1:
            raise ValueError(f"bot_share={self.bot_share}: expected a number from 0 to below 1")
        if bool(self.bots) != (self.bot_share > 0):
            raise ValueError(f"bots={self.bots}, bot_share={self.bot_share}: expected both or neither")
        at_least(self, "width", 8, 2**16)
        if self.width % 8:
            raise ValueError(f"width={self.width}: expected a multiple of 8")
        if self.deals < self.threads:
            raise ValueError(f"deals={self.deals}, threads={self.threads}: every thread must have a deal to play")
        if self.minibatch < self.threads:
            raise ValueError(f"minibatch={self.minibatch}, threads={self.threads}: every thread must have a decision")
        if self.updates is not None and self.pause_after is not None and self.pause_after > self.updates:
            raise ValueError(
                f"pause_after={self.pause_after}, updates={self.updates}: the run would end before the pause"
            )

    @property
    def unread_bytes(self) -> np.ndarray:
        """Where the blocks that are not read stand in an observation, (k,) int64."""
        return np.array([at for name in self.unread for at in range(BLOCK[name].offset, BLOCK[name].stop)], dtype=int)

    @property
    def rules(self) -> RuleSet:
        return RuleSet(**{rule.name: getattr(self, rule.name) for rule in TABLE_RULES})

    @property
    def shape(self) -> Shape:
        """Of the networks; those that play games read of other deals as well."""
        return Shape(self.width, self.blocks, games=self.episode == "game")

    @property
    def episode(self) -> Literal["deal", "game"]:
        """What is played from start to end, in training and in the matches that measure it."""
        return "deal"

    @property
    def episode_deals(self) -> int:
        """Deals of an episode."""
        return self.rules.deals if self.episode == "game" else 1

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON holds them."""
        return json.loads(json.dumps(asdict(self), default=str))

    @classmethod
    def from_dict(cls: type[C], settings: Mapping[str, Any]) -> C:
        """The inverse of ``as_dict``; a setting that came later means what was done before (``stored``).

        Raises:
            ValueError: a setting unknown, of another type, or refused.
        """
        rules = {rule.name: rule.absent for rule in TABLE_RULES}
        return cls(**settings_of(cls, settings, GIVEN_UP, rules))


@dataclass(frozen=True)
class Config(RunConfig):
    """Train one player for all four seats by PPO self-play.

    Attributes:
        preset: where the defaults come from: ``quick`` (5 minutes on 2 cores), ``two-cores`` (10 minutes), ``scratch``
            (10 minutes from nothing: no teacher, and no bots to play against), ``gpu`` (likewise from nothing).
        taught: share of the budget, the first one, in which the player learns to choose as ``teacher`` does; self-play
            goes on from there.
        teacher: a bot.
        lessons: decisions that the teacher speaks to for an update.
        teach_lr: learning rate (Adam) of teaching, at its start and at its end.
        sharpen: logits of the player who was taught, or given (``start``), times this. One who was taught choices is
            less sure of them than it is right, and self-play teaches the better the better those play who give it.
        settled: share of the budget, the last one, in which the player is taught its own choices, as they were when
            that began, with the suits in every order. What it has learnt of one suit it then knows of all, and where
            its opinion hung on their names the majority stays.
        settle_lr: learning rate (Adam) of that, at its start and at its end.
        temperature: logits over this are matched then: the player is surer of itself than it agrees with itself.
        hidden_hands: the critic sees the other three hands. The actor never does.
        suits: ``as_dealt``; ``partners``: in each deal every seat sees the suits in an order of its own, so that
            partners cannot agree on conventions that hang on names; ``learn``: the later epochs see each deal in
            another order.
        objective: ``margin``, the points of each deal; ``win``, the chance to win a game of two deals: the networks
            then see the score, and the reward is how much a decision changes that chance. Made to finish a player that
            was trained for the margin (``start``).
        win_sd: for ``win``: standard deviation of a deal's margin, in points, from which the chance is worked out.
        paid: points are a reward ``as_earned``, or all of a deal's ``at_the_end``.
        points: points of margin that are a reward of 1.
        gae_lambda: of the advantage estimates, per decision of a seat.
        clip: PPO's bound on the ratio of new to old probability.
        kl_stop: the actor rests for what remains of an update once a minibatch has drifted so far from the policy that
            played; 0: never.
        entropy: weight of the entropy bonus, at the start and at the end.
        critic_updates: in so many updates at the beginning the critic learns alone: with ``start`` it knows nothing.
        pool_share: of the deals, against earlier copies of the player; 0: none.
        pool_after: decisions from which on they are played.
        pool_size: copies kept; the oldest goes first.
        pool_every: updates between copies.
        pool_teams: different copies that a part of an update's deals meets.
        magnet: weight of the KL divergence from the magnet, which draws the policy towards it; 0: there is none.
        magnet_policy: the magnet: ``uniform`` over the legal actions, or ``snapshot``, an earlier copy of the player.
        magnet_every: for ``snapshot``: updates after which the copy is made anew.
        workers: who plays: ``local``, the threads of this process; ``ray:N``, N processes of a Ray cluster, one CPU
            each. What is played does not hang on it.
        parts: an update's deals are played in so many parts, each by whoever is free; None: one a thread or worker.
            The number is part of a run.
    """

    preset: Literal["quick", "two-cores", "scratch", "gpu"] = "quick"  # type: ignore[assignment]
    taught: float = 0.0
    teacher: str = "expert"
    lessons: int = 16384
    teach_lr: tuple[float, float] = (2e-3, 3e-5)
    sharpen: float = 1.0
    settled: float = 0.0
    settle_lr: tuple[float, float] = (3e-4, 1e-5)
    temperature: float = 3.0
    hidden_hands: bool = True
    suits: Literal["as_dealt", "partners", "learn"] = "as_dealt"
    objective: Literal["margin", "win"] = "margin"
    win_sd: float = 110.0
    paid: Literal["as_earned", "at_the_end"] = "as_earned"
    points: float = 50.0
    gae_lambda: float = 0.95
    clip: float = 0.2
    kl_stop: float = 0.02
    entropy: tuple[float, float] = (0.02, 0.004)
    critic_updates: int = 0
    pool_share: float = 0.25
    pool_after: int = 500_000
    pool_size: int = 12
    pool_every: int = 10
    pool_teams: int = 1
    magnet: float = 0.0
    magnet_policy: Literal["uniform", "snapshot"] = "snapshot"
    magnet_every: int = 20
    workers: str = "local"
    parts: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        above(self, "clip", "points", "win_sd", "sharpen", "temperature")
        bot_codes(self.teacher)
        at_least(self, "lessons", 1)
        pair(self, "teach_lr")
        pair(self, "settle_lr")
        if not 0 <= self.taught < 1:
            raise ValueError(f"taught={self.taught}: expected a number from 0 to below 1")
        if not 0 <= self.settled <= 1:
            raise ValueError(f"settled={self.settled}: expected a number from 0 to 1")
        if self.taught + self.settled > 1:
            raise ValueError(
                f"taught={self.taught}, settled={self.settled}: expected shares of one budget, at most 1 together"
            )
        if self.taught and self.start is not None:
            raise ValueError(
                f"taught={self.taught}, start={self.start}: who is given is not taught first; give --taught 0"
            )
        if self.settled and self.objective == "win":
            raise ValueError(
                f"settled={self.settled}, objective='win': a player settles at tables of single deals; do it "
                "before (--settled 1), and finish it for games then"
            )
        if self.sharpen != 1 and self.start is None and not self.taught:
            raise ValueError(
                f"sharpen={self.sharpen}, start=None, taught=0: there is no player whose logits it could be"
            )
        pair(self, "entropy")
        if not 0 <= self.gae_lambda <= 1:
            raise ValueError(f"gae_lambda={self.gae_lambda}: expected a number from 0 to 1")
        for name in ("kl_stop", "magnet"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)}: expected a number of at least 0")
        if self.suits == "learn" and self.epochs < 2:
            raise ValueError(f"suits='learn', epochs={self.epochs}: the order changes from the second epoch on")
        for name in ("critic_updates", "pool_after"):
            at_least(self, name, 0)
        for name in ("pool_size", "pool_every", "pool_teams", "magnet_every"):
            at_least(self, name, 1)
        at_least(self, "pool_size", 1, 4096)
        if not 0 <= self.pool_share < 1:
            raise ValueError(f"pool_share={self.pool_share}: expected a number from 0 to below 1")
        if self.pool_share + self.bot_share >= 1:
            raise ValueError(
                f"pool_share={self.pool_share}, bot_share={self.bot_share}: expected less than 1 together; the rest is "
                "self-play"
            )
        number_of_workers(self.workers)
        if self.parts is not None:
            at_least(self, "parts", 1)
            if self.deals < self.episode_deals * self.parts:
                raise ValueError(f"deals={self.deals}, parts={self.parts}: every part must have a deal to play")
        if self.pool_teams > self.pool_size:
            raise ValueError(f"pool_teams={self.pool_teams}, pool_size={self.pool_size}: there are not so many copies")
        if self.objective == "win" and self.deals < self.episode_deals * self.threads:
            raise ValueError(
                f"objective='win', deals={self.deals}, threads={self.threads}: every thread must have a game of "
                f"{self.episode_deals} deals to play"
            )

    @property
    def part_count(self) -> int:
        """In how many parts an update's deals are played."""
        return self.parts or number_of_workers(self.workers) or (self.threads if self.device.startswith("cpu") else 1)

    @property
    def episode(self) -> Literal["deal", "game"]:
        return "game" if self.objective == "win" else "deal"


def above(config: RunConfig, *names: str) -> None:
    """Refuse a setting that is given and not above 0."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not 0 < value < math.inf:
            raise ValueError(f"{name}={value}: expected a number above 0")


def pair(config: RunConfig, name: str) -> None:
    """Refuse a setting that is not two numbers of at least 0."""
    value = getattr(config, name)
    if len(value) != 2 or not all(0 <= each < math.inf for each in value):
        raise ValueError(f"{name}={value}: expected two numbers of at least 0, at the start and at the end")


def at_least(config: RunConfig, name: str, least: int, most: int = LARGEST) -> None:
    """Refuse a setting that is not a whole number of at least so much, and at most so much."""
    value = getattr(config, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}={value!r}: expected a whole number of at least {least}")
    if value > most:
        raise ValueError(f"{name}={value}: expected a whole number of at most {most}")


QUICK = Config(
    taught=0.2,
    sharpen=3.0,
    bots=("greedy", "deepest", "expert"),
    bot_share=0.25,
    pool_share=0.15,
    epochs=1,
    lr=(3e-4, 2e-5),
    entropy=(0.0, 0.0),
    critic_updates=5,
)
SCRATCH = Config(preset="scratch", out=Path("runs/scratch"), minutes=10.0, deals=384)
PRESETS: dict[str, Config] = {
    "quick": QUICK,
    "two-cores": replace(QUICK, preset="two-cores", out=Path("runs/two-cores"), minutes=10.0, deals=384, taught=0.15),
    "scratch": SCRATCH,
    "gpu": replace(
        SCRATCH,
        preset="gpu",
        pool_teams=4,
        out=Path("runs/gpu"),
        minutes=10.0,
        device="cuda",
        threads=16,
        precision="bf16",
        deals=8192,
        width=1024,
        blocks=4,
        minibatch=16384,
        epochs=3,
        lr=(3e-4, 3e-5),
        entropy=(0.01, 0.002),
    ),
}
BUDGET = ("minutes", "updates", "pause_after", "workers")
"""What may be given anew to a run that is resumed: its budget, and who plays."""


def resumed(saved: C, given: C) -> C:
    """The settings of a resumed run: those saved, with the budget and the workers that were given.

    Args:
        given: the saved settings with what the command line changed.

    Raises:
        ValueError: something else was changed as well.
    """
    changed = [f.name for f in fields(saved) if getattr(saved, f.name) != getattr(given, f.name)]
    refused = [name for name in changed if name not in (*BUDGET, "resume")]
    if refused:
        raise ValueError(f"{', '.join(refused)}: a resumed run keeps its settings; only {', '.join(BUDGET)} may change")
    return replace(given, resume=None)
