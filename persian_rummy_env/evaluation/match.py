"""Duplicate matches: each deal is played twice with the teams exchanged, and means have 95% intervals.

The unit is the pair: one seed, played once with policy A as team 0 and once as team 1. Its value is the mean of A's two
margins, so that luck which helps both sides alike cancels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ..arguments import choice, finite_number, flag, positive, whole_number
from ..players.load import load
from ..players.policy import Policy, as_policy, check_rules
from ..rules import NUM_SEATS, RuleSet, as_rules
from ..seeds import MAX_LANES, seed_array
from .arena import new_games, play_new
from .statistics import mean_interval

EPISODES = ("deal", "game")
CHUNK = 1024
"""Pairs that are played at once."""
SIDE_STREAM = np.uint64(0xD1B54A32D192ED03)
"""Gives the bots different random streams in the two games of a pair; the cards stay the same."""
SEATINGS = np.array([[0, 2, 1, 3], [2, 0, 3, 1]])
"""The policies at seats 0 to 3 in the two games of a pair: 0 and 1 are A's, 2 and 3 are B's."""


@dataclass(frozen=True)
class MatchResult:
    """The result of policy A against policy B.

    Attributes:
        pairs: duplicate pairs, two episodes each.
        margin: A's points minus B's, per deal; ``low`` and ``high`` are the bounds of its 95% interval over pairs.
        pair_sd, deal_sd: standard deviations of a pair's mean and of a single episode, per deal.
        win_rate: share of episodes that A wins, with ties as half; ``win_low`` and ``win_high`` bound it.
        out_rate: share of last deals in which somebody went out.
        decisions: decisions per deal.
        seconds: wall-clock time.
    """

    a: str
    b: str
    pairs: int
    margin: float
    low: float
    high: float
    pair_sd: float
    deal_sd: float
    win_rate: float
    win_low: float
    win_high: float
    out_rate: float
    decisions: float
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def as_json(self) -> dict[str, Any]:
        """``as_dict``, with None for an infinity, which JSON does not have."""
        return {key: None if value in (float("inf"), float("-inf")) else value for key, value in self.as_dict().items()}

    def __str__(self) -> str:
        half, pairs = (self.high - self.low) / 2, "1 pair" if self.pairs == 1 else f"{self.pairs} pairs"
        return f"{self.a} v {self.b}: {self.margin:+.1f} ± {half:.1f} a deal, {self.win_rate:.1%} won, {pairs}"


def deal_seeds(seed: int, pairs: int, first: int = 0) -> np.ndarray:
    """The seeds of pairs ``first`` to ``first + pairs`` of the deal set ``seed``: (pairs,) uint64.

    A longer set begins with the shorter ones of the same seed.

    Raises:
        ValueError, TypeError: an argument that is not an integer of at least 0.
    """
    seed = whole_number("seed", seed, 0)
    pairs, first = whole_number("pairs", pairs, 0, MAX_LANES), whole_number("first", first, 0, MAX_LANES)
    return np.random.SeedSequence([seed, 0xDEA1]).generate_state(first + pairs, np.uint64)[first:]


@dataclass(frozen=True)
class Pairs:
    """The raw outcome of duplicate pairs.

    Attributes:
        margin: (n, 2) points per deal, A's minus B's, with A as team 0 and as team 1.
        won: (n, 2) 1.0 where A won the episode, 0.5 for a tie.
        out: (n, 2) bool, somebody went out in the last deal.
        decisions: (n, 2) decisions of the episode, per deal.
    """

    margin: np.ndarray
    won: np.ndarray
    out: np.ndarray
    decisions: np.ndarray

    def __len__(self) -> int:
        return len(self.margin)

    @classmethod
    def join(cls, chunks: Sequence[Pairs]) -> Pairs:
        """Concatenate the pairs of several chunks."""
        return cls(*(np.concatenate([getattr(pairs, field.name) for pairs in chunks]) for field in fields(cls)))


Team = tuple[Policy, Policy]
"""Two partners; the first sits at the team's lower seat."""


def play_pairs(
    a: Policy, b: Policy, seeds: np.ndarray, first: int, rules: RuleSet, episode: str, split_stock: bool = False
) -> Pairs:
    """Play duplicate pairs of (n,) seeds, numbered from ``first``. The dealer rotates with the number of the pair.

    Raises:
        ValueError, TypeError: as ``play_teams``.
    """
    return play_teams((a, a), (b, b), seeds, first, rules, episode, split_stock)


