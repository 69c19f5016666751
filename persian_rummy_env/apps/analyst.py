"""Analysis of decisions by a policy, for the replay page."""

from __future__ import annotations

import numpy as np

from ..evaluation.arena import play, show
from ..evaluation.statistics import CONFIDENCE, t_quantile
from ..players.load import load
from ..players.policy import Policy, as_policy, check_rules
from ..players.policy_io import choose, sample_worlds, views_of
from ..players.search import GAP, SearchPolicy
from ..rules import NUM_SEATS, RuleSet
from .replay_page import Analysis

DEFAULT_WORLDS = 128
TOGETHER = 4096
"""Games whose playouts run at once."""


class PolicyAnalyst:
    """Analyses decisions by a policy; a ``persian_rummy_env.apps.replay_page.analysis.Analyst``.

    Its ``value`` is the mean margin over sampled worlds, in which the policy plays all four seats to the end of the
    deal. A search gives the value of each action by its own playouts.

    Args:
        policy: a policy, or a name for ``persian_rummy_env.load``.
        worlds: number of sampled worlds; 0: no values.

    Raises:
        ValueError, FileNotFoundError: as ``load.load``.
    """

    def __init__(self, policy: str | Policy, worlds: int = DEFAULT_WORLDS) -> None:
        self.policy = load(policy) if isinstance(policy, str) else as_policy(policy)
        self.worlds = worlds

    def __call__(self, games: np.ndarray, rules: RuleSet) -> Analysis:
        """Analyse the games, (n,) STATE, none of them over.

        Raises:
            RulesError: the policy was trained with other rules.
            PolicyError, AnswerError: it failed, or gave an invalid answer.
        """
        check_rules(self.policy, rules)
        games = games.copy()
        policy = self.policy
        if isinstance(policy, SearchPolicy):
            worth, chosen = worth_of(games, policy)
            value = worth[np.arange(len(games)), chosen]
            value[(worth > -np.inf).sum(axis=1) == 1] = np.nan  # a search skips an only legal action
            return Analysis(policy.name, chosen, worth=worth, value=value)
        probabilities = getattr(policy, "probabilities", None)
        value, half = played_out(games, policy, self.worlds) if self.worlds else (None, None)
        rows = show(games, np.arange(len(games)), policy.wants_views) if probabilities is not None else None
        likely = None if probabilities is None else probabilities(rows)
        return Analysis(policy.name, choose(games, policy), likely, value=value, half=half)


def worth_of(games: np.ndarray, policy: SearchPolicy) -> tuple[np.ndarray, np.ndarray]:
    """The mean margin of the deal after each action by the playouts of a search, (n, 547), ``-inf`` for illegal ones;
    and the chosen actions, (n,). An action that was eliminated after few worlds can have a higher mean than the chosen
    one.
    """
    rows = show(games, np.arange(len(games)), views=True)
    assert rows.views is not None
    values = policy.values(rows.views, rows.action_mask)
    dropped = np.where(np.isfinite(values), np.rint(-values / GAP), 0)  # number of rounds without the action
    return values + GAP * dropped, values.argmax(axis=1)


def played_out(games: np.ndarray, policy: Policy, worlds: int) -> tuple[np.ndarray, np.ndarray | None]:
    """The margin of the deal for the team of the seat to move, (n,) float64: the mean over sampled worlds, and half of
    its 95% interval (None with one world).

    The deal is played as the last one of its game.
    """
    rng = np.random.default_rng(0)
    means, halves = np.empty((2, len(games)))
    quantile = t_quantile(0.5 + CONFIDENCE / 2, worlds - 1) if worlds > 1 else 0.0
    together = max(1, TOGETHER // worlds)
    for start in range(0, len(games), together):
        some = games[start : start + together]
        lanes, seats = np.arange(len(some)), some["seat"].astype(np.int64)
        dealt = sample_worlds(views_of(some, lanes, seats), seats, worlds, rng).reshape(-1)
        dealt["deals"] = dealt["deal"] + 1
        play(dealt, [policy], np.zeros((len(dealt), NUM_SEATS), dtype=np.int64))
        margin = dealt["last_score"][:, 0].astype(np.float64) - dealt["last_score"][:, 1]
        margin = margin.reshape(-1, worlds) * np.where(seats % 2 == 0, 1, -1)[:, None]
        means[start : start + together] = margin.mean(axis=1)
        halves[start : start + together] = quantile * margin.std(axis=1) / max(1, worlds - 1) ** 0.5
    return means, halves if worlds > 1 else None
