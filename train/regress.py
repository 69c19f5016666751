"""Teaching the actor what actions are worth, by least squares.

The actor's logits become values over ``temperature``: the likeliest action is the one of the highest value, and play
drawn from the policy prefers one action to another by their difference in points, as a temperature does. Values are
regressed, and no distribution is matched: the target of a cross-entropy would be a softmax of noisy values, whose sharp
peaks are mostly noise, whereas the noise of values cancels over decisions that look alike.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents import kernels
from agents.kernels import kernel
from agents.network import Actor, Rows, rows_on
from agents.rows import SparseRows
from persian_rummy_env.state import STOCK_SIZE

from .labels import Labels
from .ppo import Learner, Part
from .symmetry import ACTIONS, NUM_ORDERS, reorder

FLOOR = 10.0
"""Points by which a network is off however good the labels are: roughly, since it only sets how much better a sure
label is than an unsure one."""


class Targets(NamedTuple):
    """Of b decisions, with ``most`` the largest number of labelled actions.

    Attributes:
        actions: (b, most) int16, the labelled actions from the left; counts: (b,) int64, how many.
        value: (b, most) float32; importance: (b,) float32.
    """

    actions: np.ndarray
    counts: np.ndarray
    value: np.ndarray
    importance: np.ndarray


def importance_of(labels: Labels) -> np.ndarray:
    """How much each decision counts: one over the variance that its values have about what the network can say, (n,)
    float32. The variance of a world is taken from all decisions with as many cards in the stock: what a few worlds say
    of one decision is itself chance, and goes with the values."""
    squares = np.add.reduceat(labels.value.astype(np.float64) ** 2, labels.start[:-1]) / labels.count
    a_world = np.where(labels.worlds > 1, labels.spread, squares)
    at, exact = labels.stock, labels.worlds == 0
    total = np.bincount(at, np.where(exact, 0.0, a_world), STOCK_SIZE + 1)
    noise = total / np.maximum(np.bincount(at, ~exact, STOCK_SIZE + 1), 1)
    return (1 / (FLOOR**2 + np.where(exact, 0.0, noise[at] / np.maximum(labels.worlds, 1)))).astype(np.float32)


def value_loss(actor: Actor, rows: Rows, targets: Targets, temperature: float) -> Tensor:
    """The weighted squares of (value by the actor - target), both of mean 0 in each decision, summed over actions."""
    output = listed_log_p(actor, rows, targets)
    device = output.device
    counts = torch.as_tensor(targets.counts, device=device)[:, None]
    listed = torch.arange(output.shape[1], device=device) < counts
    mean = torch.where(listed, output, 0.0).sum(1, keepdim=True) / counts
    error = temperature * (output - mean) - torch.as_tensor(targets.value, device=device)
    squares = torch.where(listed, error, 0.0).square().sum(1)
    return (torch.as_tensor(targets.importance, device=device) * squares).sum()


def listed_log_p(actor: Actor, rows: Rows, targets: Targets) -> Tensor:
    """(b, most): logits of the listed actions, but for a shift in each row; what lies behind the list means nothing."""
    hidden = actor.trunk(rows)
    weight, bias = actor.last.weight, actor.last.bias
    if isinstance(rows, SparseRows):
        return _Listed.apply(hidden, weight, bias, targets.actions, targets.counts)  # type: ignore[return-value]
    actions = torch.as_tensor(targets.actions, device=hidden.device).long()
    return actor.last(hidden).gather(1, actions)


class _Listed(torch.autograd.Function):
    """Log-probabilities among the listed actions. The gradient is passed on as if they were logits, which is right
    where it sums to 0 in each row, as that of a function of differences does."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, actions: np.ndarray, counts: np.ndarray
    ) -> Tensor:
        log_p = np.zeros(actions.shape, dtype=np.float32)
        ctx.arrays = (_array(hidden), _array(weight), actions, counts)
        kernels.last_layer(_array(hidden), _array(weight), _array(bias), actions, counts, log_p)
        return torch.from_numpy(log_p)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        hidden, weight, actions, counts = ctx.arrays
        of_hidden, of_weight = np.empty_like(hidden), np.zeros_like(weight)
        of_bias = np.zeros(len(weight), dtype=np.float32)
        listed_gradient(hidden, weight, actions, counts, _array(gradients[0]), of_hidden, of_weight, of_bias)
        return torch.from_numpy(of_hidden), torch.from_numpy(of_weight), torch.from_numpy(of_bias), None, None


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().contiguous().numpy()


@kernel
def listed_gradient(hidden, weight, actions, count, slope, of_hidden, of_weight, of_bias):
    """Gradients of ``hidden @ weight[a] + bias[a]`` given that of each, ``slope``; adds to the last two."""
    width = hidden.shape[1]
    for r in range(len(hidden)):
        features = hidden[r]
        out = of_hidden[r]
        for j in range(width):
            out[j] = 0
        for k in range(count[r]):
            action = actions[r, k]
            factor = slope[r, k]
            terms = weight[action]
            total = of_weight[action]
            of_bias[action] += factor
            for j in range(width):
                out[j] += factor * terms[j]
                total[j] += factor * features[j]


@kernel
def list_targets(start, chosen, order, action, value, table, actions, target):
    """The labelled actions of the chosen decisions, renamed for their order of the suits, and their values, from the
    left of the rows of ``actions`` and ``target`` (b, most)."""
    for r in range(len(chosen)):
        first = start[chosen[r]]
        for k in range(start[chosen[r] + 1] - first):
            actions[r, k] = table[order[r], action[first + k]]
            target[r, k] = value[first + k]


class LabelLearner(Learner):
    """A learner whose actor can also be taught by labels."""

    def teach(self, labels: Labels, lr: float, passes: int, temperature: float, reordered: bool) -> dict[str, float]:
        """Go through labels ``passes`` times; with ``reordered``, each time with the suits of every decision in another
        order. Returns what there is to log."""
        self.optimizers["actor"].param_groups[0]["lr"] = lr
        importance, start = importance_of(labels), labels.start
        losses: list[float] = []
        norm = 0.0
        for _ in range(passes):
            for chosen in self.minibatches(len(labels)):
                orders = self.rng.integers(NUM_ORDERS, size=len(chosen)) if reordered else np.zeros_like(chosen)
                share = importance / labels.count[chosen].sum()
                work = partial(self._taught, labels, start, share, temperature)
                halves = [np.array_split(each, self.shards.count) for each in (chosen, orders)]
                parts = self.shards.map(work, *halves)
                norm = self.step("actor", [part.actor for part in parts])
                losses.append(sum(float(part.stats[0]) for part in parts))
        return {"label_loss": float(np.mean(losses)), "actor_norm": norm, "lr": lr}

    def _taught(
        self,
        labels: Labels,
        start: np.ndarray,
        importance: np.ndarray,
        temperature: float,
        chosen: np.ndarray,
        order: np.ndarray,
    ) -> Part:
        """Gradients of the actor of a part of a minibatch."""
        view, legal = reorder(labels.view[chosen], labels.legal[chosen], order)
        counts = labels.count[chosen]
        actions = np.zeros((len(chosen), counts.max()), dtype=np.int16)
        value = np.zeros(actions.shape, dtype=np.float32)
        list_targets(start, chosen, order, labels.action, labels.value, ACTIONS, actions, value)
        targets = Targets(actions, counts, value, importance[chosen])
        with self.autocast():
            loss = value_loss(self.actor, rows_on(self.device, view, legal), targets, temperature)
        gradients = torch.autograd.grad(loss, list(self.actor.parameters()))
        return Part(gradients, (), np.array([loss.item()]))
