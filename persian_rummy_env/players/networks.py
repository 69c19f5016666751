"""Trained networks without torch: the forward passes of actors and critics in compiled loops.

The shape in a policy file names the ``kind`` of its network. ``NETWORKS`` holds a builder for each kind that computes
here. Kinds and devices that need torch are registered by ``agents.learned`` when it is imported (``register_backend``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..actions import NUM_ACTIONS
from ..core import network_kernels as kernels
from ..core.compiler.intrinsics import PRODUCT_COLUMNS, PRODUCT_ROWS
from ..observation import SIZE
from .inputs import VIEW_SIZE, SparseInputs
from .network_shape import Shape, check_residual
from .policy import BasePolicy, DecisionBatch, unknown_name
from .policy_file import PolicyFile, misfit, read_policy_file
from .tensor_file import NotFiniteError

CHUNK = 4096
"""Rows listed at once, which bounds the memory of a batch."""
TILE = 20 * PRODUCT_ROWS
"""Rows computed at once, so that they stay in the processor's cache."""


class Network(Protocol):
    """An actor: from listed decisions to the log-probabilities of their legal actions."""

    @property
    def games(self) -> bool:
        """Whether it reads the blocks of other deals (``inputs.OTHER_DEALS``)."""
        ...

    def legal_log_probs(self, inputs: SparseInputs) -> np.ndarray:
        """(b, most) float32, in the order of ``inputs.actions``; values beyond ``inputs.counts`` mean nothing."""
        ...


