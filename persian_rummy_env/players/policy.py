"""Policies: objects that choose an action for every row of a batch of decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from ..arguments import is_whole
from ..arrays import read_only, shown
from ..bots import BOTS
from ..core.arena_kernels import OUTSIDE, OUTSIDE_IF_CHOICE
from ..observation_bits import unpack_mask
from ..rules import RULE_FIELDS, RuleSet

if TYPE_CHECKING:
    from .critic import Critic

_CODES = {OUTSIDE, *BOTS.values()}


@dataclass(frozen=True, eq=False)
class DecisionBatch:
    """k decisions, each with only what the seat to move sees. All arrays are read-only.

    Attributes:
        observation: (k, 1020) uint8 (``persian_rummy_env.observation.BLOCKS``).
        legal: (k, 9) uint64, the packed action mask: action ``a`` is bit ``a % 64`` of word ``a // 64``. No row is
            empty.
        seat: (k,) int8, the absolute seat to move.
        lane: (k,) int64, the index of each row's game among the games of the match.
        views: (k,) STATE, the infostate of each row: the game as the seat to move knows it
            (``core.belief_kernels.redact`` removes what the seat cannot see). None unless the policy has
            ``wants_views``.
    """

    observation: np.ndarray
    legal: np.ndarray
    seat: np.ndarray
    lane: np.ndarray
    views: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.legal)

    @cached_property
    def action_mask(self) -> np.ndarray:
        """(k, 547) int8, 1 where the action is legal; unpacked from ``legal`` on first use."""
        return read_only(unpack_mask(self.legal))

    def rows(self, rows: Any) -> DecisionBatch:
        """Some of the rows: a slice, or an index array."""
        views = None if self.views is None else self.views[rows]
        return DecisionBatch(self.observation[rows], self.legal[rows], self.seat[rows], self.lane[rows], views)


@runtime_checkable
class Policy(Protocol):
    """A player. One object may play any number of seats in any number of games.

    Any object with ``act`` is accepted as a policy; ``as_policy`` adds what it lacks. It may also have:

    - ``wants_views`` (bool, default False): ``act`` needs ``DecisionBatch.views``.
    - ``rules`` (``RuleSet`` or None, default None): the only rules that it plays by.
    - ``code`` (int, default ``OUTSIDE``): the code of a scripted bot; compiled loops play it without calling ``act``.
    - ``skips_forced`` (bool, default False): compiled loops play the only legal action of a decision without calling
      ``act``.
    - ``probabilities(batch)``: (k, 547) floats, its distribution, 0 where an action is illegal.
    """

    @property
    def name(self) -> str:
        """The name in messages and in tables of results."""
        ...

    def act(self, batch: DecisionBatch, /) -> np.ndarray:
        """The action of every row: (k,) integers, each legal by its row of the mask."""
        ...


class NoCriticError(ValueError):
    """A policy has no critic; the message names the policy."""


class BasePolicy(ABC):
    """A ``Policy`` with every optional attribute at its default.

    Attributes:
        policy_file: the file of a trained policy; its critic is a file beside it.
    """

    name: str
    wants_views: bool = False
    code: int = OUTSIDE
    skips_forced: bool = False
    rules: RuleSet | None = None
    policy_file: Path | None = None

    @abstractmethod
    def act(self, batch: DecisionBatch) -> np.ndarray:
        """The action of every row: (k,) integers, each legal by its row of the mask."""

    @cached_property
    def critic(self) -> Critic:
        """The critic of a trained policy, read on first use.

        Raises:
            NoCriticError: the policy was not trained, or has no critic file.
            ValueError: as ``critic_file.read_critic_file``.
        """
        from .critic import Critic  # it calls ``policy_io``, which imports this module

        if self.policy_file is None:
            raise NoCriticError(f"policy {self.name} has no critic: expected a trained policy, such as 'champion'")
        try:
            return Critic(self.policy_file)
        except FileNotFoundError as error:
            fit = f"python -m train.fit_critic file:{self.policy_file}"
            raise NoCriticError(f"policy {self.name} has no critic: {error}; {fit} fits one") from error

    def value(
        self, games: np.ndarray, seat: int | np.ndarray, *, hidden: bool = False, worlds: int = 40, seed: int = 0
    ) -> np.ndarray:
        """The expected margin of the current deal at its end if this policy plays all four seats from here on, in
        points of the seat's team minus those of the other. Points of finished deals do not count.

        Args:
            games: (n,) STATE, none of them over.
            seat: the seat whose team is meant, and whose knowledge is used; one for all games, or (n,) of them.
            hidden: True: from the full record, with the hidden hands (the order of the stock is never used). False:
                from what the seat sees: the mean over sampled worlds, in which every arrangement of the unseen cards is
                equally likely. It is the same for all games that the seat cannot tell apart.
            worlds: number of sampled worlds of each game; without effect with ``hidden``.
            seed: seed of the worlds.

        Returns:
            (n,) float64.

        Raises:
            NoCriticError: the policy has no critic.
            RulesError: a game has other rules than the deals that the critic was fitted to.
            ValueError, TypeError: a game that is over, records that are not games, or an invalid argument.
        """
        return self.critic.value(games, seat, hidden=hidden, worlds=worlds, seed=seed)


class _Wrapped(BasePolicy):
    """A policy without the base class. Further attributes, such as ``probabilities``, are passed through."""

    def __init__(self, player: Any) -> None:
        self.player = player
        self.name = name_of(player)
        self.wants_views = bool(getattr(player, "wants_views", BasePolicy.wants_views))
        self.code = int(getattr(player, "code", BasePolicy.code))
        self.skips_forced = bool(getattr(player, "skips_forced", BasePolicy.skips_forced))
        self.rules = getattr(player, "rules", BasePolicy.rules)

    def act(self, batch: DecisionBatch) -> np.ndarray:
        return self.player.act(batch)

    def value(self, games: np.ndarray, seat: int | np.ndarray, **options: Any) -> np.ndarray:
        own = getattr(self.player, "value", super().value)
        return own(games, seat, **options)

    def __getattr__(self, name: str) -> Any:
        if name == "player":  # while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self.player, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Wrapped) and other.player is self.player

    def __hash__(self) -> int:
        return id(self.player)


def as_policy(player: Any) -> BasePolicy:
    """A policy with all optional attributes: the object itself, or a wrapper that adds what it lacks.

    Raises:
        TypeError: it has no method ``act(batch)``.
        ValueError: its ``code`` is not the code of a bot.
    """
    if isinstance(player, type) or not callable(getattr(player, "act", None)):
        raise TypeError(f"policy {shown(player)}: expected an object with a method act(batch)")
    code = getattr(player, "code", OUTSIDE)
    if not is_whole(code) or code not in _CODES:
        known = ", ".join(map(str, BOTS.values()))
        raise ValueError(
            f"policy {name_of(player)}: code={shown(code)}: expected {OUTSIDE} (it is asked) or a bot's: {known}"
        )
    return player if isinstance(player, BasePolicy) else _Wrapped(player)


def loop_codes(policies: Iterable[BasePolicy]) -> np.ndarray:
    """How compiled loops play each of some policies: int8, a bot's code, ``OUTSIDE`` or ``OUTSIDE_IF_CHOICE``."""
    asked = [OUTSIDE_IF_CHOICE if each.code == OUTSIDE and each.skips_forced else each.code for each in policies]
    return np.array(asked, dtype=np.int8)


