"""The settings of PPO self-play, in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import tyro

from persian_rummy_env.bots import bot_codes
from persian_rummy_env.evaluation.ray_pool import number_of_workers
from persian_rummy_env.players.network_shape import Shape

from .base import RunConfig, with_settings
from .checks import above_zero, layer_width, not_negative, schedule, share, whole


@dataclass(frozen=True)
class BehaviourCloning:
    """The first stage: the actor clones a bot on its own play (DAgger).

    Attributes:
        fraction: share of the budget, from its start; 0: no cloning.
        teacher: a bot.
        batch_size: labelled decisions per update.
        lr: learning rate of cloning, at its start and at its end.
        logit_scale: factor of the actor's logits when PPO starts; a cloned policy is under-confident.
    """

    group: ClassVar[str] = "bc"
    fraction: float = 0.0
    teacher: str = "expert"
    batch_size: int = 16384
    lr: tuple[float, float] = (2e-3, 3e-5)
    logit_scale: float = 1.0

    def __post_init__(self) -> None:
        share(self, "fraction", below=True)
        bot_codes(self.teacher)
        whole(self, "batch_size", 1)
        schedule(self, "lr")
        above_zero(self, "logit_scale")


@dataclass(frozen=True)
class Distillation:
    """The last stage: the actor clones itself with the suits permuted (symmetry self-distillation).

    Attributes:
        fraction: share of the budget, at its end; 0: none.
        lr: learning rate of distillation, at its start and at its end.
        temperature: of the logits that are matched.
    """

    group: ClassVar[str] = "distill"
    fraction: float = 0.0
    lr: tuple[float, float] = (3e-4, 1e-5)
    temperature: float = 3.0

    def __post_init__(self) -> None:
        share(self, "fraction")
        schedule(self, "lr")
        above_zero(self, "temperature")


@dataclass(frozen=True)
class Ppo:
    """Proximal policy optimisation.

    Attributes:
        clip: bound of the ratio of new to old probability.
        gae_lambda: lambda of the advantage estimates, per decision of a seat.
        target_kl: skip the actor for the rest of an update above this KL divergence; 0: never.
        entropy: weight of the entropy bonus, at the start and at the end.
        critic_warmup_updates: updates at the beginning that train only the critic.
        critic_width: features of each layer of the critic; 0: as many as the actor's.
        privileged_critic: the critic sees the other three hands; the actor never does.
        magnet: weight of the KL divergence to the magnet policy; 0: none.
        magnet_policy: ``uniform`` over the legal actions, or ``snapshot``, an earlier copy of the actor.
        magnet_every: updates between snapshots.
    """

    group: ClassVar[str] = "ppo"
    clip: float = 0.2
    gae_lambda: float = 0.95
    target_kl: float = 0.02
    entropy: tuple[float, float] = (0.02, 0.004)
    critic_warmup_updates: int = 0
    critic_width: int = 0
    privileged_critic: bool = True
    magnet: float = 0.0
    magnet_policy: Literal["uniform", "snapshot"] = "snapshot"
    magnet_every: int = 20

    def __post_init__(self) -> None:
        above_zero(self, "clip")
        share(self, "gae_lambda")
        not_negative(self, "target_kl", "magnet")
        schedule(self, "entropy")
        whole(self, "critic_warmup_updates", 0)
        if self.critic_width:
            layer_width(self, "critic_width")
        whole(self, "magnet_every", 1)


@dataclass(frozen=True)
class PoolSettings:
    """Earlier copies of the actor as opponents.

    Attributes:
        share: share of the deals that are played against them; 0: none.
        after: decisions before the first such deal.
        size: copies kept; the oldest is dropped first.
        every: updates between copies.
        teams: different copies that a part of an update's deals meets.
    """

    group: ClassVar[str] = "pool"
    share: float = 0.25
    after: int = 500_000
    size: int = 12
    every: int = 10
    teams: int = 1

    def __post_init__(self) -> None:
        share(self, "share", below=True)
        whole(self, "after", 0)
        whole(self, "size", 1, 4096)
        whole(self, "every", 1)
        whole(self, "teams", 1)
        if self.teams > self.size:
            raise ValueError(f"pool.teams={self.teams}, pool.size={self.size}: there are not so many copies")


@dataclass(frozen=True)
class Reward:
    """The reward.

    Attributes:
        kind: ``margin``, the points of a deal; ``win``, the change of the chance to win a game of two deals.
        win_sd: for ``win``: standard deviation of a deal's margin, in points.
        scale: for ``margin``: points per unit of reward.
    """

    group: ClassVar[str] = "reward"
    kind: Literal["margin", "win"] = "margin"
    win_sd: float = 110.0
    scale: float = 50.0

    def __post_init__(self) -> None:
        above_zero(self, "win_sd", "scale")


@dataclass(frozen=True)
class Config(RunConfig):
    """Train one policy for all four seats by PPO self-play.

    Attributes:
        preset: ``quick`` (5 minutes on 2 cores), ``two-cores`` (10), ``scratch`` (10, no teacher), ``gpu`` (10);
            ``--presets`` prints them.
        workers: who plays: ``local``, this process; ``ray:N``, N processes of a Ray cluster.
        parts: parts that an update's deals are played in: one per thread or worker when the run starts, and the same
            for the rest of the run. Not a setting of the command line.
        suit_permutation: ``none``; ``per_seat``, each seat sees the suits in an order of its own in each deal.
        bc: behaviour cloning.
        distill: self-distillation.
        ppo: PPO.
        pool: earlier copies as opponents.
        reward: the reward.
    """

    stages: ClassVar[str] = "|cloning|playing|distilling"
    preset: Literal["quick", "two-cores", "scratch", "gpu"] = "quick"  # type: ignore[assignment]
    workers: str = "local"
    parts: Annotated[int | None, tyro.conf.Suppress, tyro.conf.Fixed] = None
    suit_permutation: Literal["none", "per_seat"] = "none"
    bc: BehaviourCloning = BehaviourCloning()
    distill: Distillation = Distillation()
    ppo: Ppo = Ppo()
    pool: PoolSettings = PoolSettings()
    reward: Reward = Reward()

    def __post_init__(self) -> None:
        super().__post_init__()
        number_of_workers(self.workers)
        if self.parts is not None:
            whole(self, "parts", 1)
        refuse_contradictions(self)

    @property
    def part_count(self) -> int:
        """In how many parts an update's deals are played."""
        return self.parts or number_of_workers(self.workers) or (self.threads if self.device.startswith("cpu") else 1)

    def completed(self, ranks: int = 1) -> Self:
        return self if self.parts is not None else replace(self, parts=self.part_count * ranks)

    def small(self) -> Self:
        changes: dict[str, Any] = {"bc.batch_size": 1, "parts": None, "workers": "local"}
        return with_settings(super().small(), changes)

    @property
    def critic_shape(self) -> Shape:
        """Of the critic; ``shape`` is that of the actor."""
        return replace(self.shape, width=self.ppo.critic_width or self.network.width)

    @property
    def episode(self) -> Literal["deal", "game"]:
        return "game" if self.reward.kind == "win" else "deal"


