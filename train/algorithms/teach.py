"""Teaching the actor to choose as a teacher does, by cross-entropy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.network import rows_on

from ..data.labels import ChoiceCollector, Choices, Teacher
from ..data.symmetry import ACTIONS, NUM_ORDERS, reorder
from .learner import NetworkLearner


class Lesson(NamedTuple):
    """What a lesson took: ``decisions`` and ``deals`` that were played, and seconds of playing and of learning."""

    decisions: int
    deals: int
    collect: float
    learn: float


def lesson(
    learner: NetworkLearner,
    tables: Sequence[ChoiceCollector],
    teacher: Teacher,
    wanted: int,
    lr: float,
    passes: int = 1,
    reordered: bool = True,
    temperature: float = 1.0,
) -> tuple[dict[str, float], Lesson]:
    """Play until the teacher has said of ``wanted`` decisions what it would do, and learn it (``teach``)."""
    part = -(-wanted // len(tables))
    start = time.perf_counter()
    choices = Choices.join(learner.shards.map(lambda table: table.collect(learner.actor, part, teacher), tables))
    collected = time.perf_counter()
    row = teach(learner, choices, lr, passes, reordered, temperature)
    learnt = time.perf_counter()
    decisions, deals = (sum(getattr(table, what) for table in tables) for what in ("decisions", "deals"))
    return row, Lesson(decisions, deals, collected - start, learnt - collected)


def teach(
    learner: NetworkLearner, choices: Choices, lr: float, passes: int, reordered: bool, temperature: float = 1.0
) -> dict[str, float]:
    """Go through the choices ``passes`` times; with ``reordered``, with the suits of every decision in an order of
    chance. All ranks must have the same choices: each works on its part of a minibatch. ``temperature``: of the
    distribution that is matched, for a player that is surer than its teacher.

    Returns:
        What there is to log: the loss, and the share of the decisions where the likeliest action was the teacher's.
    """
    learner.optimizers["actor"].param_groups[0]["lr"] = lr
    told: list[np.ndarray] = []
    norm = 0.0
    for _ in range(passes):
        for chosen in learner.minibatches(len(choices)):
            order = learner.rng.integers(NUM_ORDERS, size=len(chosen)) if reordered else np.zeros_like(chosen)
            work = partial(_gradients, learner, choices, len(chosen), temperature)
            ours = list(learner.ranks.share(range(len(chosen))))
            split = [np.array_split(each[ours], learner.shards.count) for each in (chosen, order)]
            parts = learner.shards.map(work, *split)
            norm = learner.step("actor", [gradients for gradients, _ in parts])
            told.append(learner.ranks.total(np.sum([numbers for _, numbers in parts], axis=0)))
    loss, agreement = np.mean(told, axis=0).tolist()
    return {"teaching_loss": loss, "agreement": agreement, "lr": lr, "actor_norm": norm, "kept": len(choices)}


def _gradients(
    learner: NetworkLearner, choices: Choices, size: int, temperature: float, chosen: np.ndarray, order: np.ndarray
) -> tuple[tuple[Tensor, ...], np.ndarray]:
    """Gradients of a part of a minibatch of ``size`` decisions, and its parts of loss and agreement."""
    view, legal = reorder(choices.view[chosen], choices.legal[chosen], order)
    taken = ACTIONS[order, choices.action[chosen]]
    with learner.autocast():
        rows = rows_on(learner.device, view, legal)
        loss = -learner.actor.evaluate(rows, taken, temperature)[0].sum() / size
        agreed = (learner.actor.choose(rows, None)[0] == taken).sum() / size
    return torch.autograd.grad(loss, list(learner.actor.parameters())), np.array([loss.item(), agreed])