class ResidualTrunk:
    """The residual multilayer perceptron of ``agents.trunk`` up to the last layer: pre-norm blocks
    ``x + linear(gelu(norm(x)))``.

    The output of a row does not depend on the batch that it is in, nor on the number of threads: our matrix product
    (``add_dense``) adds the terms of every row in one order, where BLAS adds in another for the last rows of a batch.

    Args:
        shape: ``width``, ``blocks`` and, optionally, ``games``.
        tensors: by the names of ``agents.network.Actor`` and ``Critic``, float32.
        num_inputs: bytes that it reads: ``SIZE``, or ``VIEW_SIZE`` with the other hands.
        outputs: rows of the last layer, which is checked here and computed by the caller.

    Raises:
        ValueError: the tensors do not have this shape.
    """

    def __init__(
        self, shape: Mapping[str, Any], tensors: Mapping[str, np.ndarray], num_inputs: int, outputs: int
    ) -> None:
        check_residual(shape, tensors, num_inputs=num_inputs)
        width, blocks = shape["width"], shape["blocks"]
        _check_tensors(tensors, _shapes(width, blocks, num_inputs, outputs))
        self.games: bool = shape.get("games", False)
        self.width = width
        self._hands = num_inputs > SIZE
        self._padded = -(-width // PRODUCT_COLUMNS) * PRODUCT_COLUMNS
        self._first = tensors["trunk.weight"], tensors["trunk.bias"]
        self._blocks = [
            (
                tensors[f"trunk.blocks.{block}.norm.weight"],
                tensors[f"trunk.blocks.{block}.norm.bias"],
                kernels.panels(tensors[f"trunk.blocks.{block}.linear.weight"]),
                np.pad(tensors[f"trunk.blocks.{block}.linear.bias"], (0, self._padded - width)),
            )
            for block in range(blocks)
        ]
        self._norm = tensors["trunk.norm.weight"], tensors["trunk.norm.bias"]
        self.last = tensors["last.weight"], tensors["last.bias"]
        """Weight (outputs, width) and bias (outputs,) of the last layer."""

    def features(self, inputs: SparseInputs) -> Iterator[tuple[slice, np.ndarray]]:
        """Compute the features that the last layer reads, for some rows at a time.

        Yields:
            The rows, and their features (rows, at least width) float32, which the next step overwrites.
        """
        rows = len(inputs.counts)
        tile = min(TILE, -(-rows // PRODUCT_ROWS) * PRODUCT_ROWS)
        features, hidden = np.zeros((2, tile, self._padded), dtype=np.float32)
        stop = inputs.start[1:] if self._hands else inputs.middle
        for start in range(0, rows, TILE):
            here = slice(start, min(start + TILE, rows))
            count = here.stop - start
            begin = inputs.start[start : here.stop + 1]
            kernels.first_layer(begin, stop[here], inputs.column, inputs.value, *self._first, features[:count])
            for norm, shift, weight, bias in self._blocks:
                kernels.norm_gelu(features, norm, shift, hidden)
                kernels.add_dense(hidden, weight, bias, features)
            kernels.norm_gelu(features, *self._norm, hidden)
            yield here, hidden[:count]


class ResidualNetwork:
    """An actor with a ``ResidualTrunk``.

    Raises:
        ValueError: the tensors do not have this shape.
    """

    def __init__(self, shape: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
        self._trunk = ResidualTrunk(shape, tensors, SIZE, NUM_ACTIONS)
        self.games = self._trunk.games

    def legal_log_probs(self, inputs: SparseInputs) -> np.ndarray:
        log_p = np.zeros(inputs.actions.shape, dtype=np.float32)
        for rows, hidden in self._trunk.features(inputs):
            kernels.last_layer(hidden, *self._trunk.last, inputs.actions[rows], inputs.counts[rows], log_p[rows])
        return log_p


class ResidualCritic:
    """A critic with a ``ResidualTrunk``, which reads the observation of the seat to move and the other three hands.

    Raises:
        ValueError: the tensors do not have this shape.
    """

    def __init__(self, shape: Mapping[str, Any], tensors: Mapping[str, np.ndarray]) -> None:
        self._trunk = ResidualTrunk(shape, tensors, VIEW_SIZE, 1)
        self.games = self._trunk.games

    def values(self, inputs: SparseInputs) -> np.ndarray:
        """The values to the seats to move, (b,) float32, in units of the reward; actions are not read."""
        values = np.empty(len(inputs.counts), dtype=np.float32)
        weight, bias = self._trunk.last
        for rows, hidden in self._trunk.features(inputs):
            values[rows] = (hidden[:, : self._trunk.width] * weight[0]).sum(axis=1) + bias[0]
        return values


def _shapes(width: int, blocks: int, num_inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"trunk.weight": (num_inputs, width), "trunk.bias": (width,)}
    for block in range(blocks):
        start = f"trunk.blocks.{block}"
        shapes |= {f"{start}.norm.weight": (width,), f"{start}.norm.bias": (width,)}
        shapes |= {f"{start}.linear.weight": (width, width), f"{start}.linear.bias": (width,)}
    shapes |= {"trunk.norm.weight": (width,), "trunk.norm.bias": (width,)}
    return shapes | {"last.weight": (outputs, width), "last.bias": (outputs,)}


def _check_tensors(tensors: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raises ValueError where names, shapes or types differ from what is expected."""
    missing, extra = sorted(set(shapes) - set(tensors)), sorted(set(tensors) - set(shapes))
    if missing or extra:
        raise ValueError(f"missing tensors: {', '.join(missing) or 'none'}; unexpected: {', '.join(extra) or 'none'}")
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape or tensor.dtype != np.float32:
            raise ValueError(f"{name}: {tensor.dtype} {tensor.shape}, expected float32 {shape}")


Builder = Callable[[Mapping[str, Any], Mapping[str, np.ndarray]], Network]
NETWORKS: dict[str, Builder] = {Shape.kind: ResidualNetwork}
"""By kind: makes a network from its shape (without ``kind``) and its tensors, or raises ValueError."""

Backend = Callable[[Path, str], BasePolicy]
_BACKENDS: list[Backend] = []


def register_backend(backend: Backend) -> None:
    """Register the torch implementation: ``backend(path, device)`` loads a policy file of a kind, or for a device, that
    numpy does not compute. ``agents.learned`` calls this when it is imported."""
    _BACKENDS[:] = [backend]


class NetworkPolicy(BasePolicy):
    """A trained policy that always takes the likeliest action, the lowest id of equals.

    Args:
        file: a policy file that was read.

    Raises:
        ValueError: its tensors do not fit its shape.

    Its methods raise ValueError for a row without a legal action, and ``NotFiniteError`` where the network's output is
    not finite.
    """

    skips_forced = True

    def __init__(self, file: PolicyFile) -> None:
        self.name = file.path.parent.name or "trained"
        self.rules, self.policy_file = file.rules, file.path
        shape = dict(file.shape)
        build = NETWORKS[shape.pop("kind")]
        try:
            self.network = build(shape, file.tensors)
        except ValueError as error:
            raise misfit(file.path, file.metadata, error) from error

    def act(self, batch: DecisionBatch) -> np.ndarray:
        actions = np.empty(len(batch), dtype=np.int64)
        for start in range(0, len(batch), CHUNK):
            inputs, log_p = self._log_probs(batch, slice(start, start + CHUNK))
            taken = np.empty(len(log_p), dtype=np.float32)
            kernels.likeliest(inputs.actions, inputs.counts, log_p, actions[start : start + CHUNK], taken)
            if not np.isfinite(taken).all():
                wrong = np.count_nonzero(~np.isfinite(taken))
                raise NotFiniteError(
                    f"the log-probabilities that the policy plays by: {wrong} of {len(taken)} are not finite"
                )
        return actions

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """The distribution over actions, (k, 547) float32; an illegal one has 0."""
        probabilities = np.zeros((len(batch), NUM_ACTIONS), dtype=np.float32)
        for start in range(0, len(batch), CHUNK):
            inputs, log_p = self._log_probs(batch, slice(start, start + CHUNK))
            legal = np.arange(log_p.shape[1]) < inputs.counts[:, None]
            probabilities[start + np.nonzero(legal)[0], inputs.actions[legal]] = np.exp(log_p[legal])
        if not np.isfinite(probabilities).all():
            raise NotFiniteError("the probabilities of the policy, some of which are not finite")
        return probabilities

    def _log_probs(self, batch: DecisionBatch, rows: slice) -> tuple[SparseInputs, np.ndarray]:
        inputs = SparseInputs.of(batch.observation[rows], batch.legal[rows], self.network.games)
        empty = inputs.counts < 1
        if empty.any():
            raise ValueError(
                f"row {rows.start + int(empty.argmax())}: no action is legal in it ({int(empty.sum())} of {len(empty)} "
                "rows have a mask of zeros alone); a game that is over has no decision, so leave its row out"
            )
        return inputs, self.network.legal_log_probs(inputs)


def load_policy(path: str | Path, device: str = "cpu") -> BasePolicy:
    """The policy of a file.

    Args:
        device: "cpu" needs no torch.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no policy, damaged, or of another version; or its kind or the device needs torch, and
            ``agents.learned`` was not imported.
    """
    path = Path(path)
    if device != "cpu":
        if not _BACKENDS:
            raise ValueError(f"device={device!r}: only the CPU is computed without torch; import agents.learned first")
        return _BACKENDS[0](path, device)
    file = read_policy_file(path)
    if file.shape["kind"] not in NETWORKS:
        if not _BACKENDS:
            fault = unknown_name("kind of network", file.shape["kind"], NETWORKS)
            raise ValueError(f"{path}: {fault}; for a kind that needs torch, import agents.learned first")
        return _BACKENDS[0](path, device)
    return NetworkPolicy(file)
