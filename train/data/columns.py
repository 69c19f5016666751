"""Batches are dataclasses of arrays, a row for each decision or episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def join(parts: Sequence[T]) -> T:
    """Batches of one class, one after the other: every field is concatenated along its first axis."""
    kind: Any = type(parts[0])
    return kind(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(kind)))
