"""The seeds of all deal sets (``deal_seeds``), in one place: what is chosen on some deals is reported on
others.

A command that plays matches takes its seed from here, docs/evaluation.md prints the table, and a test holds that no
seed serves two purposes. Training itself deals from another stream (``train.data.deals``), whatever its seed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

CHOOSE, REPORT, MEASURE = "choose", "report", "measure"
Use = Literal["choose", "report", "measure"]


class DealSet(NamedTuple):
    """Seeds ``first`` to ``last``, all for one purpose.

    Attributes:
        use: ``choose``: settings, copies or weights are picked by matches on these deals, so no page gives them as a
            strength. ``report``: results that pages quote; nothing is picked by them. ``measure``: neither.
    """

    use: Use
    purpose: str
    first: int
    last: int


BUNDLED = 7
"""The bundled policies against the bots: the table of their card."""
RUN_CURVE = 20_001
"""While a run learns: its curve, and which copy of it is the best."""
RUN_BEST = 20_003
"""The best copy of a run against its last."""
RUN_REPORT = 20_004
"""The closing matches of a run: its result."""
EXPERT_ABLATION = 30_001
ONE_STOCK, SPLIT_STOCK, COVERAGE_RANDOM, COVERAGE_DIFFERENCE = 31_001, 31_002, 31_003, 31_004
RESPONSE_CURVE, RESPONSE_RESULT = 40_001, 40_002
SEARCH_SPEED = 50_001
CALIBRATION = 60_001
"""Positions whose values are compared with the results of their deals."""
TUNING, TUNING_LAST = 7_000_000, 7_999_999
"""Of the expert's weights; each generation has deals of its own."""

DEAL_SETS = (
    DealSet(REPORT, "the ladder", 1, 1),
    DealSet(REPORT, "search: halving and expert playouts", 2, 2),
    DealSet(REPORT, "cross-play of bots", 3, 3),
    DealSet(REPORT, "the champion", 5, 5),
    DealSet(REPORT, "cross-play of seeds", 6, 6),
    DealSet(REPORT, "the bundled policies", BUNDLED, BUNDLED),
    DealSet(CHOOSE, "search: plans and tree, not kept", 11, 11),
    DealSet(REPORT, "search with a prior", 12, 13),
    DealSet(REPORT, "search: playouts by the champion", 14, 14),
    DealSet(CHOOSE, "training: curve and best copy", RUN_CURVE, RUN_CURVE),
    DealSet(CHOOSE, "the tables of notes/training.md", 20_002, 20_002),
    DealSet(CHOOSE, "training: the best copy against the last", RUN_BEST, RUN_BEST),
    DealSet(REPORT, "training: the result", RUN_REPORT, RUN_REPORT),
    DealSet(REPORT, "what each feature of the expert is worth", EXPERT_ABLATION, EXPERT_ABLATION),
    DealSet(MEASURE, "spreads with one stock and a split one", ONE_STOCK, SPLIT_STOCK),
    DealSet(MEASURE, "coverage of intervals", COVERAGE_RANDOM, COVERAGE_DIFFERENCE),
    DealSet(CHOOSE, "best response: curve", RESPONSE_CURVE, RESPONSE_CURVE),
    DealSet(REPORT, "best response: result", RESPONSE_RESULT, RESPONSE_RESULT),
    DealSet(MEASURE, "search: speed", SEARCH_SPEED, SEARCH_SPEED),
    DealSet(REPORT, "the calibration of values", CALIBRATION, CALIBRATION),
    DealSet(CHOOSE, "the expert's weights", TUNING, TUNING_LAST),
)


def set_of(seed: int) -> DealSet | None:
    """What a seed is for; None: nobody has asked for it."""
    return next((deal_set for deal_set in DEAL_SETS if deal_set.first <= seed <= deal_set.last), None)
