"""The networks: two forms of rows with equal results, nothing hidden in the actor, values with two sides."""

import numpy as np
import pytest
import torch

from agents.inputs import DenseInputs
from agents.network import Actor, Critic, sided
from persian_rummy_env.observation import BLOCK, BLOCKS, HIGH
from persian_rummy_env.players.inputs import OTHER_DEALS, SCALE, SIZE, VIEW_SIZE, SparseInputs
from persian_rummy_env.players.network_shape import Shape

SHAPE = Shape(32, 2)


@pytest.fixture(scope="module")
def actor() -> Actor:
    torch.manual_seed(1)
    actor = Actor(SHAPE)
    torch.nn.init.normal_(actor.last.weight, std=0.5)
    torch.nn.init.normal_(actor.last.bias, std=0.5)
    return actor


@pytest.fixture(scope="module")
def critic() -> Critic:
    torch.manual_seed(2)
    critic = Critic(SHAPE)
    torch.nn.init.normal_(critic.last.weight, std=0.5)
    return critic


def forms(decisions) -> tuple[SparseInputs, DenseInputs]:
    return SparseInputs.of(decisions.view, decisions.legal), DenseInputs.of(decisions.view, decisions.legal)


def test_lists_hold_what_the_bytes_say(decisions):
    rows = SparseInputs.of(decisions.view, decisions.legal)
    rebuilt = np.zeros(decisions.view.shape, dtype=np.float32)
    hidden = np.zeros(len(rebuilt), dtype=np.int64)
    for r in range(len(rebuilt)):
        part = slice(rows.start[r], rows.start[r + 1])
        rebuilt[r, rows.column[part]] = rows.value[part]
        hidden[r] = (rows.column[part] < SIZE).sum() + rows.start[r]
        assert sorted(rows.actions[r, : rows.counts[r]]) == list(np.flatnonzero(decisions.mask[r]))
    assert np.array_equal(rebuilt, decisions.view * SCALE)
    assert np.array_equal(rows.middle, hidden)


def test_masks_unpack(decisions):
    assert np.array_equal(DenseInputs.of(decisions.view, decisions.legal).mask.numpy(), decisions.mask)


def test_both_forms_agree_on_values_and_gradients(decisions, actor, critic):
    sparse, dense = forms(decisions)
    taken = actor.choose(sparse, np.random.default_rng(3).random(len(decisions.view)))[0]
    results = []
    for rows in (sparse, dense):
        log_p, entropy = actor.evaluate(rows, taken)
        value = critic(rows)
        loss = (log_p * torch.arange(len(taken)).cos() + entropy * 0.3 + value.square()).mean()
        parameters = [*actor.parameters(), *critic.parameters()]
        results.append((log_p, entropy, value, torch.autograd.grad(loss, parameters)))
    for own, others in zip(results[0][:3], results[1][:3], strict=True):
        assert torch.allclose(own, others, atol=2e-5)
    for own, others in zip(results[0][3], results[1][3], strict=True):
        assert own.abs().max() > 0
        assert torch.allclose(own, others, atol=2e-6)


def test_a_temperature_divides_logits(decisions, actor):
    """In both forms, values and gradients: by hand, the log-softmax of the legal logits over it."""
    view, legal, taken = decisions.view[:200], decisions.legal[:200], decisions.mask[:200].argmax(1)
    found = []
    for form in (SparseInputs, DenseInputs):
        rows = form.of(view, legal)
        log_p, entropy = actor.evaluate(rows, taken, 2.5)
        gradients = torch.autograd.grad(log_p.sum() + entropy.sum(), list(actor.parameters()))
        found.append((log_p.detach().numpy(), torch.cat([g.flatten() for g in gradients]).numpy()))
    logits = actor.last(actor.trunk(DenseInputs.of(view, legal))).detach().double().numpy() / 2.5
    logits[~decisions.mask[:200]] = -np.inf
    expected = logits[np.arange(200), taken] - np.log(np.exp(logits).sum(1))
    assert np.allclose(found[0][0], expected, atol=1e-5)
    assert np.allclose(found[1][0], expected, atol=1e-5)
    assert np.allclose(found[0][1], found[1][1], atol=1e-3)


