"""What a claim states: a module of ``experiments`` that proves one has it as ``CLAIM``, at its top."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A claim and how to prove it.

    Attributes:
        text: what is claimed, as Markdown.
        command: the commands that prove it, one a line, run from the root of the repository.
        expected: the values that the command gives; ± is half of a 95% interval.
        minutes: about how long it takes on two cores that do nothing else.
        result: the committed result, a path under ``experiments/results``; empty where no result is kept.
        page: the page of docs/ that has the values in full; empty where ``expected`` has them all.

    Raises:
        ValueError: the text, the command or the expected values are empty, or minutes are not above 0.
    """

    text: str
    command: str
    expected: str
    minutes: float
    result: str = ""
    page: str = ""

    def __post_init__(self) -> None:
        for name in ("text", "command", "expected"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name}={getattr(self, name)!r}: expected text")
        if not self.minutes > 0:
            raise ValueError(f"minutes={self.minutes}: expected a number above 0")
