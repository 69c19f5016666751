"""The networks: an actor that sees what a seat sees, and a critic that may see every hand.

Both are residual, pre-norm multilayer perceptrons on the raw bytes of an observation divided by their highest values.
The mask of legal actions is part of the actor's distribution: an illegal action has no probability, no share in the
entropy and no gradient, when actions are drawn and when they are learnt from alike.

A batch comes in one of two forms with equal results. ``SparseInputs``, for a CPU, lists the bytes that are set and the
legal actions, and the first and last layers are compiled sums over those lists (``kernels``). ``DenseInputs`` holds
tensors, on any device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.arrays import plain
from persian_rummy_env.core import network_kernels
from persian_rummy_env.observation import SIZE
from persian_rummy_env.players.inputs import OF_OTHER_DEALS, VIEW_SIZE, SparseInputs, input_scale
from persian_rummy_env.players.tensor_file import NotFiniteError

from . import gradient_kernels

MASKED = torch.finfo(torch.float32).min
"""The logit of an illegal action: below every legal one, and finite."""


class DenseInputs(NamedTuple):
    """Decisions as tensors: ``view`` (b, SIZE or VIEW_SIZE) uint8, ``mask`` (b, 547) bool."""

    view: Tensor
    mask: Tensor

    @classmethod
    def of(cls, view: np.ndarray, legal: np.ndarray, device: torch.device | str = "cpu") -> DenseInputs:
        """From views and packed masks (b, 9) uint64, as ``SparseInputs.of``."""
        words = torch.from_numpy(plain(legal, np.uint64).view(np.int64)).to(device)
        bits = (words[:, :, None] >> torch.arange(64, device=device)) & 1
        mask = bits.flatten(1)[:, :NUM_ACTIONS].bool()
        return cls(torch.from_numpy(plain(view, np.uint8)).to(device), mask)


Inputs: TypeAlias = SparseInputs | DenseInputs


def refuse_nothing_legal(inputs: Inputs) -> None:
    """Every method of an actor asks this first: a distribution over no action is none.

    Raises:
        ValueError: a row in which nothing is legal; the message says which.
    """
    if isinstance(inputs, SparseInputs):
        empty = inputs.counts < 1
        if not empty.any():
            return
    else:
        legal = inputs.mask.any(-1)
        if bool(legal.all()):
            return
        empty = ~legal.cpu().numpy()
    raise ValueError(
        f"row {int(empty.argmax())}: no action is legal in it ({int(empty.sum())} of {len(empty)} rows have a mask of "
        "zeros alone); a game that is over has no decision, so leave its row out"
    )


def refuse_not_finite(log_p: np.ndarray) -> None:
    """Refuse log-probabilities (b,) of chosen actions that are no numbers: no action was chosen by them.

    Raises:
        NotFiniteError: some are NaN or infinite.
    """
    wrong = int(np.count_nonzero(~np.isfinite(log_p)))
    if wrong:
        raise NotFiniteError(f"the log-probabilities that the policy plays by: {wrong} of {len(log_p)} are not finite")


def not_finite(tensors: Mapping[str, Tensor]) -> str | None:
    """The name of the first tensor with NaN or infinities in it; None: there is none."""
    return next((n for n, t in tensors.items() if t.is_floating_point() and not bool(torch.isfinite(t).all())), None)


def inputs_on(device: torch.device, view: np.ndarray, legal: np.ndarray, games: bool = False) -> Inputs:
    """The form of rows that suits a device; ``games``: for networks that read of other deals (``Shape.games``)."""
    return SparseInputs.of(view, legal, games) if device.type == "cpu" else DenseInputs.of(view, legal, device)


# ---------------------------------------------------------------------------------------------------------------------
# The masked distribution, dense: what the compiled last layer does over lists
# ---------------------------------------------------------------------------------------------------------------------


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities (b, n), float32, of the actions that ``mask`` (b, n) bool allows; elsewhere hugely negative."""
    return torch.log_softmax(torch.where(mask, logits.float(), MASKED), dim=-1)


def masked_entropy(log_p: Tensor, mask: Tensor) -> Tensor:
    """The entropy (b,) of ``masked_log_softmax``."""
    log_p = torch.where(mask, log_p, 0.0)
    return -(torch.where(mask, log_p.exp(), 0.0) * log_p).sum(-1)


def masked_draw(log_p: Tensor, fractions: Tensor) -> Tensor:
    """Actions (b,) by fractions (b,) in [0, 1), float64: the first whose cumulative probability exceeds it."""
    reached = log_p.double().exp().cumsum(-1)
    goal = fractions.clamp(max=1 - 1e-9) * reached[:, -1]
    return (reached > goal[:, None]).to(torch.uint8).argmax(-1)


# ---------------------------------------------------------------------------------------------------------------------
# Layers
# ---------------------------------------------------------------------------------------------------------------------


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().contiguous().numpy()


