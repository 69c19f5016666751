"""Teaching by labels: the loss and its gradient, what is learnt, and the suits in other orders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import train.regress
from agents.network import Actor, DenseRows, Shape
from agents.rows import SparseRows
from train.config import Config
from train.labels import LabelCollector, Labels, by_expert, by_search
from train.regress import LabelLearner, Targets, list_targets, value_loss
from train.shards import Shards
from train.symmetry import ACTIONS, BACK, NUM_ORDERS, reorder

CPU = torch.device("cpu")
CONFIG = Config(threads=2, width=32, minibatch=128, seed=3)
LESSON = {"lr": 3e-3, "passes": 1, "temperature": 3.0, "reordered": True}


def learner(config: Config = CONFIG) -> LabelLearner:
    return LabelLearner(config, CPU, Shards(config.threads))


@pytest.fixture(scope="module")
def labels() -> Labels:
    return LabelCollector(CONFIG, 0, 96, CPU, 0.1).collect(learner().actor, 400, by_expert)


def weights(learner: LabelLearner) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in learner.actor.parameters()]).clone()


def targets_of(labels: Labels, chosen: np.ndarray, order: np.ndarray) -> Targets:
    counts = labels.count[chosen]
    actions, value = np.zeros((len(chosen), counts.max()), np.int16), np.zeros((len(chosen), counts.max()), np.float32)
    list_targets(labels.start, chosen, order, labels.action, labels.value, ACTIONS, actions, value)
    return Targets(actions, counts, value, np.linspace(0.5, 1.5, len(chosen), dtype=np.float32))


def test_the_loss_is_of_centred_values(labels: Labels) -> None:
    """By hand, in float64, from the logits of the dense form."""
    actor, chosen = learner().actor, np.arange(60)
    torch.nn.init.normal_(actor.last.weight, std=0.3)
    targets = targets_of(labels, chosen, np.zeros_like(chosen))
    rows = DenseRows.of(labels.view[chosen], labels.legal[chosen])
    logits = actor.last(actor.trunk(rows)).detach().double().numpy()
    expected = 0.0
    for row in chosen:
        of_row = slice(labels.start[row], labels.start[row + 1])
        output = 3.0 * logits[row, labels.action[of_row]]
        squares = (output - output.mean() - labels.value[of_row]) ** 2
        expected += targets.importance[row] * squares.sum()
    for form in (rows, SparseRows.of(labels.view[chosen], labels.legal[chosen])):
        assert float(value_loss(actor, form, targets, 3.0).detach()) == pytest.approx(expected, rel=1e-4)


def test_both_forms_have_the_same_gradient(labels: Labels) -> None:
    actor, chosen = Actor(Shape(32, 2)), np.arange(100)
    torch.nn.init.normal_(actor.last.weight, std=0.3)
    targets = targets_of(labels, chosen, np.zeros_like(chosen))
    gradients = []
    for form in (SparseRows, DenseRows):
        loss = value_loss(actor, form.of(labels.view[chosen], labels.legal[chosen]), targets, 3.0)
        gradients.append(torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(actor.parameters()))]))
    assert (gradients[0] - gradients[1]).abs().max() < 1e-4 * gradients[1].abs().max()


def test_a_handful_of_decisions_is_learnt_to_the_best_action(labels: Labels) -> None:
    few = Labels(
        labels.view[:24], labels.legal[:24], labels.count[:24], labels.action[: labels.start[24]],
        labels.value[: labels.start[24]], labels.worlds[:24], labels.spread[:24],
    )  # fmt: skip
    pupil = learner(replace(CONFIG, minibatch=24))
    rows = SparseRows.of(few.view, few.legal)

    def lost() -> float:
        chosen = pupil.actor.choose(rows, None)[0]
        pairs = zip(few.start[:-1], few.start[1:], strict=True)
        values = [few.value[a:b].max() - few.value[a:b][few.action[a:b] == c][0] for c, (a, b) in zip(chosen, pairs)]  # noqa: B905
        return float(np.mean(values))

    before = lost()
    losses = [pupil.teach(few, **LESSON | {"reordered": False})["label_loss"] for _ in range(200)]
    assert losses[-1] < 0.05 * losses[0]
    assert lost() < 0.05 * before


def test_the_policy_is_a_softmax_of_values_at_the_temperature(labels: Labels) -> None:
    one = Labels(
        labels.view[:1], labels.legal[:1], labels.count[:1], labels.action[: labels.start[1]],
        np.linspace(-3, 3, labels.count[0], dtype=np.float32), labels.worlds[:1], labels.spread[:1],
    )  # fmt: skip
    pupil = learner(replace(CONFIG, minibatch=2, threads=1))
    for _ in range(300):
        pupil.teach(one, **LESSON | {"reordered": False, "temperature": 2.0})
    log_p = pupil.actor.log_p(DenseRows.of(one.view, one.legal)).detach().numpy()[0, one.action]
    assert np.diff(log_p) == pytest.approx(np.diff(one.value) / 2.0, abs=0.1)


def test_another_order_of_the_suits_renames_actions_and_keeps_values(labels: Labels) -> None:
    chosen = np.arange(len(labels))
    order = chosen % NUM_ORDERS
    targets = targets_of(labels, chosen, order)
    view, legal = reorder(labels.view, labels.legal, order)
    same = targets_of(labels, chosen, np.zeros_like(chosen))
    assert np.array_equal(targets.value, same.value)
    for row in chosen:
        listed = targets.actions[row, : targets.counts[row]].astype(np.int64)
        assert np.array_equal(BACK[order[row], listed], same.actions[row, : targets.counts[row]])
        assert all(int(legal[row, a // 64]) >> (a % 64) & 1 for a in listed.tolist())
    assert (view != labels.view).any(axis=1).mean() > 0.9


def test_what_is_taught_in_every_order_is_known_in_every_order(labels: Labels) -> None:
    """Taught with the suits reordered, values are found in an order that was never taught; taught as dealt, hardly."""
    pupils = [learner(), learner()]
    for reordered, pupil in zip((True, False), pupils, strict=True):
        for _ in range(60):
            pupil.teach(labels, **LESSON | {"reordered": reordered})
    view, legal = reorder(labels.view, labels.legal, np.full(len(labels), 17))
    targets = targets_of(labels, np.arange(len(labels)), np.full(len(labels), 17))
    with_, without = (float(value_loss(p.actor, SparseRows.of(view, legal), targets, 3.0).detach()) for p in pupils)
    assert with_ < 0.7 * without


def test_parts_add_up_to_the_whole(labels: Labels) -> None:
    pupils = [learner(replace(CONFIG, threads=threads)) for threads in (1, 3)]
    losses = [pupil.teach(labels, **LESSON)["label_loss"] for pupil in pupils]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    assert (weights(pupils[0]) - weights(pupils[1])).abs().max() < 1e-3
    assert (weights(pupils[0]) - weights(learner())).abs().max() > 5e-3


def test_importance_says_what_is_learnt(labels: Labels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two labels of the same decisions that contradict each other: the sure one wins."""
    wrong = replace(labels, value=-labels.value)
    both = Labels.join([labels, wrong])
    sure = np.where(np.arange(len(both)) < len(labels), 1.0, 0.01).astype(np.float32)
    monkeypatch.setattr(train.regress, "importance_of", lambda _: sure)
    pupil = learner()
    for _ in range(40):
        pupil.teach(both, **LESSON | {"reordered": False})
    targets = [targets_of(each, np.arange(len(each)), np.zeros(len(each), np.int64)) for each in (labels, wrong)]
    rows = SparseRows.of(labels.view, labels.legal)
    right, contrary = (float(value_loss(pupil.actor, rows, each, 3.0).detach()) for each in targets)
    assert right < 0.5 * contrary


def test_before_ppo_the_optimiser_begins_anew(labels: Labels) -> None:
    pupil = learner()
    pupil.teach(labels, **LESSON)
    assert all(state["step"] > 0 for state in pupil.optimizers["actor"].state.values())
    pupil.forget_steps()
    for state in pupil.optimizers["actor"].state.values():
        assert state["step"] == 0
        assert not state["exp_avg"].any()
    assert len(pupil.optimizers["critic"].state) == len(list(pupil.critic.parameters()))


def test_search_labels_teach_too() -> None:
    pupil = learner()
    tables = LabelCollector(CONFIG, 1, 96, CPU, 0.0)
    lessons = tables.collect(pupil.actor, 600, by_search(4, "deepest", 0, "deepest"))
    losses = [pupil.teach(lessons, **LESSON)["label_loss"] for _ in range(20)]
    assert losses[-1] < losses[0]
