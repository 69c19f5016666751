"""A policy that plays from the text of a prompt alone: a stand-in for a language model in tests and examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..players.policy import as_policy
from ..players.policy_io import choose
from .answer import names_of
from .notation import STANDARD, Notation
from .reading import info_state, situation


class PromptPlayer:
    """Answers prompts by what a policy would play.

    It reads the situation from the text, makes the information state of it and asks the policy. A policy that draws
    random numbers draws the same ones each time.

    Args:
        policy: has ``act(batch)``, such as ``persian_rummy_env.load("expert")``.
        notation: the notation of the prompts.

    Raises:
        TypeError: no policy.
    """

    def __init__(self, policy: Any, notation: Notation = STANDARD) -> None:
        self.policy = as_policy(policy)
        self.notation = notation

    def answer(self, prompt: str) -> str:
        """The action for a prompt of ``render``, as text.

        Raises:
            ReadingError: the prompt tells no situation.
        """
        start = prompt.find("Deal ")
        game = info_state(situation(prompt[max(start, 0) :]), notation=self.notation)
        action = choose(game, self.policy)
        return names_of(np.asarray(action).tolist(), self.notation)
