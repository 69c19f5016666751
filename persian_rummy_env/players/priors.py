"""Priors over the legal actions for search: values that count like the first sampled worlds.

Only differences between the actions of a decision matter; they are in points of margin.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..actions import NUM_ACTIONS
from ..arguments import finite_number, positive
from ..arrays import plain
from ..core import expert
from ..core.compiler.compile_on_demand import ensure_compiled
from ..core.expert import EXPERT_WEIGHTS, NUM_FEATURES
from ..rules import RuleSet
from ..state import STATE
from .policy import Policy, as_policy
from .policy_io import show

NAT = 6.0
"""Margin points per nat of log-probability."""
MIN_PRIOR = 1e-6
"""Default of ``PolicyPrior``'s ``min_prior``."""


class Prior(Protocol):
    """Values of actions before search.

    Attributes:
        name: its name within the name of a search.
        rules: the only rules that it is for; None: any.
        worlds: default pseudo-count: it counts as this many sampled worlds.
    """

    name: str
    rules: RuleSet | None
    worlds: float

    def worth_of(self, views: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Values of actions: (k, 547) float64, 0 where illegal; ``-inf`` where the search is to skip a legal one.

        Args:
            views: (k,) STATE, as the seat to move knows it.
            legal: (k, 547) bool.
        """
        ...


class ExpertPrior:
    """The weighted sum of features by which the bot ``expert`` chooses."""

    name: str = "expert"
    rules: RuleSet | None = None
    worlds: float = 30.0

    def worth_of(self, views: np.ndarray, legal: np.ndarray) -> np.ndarray:
        ensure_compiled("prior of search")
        rows, actions = (plain(places, np.int64) for places in np.nonzero(legal))
        terms = np.empty((len(rows), NUM_FEATURES))
        expert.features_of(plain(views, STATE), rows, actions, terms)
        worth = np.zeros((len(views), NUM_ACTIONS))
        worth[rows, actions] = (terms * EXPERT_WEIGHTS).sum(axis=1)  # a matrix product depends on the batch
        return worth


class PolicyPrior:
    """The probabilities of a trained policy: ``NAT`` points a nat. It also chooses the candidates of the search.

    Args:
        min_prior: actions with less than this share of the probability of the likeliest action are not searched.
        candidates: the number of actions that are searched at most, the likeliest ones, of equals the lowest ids; None:
            any number.

    Raises:
        ValueError, TypeError: the policy has no method ``probabilities``, or a setting out of range.
    """

    worlds: float = 10.0

    def __init__(self, policy: Policy, min_prior: float | None = None, candidates: int | None = None) -> None:
        settings = {"min_prior": min_prior, "candidates": candidates}
        self.name = ", ".join(
            [policy.name, *(f"{key}={value}" for key, value in settings.items() if value is not None)]
        )
        share = "a share of the favourite's probability above 0, at most 1"
        self.min_prior = (
            MIN_PRIOR if min_prior is None else finite_number("min_prior", min_prior, 0, 1, share, above=True)
        )
        self.candidates = None if candidates is None else positive("candidates", candidates)
        self.rules: RuleSet | None = as_policy(policy).rules
        self._probabilities: Any = getattr(policy, "probabilities", None)
        if not callable(self._probabilities):
            raise ValueError(
                f"prior={policy.name}: it gives no probabilities; expected 'expert' or a trained policy, such as "
                "'champion' or 'file:…'"
            )

    def worth_of(self, views: np.ndarray, legal: np.ndarray) -> np.ndarray:
        likely = self._probabilities(show(views, np.arange(len(views)))).astype(np.float64)
        hopeful = legal & (likely >= self.min_prior * likely.max(axis=1, keepdims=True))
        worth = np.round(
            NAT * np.log(np.where(hopeful, likely, 1.0)), 2
        )  # the last bits of a network may depend on the batch
        worth = np.where(hopeful, worth, np.where(legal, -np.inf, 0.0))
        if self.candidates is not None:
            order = np.argsort(-np.where(hopeful, worth, -np.inf), axis=1, kind="stable")[:, self.candidates :]
            rest = np.zeros(legal.shape, dtype=bool)
            np.put_along_axis(rest, order, True, axis=1)
            worth[rest & legal] = -np.inf
        return worth
