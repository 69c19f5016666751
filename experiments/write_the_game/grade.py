"""Asks a solution for decisions of the engine's games and counts the right answers by kind of situation."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..shared.markdown import table
from .games import Decision, Start, games
from .situations import SITUATIONS, Check, legal_checks, start_check, step_checks
from .solution import Limits, Solution, SolutionError

FORMAT = "persian-rummy-written-game/1"
BATCH = 50
MOST_FAULTS = 3
"""How often a solution may end its process or answer too late; after that it is asked nothing more."""
REPORT_EVERY = 10.0
SHOWN_ERRORS = 5
EXAMPLES_PRINTED = 3


@dataclass
class Kind:
    """Checks of one kind of situation.

    Attributes:
        checks, right: how many were made, and how many agreed.
        example: the first that did not: state or arguments, action, what was expected and what was found.
    """

    checks: int = 0
    right: int = 0
    example: dict[str, Any] | None = None


@dataclass
class Grade:
    """The result of a solution.

    Attributes:
        decisions: decisions that count: those asked for; asked: those that were answered or ended the process.
        right: decisions of which legal actions and state after were right.
        games: games begun.
        kinds: by kind of situation.
        errors: exceptions and faults, by their text.
        faults: how often the process ended, or answered too late.
        ended: why the solution was not asked to the end, or None.
        memory_limited: whether the system held the limit of memory.
    """

    decisions: int
    asked: int = 0
    right: int = 0
    games: int = 0
    kinds: dict[str, Kind] = field(default_factory=lambda: {name: Kind() for name in SITUATIONS})
    errors: Counter[str] = field(default_factory=Counter)
    faults: int = 0
    ended: str | None = None
    memory_limited: bool = False

    @property
    def score(self) -> float:
        """The share of right decisions, 0..1; decisions that were not asked are wrong."""
        return self.right / self.decisions

    @property
    def balanced(self) -> float:
        """The mean of the shares of the kinds of situations that occurred, 0..1, times the share of decisions asked."""
        shares = [kind.right / kind.checks for kind in self.kinds.values() if kind.checks]
        return sum(shares) / max(len(shares), 1) * min(self.asked / self.decisions, 1)

    def failing(self) -> list[str]:
        """The kinds of situations with wrong answers, the lowest share first."""
        wrong = [name for name, kind in self.kinds.items() if kind.right < kind.checks]
        return sorted(wrong, key=lambda name: self.kinds[name].right / self.kinds[name].checks)


def grade(path: Path, decisions: int, seed: int, limits: Limits, *, progress: bool = False) -> Grade:
    """Grade a solution; it may be anything, and its faults are part of the grade.

    Args:
        path: the file of the solution.
        decisions: how many, 1 or more.
        seed: of the games, 0 or more.
        limits: of the solution's process.
        progress: report on standard error every ten seconds.

    Raises:
        OSError: the file cannot be read.
    """
    path.read_bytes()
    result = Grade(decisions)
    start = reported = time.perf_counter()
    try:
        with Solution(path, limits) as solution:
            result.memory_limited = solution.memory_limited
            for batch in _batches(seed, decisions):
                if time.perf_counter() - start > 60 * limits.minutes:
                    raise SolutionError(f"stopped after {limits.minutes:g} minutes")
                _ask(solution, batch, result)
                if progress and time.perf_counter() - reported > REPORT_EVERY:
                    reported = time.perf_counter()
                    _report(result, (reported - start) / 60)
    except SolutionError as error:
        result.ended = str(error)
    return result


def _batches(seed: int, decisions: int) -> Iterator[list[Start | Decision]]:
    batch: list[Start | Decision] = []
    left = decisions
    for one in games(seed):
        batch.append(one)
        left -= isinstance(one, Decision)
        if len(batch) == BATCH or not left:
            yield batch
            batch = []
        if not left:
            return


def _ask(solution: Solution, batch: list[Start | Decision], result: Grade) -> None:
    """Ask the questions of a batch; after a fault, the rest of them in a new process."""
    rest = batch
    while rest:
        answers, fault = solution.ask([_question(one) for one in rest])
        for one, found in zip(rest, answers, strict=False):
            count(one, found, result)
        rest = rest[len(answers) :]
        if fault is None:
            continue
        count(rest.pop(0), {name: {"raised": fault} for name in ("initial", "legal", "step")}, result)
        result.faults += 1
        if result.faults == MOST_FAULTS:
            raise SolutionError(f"stopped after {MOST_FAULTS} faults, the last one: {fault}")
        solution.restart()


def _question(one: Start | Decision) -> list[Any]:
    if isinstance(one, Start):
        return ["start", one.rules, one.dealer, one.decks]
    return ["decision", one.state, one.action]


def count(one: Start | Decision, answers: Mapping[str, Any], result: Grade) -> None:
    """Compare the answers to one question and add them to a grade.

    Args:
        answers: by the name of a function, ``{"returned": value}`` or ``{"raised": text}``; anything else is no answer.
    """

    def found(name: str) -> Any:
        one_answer = answers.get(name)
        if not isinstance(one_answer, dict) or "returned" not in one_answer:
            text = str(one_answer["raised"] if isinstance(one_answer, dict) and "raised" in one_answer else "no answer")
            raised.add(text)
            return text
        return one_answer["returned"]

    raised: set[str] = set()
    if isinstance(one, Start):
        checks = [start_check(one.state, found("initial"))]
        result.games += 1
        example = {"rules": one.rules, "dealer": one.dealer, "decks": one.decks}
    else:
        checks = [
            *legal_checks(one.state, one.legal, found("legal")),
            *step_checks(one.state, one.action, one.after, found("step")),
        ]
        result.asked += 1
        result.right += all(check.right for check in checks)
        raised.update(check.form for check in checks if check.form)
        example = {"state": one.state, "action": one.action}
    result.errors.update(raised)
    for check in checks:
        _count_check(check, example, result.kinds[check.situation])


def _count_check(check: Check, example: dict[str, Any], kind: Kind) -> None:
    kind.checks += 1
    kind.right += check.right
    if kind.example is None and not check.right:
        kind.example = {**example, "expected": check.expected, "found": check.found}


def _report(result: Grade, minutes: float) -> None:
    left = minutes * (result.decisions - result.asked) / max(result.asked, 1)
    sys.stderr.write(
        f"{result.asked:,} of {result.decisions:,} decisions, {result.right:,} right, about {left:.1f} min left\n"
    )
    sys.stderr.flush()


# What is written ------------------------------------------------------------------------------------------------------


def as_json(result: Grade, path: Path, seed: int, limits: Limits) -> dict[str, Any]:
    """The result as JSON."""
    return {
        "format": FORMAT,
        "solution": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "seed": seed,
        "decisions": result.decisions,
        "asked": result.asked,
        "right": result.right,
        "score": result.score,
        "balanced": result.balanced,
        "games": result.games,
        "ended": result.ended,
        "errors": dict(result.errors.most_common(SHOWN_ERRORS)),
        "limits": {
            "seconds": limits.seconds,
            "minutes": limits.minutes,
            "memory_mb": limits.memory_mb if result.memory_limited else None,
        },
        "situations": {
            name: {"checks": kind.checks, "right": kind.right, "example": kind.example}
            for name, kind in result.kinds.items()
        },
    }


def as_text(result: Grade, name: str) -> str:
    """The result as a short table, with worked examples of the worst situations."""
    rows = [
        [kind, f"{one.right:,}", f"{one.checks:,}", share(one.right, one.checks), SITUATIONS[kind]]
        for kind, one in result.kinds.items()
    ]
    lines = [table(["situation", "right", "checks", "share", "what it is"], rows), ""]
    for kind in result.failing()[:EXAMPLES_PRINTED]:
        example = result.kinds[kind].example or {}
        lines.append(f"{kind}, for example:")
        lines += [f"  {key}: {compact(value)}" for key, value in example.items() if key != "decks"]
    for text, count in result.errors.most_common(SHOWN_ERRORS):
        lines.append(f"{count:,} times: {text}")
    if result.ended is not None:
        lines.append(f"{name}: {result.ended}")
    lines.append(
        f"{name}: {result.right:,} of {result.decisions:,} decisions right ({share(result.right, result.decisions)}), "
        f"mean over situations {share(result.balanced, 1)}"
    )
    return "\n".join(lines)


def share(right: float, of: float) -> str:
    """A percentage, rounded down, so that only a whole is 100.00%."""
    return "-" if not of else f"{int(10_000 * right / of) / 100:.2f}%"


def compact(value: Any) -> str:
    """A value of an example in one line; the decks, which are long, are in the JSON alone."""
    if isinstance(value, dict):
        value = {name: one for name, one in value.items() if name not in ("decks", "stock")}
    return json.dumps(value)
