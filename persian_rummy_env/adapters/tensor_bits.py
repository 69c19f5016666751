"""Observations and action masks as bits, unpacked with PyTorch on the device of the words.

The form is that of ``persian_rummy_env.observation_bits``, which has the same functions for numpy.
"""

from __future__ import annotations

import numpy as np
import torch

from ..actions import NUM_ACTIONS
from ..observation import BLOCK
from ..observation_bits import (
    COLUMNS,
    DEPTH,
    DEPTH_BITS,
    FLAGS,
    MASK_WORDS,
    NUMBER_BYTES,
    OWED_BYTE,
    PLACES,
    WORDS,
    check_form,
)


def unpack_tensor(words: torch.Tensor) -> torch.Tensor:
    """As ``unpack``, with PyTorch on the device of the words.

    Args:
        words: (..., 21) int64 or uint64: ``torch.from_numpy(words.view(np.int64))`` of a numpy array.

    Returns:
        (..., 1020) uint8, on the same device.

    Raises:
        TypeError, ValueError: no tensor of that form.
    """
    raw, bits = _tensor_bits(words, WORDS)

    def on_device(values: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(values).to(words.device)

    out = bits[..., on_device(COLUMNS)]
    depth = bits[..., 64 * DEPTH : 64 * FLAGS].unflatten(-1, (DEPTH_BITS, 64))
    weights = on_device(1 << np.arange(DEPTH_BITS, dtype=np.uint8))[:, None]
    length = BLOCK["pile_depth"].length
    out[..., BLOCK["pile_depth"].slice] = (depth[..., :length] * weights).sum(dim=-2, dtype=torch.uint8)
    out[..., on_device(PLACES)] = raw[..., on_device(NUMBER_BYTES)]
    owed = on_device(np.arange(1, BLOCK["owed"].length + 1, dtype=np.uint8))
    out[..., BLOCK["owed"].slice] = (raw[..., OWED_BYTE, None] == owed).to(torch.uint8)
    return out


def unpack_mask_tensor(words: torch.Tensor) -> torch.Tensor:
    """As ``unpack_mask``, with PyTorch on the device of the words: (..., 9) int64 or uint64 to (..., 547) bool.

    Raises:
        TypeError, ValueError: no tensor of that form.
    """
    return _tensor_bits(words, MASK_WORDS)[1][..., :NUM_ACTIONS].bool()


def _tensor_bits(words: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The bytes and the bits of words (..., count): uint8 (..., 8 * count) and (..., 64 * count)."""
    dtype = words.dtype if isinstance(words, torch.Tensor) and words.dtype == torch.uint64 else torch.int64
    check_form(words, count, dtype, isinstance(words, torch.Tensor), "a tensor")
    raw = words.contiguous().view(torch.uint8)
    shifts = torch.arange(8, dtype=torch.uint8, device=words.device)
    return raw, ((raw[..., None] >> shifts) & 1).flatten(-2)
