"""Behaviour cloning: the actor learns a teacher's actions by cross-entropy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from agents.inputs import inputs_on

from ..data.columns import join
from ..data.labels import LabelCollector, Labels, Teacher
from ..data.symmetry import ACTIONS, NUM_ORDERS, reorder
from .base import Step
from .learner import NetworkLearner


def collect_and_clone(
    learner: NetworkLearner,
    collectors: Sequence[LabelCollector],
    teacher: Teacher,
    batch_size: int,
    lr: float,
    passes: int = 1,
    permute_suits: bool = True,
    temperature: float = 1.0,
) -> Step:
    """Play until the teacher has labelled ``batch_size`` decisions, and learn from them.

    Args:
        learner: its actor plays and learns.
        collectors: one for each thread.
        teacher: labels the decisions.
        batch_size: labels, at least.
        lr, passes, permute_suits, temperature: as in ``clone``.
    """
    part = -(-batch_size // len(collectors))
    start = time.perf_counter()
    labels = join(learner.shards.map(lambda collector: collector.collect(learner.actor, part, teacher), collectors))
    collected = time.perf_counter()
    row = clone(learner, labels, lr, passes, permute_suits, temperature)
    learnt = time.perf_counter()
    decisions, deals = (sum(getattr(collector, what) for collector in collectors) for what in ("decisions", "deals"))
    return Step(row, decisions, deals, collected - start, learnt - collected)


def clone(
    learner: NetworkLearner, labels: Labels, lr: float, passes: int, permute_suits: bool, temperature: float = 1.0
) -> dict[str, float]:
    """Make ``passes`` passes over the labels.

    Args:
        learner: its actor learns.
        labels: equal in all ranks; each rank works on its part of a minibatch.
        lr: learning rate.
        passes: passes over the labels.
        permute_suits: permute the suits of every decision at random.
        temperature: divides the logits in the loss, for an actor that is more confident than its teacher agrees.

    Returns:
        Numbers for the log: the loss, and the share of the decisions where the likeliest action was the teacher's.
    """
    learner.optimizers["actor"].param_groups[0]["lr"] = lr
    stats: list[np.ndarray] = []
    norm = 0.0
    for _ in range(passes):
        for chosen in learner.minibatches(len(labels)):
            order = learner.rng.integers(NUM_ORDERS, size=len(chosen)) if permute_suits else np.zeros_like(chosen)
            work = partial(_gradients, learner, labels, len(chosen), temperature)
            local = list(learner.ranks.share(range(len(chosen))))
            split = [np.array_split(each[local], learner.shards.count) for each in (chosen, order)]
            parts = learner.shards.map(work, *split)
            norm = learner.step("actor", [gradients for gradients, _ in parts])
            stats.append(learner.ranks.total(np.sum([numbers for _, numbers in parts], axis=0)))
    loss, agreement = np.mean(stats, axis=0).tolist()
    return {"bc_loss": loss, "agreement": agreement, "lr": lr, "actor_norm": norm, "kept": len(labels)}


def _gradients(
    learner: NetworkLearner, labels: Labels, size: int, temperature: float, chosen: np.ndarray, order: np.ndarray
) -> tuple[tuple[Tensor, ...], np.ndarray]:
    """Gradients of a part of a minibatch of ``size`` decisions, and its parts of loss and agreement."""
    view, legal = reorder(labels.view[chosen], labels.legal[chosen], order)
    taken = ACTIONS[order, labels.action[chosen]]
    with learner.autocast():
        inputs = inputs_on(learner.device, view, legal, sparse=learner.actor.sparse)
        loss = -learner.actor.evaluate(inputs, taken, temperature)[0].sum() / size
        agreed = (learner.actor.choose(inputs, None)[0] == taken).sum() / size
    return torch.autograd.grad(loss, list(learner.actor.parameters())), np.array([loss.item(), agreed])
