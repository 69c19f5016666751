"""Teaching the actor to choose as a bot does, or any other policy, by cross-entropy.

The network plays, and the teacher says at each decision what it would do; so the network learns what to do where its
own play leads, not where the teacher's would (DAgger, Ross and others 2011).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.base import Policy
from agents.load import load
from agents.network import rows_on
from persian_rummy_env.bots import BOTS
from persian_rummy_env.core.bots import choose
from persian_rummy_env.core.jit import compiled
from persian_rummy_env.core.legal import WORDS, legal_actions
from persian_rummy_env.decisions import show

from .labels import LabelCollector, Labeller, Labels
from .learner import NetworkLearner
from .symmetry import ACTIONS, NUM_ORDERS, reorder

STRAYS = 0.05
"""Of the decisions played while choices are taught, at random: play also comes to where the network would not go."""


@compiled
def choice_labels(views, start, action, bot, value):
    """For each of the listed actions 1 if it is what the bot chooses and 0 if not, less the decision's mean.

    Args:
        views: (k,) STATE, each decision as the seat to move knows it.
        start, action: (k + 1,) and (m,), as in ``Labels``; value: (m,) float32, gets the result.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    for row in range(len(views)):
        legal_actions(views[row], words, 0)
        chosen = choose(views[row], words, 0, bot)
        for k in range(start[row], start[row + 1]):
            value[k] = (1.0 if action[k] == chosen else 0.0) - 1.0 / (start[row + 1] - start[row])


def by_choice(teacher: str) -> Labeller:
    """Values that say what a bot, or any policy by its name, chooses."""
    if teacher not in BOTS:
        return by_policy(_loaded(teacher))

    def label(
        views: np.ndarray, start: np.ndarray, action: np.ndarray, _: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, int]:
        value = np.empty(len(action), dtype=np.float32)
        choice_labels(views, start, action, BOTS[teacher], value)
        return value, np.zeros(len(views), dtype=np.float32), 0

    return label


def by_policy(policy: Policy) -> Labeller:
    """As ``by_choice``, of a policy that is no bot. It is handed what the seat to move knows, as in a match."""

    def label(
        views: np.ndarray, start: np.ndarray, action: np.ndarray, _: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, int]:
        counts = np.diff(start)
        chosen = policy.act(show(views, np.arange(len(views)), policy.wants_views))
        value = (action == np.repeat(chosen, counts)) - np.repeat(1 / counts, counts)
        return value.astype(np.float32), np.zeros(len(views), dtype=np.float32), 0

    return label


_loaded = cache(load)


class Lesson(NamedTuple):
    """What a lesson took: ``decisions`` and ``deals`` that were played, and seconds of playing and of learning."""

    decisions: int
    deals: int
    collect: float
    learn: float


def lesson(
    learner: NetworkLearner,
    tables: Sequence[LabelCollector],
    bot: str,
    wanted: int,
    lr: float,
    passes: int = 1,
    reordered: bool = True,
) -> tuple[dict[str, float], Lesson]:
    """Play until the bot has said of ``wanted`` decisions what it would do, and learn it (``teach``)."""
    label, part = by_choice(bot), -(-wanted // len(tables))
    start = time.perf_counter()
    labels = Labels.join(learner.shards.map(lambda table: table.collect(learner.actor, part, label), tables))
    collected = time.perf_counter()
    row = teach(learner, labels, lr, passes, reordered)
    learnt = time.perf_counter()
    decisions, deals = (sum(getattr(table, what) for table in tables) for what in ("decisions", "deals"))
    return row, Lesson(decisions, deals, collected - start, learnt - collected)


def teach(learner: NetworkLearner, labels: Labels, lr: float, passes: int, reordered: bool) -> dict[str, float]:
    """Go through the choices of ``by_choice`` ``passes`` times; with ``reordered``, with the suits of every decision in
    an order of chance. All ranks must have the same labels: each works on its part of a minibatch.

    Returns:
        What there is to log: the loss, and the share of the decisions where the likeliest action was the bot's.
    """
    learner.optimizers["actor"].param_groups[0]["lr"] = lr
    chosen_action = labels.action[labels.value > 0].astype(np.int64)  # one a decision
    told: list[np.ndarray] = []
    norm = 0.0
    for _ in range(passes):
        for chosen in learner.minibatches(len(labels)):
            order = learner.rng.integers(NUM_ORDERS, size=len(chosen)) if reordered else np.zeros_like(chosen)
            work = partial(_gradients, learner, labels, chosen_action, len(chosen))
            ours = list(learner.ranks.share(range(len(chosen))))
            split = [np.array_split(each[ours], learner.shards.count) for each in (chosen, order)]
            parts = learner.shards.map(work, *split)
            norm = learner.step("actor", [gradients for gradients, _ in parts])
            told.append(learner.ranks.total(np.sum([numbers for _, numbers in parts], axis=0)))
    loss, agreement = np.mean(told, axis=0).tolist()
    return {"label_loss": loss, "agreement": agreement, "lr": lr, "actor_norm": norm, "kept": len(labels)}


def _gradients(
    learner: NetworkLearner, labels: Labels, action: np.ndarray, size: int, chosen: np.ndarray, order: np.ndarray
) -> tuple[tuple[Tensor, ...], np.ndarray]:
    """Gradients of a part of a minibatch of ``size`` decisions, and its parts of loss and agreement."""
    view, legal = reorder(labels.view[chosen], labels.legal[chosen], order)
    taken = ACTIONS[order, action[chosen]]
    with learner.autocast():
        rows = rows_on(learner.device, view, legal)
        loss = -learner.actor.evaluate(rows, taken)[0].sum() / size
        agreed = (learner.actor.choose(rows, None)[0] == taken).sum() / size
    return torch.autograd.grad(loss, list(learner.actor.parameters())), np.array([loss.item(), agreed])
