"""The form of a claim. A module of ``experiments`` that proves a claim has it as ``CLAIM`` at its top."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A claim and how to prove it.

    Attributes:
        text: the claim, as Markdown.
        command: the commands that prove it, one per line, run from the root of the repository.
        expected: the values that the command gives; ± is half of a 95% interval.
        minutes: approximate minutes on two idle cores.
        result: the committed result, a path under ``experiments/results``; empty if no result is stored.
        page: the page of docs/ with all values; empty if ``expected`` has them all.

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
