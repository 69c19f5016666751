"""The scripted bots as policies."""

from __future__ import annotations

import numpy as np

from ..arrays import plain
from ..bots import BOTS, bot_codes
from ..core import bot_kernels
from ..core.compiler.compile_on_demand import ensure_compiled
from ..rules import NUM_SEATS
from .policy import BasePolicy, DecisionBatch


class ScriptedPolicy(BasePolicy):
    """A compiled bot by name. Matches play it in the compiled loop by its ``code``, with the sampling stream of each
    game, and do not call ``act``.

    Args:
        name: a name of ``bots.BOTS``.
        seed: seed of ``act``, which only ``random`` uses.

    Raises:
        ValueError: there is no bot of that name; the message lists the bots.
    """

    wants_views = True

    def __init__(self, name: str, seed: int = 0) -> None:
        bot_codes(name)
        self.name = name
        self.code = BOTS[name]
        self._rng = np.random.default_rng(seed)

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """
        Raises:
            ValueError: the batch has no views; ``policy_io.show(games, lanes, views=True)`` adds them.
        """
        if batch.views is None:
            raise ValueError(
                f"policy {self.name}: the batch has no views, which wants_views asks for; make it by "
                "policy_io.show(games, lanes, views=True)"
            )
        ensure_compiled("scripted players")
        views = batch.views.copy()
        views["sample_rng"] = self._rng.integers(0, 2**64, size=len(views), dtype=np.uint64)
        words, actions = plain(batch.legal, np.uint64), np.empty(len(views), dtype=np.int64)
        codes = np.full((len(views), NUM_SEATS), self.code, dtype=np.int8)
        bot_kernels.choose_many(views, words, codes, actions, 0, len(views))
        return actions
