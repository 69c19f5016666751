"""Options that all faces share: checked once, and turned into the codes that the compiled loop takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cards import NUM_CARDS, parse_deck
from .rules import NUM_SEATS, RuleSet, as_rules

EPISODES = ("game", "deal")
REWARDS = ("margin", "win")
REWARD_TIMINGS = ("dense", "end")
ILLEGAL_ACTIONS = ("raise", "forfeit")
AUTORESET_MODES = ("SAME_STEP", "NEXT_STEP", "DISABLED")
REWARD_KINDS = (("margin", "dense"), ("margin", "end"), ("win", "dense"))
"""Rows are the codes of ``core.batch``; a win is paid at the end whatever the timing."""
MAX_SEED = 2**64 - 1
ANY_DEALER = -1
NOT_GIVEN = 255


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """``value`` if it is allowed; else an error that names the option and what it takes."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, allowed))}")
    return value


def positive(name: str, value: Any) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name}={value!r}: expected a whole number of at least 1")
    return int(value)


@dataclass(frozen=True)
class Options:
    """The options of a table (see ``persian_rummy_env.env`` for their meaning).

    Raises:
        ValueError: an option with a value that it does not take.
    """

    rules: RuleSet
    episode: str = "game"
    reward: str = "margin"
    reward_timing: str = "dense"
    illegal_action: str = "raise"
    max_decisions: int | None = None

    @classmethod
    def checked(cls, rules: RuleSet | Mapping[str, Any] | None, **options: Any) -> Options:
        return cls(rules=as_rules(rules), **options)

    def __post_init__(self) -> None:
        choice("episode", self.episode, EPISODES)
        choice("reward", self.reward, REWARDS)
        choice("reward_timing", self.reward_timing, REWARD_TIMINGS)
        choice("illegal_action", self.illegal_action, ILLEGAL_ACTIONS)
        if self.max_decisions is not None:
            positive("max_decisions", self.max_decisions)

    @property
    def deals(self) -> int:
        """Deals in an episode."""
        return self.rules.deals if self.episode == "game" else 1

    @property
    def reward_kind(self) -> int:
        return 2 if self.reward == "win" else REWARD_KINDS.index((self.reward, self.reward_timing))


def game_seed(seed: Any) -> np.uint64:
    """A seed as the 64 bits that start a game's generators.

    Raises:
        TypeError, ValueError: not a whole number from 0 to 2**64 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"seed={seed!r}: expected a whole number or None")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed={seed!r}: expected a number from 0 to 2**64 - 1")
    return np.uint64(seed)


def lane_seeds(seed: int, lanes: int) -> np.ndarray:
    """The seeds of the lanes of a batch that was given one seed: shape (lanes,), uint64.

    Lane ``i`` is the game that every face plays for ``lane_seeds(seed, n)[i]``, for any ``n > i``. They come from
    numpy's ``SeedSequence``, so batches of neighbouring seeds share no deals.
    """
    return np.random.SeedSequence(int(game_seed(seed))).generate_state(lanes, np.uint64)


def fresh_seed() -> int:
    """A seed from the operating system."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class Deals:
    """What ``reset(options=…)`` says of the deals.

    Attributes:
        dealers: (n,) int8, the first dealer of each lane, or ``ANY_DEALER``.
        decks: (n or 1, k, 56) uint8, the decks of the first ``k`` deals; ``NOT_GIVEN`` at index 0 of one to be drawn.
    """

    dealers: np.ndarray
    decks: np.ndarray

    @classmethod
    def parse(cls, options: Mapping[str, Any] | None, lanes: int, deals: int) -> Deals:
        """Read ``dealer`` (a seat, or one a lane) and ``decks`` (a deck a deal, or a list of those a lane; None in
        place of a deck leaves it to the seed). Other keys are left to whoever knows them.

        Raises:
            ValueError: no seat, more decks than deals, or a deck that is not the whole pack; the message names it.
        """
        options = options or {}
        dealers = np.full(lanes, ANY_DEALER, dtype=np.int8)
        if options.get("dealer") is not None:
            dealers[:] = _dealers(options["dealer"], lanes)
        return cls(dealers, _decks(options.get("decks"), lanes, deals))


def _dealers(dealer: Any, lanes: int) -> np.ndarray:
    seats = np.asarray(dealer)
    if (
        seats.dtype.kind not in "iu"
        or seats.shape not in ((), (lanes,))
        or (seats < 0).any()
        or (seats >= NUM_SEATS).any()
    ):
        raise ValueError(
            f"options['dealer']={dealer!r}: expected a seat 0..{NUM_SEATS - 1}, or {lanes} of them, one a lane"
        )
    return seats


def _decks(decks: Any, lanes: int, deals: int) -> np.ndarray:
    if decks is None:
        return np.full((1, 0, NUM_CARDS), NOT_GIVEN, dtype=np.uint8)
    first = next((deck for deck in decks if deck is not None), None)
    if first is None:
        return np.full((1, 0, NUM_CARDS), NOT_GIVEN, dtype=np.uint8)
    by_lane = len(first) > 0 and not isinstance(first[0], str | int | np.integer)
    tables = [() if table is None else table for table in decks] if by_lane else [decks]
    if by_lane and len(tables) != lanes:
        raise ValueError(f"options['decks'] holds decks for {len(tables)} lanes: expected {lanes}")
    most = max(len(table) for table in tables)
    if most > deals:
        raise ValueError(f"options['decks'] holds {most} decks, but an episode has {deals} deals here")
    parsed = np.full((len(tables), most, NUM_CARDS), NOT_GIVEN, dtype=np.uint8)
    for lane, table in enumerate(tables):
        for deal, deck in enumerate(table):
            if deck is not None:
                try:
                    parsed[lane, deal] = parse_deck(deck)
                except ValueError as error:
                    where = f"lane {lane}, deal {deal}" if by_lane else f"deal {deal}"
                    raise ValueError(f"options['decks'], {where}: {error}") from None
    return parsed
