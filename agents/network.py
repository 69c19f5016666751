"""The networks: an actor that reads the observation of a seat, and a critic that may also read the other hands.

Each is a trunk of some kind (``KINDS``) and a linear layer. The mask of legal actions is part of the actor's
distribution, in sampling and in the loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.core import network_kernels
from persian_rummy_env.observation import SIZE
from persian_rummy_env.players.inputs import VIEW_SIZE, SparseInputs
from persian_rummy_env.players.network_shape import Shape, shape_of
from persian_rummy_env.players.policy import unknown_name

from .attention import CardAttention
from .inputs import (
    DenseInputs,
    Inputs,
    masked_draw,
    masked_entropy,
    masked_log_softmax,
    refuse_not_finite,
    refuse_nothing_legal,
)
from .sparse import NOTHING, SparseLast, array
from .trunk import ResidualTrunk, Trunk

KINDS: dict[str, type[Trunk]] = {"residual": ResidualTrunk, "attention": CardAttention}
"""The registry: the trunk of each kind of network, by the name in ``Shape.kind`` and ``network.kind`` of a run."""


def checked_shape(stated: Any, tensors: Mapping[str, Tensor], prefix: str = "") -> Shape:
    """The shape of an actor as a file states it, compared with its tensors before anything of that size is made.

    Args:
        stated: read from JSON.
        tensors: by name.
        prefix: of the names of the actor's tensors.

    Raises:
        ValueError: it is no shape, of an unknown kind, or the tensors have another one.
    """
    shape = shape_of(stated)
    if shape.kind not in KINDS:
        raise ValueError(unknown_name("kind of network", shape.kind, KINDS))
    KINDS[shape.kind].check(stated, tensors, f"{prefix}trunk.")
    return shape


class Actor(nn.Module):
    """The policy: maps the observation of the seat to move to a distribution over its legal actions.

    Raises (every method with input rows):
        ValueError: a row without a legal action.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = KINDS[shape.kind](SIZE, shape)
        self.last = nn.Linear(shape.width, NUM_ACTIONS)
        nn.init.normal_(self.last.weight, std=0.01 / shape.width**0.5)  # the initial policy is nearly uniform
        nn.init.zeros_(self.last.bias)

    @property
    def sparse(self) -> bool:
        """Whether it accepts ``SparseInputs``."""
        return self.trunk.sparse

    @torch.no_grad()
    def scale_logits(self, factor: float) -> None:
        """Multiply all logits by ``factor``."""
        for parameter in self.last.parameters():
            parameter.mul_(factor)

    def logits(self, inputs: DenseInputs) -> Tensor:
        """The logits of all actions (b, 547), without the mask."""
        return self.last(self.trunk(inputs))

    def action_logits(self, inputs: Inputs, taken: np.ndarray) -> Tensor:
        """The logits of the actions ``taken`` (b,): (b,) float32. The mask is not read."""
        hidden = self.trunk(inputs)
        chosen = torch.from_numpy(taken).to(hidden.device)
        return (hidden * self.last.weight[chosen]).sum(-1) + self.last.bias[chosen]

    def log_p(self, inputs: DenseInputs) -> Tensor:
        """Log-probabilities of all actions (b, 547); a hugely negative number for illegal actions."""
        refuse_nothing_legal(inputs)
        return masked_log_softmax(self.last(self.trunk(inputs)), inputs.mask)

    def evaluate(self, inputs: Inputs, taken: np.ndarray | Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the actions ``taken`` (b,), and entropies (b,), with the logits divided by
        ``temperature``."""
        log_p, entropy, _ = self.evaluate_near(inputs, taken, None, temperature)
        return log_p, entropy

    def evaluate_near(
        self, inputs: Inputs, taken: np.ndarray | Tensor, magnet: Tensor | None, temperature: float = 1.0
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As ``evaluate``, and the divergence KL(this policy, magnet) of each row (0 without a magnet).

        Args:
            magnet: ``legal_log_probs`` of the magnet policy, or ``uniform_log_probs``, for the same rows.
        """
        refuse_nothing_legal(inputs)
        if isinstance(inputs, SparseInputs):
            hidden = self.trunk(inputs)
            listed = NOTHING if magnet is None else array(magnet)
            hidden, bias = hidden / temperature, self.last.bias / temperature
            return SparseLast.apply(hidden, self.last.weight, bias, inputs, taken, listed)  # type: ignore[return-value]
        log_p = masked_log_softmax(self.last(self.trunk(inputs)) / temperature, inputs.mask)
        taken = torch.as_tensor(taken, device=log_p.device)
        taken_log_p, entropy = log_p.gather(1, taken[:, None])[:, 0], masked_entropy(log_p, inputs.mask)
        if magnet is None:
            return taken_log_p, entropy, torch.zeros_like(entropy)
        pull = torch.where(inputs.mask, log_p.exp() * magnet, 0.0).sum(-1)
        return taken_log_p, entropy, -entropy - pull

    @torch.no_grad()
    def legal_log_probs(self, inputs: Inputs) -> Tensor:
        """Log-probabilities of the legal actions, float32: (b, most) in the order of ``SparseInputs.actions``, or
        (b, 547) for ``DenseInputs``. Values at other places are undefined."""
        if isinstance(inputs, DenseInputs):
            return self.log_p(inputs)
        refuse_nothing_legal(inputs)
        listed = np.zeros(inputs.actions.shape, dtype=np.float32)
        hidden = array(self.trunk(inputs))
        network_kernels.last_layer(
            hidden, array(self.last.weight), array(self.last.bias), inputs.actions, inputs.counts, listed
        )
        return torch.from_numpy(listed)

    @torch.no_grad()
    def choose(self, inputs: Inputs, fractions: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Choose an action for each row: (b,) int64, and its log-probability, (b,) float32.

        Args:
            fractions: (b,) float64 in [0, 1), the random numbers of the draws; None: the most probable action.

        Raises:
            ValueError: a row without a legal action.
            NotFiniteError: the output of the network is NaN or infinite.
        """
        if isinstance(inputs, DenseInputs):
            log_p = self.log_p(inputs)
            chosen = log_p.argmax(-1)
            if fractions is not None:
                chosen = masked_draw(log_p, torch.from_numpy(fractions).to(log_p.device))
            taken = log_p.gather(1, chosen[:, None])[:, 0].cpu().numpy()
            refuse_not_finite(taken)
            return chosen.cpu().numpy(), taken
        listed = array(self.legal_log_probs(inputs))
        actions, taken = np.empty(len(listed), dtype=np.int64), np.empty(len(listed), dtype=np.float32)
        if fractions is None:
            network_kernels.likeliest(inputs.actions, inputs.counts, listed, actions, taken)
        else:
            network_kernels.draw(inputs.actions, inputs.counts, listed, fractions, actions, taken)
        refuse_not_finite(taken)
        return actions, taken


class Critic(nn.Module):
    """The value of a deal to the seat to move, from its observation, and with ``hands`` also from the other hands.

    The game is zero-sum between the teams: the value is ``+value`` to the seat to move and its partner, and ``-value``
    to their opponents (``sided``).
    """

    def __init__(self, shape: Shape, hands: bool = True) -> None:
        super().__init__()
        self.shape = shape
        self.trunk = KINDS[shape.kind](VIEW_SIZE if hands else SIZE, shape)
        self.last = nn.Linear(shape.width, 1)
        nn.init.normal_(self.last.weight, std=0.01 / shape.width**0.5)
        nn.init.zeros_(self.last.bias)

    def forward(self, inputs: Inputs) -> Tensor:
        """Values to the seats to move (b,), in units of the reward."""
        return self.last(self.trunk(inputs)).float()[:, 0]


def sided(value: np.ndarray, seat_to_move: np.ndarray, seat: int | np.ndarray) -> np.ndarray:
    """The value to ``seat``, given the value to the seat to move."""
    return np.where((seat_to_move - seat) % 2 == 0, value, -value)
