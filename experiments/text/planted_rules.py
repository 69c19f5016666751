"""Whether the grader of "Write this game" finds wrong rules: ``python -m experiments.text.planted_rules``.

The plain twin of the rules, ``tests/oracle.py``, is graded as a solution, and then ten copies of it with one wrong rule
each. Exit status 1: the twin has a wrong decision, or a wrong rule was not found in its situation. Writes
``results/planted_rules.json``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..shared.claim import Claim
from ..shared.result_file import RESULTS, ROOT, STRENGTH, about, add_result_options, write_result
from ..write_the_game.grade import Grade, grade, share
from ..write_the_game.solution import Limits

CLAIM = Claim(
    text='the grader of "Write this game from its rules" finds nothing wrong in the plain twin of the rules, and names '
    "the situation of each of ten planted rule errors",
    command="python -m experiments.text.planted_rules",
    expected="twin 100,000 of 100,000; 10 of 10 errors found in their situation",
    minutes=4,
    result="planted_rules.json",
    page="docs/write_the_game.md",
)

RESULT = RESULTS / "planted_rules.json"
TWIN = ROOT / "tests" / "oracle.py"
SEED = 1


class Wrong(NamedTuple):
    """A wrong rule: what it is, the situation in which it must be found, and the change to the twin's text."""

    rule: str
    situation: str
    before: str
    after: str


WRONG_RULES = (
    Wrong(
        "a run on the table goes on from the ace to the 2",
        "lay off on a run",
        "    place = RANKS.index(card[0]) + step\n",
        "    place = (RANKS.index(card[0]) + step) % len(RANKS)\n",
    ),
    Wrong(
        "a run on the table grows at its high end only",
        "lay off on a run",
        "    return below is not None or above is not None\n",
        "    return below is not None\n",
    ),
    Wrong(
        "no chain makes a take legal",
        "chain",
        "    return len(first_links(card, hand, table)) > 0\n",
        "    return joins_a_run(card, table)\n",
    ),
    Wrong(
        "the cards above the card taken do not count for its meld",
        "take",
        "self.hands[self.seat] + cards[place:], self.melds",
        "self.hands[self.seat] + cards[place : place + 1], self.melds",
    ),
    Wrong(
        "another card may be discarded while one is owed",
        "owed",
        "            discards = set()\n",
        "            discards = {card for card in hand if card != self.owed}\n",
    ),
    Wrong(
        "the fourth card of a set counts double when it is laid off",
        "lay off on a set",
        "        self.points[self.seat % 2] += value_of(card)\n",
        '        self.points[self.seat % 2] += value_of(card) * (2 if kind == "set" else 1)\n',
    ),
    Wrong(
        "four of a kind count double whatever the rule set names",
        "four at once",
        '        return self.rules["quad_bonus"] == "any" or same_rank(card, "JC")\n',
        "        return True\n",
    ),
    Wrong(
        "discarding the last card goes out",
        "empty hand",
        '            self.events["last_card_discarded"] += 1\n',
        "            return self._end_deal(out=self.seat)\n",
    ),
    Wrong(
        "the cards of the partner of seat 0 or 2 cost nothing if that seat goes out",
        "score",
        "            score[seat % 2] -= total_value(self.hands[seat])\n",
        "            score[seat % 2] -= 0 if out in (0, 2) and seat in (0, 2) else total_value(self.hands[seat])\n",
    ),
    Wrong(
        "three passes in a row end a deal",
        "stock out",
        "PASSES_THAT_END_A_DEAL = 4\n",
        "PASSES_THAT_END_A_DEAL = 3\n",
    ),
)


def planted(text: str, wrong: Wrong) -> str:
    """The text of the twin with a wrong rule.

    Raises:
        ValueError: the text has changed, so that the rule cannot be planted.
    """
    if text.count(wrong.before) != 1:
        raise ValueError(f"{wrong.rule!r}: {wrong.before!r} stands {text.count(wrong.before)} times in {TWIN.name}")
    return text.replace(wrong.before, wrong.after)


def graded(text: str, decisions: int, limits: Limits) -> Grade:
    """Grade a solution that is given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solution.py"
        path.write_text(text, encoding="utf-8")
        return grade(path, decisions, SEED, limits, progress=True)


def figures(result: Grade) -> dict[str, Any]:
    """What the result file has of a grade."""
    return {
        "decisions": result.decisions,
        "right": result.right,
        "mean over situations": round(result.balanced, 6),
        "failing": {
            name: {"checks": result.kinds[name].checks, "right": result.kinds[name].right} for name in result.failing()
        },
        "ended": result.ended,
    }


def example(result: Grade, situation: str) -> dict[str, Any] | None:
    """The worked example of a situation, without the decks."""
    found = result.kinds[situation].example
    if found is None:
        return None
    state = {name: value for name, value in found["state"].items() if name != "decks"}
    return {**found, "state": state}


def main(given: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if given is None else list(given)
    parser = argparse.ArgumentParser(
        prog="python -m experiments.text.planted_rules", description="whether the grader finds planted rule errors"
    )
    parser.add_argument("--decisions", type=int, default=100_000, help="of the twin (default %(default)s)")
    parser.add_argument("--planted", type=int, default=4_000, help="of each wrong copy (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT)
    add_result_options(parser)
    options = parser.parse_args(argv)
    facts = about("experiments.text.planted_rules", argv, options.out, options.allow_dirty)
    text, limits = TWIN.read_text(encoding="utf-8"), Limits(seconds=60, minutes=120)
    twin = graded(text, options.decisions, limits)
    situations = {name: kind.checks for name, kind in twin.kinds.items()}
    rows, missed = [], []
    for wrong in WRONG_RULES:
        result = graded(planted(text, wrong), options.planted, limits)
        found = result.right < result.decisions and wrong.situation in result.failing()
        missed += [] if found else [wrong.rule]
        shown = share(result.right, result.decisions)
        print(f"{wrong.rule}: {shown}; {', '.join(result.failing()) or 'not found'}", flush=True)
        worked = example(result, wrong.situation)
        rows.append({"rule": wrong.rule, "situation": wrong.situation, **figures(result), "example": worked})
    content = {"twin": figures(twin), "situations": situations, "wrong rules": rows, "missed": missed}
    write_result(options.out, facts, content, kind=STRENGTH, seeds=[SEED])
    print(f"the twin: {twin.right:,} of {twin.decisions:,}; {len(rows) - len(missed)} of {len(rows)} wrong rules found")
    return int(twin.right < twin.decisions or bool(missed))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.text.planted_rules", main))