class _SparseFirst(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, inputs: SparseInputs) -> Tensor:
        stop = inputs.middle if len(weight) == SIZE else inputs.start[1:]
        out = np.empty((len(stop), weight.shape[1]), dtype=np.float32)
        network_kernels.first_layer(inputs.start, stop, inputs.column, inputs.value, _array(weight), _array(bias), out)
        ctx.inputs, ctx.stop, ctx.shape = inputs, stop, weight.shape
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        inputs, of_weight = ctx.inputs, np.zeros(ctx.shape, dtype=np.float32)
        gradient_kernels.first_layer_gradient(
            inputs.start, ctx.stop, inputs.column, inputs.value, _array(gradients[0]), of_weight
        )
        return torch.from_numpy(of_weight), gradients[0].sum(0), None


class _SparseLast(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor,
        inputs: SparseInputs,
        taken: np.ndarray,
        magnet: np.ndarray,
    ) -> tuple[Tensor, Tensor, Tensor]:
        log_p = np.empty(inputs.actions.shape, dtype=np.float32)
        network_kernels.last_layer(_array(hidden), _array(weight), _array(bias), inputs.actions, inputs.counts, log_p)
        terms = np.empty((3, len(taken)), dtype=np.float32)
        gradient_kernels.choice_terms(inputs.actions, inputs.counts, log_p, magnet, taken, *terms)
        ctx.arrays = (_array(hidden), _array(weight), inputs.actions, inputs.counts, log_p, magnet, taken, *terms[1:])
        taken_log_p, entropy, divergence = (torch.from_numpy(term) for term in terms)
        return taken_log_p, entropy, divergence

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        hidden, weight, actions, counts, log_p, magnet, taken, entropy, divergence = ctx.arrays
        of_log_p, of_entropy, of_divergence = (_array(gradient) for gradient in gradients)
        of_hidden, of_weight = np.empty_like(hidden), np.zeros_like(weight)
        of_bias = np.zeros(len(weight), dtype=np.float32)
        gradient_kernels.choice_gradient(
            hidden, weight, actions, counts, log_p, magnet, taken, entropy, divergence,
            of_log_p, of_entropy, of_divergence, of_hidden, of_weight, of_bias,
        )  # fmt: skip
        return torch.from_numpy(of_hidden), torch.from_numpy(of_weight), torch.from_numpy(of_bias), None, None, None


