"""A seat for language models: what a seat knows as text and JSON, and answers in text as actions.

Nothing here depends on a language-model library. ``rules`` is said once, ``render`` for each decision, and ``parse``
reads the answer. See docs/text.md.
"""

from .answer import AnswerError, legal_actions, names_of, parse
from .notation import STANDARD, Notation
from .prompt import render, rules
from .reading import ReadingError, info_state, situation
from .situation import History, Situation, to_json

__all__ = [
    "STANDARD",
    "AnswerError",
    "History",
    "Notation",
    "ReadingError",
    "Situation",
    "info_state",
    "legal_actions",
    "names_of",
    "parse",
    "render",
    "rules",
    "situation",
    "to_json",
]
