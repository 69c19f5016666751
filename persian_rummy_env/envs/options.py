"""Options that all environments share: checks, and the codes of the compiled loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast, get_args

import numpy as np

from ..arguments import choice, listed, positive
from ..arrays import as_array, integers, shown
from ..cards import NUM_CARDS, parse_deck
from ..rules import NUM_SEATS, RuleSet, as_rules

if TYPE_CHECKING:
    from ..players.policy import Policy

Rules: TypeAlias = RuleSet | Mapping[str, Any] | None
Episode: TypeAlias = Literal["game", "deal"]
Reward: TypeAlias = Literal["margin", "win"]
RewardTiming: TypeAlias = Literal["dense", "end"]
IllegalAction: TypeAlias = Literal["raise", "forfeit"]
AutoresetName: TypeAlias = Literal["SAME_STEP", "NEXT_STEP", "DISABLED"]
ObservationKind: TypeAlias = Literal["dict", "flat"]
ObservationForm: TypeAlias = Literal["bytes", "bits"]
RenderMode: TypeAlias = Literal["human", "ansi", "rgb_array"]

EPISODES = get_args(Episode)
REWARDS = get_args(Reward)
REWARD_TIMINGS = get_args(RewardTiming)
ILLEGAL_ACTIONS = get_args(IllegalAction)
AUTORESET_MODES = get_args(AutoresetName)
OBSERVATIONS = get_args(ObservationKind)
FORMS = get_args(ObservationForm)
RENDER_MODES = get_args(RenderMode)
REWARD_KINDS = (("margin", "dense"), ("margin", "end"), ("win", "dense"))
"""Reward and timing by the codes of ``core.batch_kernels``. A win is rewarded at the end with either timing."""
MAX_THREADS = 1024
MAX_DECISIONS = 2**63 - 1
"""The largest ``max_decisions`` that compiled code can count to."""
ANY_DEALER = -1
NOT_GIVEN = 255


# Options of an environment --------------------------------------------------------------------------------------------


class EnvOptions(TypedDict, total=False):
    """The options that all environments share, for functions that pass them on (documented in
    ``persian_rummy_env.env``)."""

    rules: Rules
    episode: Episode
    reward: Reward
    reward_timing: RewardTiming
    illegal_action: IllegalAction
    max_decisions: int | None
    seed: int | None


class AECOptions(EnvOptions, total=False):
    """The options of ``persian_rummy_env.env``."""

    render_mode: RenderMode | None
    viewer: str | int


class VectorOptions(EnvOptions, total=False):
    """The options of ``PersianRummyVecEnv`` that an adapter passes on."""

    threads: int


class AgentOptions(EnvOptions, total=False):
    """The options of the Gymnasium environments that an adapter passes on."""

    seats: int | Sequence[int] | str
    opponents: str | Policy
    partner: str | Policy | None


@dataclass(frozen=True)
class Options:
    """The checked options of an environment (documented in ``persian_rummy_env.env``).

    Raises:
        ValueError: an option with an invalid value.
    """

    rules: RuleSet
    episode: Episode = "game"
    reward: Reward = "margin"
    reward_timing: RewardTiming = "dense"
    illegal_action: IllegalAction = "raise"
    max_decisions: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", as_rules(self.rules))
        choice("episode", self.episode, EPISODES)
        choice("reward", self.reward, REWARDS)
        choice("reward_timing", self.reward_timing, REWARD_TIMINGS)
        choice("illegal_action", self.illegal_action, ILLEGAL_ACTIONS)
        if self.max_decisions is not None:  # one type for compiled code
            object.__setattr__(self, "max_decisions", positive("max_decisions", self.max_decisions, MAX_DECISIONS))

    @property
    def deals(self) -> int:
        """Deals of an episode."""
        return self.rules.deals if self.episode == "game" else 1

    @property
    def reward_kind(self) -> int:
        return 2 if self.reward == "win" else REWARD_KINDS.index((self.reward, self.reward_timing))


def autoreset_name(mode: AutoresetName | Enum) -> AutoresetName:
    """The name of an autoreset mode, given as a name or as Gymnasium's ``AutoresetMode``.

    Raises:
        ValueError: there is no such mode.
    """
    return cast(AutoresetName, choice("autoreset_mode", getattr(mode, "name", mode), AUTORESET_MODES))


# Arguments of a reset -------------------------------------------------------------------------------------------------


def reset_options(options: Any) -> Mapping[str, Any]:
    """Check the ``options`` of a reset; None is an empty mapping.

    Raises:
        TypeError: ``options`` is neither a mapping nor None.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options={shown(options)}: expected a mapping, such as {{'dealer': 0}}, or None")
    return options


