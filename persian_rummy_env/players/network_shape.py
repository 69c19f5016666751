"""What a policy file says of its network, checked before anything of that size is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..observation import SIZE


@dataclass(frozen=True)
class Shape:
    """What a network is.

    Attributes:
        width: features of a layer.
        blocks: number of blocks.
        games: it also reads the blocks of other deals (``inputs.OTHER_DEALS``).
        kind: the architecture, a name of ``networks.NETWORKS`` or ``agents.network.KINDS``. Files that name none are
            of the first kind that there was.
    """

    width: int = 256
    blocks: int = 2
    games: bool = False
    kind: str = "residual"


def shape_of(stated: Any) -> Shape:
    """The shape that a file states.

    Args:
        stated: read from JSON.

    Raises:
        ValueError: it is no object of a shape's fields, or a value has another type.
    """
    known = [field.name for field in fields(Shape)]
    if not isinstance(stated, dict) or not {"width", "blocks"} <= set(stated) <= set(known):
        raise ValueError(f"expected an object of {', '.join(known)}")
    for name, value in stated.items():
        expected = {"games": bool, "kind": str}.get(name, int)
        if type(value) is not expected:
            raise ValueError(f"{name}={value!r}: expected a value of type {expected.__name__}")
    return Shape(**stated)


def count_blocks(tensors: Mapping[str, Any], prefix: str) -> int:
    """How many members of ``blocks`` the tensors, or arrays, belong to."""
    start = f"{prefix}blocks."
    return len({name.removeprefix(start).split(".")[0] for name in tensors if name.startswith(start)})


def check_sizes(shape: Mapping[str, Any], width: int, blocks: int) -> None:
    """Refuse a stated width or number of blocks that the tensors do not have.

    Raises:
        ValueError: they differ.
    """
    if (shape["width"], shape["blocks"]) != (width, blocks):
        raise ValueError(
            f"it says width={shape['width']}, blocks={shape['blocks']}, and the tensors have width={width}, "
            f"blocks={blocks}"
        )


def check_residual(
    shape: Mapping[str, Any], tensors: Mapping[str, Any], prefix: str = "trunk.", num_inputs: int = SIZE
) -> None:
    """Compare the stated sizes of a residual network with its tensors.

    Args:
        shape: with ``width`` and ``blocks``.
        tensors: arrays or torch tensors, by name.
        prefix: of the names of the trunk's tensors.
        num_inputs: bytes that the network reads.

    Raises:
        ValueError: they differ.
    """
    weight = tensors.get(f"{prefix}weight")
    if weight is None or weight.ndim != 2 or weight.shape[0] != num_inputs:
        raise ValueError(f"there is no tensor {prefix}weight of {num_inputs} rows")
    check_sizes(shape, weight.shape[1], count_blocks(tensors, prefix))
