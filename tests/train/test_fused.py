"""The compiled layers of the networks: values and gradients are those of torch's own layers in float64."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from agents.sparse import FusedResidual, NormGelu
from agents.trunk import Residual

WIDTH = 40


def random_norm(norm: nn.LayerNorm) -> None:
    torch.nn.init.normal_(norm.weight)
    torch.nn.init.normal_(norm.bias)


@pytest.fixture
def block() -> Residual:
    torch.manual_seed(1)
    block = Residual(WIDTH)
    random_norm(block.norm)
    return block


def gradients(out: Tensor, wanted: list[Tensor]) -> list[Tensor]:
    slope = torch.linspace(-2, 2, out.numel(), dtype=out.dtype).cos().view_as(out)
    return [out, *torch.autograd.grad(out, wanted, slope)]


def agree(own: list[Tensor], exact: list[Tensor]) -> None:
    for computed, expected in zip(own, exact, strict=True):
        assert expected.abs().max() > 0.01
        error = (computed.double() - expected).abs().max() / expected.abs().max()
        assert error < 5e-6, f"off by {error:.1e} of the largest"


@pytest.mark.parametrize("size", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize("reach", [0.1, 1.0, 6.0], ids=lambda reach: f"reach-{reach}")
def test_norm_and_gelu(size: float, reach: float):
    """``reach``: of the numbers that GELU sees; at 6 its two ends are flat."""
    torch.manual_seed(2)
    norm = nn.LayerNorm(WIDTH)
    random_norm(norm)
    x = size * torch.randn(300, WIDTH) + 3 * size
    with torch.no_grad():
        norm.weight.mul_(reach)
    exact_norm = nn.LayerNorm(WIDTH).double()
    exact_norm.load_state_dict({name: tensor.double() for name, tensor in norm.state_dict().items()})
    exact_x, x = x.double().requires_grad_(), x.requires_grad_()
    own = gradients(NormGelu.apply(x, *norm.parameters()), [x, *norm.parameters()])  # type: ignore[arg-type]
    exact = gradients(gelu(exact_norm(exact_x)), [exact_x, *exact_norm.parameters()])
    own[1], exact[1] = own[1] * size, exact[1] * size  # the gradient of a small number is large
    agree(own, exact)


def test_a_residual_block(block: Residual):
    x = torch.randn(300, WIDTH)
    exact_block = Residual(WIDTH).double()
    exact_block.load_state_dict({name: tensor.double() for name, tensor in block.state_dict().items()})
    exact_x, x = x.double().requires_grad_(), x.requires_grad_()
    layers = [*block.norm.parameters(), *block.linear.parameters()]
    own = gradients(FusedResidual.apply(x, *layers), [x, *layers])  # type: ignore[arg-type]
    exact_layers = [*exact_block.norm.parameters(), *exact_block.linear.parameters()]
    agree(own, gradients(exact_block(exact_x), [exact_x, *exact_layers]))


def test_a_block_leaves_its_input_as_it_is(block: Residual):
    x = torch.randn(30, WIDTH)
    before = x.clone()
    FusedResidual.apply(x, *block.norm.parameters(), *block.linear.parameters())
    assert torch.equal(x, before)
