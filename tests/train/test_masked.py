"""The masked distribution: what a mask promises of draws, entropy and gradients must hold at any size of logit."""

import numpy as np
import pytest
import torch

from agents.inputs import masked_draw, masked_entropy, masked_log_softmax
from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.core import network_kernels
from persian_rummy_env.core.masks import count_rows, list_rows, pack


def random_masks(rows: int, seed: int) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    masks = rng.random((rows, NUM_ACTIONS)) < rng.choice([0.004, 0.02, 0.5], size=(rows, 1))
    masks[np.arange(rows), rng.integers(NUM_ACTIONS, size=rows)] = True
    return torch.from_numpy(masks)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [1.0, 1e2, 1e4])
def test_probabilities_sum_to_one_over_legal_actions(dtype: torch.dtype, size: float):
    masks = random_masks(10_000, 1)
    logits = (torch.randn(masks.shape, generator=torch.Generator().manual_seed(2)) * size).to(dtype)
    log_p = masked_log_softmax(logits, masks)
    assert log_p.dtype == torch.float32
    p = log_p.double().exp()
    assert (p.sum(-1) - 1).abs().max() < 1e-6
    assert p[~masks].max() == 0
    entropy = masked_entropy(log_p, masks)
    assert torch.isfinite(entropy).all()
    assert (entropy > -1e-5).all()
    assert (entropy < masks.sum(-1).log() + 1e-4).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("legal", [1, 2, 7, NUM_ACTIONS])
def test_equal_logits_have_the_entropy_of_their_number(dtype: torch.dtype, legal: int):
    mask = torch.zeros(1, NUM_ACTIONS, dtype=torch.bool)
    mask[0, torch.randperm(NUM_ACTIONS, generator=torch.Generator().manual_seed(3))[:legal]] = True
    logits = torch.full((1, NUM_ACTIONS), 3.5, dtype=dtype)
    assert masked_entropy(masked_log_softmax(logits, mask), mask).item() == pytest.approx(np.log(legal), abs=2e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [1.0, 1e4, 1e30, 1e36])
def test_gradients_are_finite_and_zero_where_nothing_is_legal(dtype: torch.dtype, size: float):
    masks = random_masks(500, 4)
    logits = (torch.randn(masks.shape, generator=torch.Generator().manual_seed(5)) * size).to(dtype).requires_grad_()
    log_p = masked_log_softmax(logits, masks)
    taken = masks.float().argmax(-1)
    loss = log_p.gather(1, taken[:, None]).sum() + masked_entropy(log_p, masks).sum()
    (gradient,) = torch.autograd.grad(loss, logits)
    assert torch.isfinite(gradient).all()
    assert (gradient[~masks] == 0).all()
    if size == 1.0:
        assert (gradient[masks] != 0).float().mean() > 0.9


EDGES = np.array([0.0, 2.0**-1074, 0.5, 1 - 2.0**-53])


def test_no_masked_action_is_drawn():
    masks = random_masks(2_000, 6)
    logits = torch.where(masks, -50.0, 50.0)  # whoever forgets the mask draws what is illegal
    log_p = masked_log_softmax(logits, masks)
    rng = np.random.default_rng(7)
    for _ in range(20):
        fractions = np.concatenate([np.tile(EDGES, 10), rng.random(len(masks) - 10 * len(EDGES))])
        drawn = masked_draw(log_p, torch.from_numpy(fractions))
        assert masks.gather(1, drawn[:, None]).all()


def test_no_masked_action_in_a_million_compiled_draws():
    masks = random_masks(10_000, 6).numpy()
    legal = pack(masks)
    counts = np.empty(len(masks), dtype=np.int64)
    actions = np.full((len(masks), count_rows(legal, counts)), -1, dtype=np.int16)
    list_rows(legal, actions)
    hidden = np.ones((len(masks), 8), dtype=np.float32)
    weight = np.random.default_rng(8).normal(size=(NUM_ACTIONS, 8)).astype(np.float32) * 3
    log_p = np.full(actions.shape, 1e9, dtype=np.float32)
    network_kernels.last_layer(hidden, weight, np.zeros(NUM_ACTIONS, dtype=np.float32), actions, counts, log_p)
    drawn, drawn_log_p = np.empty(len(masks), dtype=np.int64), np.empty(len(masks), dtype=np.float32)
    rng, rows = np.random.default_rng(9), np.arange(len(masks))
    for _ in range(100):
        fractions = np.concatenate([np.tile(EDGES, 10), rng.random(len(masks) - 10 * len(EDGES))])
        network_kernels.draw(actions, counts, log_p, fractions, drawn, drawn_log_p)
        assert masks[rows, drawn].all()


def test_draws_follow_the_probabilities():
    mask = torch.zeros(1, NUM_ACTIONS, dtype=torch.bool)
    mask[0, [3, 100, 546]] = True
    logits = torch.zeros(1, NUM_ACTIONS)
    logits[0, [3, 100, 546]] = torch.tensor([0.0, 1.0, 2.0])
    draws = 4_000
    log_p = masked_log_softmax(logits, mask)
    drawn = masked_draw(log_p.expand(draws, -1), torch.from_numpy((np.arange(draws) + 0.5) / draws))
    shares = torch.bincount(drawn, minlength=NUM_ACTIONS)[[3, 100, 546]] / draws
    assert torch.allclose(shares, torch.softmax(torch.tensor([0.0, 1.0, 2.0]), 0), atol=5e-4)

    listed = (np.array([[3, 100, 546]] * draws, dtype=np.int16), np.full(draws, 3))
    listed_log_p = np.tile(log_p[mask].numpy(), (draws, 1))
    again, _ = np.empty(draws, dtype=np.int64), np.empty(draws, dtype=np.float32)
    network_kernels.draw(*listed, listed_log_p, (np.arange(draws) + 0.5) / draws, again, _)
    assert np.array_equal(again, drawn.numpy())


def test_the_likeliest_legal_action_wins_however_small():
    mask = torch.zeros(1, NUM_ACTIONS, dtype=torch.bool)
    mask[0, [5, 9]] = True
    for low, high in ((-9.0, -5.0), (-1e30, -1e29), (-1e4, 1e4)):
        logits = torch.zeros(1, NUM_ACTIONS)
        logits[0, 5], logits[0, 9] = low, high
        assert masked_log_softmax(logits, mask).argmax(-1).item() == 9
