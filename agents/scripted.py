"""The scripted bots as policies."""

from __future__ import annotations

import numpy as np

from persian_rummy_env.bots import BOTS, bot_codes

from .base import Batch, Policy


class ScriptedPolicy(Policy):
    """A compiled bot by name. Matches let the compiled loop play it and never ask ``act``.

    Raises:
        ValueError: there is no bot of that name; the known ones are listed.
    """

    def __init__(self, name: str) -> None:
        bot_codes(name)
        self.name = name
        self.code = BOTS[name]

    def act(self, batch: Batch) -> np.ndarray:  # noqa: ARG002
        raise TypeError(f"{self.name} is played inside the compiled loop (code {self.code}); ask agents.arena.play")
