"""Files of named arrays with metadata (safetensors), checked before use.

Every file that is written here has a digest over its whole content and holds no NaN and no infinities. A file that is
read must match its digest; the caller decides about older files without one. Reading executes no code from the file and
needs no more memory than the length of the file, because the header is checked against it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

DIGEST = "digest"


class NotFiniteError(RuntimeError):
    """A network, or its output, holds NaN or infinities; the message names the quantity."""


class TensorFile(NamedTuple):
    """A file: its ``metadata`` without the digest; its ``tensors``; and whether it had a ``digest`` (which matched)."""

    metadata: dict[str, str]
    tensors: dict[str, np.ndarray]
    digest: bool


def digest_of(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> str:
    """A digest over all names, dtypes, shapes, values and metadata. Dtypes have the names of torch, as in the oldest
    files."""
    whole = hashlib.sha256(json.dumps(sorted((key, text) for key, text in metadata.items() if key != DIGEST)).encode())
    for name, tensor in sorted(tensors.items()):
        whole.update(json.dumps([name, f"torch.{tensor.dtype.name}", list(tensor.shape)]).encode())
        whole.update(np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data)
    return whole.hexdigest()


def not_finite(tensors: Mapping[str, np.ndarray]) -> str | None:
    """The name of the first tensor that holds NaN or infinities; None if there is none."""
    return next((n for n, t in tensors.items() if t.dtype.kind == "f" and not bool(np.isfinite(t).all())), None)


def tensor_bytes(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """The content of a file, with its digest.

    Raises:
        NotFiniteError: a tensor holds NaN or infinities; the message names it.
    """
    name = not_finite(tensors)
    if name is not None:
        raise NotFiniteError(f"the tensor {name!r}, which holds NaN or infinities, so that nothing is written")
    arrays = {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()}
    return save(arrays, {**metadata, DIGEST: digest_of(arrays, metadata)})


def read_tensor_file(path: Path, what: str, versions: Mapping[str, Sequence[str]]) -> TensorFile:
    """Read and check a file of tensors.

    Args:
        path: the file.
        what: the kind of the file for messages, such as "policy".
        versions: required metadata by name, with the accepted values, the newest first.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is a folder, not of this kind or these versions, damaged, or holds NaN or infinities; the message
            names the file.
    """
    if path.is_dir():
        raise ValueError(f"{path}: a folder, expected the file of a {what}")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such {what} file")
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: np.array(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except (SafetensorError, OSError, UnicodeError, AttributeError, RuntimeError, TypeError, KeyError) as error:
        # AttributeError, TypeError, KeyError: a dtype that numpy lacks
        raise ValueError(f"{path}: not a {what}, or damaged ({one_line(error)})") from error
    for key, known in versions.items():
        if metadata.get(key) not in known:
            raise ValueError(
                f"{path}: its {key} is {metadata.get(key)!r}, expected {known[0]!r}: this version cannot read it"
            )
    digest = metadata.pop(DIGEST, None)
    if digest is not None and digest != digest_of(tensors, metadata):
        raise ValueError(f"{path}: damaged: its content does not match its digest; use an undamaged copy")
    name = not_finite(tensors)
    if name is not None:
        raise ValueError(f"{path}: its tensor {name!r} holds NaN or infinities; a network of such numbers cannot play")
    return TensorFile(metadata, tensors, digest is not None)


def one_line(error: object) -> str:
    """The text of an error, on one line."""
    return " ".join(str(error).split())