def refuse_contradictions(config: Config) -> None:
    """Refuse settings of different groups that contradict each other."""
    bc, distill, pool, bots = config.bc, config.distill, config.pool, config.bots
    if bc.fraction + distill.fraction > 1:
        raise ValueError(
            f"bc.fraction={bc.fraction}, distill.fraction={distill.fraction}: expected shares of one budget, at most 1 "
            "together"
        )
    if bc.fraction and config.init_from is not None:
        raise ValueError(
            f"bc.fraction={bc.fraction}, init_from={config.init_from}: a policy that is given is not cloned first; "
            "give --bc.fraction 0"
        )
    if bc.logit_scale != 1 and config.init_from is None and not bc.fraction:
        raise ValueError(
            f"bc.logit_scale={bc.logit_scale}, init_from=None, bc.fraction=0: there is no policy whose logits it scales"
        )
    if distill.fraction and config.reward.kind == "win":
        raise ValueError(
            f"distill.fraction={distill.fraction}, reward.kind='win': distillation plays single deals; run it before "
            "(--distill.fraction 1), and train for games then"
        )
    if pool.share + bots.share >= 1:
        raise ValueError(
            f"pool.share={pool.share}, bots.share={bots.share}: expected less than 1 together; the rest is self-play"
        )
    if config.parts is not None and config.deals < config.episode_deals * config.parts:
        raise ValueError(f"deals={config.deals}, parts={config.parts}: every part must have an episode to play")
    if config.reward.kind == "win" and config.deals < config.episode_deals * config.threads:
        raise ValueError(
            f"reward.kind='win', deals={config.deals}, threads={config.threads}: every thread must have a game of "
            f"{config.episode_deals} deals to play"
        )
