"""The inputs of a network in two forms with equal results, and the distribution over legal actions.

``SparseInputs``, for a CPU, lists the non-zero bytes and the legal actions; the first and last layers are compiled sums
over these lists. ``DenseInputs`` holds tensors on any device. An illegal action has no probability, no share in the
entropy and no gradient.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.arrays import plain
from persian_rummy_env.players.inputs import SparseInputs
from persian_rummy_env.players.tensor_file import NotFiniteError

MASKED = torch.finfo(torch.float32).min
"""The logit of an illegal action: below every legal logit, and finite."""


class DenseInputs(NamedTuple):
    """Decisions as tensors: ``view`` (b, SIZE or VIEW_SIZE) uint8, ``mask`` (b, 547) bool."""

    view: Tensor
    mask: Tensor

    @classmethod
    def of(cls, view: np.ndarray, legal: np.ndarray, device: torch.device | str = "cpu") -> DenseInputs:
        """Build from inputs and packed masks (b, 9) uint64, as ``SparseInputs.of``."""
        words = torch.from_numpy(plain(legal, np.uint64).view(np.int64)).to(device)
        bits = (words[:, :, None] >> torch.arange(64, device=device)) & 1
        mask = bits.flatten(1)[:, :NUM_ACTIONS].bool()
        return cls(torch.from_numpy(plain(view, np.uint8)).to(device), mask)


Inputs: TypeAlias = SparseInputs | DenseInputs


def refuse_nothing_legal(inputs: Inputs) -> None:
    """Raise for rows without a legal action, which have no distribution. Every method of an actor calls this first.

    Raises:
        ValueError: a row without a legal action; the message names it.
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
    """Raise if log-probabilities (b,) of chosen actions are not finite: the choice was meaningless.

    Raises:
        NotFiniteError: some are NaN or infinite.
    """
    wrong = int(np.count_nonzero(~np.isfinite(log_p)))
    if wrong:
        raise NotFiniteError(f"the log-probabilities that the policy plays by: {wrong} of {len(log_p)} are not finite")


def not_finite(tensors: Mapping[str, Tensor]) -> str | None:
    """The name of the first tensor with NaN or infinities; None if there is none."""
    return next((n for n, t in tensors.items() if t.is_floating_point() and not bool(torch.isfinite(t).all())), None)


def inputs_on(
    device: torch.device, view: np.ndarray, legal: np.ndarray, games: bool = False, sparse: bool = True
) -> Inputs:
    """The inputs in the form for a device and a network.

    Args:
        games: the network reads the blocks of other deals (``Shape.games``).
        sparse: the network accepts ``SparseInputs`` (``Actor.sparse``), which are used on a CPU.
    """
    if sparse and device.type == "cpu":
        return SparseInputs.of(view, legal, games)
    return DenseInputs.of(view, legal, device)


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities (b, n), float32, of the actions with ``mask`` (b, n) True; elsewhere a hugely negative
    number."""
    return torch.log_softmax(torch.where(mask, logits.float(), MASKED), dim=-1)


def masked_entropy(log_p: Tensor, mask: Tensor) -> Tensor:
    """The entropy (b,) of ``masked_log_softmax``."""
    log_p = torch.where(mask, log_p, 0.0)
    return -(torch.where(mask, log_p.exp(), 0.0) * log_p).sum(-1)


def masked_draw(log_p: Tensor, fractions: Tensor) -> Tensor:
    """Sample actions (b,) by inverse CDF: the first action whose cumulative probability exceeds its fraction.

    Args:
        fractions: (b,) float64 in [0, 1).
    """
    reached = log_p.double().exp().cumsum(-1)
    goal = fractions.clamp(max=1 - 1e-9) * reached[:, -1]
    return (reached > goal[:, None]).to(torch.uint8).argmax(-1)


def uniform_log_probs(inputs: Inputs) -> Tensor:
    """``Actor.legal_log_probs`` of the uniform policy over legal actions."""
    refuse_nothing_legal(inputs)
    if isinstance(inputs, DenseInputs):
        return (-inputs.mask.sum(-1, keepdim=True).float().log()).expand(inputs.mask.shape)
    counts = -np.log(inputs.counts.astype(np.float32))
    return torch.from_numpy(np.repeat(counts[:, None], inputs.actions.shape[1], axis=1))
