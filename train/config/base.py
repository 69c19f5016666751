"""The settings that every way of training has: groups of frozen dataclasses, each checked when it is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from agents.network import KINDS
from persian_rummy_env.bots import bot_codes
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.players.policy import unknown_name
from persian_rummy_env.rules import RULE_FIELDS, RuleSet
from persian_rummy_env.system.stored import ANY, LARGEST, later, settings_of

from .checks import above_zero, layer_width, refuse, schedule, share, whole
from .old_names import today

C = TypeVar("C", bound="RunConfig")
T = TypeVar("T")
TABLE_RULES = tuple(rule for rule in RULE_FIELDS if rule.name != "deals")
"""The rules that are settings of a run. The number of deals of an episode follows from the reward (``episode``)."""


def with_table_rules(settings: type[T]) -> type[T]:
    """Add a setting for each rule that the class does not declare, so that training has every rule."""
    for rule in TABLE_RULES:
        if rule.name not in settings.__annotations__:
            settings.__annotations__[rule.name] = int if rule.numbers else Literal[rule.values]
        setattr(settings, rule.name, later(rule.absent, rule.default))
    return settings


@dataclass(frozen=True)
@with_table_rules
class Rules:
    """The rules that are played.

    Attributes:
        quad_bonus: which sets of four melded at once count double.
        stock_out: what ends a deal once the stock is empty.
    """

    group: ClassVar[str] = "rules"
    quad_bonus: Literal["any", "jacks"]
    stock_out: Literal["pass", "end"]


@dataclass(frozen=True)
class Network:
    """The networks of actor and critic.

    Attributes:
        kind: the architecture: ``residual``, or ``attention`` over cards, which has no fast form for a CPU.
        width: features of each layer.
        blocks: number of blocks.
    """

    group: ClassVar[str] = "network"
    kind: str = "residual"
    width: int = 256
    blocks: int = 2

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"network.kind: {unknown_name('kind of network', self.kind, KINDS)}")
        layer_width(self, "width")
        whole(self, "blocks", 1, 1024)


@dataclass(frozen=True)
class Optim:
    """The optimiser, Adam.

    Attributes:
        lr: learning rate, at the start and at the end.
        minibatch: decisions per optimiser step.
        epochs: passes over the decisions of an update.
    """

    group: ClassVar[str] = "optim"
    given_up: ClassVar[Mapping[str, Any]] = {"clip_norm": 0.5, "adam_eps": 1e-5}
    lr: tuple[float, float] = (7e-4, 7e-5)
    minibatch: int = 1024
    epochs: int = 2

    def __post_init__(self) -> None:
        schedule(self, "lr")
        if max(self.lr) == 0:
            refuse(self, "lr", "a number above 0 at the start or at the end")
        whole(self, "minibatch", 1, LARGEST)
        whole(self, "epochs", 1, 2**20)


@dataclass(frozen=True)
class Eval:
    """Matches against the evaluation bots.

    Attributes:
        every: seconds of training between matches; with ``updates``, updates.
        pairs: duplicate pairs per match.
        final_pairs: duplicate pairs per match at the end, on deals by which nothing is chosen.
    """

    group: ClassVar[str] = "eval"
    given_up: ClassVar[Mapping[str, Any]] = {"report": ANY}
    every: float = 30.0
    pairs: int = 512
    final_pairs: int = 4096

    def __post_init__(self) -> None:
        above_zero(self, "every")
        whole(self, "pairs", 1, 10**8)
        whole(self, "final_pairs", 1, 10**8)


@dataclass(frozen=True)
class Bots:
    """Scripted bots as opponents. A bot team plays whole deals; its decisions are not learnt from by PPO.

    Attributes:
        names: the bots, in turn.
        share: share of the deals that are played against them.
    """

    group: ClassVar[str] = "bots"
    names: tuple[str, ...] = ()
    share: float = 0.0

    def __post_init__(self) -> None:
        for bot in self.names:
            bot_codes(bot)
        share(self, "share", below=True)
        if bool(self.names) != (self.share > 0):
            raise ValueError(f"bots.names={self.names}, bots.share={self.share}: expected both or neither")


@dataclass(frozen=True)
class RunConfig:
    """The settings of any run.

    Attributes:
        preset: the preset that the defaults come from.
        resume: continue the run in this folder; only the budget and the workers may change.
        out: folder of the run.
        if_exists: if the folder has a run: ``refuse``, or ``number``, which writes to ``OUT-2``, ``OUT-3`` …
        init_from: policy file whose weights the actor starts with.
        seed: of weights, deals, draws and minibatches.
        minutes: budget in minutes of training, without evaluation; schedules follow the share that is spent.
        updates: budget in updates instead; a run then repeats bit for bit on a CPU.
        pause_after: stop after this many updates, as by Ctrl-C.
        device: device of the networks: ``cpu``, ``cuda``, ``cuda:1`` …
        threads: CPU threads; part of what a run on a CPU repeats by.
        precision: of the square layers: ``fp32``, or ``bf16``, faster where the hardware has it.
        deals: deals per update.
        save_every: seconds of training between checkpoints; with ``updates``, updates.
        wandb: also log to Weights & Biases; ``WANDB_MODE`` is obeyed.
        rules: the rules.
        network: the networks.
        optim: the optimiser.
        eval: the evaluation.
        bots: scripted opponents.

    Raises:
        ValueError: a setting out of range, or two that contradict each other; the message names them.
    """

    algorithm: ClassVar[str] = "selfplay"
    """The module of its command, without ``train.``; checkpoints hold it."""
    given_up: ClassVar[Mapping[str, Any]] = {"masked_blocks": []}
    stages: ClassVar[str] = ""
    """The stages of the algorithm, a regular expression; empty if it has only one."""
    preset: str = "quick"
    resume: Path | None = None
    out: Path = Path("runs/quick")
    if_exists: Literal["refuse", "number"] = "refuse"
    init_from: Path | None = None
    seed: int = 1
    minutes: float | None = 5.0
    updates: int | None = None
    pause_after: int | None = None
    device: str = "cpu"
    threads: int = 2
    precision: Literal["fp32", "bf16"] = "fp32"
    deals: int = 256
    save_every: float = 30.0
    wandb: bool = False
    rules: Rules = Rules()  # type: ignore[call-arg]
    network: Network = Network()
    optim: Optim = Optim()
    eval: Eval = Eval()
    bots: Bots = Bots()

    def __post_init__(self) -> None:
        whole(self, "seed", 0, 2**64 - 1)
        whole(self, "threads", 1, 4096)
        whole(self, "deals", 1, 2**20)
        for name in ("updates", "pause_after"):
            if getattr(self, name) is not None:
                whole(self, name, 1)
        above_zero(self, "minutes", "save_every")
        refuse_contradictions(self)

    @property
    def masked_bytes(self) -> np.ndarray:
        """Bytes of the observation that no network reads: (k,) int64. None; experiments override it."""
        return np.empty(0, dtype=np.int64)

    @property
    def rule_set(self) -> RuleSet:
        return RuleSet(**{rule.name: getattr(self.rules, rule.name) for rule in TABLE_RULES})

    @property
    def shape(self) -> Shape:
        """Of the networks; those that play games also read of other deals."""
        network = self.network
        return Shape(network.width, network.blocks, self.episode == "game", network.kind)

    @property
    def episode(self) -> Literal["deal", "game"]:
        """What is played from start to end, in training and in the matches that measure it."""
        return "deal"

    @property
    def episode_deals(self) -> int:
        """Deals of an episode."""
        return self.rule_set.deals if self.episode == "game" else 1

    def completed(self: C, ranks: int = 1) -> C:  # noqa: ARG002 (for subclasses)
        """The settings with what follows from them when the run starts in ``ranks`` processes."""
        return self

    def small(self: C) -> C:
        """Settings whose updates take a moment, to compile by."""
        sizes = {"deals": self.episode_deals * self.threads, "optim.minibatch": 64 * self.threads}
        return with_settings(self, {**sizes, "updates": 1, "minutes": None, "pause_after": None})

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON holds them: an object for each group."""
        return json.loads(json.dumps(asdict(self), default=str))

    @classmethod
    def from_dict(cls: type[C], settings: Mapping[str, Any]) -> C:
        """The inverse of ``as_dict``; also of the flat settings of older files (``old_names``). A setting that the
        file does not have means what was done before there was the setting (``stored``).

        Raises:
            ValueError: a setting unknown, of another type, or refused.
        """
        return cls(**settings_of(cls, today(settings, cls.algorithm)))