class Residual(nn.Module):
    """``x + linear(gelu(norm(x)))``."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear(gelu(self.norm(x)))


@dataclass(frozen=True)
class Shape:
    """What a network is.

    Attributes:
        width: features of a layer.
        blocks: number of blocks.
        games: it also reads the blocks of other deals (``players.inputs.OTHER_DEALS``).
        kind: the architecture, a name of ``KINDS``.
    """

    width: int = 256
    blocks: int = 2
    games: bool = False
    kind: str = "residual"


class Trunk(nn.Module):
    """From rows to ``width`` features."""

    scale: Tensor

    def __init__(self, num_inputs: int, shape: Shape) -> None:
        super().__init__()
        self.num_inputs = num_inputs
        self.weight = nn.Parameter(torch.empty(num_inputs, shape.width))
        self.bias = nn.Parameter(torch.zeros(shape.width))
        self.blocks = nn.ModuleList(Residual(shape.width) for _ in range(shape.blocks))
        self.norm = nn.LayerNorm(shape.width)
        self.register_buffer("scale", torch.from_numpy(input_scale(shape.games)[:num_inputs]), persistent=False)
        nn.init.normal_(self.weight, std=0.1)  # some 90 bytes are set, so that features begin near unit size
        self.zero_inputs(OF_OTHER_DEALS)

    @torch.no_grad()
    def zero_inputs(self, columns: np.ndarray) -> None:
        """Zero the first-layer weights of these input columns."""
        self.weight[torch.from_numpy(columns)] = 0

    def forward(self, inputs: Inputs) -> Tensor:
        if isinstance(inputs, SparseInputs):
            x: Tensor = _SparseFirst.apply(self.weight, self.bias, inputs)  # type: ignore[assignment]
        else:
            x = (inputs.view[:, : self.num_inputs].float() * self.scale) @ self.weight + self.bias
        for block in self.blocks:
            x = block(x)
        return gelu(self.norm(x).float())


NO_MAGNET = np.empty((0, 0), dtype=np.float32)


def uniform_log_probs(inputs: Inputs) -> Tensor:
    """``Actor.legal_log_probs`` of the policy that draws uniformly among legal actions."""
    refuse_nothing_legal(inputs)
    if isinstance(inputs, DenseInputs):
        return (-inputs.mask.sum(-1, keepdim=True).float().log()).expand(inputs.mask.shape)
    counts = -np.log(inputs.counts.astype(np.float32))
    return torch.from_numpy(np.repeat(counts[:, None], inputs.actions.shape[1], axis=1))


class Actor(nn.Module):
    """The policy: from what the seat to move sees to a distribution over its legal actions.

    Raises (every method that is given rows):
        ValueError: a row in which nothing is legal.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = Trunk(SIZE, shape)
        self.last = nn.Linear(shape.width, NUM_ACTIONS)
        nn.init.normal_(self.last.weight, std=0.01 / shape.width**0.5)  # all legal actions begin alike
        nn.init.zeros_(self.last.bias)

    def log_p(self, inputs: DenseInputs) -> Tensor:
        """Log-probabilities of all actions (b, 547); of an illegal one hugely negative."""
        refuse_nothing_legal(inputs)
        return masked_log_softmax(self.last(self.trunk(inputs)), inputs.mask)

    def evaluate(self, inputs: Inputs, taken: np.ndarray | Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
        """Log-probability of the actions ``taken`` (b,), and entropy, of each row; of logits over ``temperature``."""
        log_p, entropy, _ = self.evaluate_near(inputs, taken, None, temperature)
        return log_p, entropy

    def evaluate_near(
        self, inputs: Inputs, taken: np.ndarray | Tensor, magnet: Tensor | None, temperature: float = 1.0
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As ``evaluate``, and the divergence KL(this policy, magnet) of each row (0 without a magnet).

        Args:
            magnet: what ``legal_log_probs`` of the magnet, or ``uniform_log_probs``, says of the same rows.
        """
        refuse_nothing_legal(inputs)
        if isinstance(inputs, SparseInputs):
            hidden = self.trunk(inputs)
            listed = NO_MAGNET if magnet is None else _array(magnet)
            hidden, bias = hidden / temperature, self.last.bias / temperature
            return _SparseLast.apply(hidden, self.last.weight, bias, inputs, taken, listed)  # type: ignore[return-value]
        log_p = masked_log_softmax(self.last(self.trunk(inputs)) / temperature, inputs.mask)
        taken = torch.as_tensor(taken, device=log_p.device)
        taken_log_p, entropy = log_p.gather(1, taken[:, None])[:, 0], masked_entropy(log_p, inputs.mask)
        if magnet is None:
            return taken_log_p, entropy, torch.zeros_like(entropy)
        pull = torch.where(inputs.mask, log_p.exp() * magnet, 0.0).sum(-1)
        return taken_log_p, entropy, -entropy - pull

    @torch.no_grad()
    def legal_log_probs(self, inputs: Inputs) -> Tensor:
        """Log-probabilities of the legal actions, float32, in the form of the rows: (b, most) as ``SparseInputs`` lists
        them, (b, 547) for ``DenseInputs``. What stands at other places means nothing."""
        if isinstance(inputs, DenseInputs):
            return self.log_p(inputs)
        refuse_nothing_legal(inputs)
        listed = np.zeros(inputs.actions.shape, dtype=np.float32)
        hidden = _array(self.trunk(inputs))
        network_kernels.last_layer(
            hidden, _array(self.last.weight), _array(self.last.bias), inputs.actions, inputs.counts, listed
        )
        return torch.from_numpy(listed)

    @torch.no_grad()
    def choose(self, inputs: Inputs, fractions: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """An action for each row, (b,) int64, and its log-probability, (b,) float32.

        Args:
            fractions: (b,) float64 in [0, 1), to draw by; None: the likeliest action.

        Raises:
            ValueError: a row in which nothing is legal. NotFiniteError: the network says NaN or infinities.
        """
        if isinstance(inputs, DenseInputs):
            log_p = self.log_p(inputs)
            chosen = log_p.argmax(-1)
            if fractions is not None:
                chosen = masked_draw(log_p, torch.from_numpy(fractions).to(log_p.device))
            taken = log_p.gather(1, chosen[:, None])[:, 0].cpu().numpy()
            refuse_not_finite(taken)
            return chosen.cpu().numpy(), taken
        listed = _array(self.legal_log_probs(inputs))
        actions, taken = np.empty(len(listed), dtype=np.int64), np.empty(len(listed), dtype=np.float32)
        if fractions is None:
            network_kernels.likeliest(inputs.actions, inputs.counts, listed, actions, taken)
        else:
            network_kernels.draw(inputs.actions, inputs.counts, listed, fractions, actions, taken)
        refuse_not_finite(taken)
        return actions, taken


class Critic(nn.Module):
    """The value of a deal to the seat to move, from its view with (``hands`` True) or without the other hands.

    It is asked from the side of the seat to move alone, and what is good for one team is as bad for the other: the
    value to a seat is ``+value`` for the seat to move and its partner, ``-value`` for their opponents (``sided``).
    """

    def __init__(self, shape: Shape, hands: bool = True) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = Trunk(VIEW_SIZE if hands else SIZE, shape)
        self.last = nn.Linear(shape.width, 1)
        nn.init.normal_(self.last.weight, std=0.01 / shape.width**0.5)
        nn.init.zeros_(self.last.bias)

    def forward(self, inputs: Inputs) -> Tensor:
        """Values to the seats to move (b,), in units of the reward."""
        return self.last(self.trunk(inputs)).float()[:, 0]


def sided(value: np.ndarray, seat_to_move: np.ndarray, seat: int | np.ndarray) -> np.ndarray:
    """The value to ``seat``, given the value to the seat to move."""
    return np.where((seat_to_move - seat) % 2 == 0, value, -value)