def name_of(policy: Any) -> str:
    """The name of a policy in messages and tables: its ``name``, or else that of its class."""
    return str(getattr(policy, "name", None) or type(policy).__name__)


class RulesError(ValueError):
    """A policy cannot play by the rules of a game; the message names those that differ."""


def check_rules(policy: Any, rules: RuleSet) -> None:
    """Check that a policy can play by these rules. The number of deals is not compared: a policy plays one deal after
    the other, and the observation says how many follow.

    Args:
        policy: a policy without ``rules``, or with None, plays by any rules.

    Raises:
        RulesError: it was trained with other rules; the message names those that differ.
    """
    own = getattr(policy, "rules", None)
    if own is None:
        return
    other = [
        rule.name
        for rule in RULE_FIELDS
        if rule.name != "deals" and getattr(own, rule.name) != getattr(rules, rule.name)
    ]
    if other:
        trained, played = (", ".join(f"{name}={getattr(each, name)}" for name in other) for each in (own, rules))
        raise RulesError(f"policy {name_of(policy)} was trained with {trained}, and this game is played with {played}")


def unknown_name(kind: str, name: Any, known: Iterable[str]) -> str:
    """Error text for an unknown name: the known ones, with a did-you-mean suggestion."""
    names = list(known)
    close = get_close_matches(name if isinstance(name, str) else shown(name), names, 1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"unknown {kind} {shown(name)}: {meant}known are {', '.join(names)}"