def play_teams(
    a: Team, b: Team, seeds: np.ndarray, first: int, rules: RuleSet, episode: str, split_stock: bool = False
) -> Pairs:
    """``play_pairs`` between teams of two policies each.

    Raises:
        ValueError, TypeError: a policy was trained with other rules, or chose an illegal action; ``first`` is no whole
            number of at least 0, or seeds are none.
    """
    first = whole_number("first", first, 0, MAX_LANES)
    team = tuple(as_policy(policy) for policy in (*a, *b))
    for policy in team:
        check_rules(policy, rules)
    seeds = seed_array(seeds)
    lanes = len(seeds)
    deals = rules.deals if choice("episode", episode, EPISODES) == "game" else 1
    dealers = ((first + np.arange(lanes)) % NUM_SEATS).astype(np.int8)
    games = new_games(np.tile(seeds, 2), np.tile(dealers, 2), rules, deals, split_stock)
    games["sample_rng"][lanes:] ^= SIDE_STREAM
    players = list(dict.fromkeys(team))  # each policy once, so that it decides for all its seats in one batch
    who = np.array([players.index(policy) for policy in team])[SEATINGS]
    decisions = play_new(games, players, np.repeat(who, lanes, axis=0)).reshape(2, lanes).T
    score = games["score"].astype(np.int64)
    margin = (score[:, 0] - score[:, 1]).reshape(2, lanes).T * np.array([1, -1])
    out = (games["out"] < NUM_SEATS).reshape(2, lanes).T
    return Pairs(margin / deals, (np.sign(margin) + 1) / 2, out, decisions / deals)


def summary(a: str, b: str, pairs: Pairs, seconds: float) -> MatchResult:
    """Summarise pairs as a match result."""
    margin, low, high = mean_interval(pairs.margin.mean(axis=1))
    win_rate, win_low, win_high = mean_interval(pairs.won.mean(axis=1))
    return MatchResult(
        a=a,
        b=b,
        pairs=len(pairs.margin),
        margin=margin,
        low=low,
        high=high,
        pair_sd=float(pairs.margin.mean(axis=1).std(ddof=1)) if len(pairs.margin) > 1 else 0.0,
        deal_sd=float(pairs.margin.std()),
        win_rate=win_rate,
        win_low=win_low,
        win_high=win_high,
        out_rate=float(pairs.out.mean()),
        decisions=float(pairs.decisions.mean()),
        seconds=seconds,
    )


def play_match(
    a: Policy,
    b: Policy,
    pairs: int,
    seed: int,
    *,
    rules: RuleSet | None = None,
    episode: str = "deal",
    split_stock: bool = False,
    within: float | None = None,
    progress: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play policy A against policy B on duplicate deals (docs/evaluation.md).

    Args:
        a: a policy, an object with ``act(batch)``.
        b: its opponent.
        pairs: duplicate pairs; with ``within``, the maximum.
        seed: seed of the deal set; equal seeds give equal deals to every match.
        rules: None for the default rules.
        episode: ``"deal"``, or ``"game"`` for all deals of the rules; the win rate is then that of games.
        split_stock: each seat draws from its own part of the stock, which makes the two games of a pair more alike.
        within: stop when the half-width of the 95% interval is at most this, in points a deal. It is checked at 1,024,
            2,048, 4,096 … pairs. The rule reads the width of the interval and not its place, so it favours no side.
        progress: called with the result so far after every chunk.

    Raises:
        ValueError, TypeError: an invalid argument, or a policy that was trained with other rules, before any game; a
            policy that answers with an invalid action, during play.
    """
    rules, episode = as_rules(rules), choice("episode", episode, EPISODES)
    pairs, split_stock = positive("pairs", pairs, MAX_LANES), flag("split_stock", split_stock)
    within = None if within is None else finite_number("within", within, 0)
    a, b = as_policy(a), as_policy(b)
    for policy in (a, b):
        check_rules(policy, rules)
    start = time.perf_counter()
    seeds = deal_seeds(seed, pairs)
    played: list[Pairs] = []
    done, look = 0, CHUNK
    result: MatchResult | None = None
    while done < pairs:
        chunk = seeds[done : done + CHUNK]
        played.append(play_pairs(a, b, chunk, done, rules, episode, split_stock))
        done += len(chunk)
        result = summary(a.name, b.name, Pairs.join(played), time.perf_counter() - start)
        if progress is not None:
            progress(result)
        if within is not None and done == look:
            look *= 2
            if (result.high - result.low) / 2 <= within:
                break
    assert result is not None
    return result


def match(
    a: str | Policy,
    b: str | Policy,
    pairs: int = 1000,
    *,
    seed: int = 1,
    rules: RuleSet | None = None,
    episode: str = "deal",
    split_stock: bool = False,
    within: float | None = None,
    progress: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play A against B on duplicate deals: ``match("champion", "expert", 2000)``.

    Args:
        a: the name of a policy (as for ``load``), or any object with ``act(batch)``.
        b: its opponent.
        pairs: deals, each played twice with the teams exchanged; with ``within``, the maximum.
        seed: seed of the deal set; equal seeds give equal deals to every match.
        rules: None for the default rules.
        episode: ``"deal"``, or ``"game"`` for all deals of the rules; the win rate is then that of games.
        split_stock: each seat draws from its own part of the stock, which makes the two games of a pair more alike.
        within: stop when the half-width of the 95% interval is at most this, in points a deal.
        progress: called with the result so far after every 1,024 pairs; ``progress=print`` shows it.

    Returns:
        A's margin in points a deal with its 95% interval, and more; ``print`` shows it as one line.

    Raises:
        ValueError, TypeError, FileNotFoundError: as ``load`` and ``play_match``.
    """
    first, second = (load(policy) if isinstance(policy, str) else policy for policy in (a, b))
    return play_match(
        first,
        second,
        pairs,
        seed,
        rules=rules,
        episode=episode,
        split_stock=split_stock,
        within=within,
        progress=progress,
    )
