"""Attention over cards: one token for each card, with its inputs of every block, and one token for all other inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from persian_rummy_env.cards import NUM_CARDS, NUM_KINDS, NUM_PLAIN
from persian_rummy_env.observation import BLOCKS, SIZE
from persian_rummy_env.players.inputs import OF_OTHER_DEALS, input_scale
from persian_rummy_env.players.network_shape import Shape, check_sizes, count_blocks

from .inputs import DenseInputs, Inputs
from .trunk import Trunk

HEAD_SIZE = 32


def card_columns(num_inputs: int) -> np.ndarray:
    """The column of each card in each block that has a place for every card: (k, NUM_CARDS) int64. In a block without
    jokers their column is ``num_inputs``, a zero. In a block with one joker column all four jokers share it."""
    cards = np.arange(NUM_CARDS)
    rows = []
    starts = [(block.offset, block.length) for block in BLOCKS]
    starts += [(start, NUM_CARDS) for start in range(SIZE, num_inputs, NUM_CARDS)]
    for start, length in starts:
        if length == NUM_CARDS:
            rows.append(start + cards)
        elif length == NUM_PLAIN:
            rows.append(np.where(cards < NUM_PLAIN, start + cards, num_inputs))
        elif length == NUM_KINDS:
            rows.append(start + np.minimum(cards, NUM_PLAIN))
    return np.stack(rows)


class AttentionBlock(nn.Module):
    """Pre-norm self-attention, then a pre-norm multilayer perceptron."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads = max(1, width // HEAD_SIZE) if width % HEAD_SIZE == 0 else 1
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map tokens (b, t, width) to tokens of the same shape."""
        b, t, width = x.shape
        query, key, value = (
            self.qkv(self.norm(x)).view(b, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        )
        mixed = scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(b, t, width)
        x = x + self.out(mixed)
        return x + self.mlp(x)


class CardAttention(Trunk):
    """A transformer on card tokens. Its features are those of the token of all other inputs."""

    scale: Tensor
    columns: Tensor
    others: Tensor

    def __init__(self, num_inputs: int, shape: Shape) -> None:
        super().__init__(num_inputs, shape)
        columns = card_columns(num_inputs)
        others = np.setdiff1d(np.arange(num_inputs), columns)
        for name, array in (("scale", input_scale(shape.games)[:num_inputs]), ("columns", columns), ("others", others)):
            self.register_buffer(name, torch.from_numpy(array), persistent=False)
        self.facts = nn.Linear(len(columns), shape.width)
        self.rest = nn.Linear(len(others), shape.width)
        self.card = nn.Parameter(torch.randn(NUM_CARDS, shape.width) / shape.width**0.5)
        self.blocks = nn.ModuleList(AttentionBlock(shape.width) for _ in range(shape.blocks))
        self.norm = nn.LayerNorm(shape.width)
        self.zero_inputs(OF_OTHER_DEALS)

    @torch.no_grad()
    def zero_inputs(self, columns: np.ndarray) -> None:
        zeroed = torch.from_numpy(columns).to(self.columns.device)
        self.rest.weight[:, torch.isin(self.others, zeroed)] = 0
        self.facts.weight[:, torch.isin(self.columns[:, 0], zeroed)] = 0

    def forward(self, inputs: Inputs) -> Tensor:
        assert isinstance(inputs, DenseInputs)
        view = inputs.view[:, : self.num_inputs].float() * self.scale
        padded = torch.cat([view, view.new_zeros(view.shape[0], 1)], dim=1)
        cards = self.facts(padded[:, self.columns].transpose(1, 2)) + self.card
        x = torch.cat([self.rest(view[:, self.others])[:, None], cards], dim=1)
        for block in self.blocks:
            x = block(x)
        return gelu(self.norm(x[:, 0]).float())

    @classmethod
    def check(cls, shape: Mapping[str, Any], tensors: Mapping[str, Tensor], prefix: str) -> None:
        card = tensors.get(f"{prefix}card")
        if card is None or card.dim() != 2 or card.shape[0] != NUM_CARDS:
            raise ValueError(f"there is no tensor {prefix}card of {NUM_CARDS} rows")
        check_sizes(shape, card.shape[1], count_blocks(tensors, prefix))
