"""Files of tensors and of what they say of themselves (safetensors), which are looked at before they are believed.

Whatever is written here carries a digest over everything in it, and holds no NaN and no infinities. What is read is
held against its digest; files from before there was one are told apart by whoever reads them. Reading runs no code of
a file and takes no more memory than the file is long: its header is checked against its length.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from persian_rummy_env.players.tensor_file import NotFiniteError

from .inputs import not_finite

DIGEST = "digest"


class TensorFile(NamedTuple):
    """A file read: what it ``says`` of itself, the digest not among it; its ``tensors``; and whether it had a
    ``digest``, which then was the right one."""

    metadata: dict[str, str]
    tensors: dict[str, Tensor]
    digest: bool


def digest_of(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """A digest over all names, types, shapes, numbers and words."""
    whole = hashlib.sha256(json.dumps(sorted((key, word) for key, word in metadata.items() if key != DIGEST)).encode())
    for name, tensor in sorted(tensors.items()):
        whole.update(json.dumps([name, str(tensor.dtype), list(tensor.shape)]).encode())
        whole.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return whole.hexdigest()


def tensor_bytes(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """The content of a file, with its digest.

    Raises:
        NotFiniteError: a tensor holds NaN or infinities; the message names it.
    """
    name = not_finite(tensors)
    if name is not None:
        raise NotFiniteError(f"the tensor {name!r}, which holds NaN or infinities, so that nothing is written")
    here = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    return save(here, {**metadata, DIGEST: digest_of(here, metadata)})


def read_tensor_file(path: Path, what: str, versions: Mapping[str, Sequence[str]]) -> TensorFile:
    """A file of tensors.

    Args:
        what: it should be, for the message: "policy".
        versions: what it must say of itself by name, the values that are read here, the newest first.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is a folder, not of this kind or these versions, damaged, or holds NaN or infinities; the message
            names the file.
    """
    if path.is_dir():
        raise ValueError(f"{path}: a folder, and expected is the file of a {what}")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such {what} file")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no mapping)
    except (SafetensorError, OSError, UnicodeError, AttributeError, RuntimeError) as error:  # AttributeError: a dtype
        raise ValueError(f"{path}: not a {what}, or damaged ({one_line(error)})") from error
    for key, here in versions.items():
        if metadata.get(key) not in here:
            raise ValueError(
                f"{path}: its {key} is {metadata.get(key)!r}, and here it is {here[0]!r}; it is of no use here"
            )
    digest = metadata.pop(DIGEST, None)
    if digest is not None and digest != digest_of(tensors, metadata):
        raise ValueError(f"{path}: damaged: its content is not what its digest says; take a copy that is whole")
    name = not_finite(tensors)
    if name is not None:
        raise ValueError(f"{path}: its tensor {name!r} holds NaN or infinities; a network of such numbers cannot play")
    return TensorFile(metadata, tensors, digest is not None)


def one_line(error: object) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split())
