"""Pgx's bridge bidding, a batch of games on the CPU.

The result of a deal comes from a table that is normally downloaded. This driver uses the hundred deals of the package's
tests instead, because the table affects only the reward at the end.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import os

# One core, as for the others: switch off XLA's threads before it starts.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import tempfile
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from pgx.bridge_bidding import BridgeBidding, _load_sample_hash
from pgx.experimental import auto_reset

from experiments.peers.report import Game, report

BATCH = 4096


def three_keys(key: Any) -> tuple[Any, Any, Any]:
    """Split a key into the next key, one for the draws, and one for the step of each game."""
    on, for_draw, for_steps = jax.random.split(key, 3)
    return on, for_draw, jax.random.split(for_steps, BATCH)


class Table:
    """A batch of bidding games, with Pgx's own automatic reset."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deals.npy"
            # Plainly, as this Python lacks what this package needs, and the folder lives for these two lines alone.
            np.save(path, np.stack([np.asarray(part) for part in _load_sample_hash()]))
            env = BridgeBidding(str(path))
        self.step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
        self.draw = jax.jit(lambda key, mask: jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf)))
        self.split = jax.jit(three_keys)
        self.key = jax.random.PRNGKey(0)
        self.state: Any = jax.jit(jax.vmap(env.init))(jax.random.split(self.key, BATCH))

    def play(self, seconds: float, drawing: bool) -> float:
        """Decisions per second; without ``drawing`` only the steps are timed."""
        spent, steps = 0.0, 0
        while spent < seconds:
            start = time.perf_counter()
            self.key, for_draw, for_steps = self.split(self.key)
            actions = jax.block_until_ready(self.draw(for_draw, self.state.legal_action_mask))
            if not drawing:
                jax.block_until_ready(for_steps)
                start = time.perf_counter()
            self.state = jax.block_until_ready(self.step(self.state, actions, for_steps))
            spent += time.perf_counter() - start
            steps += 1
        return steps * BATCH / spent


def games() -> list[Game]:
    table = Table()
    seen = table.state.observation

    def game(by: str, drawing: bool) -> Game:
        return Game(
            name="bridge_bidding",
            play=lambda seconds: table.play(seconds, drawing),
            observation=f"{seen.dtype} {seen.shape[1:]}",
            observation_bytes=seen.nbytes // BATCH,
            actions=table.state.legal_action_mask.shape[1],
            by=by,
            batch=BATCH,
            drawing=drawing,
        )

    return [game("jit(vmap(auto_reset(step))), actions drawn beforehand", False), game("the same and drawing", True)]


if __name__ == "__main__":
    report(games, "pgx", "jax", "jaxlib", "numpy")