def test_both_forms_choose_alike(decisions, actor):
    sparse, dense = forms(decisions)
    fractions = np.random.default_rng(4).random(len(decisions.view))
    for wanted in (None, fractions):
        own, our_log_p = actor.choose(sparse, wanted)
        others, their_log_p = actor.choose(dense, wanted)
        assert (own != others).mean() < 0.002  # where a fraction falls on the very edge
        same = own == others
        assert np.allclose(our_log_p[same], their_log_p[same], atol=2e-5)
        assert decisions.mask[np.arange(len(own)), own].all()


def test_equal_logits_have_the_entropy_of_their_number(decisions):
    actor = Actor(SHAPE)
    torch.nn.init.zeros_(actor.last.weight)
    sparse, _ = forms(decisions)
    entropy = actor.evaluate(sparse, sparse.actions[:, 0].astype(np.int64))[1]
    assert np.allclose(entropy.detach().numpy(), np.log(decisions.mask.sum(axis=1)), atol=1e-6)


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_the_compiled_last_layer_is_finite_at_any_size(decisions, size: float):
    torch.manual_seed(6)
    actor = Actor(SHAPE)
    torch.nn.init.normal_(actor.last.weight, std=size)
    sparse, _ = forms(decisions)
    taken = actor.choose(sparse, np.random.default_rng(7).random(len(decisions.view)))[0]
    log_p, entropy = actor.evaluate(sparse, taken)
    gradients = torch.autograd.grad((log_p + entropy).mean(), list(actor.parameters()))
    assert all(torch.isfinite(tensor).all() for tensor in (log_p, entropy, *gradients))
    never = np.setdiff1d(np.arange(decisions.mask.shape[1]), np.flatnonzero(decisions.mask.any(axis=0)))
    assert (gradients[-2][never] == 0).all()


def test_hidden_cards_never_reach_the_actor(decisions, actor, critic):
    other = decisions.view.copy()
    other[:, SIZE:] = np.random.default_rng(8).integers(0, 2, size=other[:, SIZE:].shape)
    for form in (SparseInputs, DenseInputs):
        rows, swapped = form.of(decisions.view, decisions.legal), form.of(other, decisions.legal)
        assert torch.equal(actor.trunk(rows), actor.trunk(swapped))
        assert not torch.equal(critic(rows), critic(swapped))
        without = Critic(SHAPE, hands=False)
        torch.nn.init.normal_(without.last.weight)
        assert torch.equal(without(rows), without(swapped))


def test_other_deals_are_not_read(decisions, actor):
    other = decisions.view.copy()
    for name in OTHER_DEALS:
        other[:, BLOCK[name].slice] = BLOCK[name].high
    for form in (SparseInputs, DenseInputs):
        rows, swapped = form.of(decisions.view, decisions.legal), form.of(other, decisions.legal)
        assert torch.equal(actor.trunk(rows), actor.trunk(swapped))


def test_every_other_byte_is_read_as_its_share_of_the_highest():
    read = [block for block in BLOCKS if block.name not in OTHER_DEALS]
    assert all(np.all(SCALE[block.slice] == np.float32(1) / np.float32(block.high)) for block in read)
    assert sum(block.length for block in read) > 0.9 * SIZE
    assert len(SCALE) == VIEW_SIZE
    assert (SCALE[SIZE:] == 1).all()
    assert HIGH.shape == (SIZE,)


def test_a_value_has_two_sides():
    value = np.array([3.0, -1.0])
    mover = np.array([1, 2])
    sides = np.stack([sided(value, mover, seat) for seat in range(4)], axis=1)
    assert sides.tolist() == [[-3.0, 3.0, -3.0, 3.0], [-1.0, 1.0, -1.0, 1.0]]
    assert (sides.sum(axis=1) == 0).all()