def module_of(algorithm: str) -> str:
    """The module of an algorithm's command."""
    return algorithm if "." in algorithm else f"train.{algorithm}"


def refuse_contradictions(config: RunConfig) -> None:
    """Refuse settings of different groups that contradict each other."""
    optim, threads = config.optim, config.threads
    if (config.minutes is None) == (config.updates is None):
        raise ValueError(f"minutes={config.minutes}, updates={config.updates}: expected one of the two, as the budget")
    if config.deals < threads:
        raise ValueError(f"deals={config.deals}, threads={threads}: every thread must have a deal to play")
    if optim.minibatch < threads:
        raise ValueError(f"optim.minibatch={optim.minibatch}, threads={threads}: every thread must have a decision")
    if config.updates is not None and config.pause_after is not None and config.pause_after > config.updates:
        raise ValueError(f"pause_after={config.pause_after}, updates={config.updates}: the run ends before the pause")


def flat(config: Any, prefix: str = "") -> dict[str, Any]:
    """All settings by their full names: ``{"seed": 1, "ppo.clip": 0.2, …}``."""
    settings: dict[str, Any] = {}
    for field in fields(config):
        value = getattr(config, field.name)
        inner = flat(value, f"{prefix}{field.name}.") if is_dataclass(value) else {f"{prefix}{field.name}": value}
        settings |= inner
    return settings


def with_settings(config: C, changes: Mapping[str, Any]) -> C:
    """A copy with settings changed, by their full names: ``with_settings(config, {"seed": 2, "ppo.clip": 0.1})``.

    Raises:
        TypeError: there is no such setting. ValueError: it is refused.
    """
    top: dict[str, Any] = {name: value for name, value in changes.items() if "." not in name}
    groups: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        group, dot, rest = name.partition(".")
        if dot:
            groups.setdefault(group, {})[rest] = value
    for group, values in groups.items():
        if not is_dataclass(getattr(config, group, None)):
            raise TypeError(f"{group}: there is no such group of settings")
        top[group] = replace(getattr(config, group), **values)
    return replace(config, **top)


BUDGET = ("minutes", "updates", "pause_after", "workers")
"""What may be given again to a run that is resumed: its budget, and who plays."""


def resumed(saved: C, given: C) -> C:
    """The settings of a resumed run: those saved, with the budget and the workers that were given.

    Args:
        given: the saved settings with what the command line changed.

    Raises:
        ValueError: something else was changed as well.
    """
    before = flat(saved)
    refused = [n for n, value in flat(given).items() if value != before[n] and n not in (*BUDGET, "resume")]
    if refused:
        raise ValueError(f"{', '.join(refused)}: a resumed run keeps its settings; only {', '.join(BUDGET)} may change")
    return replace(given, resume=None)