def reset_mask(options: Mapping[str, Any], num_envs: int) -> np.ndarray:
    """The sub-environments to reset, (num_envs,) bool; all without ``reset_mask`` in ``options``.

    Raises:
        TypeError, ValueError: the mask is not one truth value for each env.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(num_envs, dtype=bool)
    name, expected = "options['reset_mask']", f"bool ({num_envs},), one for each env"
    chosen = as_array(name, mask, expected)
    if chosen.dtype != bool or chosen.shape != (num_envs,):
        raise ValueError(f"{name} of {chosen.dtype} {chosen.shape}: expected {expected}")
    return np.array(chosen)


@dataclass(frozen=True)
class Deals:
    """The dealers and decks of ``reset(options=…)``.

    Attributes:
        dealers: (n,) int8, the first dealer of each sub-environment, or ``ANY_DEALER``.
        decks: (n or 1, k, 56) uint8, the decks of the first ``k`` deals. A deck with ``NOT_GIVEN`` at index 0 is drawn.
    """

    dealers: np.ndarray
    decks: np.ndarray

    @classmethod
    def parse(cls, options: Mapping[str, Any] | None, num_envs: int, deals: int) -> Deals:
        """Parse ``dealer`` (a seat, or one for each env) and ``decks`` (one deck for each deal, or a list of these for
        each env; None instead of a deck draws it from the seed). Other keys are ignored.

        Raises:
            TypeError, ValueError: not a mapping, not a seat, more decks than deals, or a deck that is not the whole
                pack. The message names it.
        """
        options = reset_options(options)
        dealers = np.full(num_envs, ANY_DEALER, dtype=np.int8)
        if options.get("dealer") is not None:
            dealers[:] = _dealers(options["dealer"], num_envs)
        return cls(dealers, _decks(options.get("decks"), num_envs, deals))


def _dealers(dealer: Any, num_envs: int) -> np.ndarray:
    expected = f"a seat 0..{NUM_SEATS - 1}, or {num_envs} of them, one for each env"
    try:
        seats = integers("options['dealer']", dealer, expected)
    except TypeError:
        raise ValueError(f"options['dealer']={shown(dealer)}: expected {expected}") from None
    if seats.shape not in ((), (num_envs,)) or (seats < 0).any() or (seats >= NUM_SEATS).any():
        raise ValueError(f"options['dealer']={shown(dealer)}: expected {expected}")
    return seats


def _decks(decks: Any, num_envs: int, deals: int) -> np.ndarray:
    name, expected = (
        "options['decks']",
        f"a list of decks, one for each deal, or a list of those for each of {num_envs} envs",
    )
    items = [] if decks is None else listed(name, decks, expected)
    given = [deck for deck in items if deck is not None]
    if any(isinstance(deck, str | int | np.integer) for deck in given):
        raise ValueError(f"{name}={shown(decks)} is one deck, or holds a card: expected {expected}; one deck is [deck]")
    for deck in given:
        listed(name, deck, expected)
    if not given:
        return np.full((1, 0, NUM_CARDS), NOT_GIVEN, dtype=np.uint8)
    by_env = any(len(deck) and _holds_cards(deck[0]) for deck in given)
    deck_lists = (
        [[] if deck_list is None else listed(name, deck_list, expected) for deck_list in items] if by_env else [items]
    )
    if by_env and len(deck_lists) != num_envs:
        raise ValueError(f"{name} holds decks for {len(deck_lists)} envs: expected {num_envs}")
    most = max(len(deck_list) for deck_list in deck_lists)
    if most > deals:
        raise ValueError(
            f"{name} holds {most} decks, but an episode has {deals} deals here: expected at most one a deal"
        )
    parsed = np.full((len(deck_lists), most, NUM_CARDS), NOT_GIVEN, dtype=np.uint8)
    for index, deck_list in enumerate(deck_lists):
        for deal, deck in enumerate(deck_list):
            if deck is not None:
                try:
                    parsed[index, deal] = parse_deck(deck)
                except (TypeError, ValueError) as error:
                    where = f"env {index}, deal {deal}" if by_env else f"deal {deal}"
                    raise ValueError(f"{name}, {where}: {error}") from None
    return parsed


def _holds_cards(item: Any) -> bool:
    """Whether an item is a deck, or None instead of one, and not a card."""
    return item is None or (isinstance(item, Sequence | np.ndarray) and not isinstance(item, str | bytes))
